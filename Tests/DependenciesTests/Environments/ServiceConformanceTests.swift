import SwiftBoardDependencies
import SwiftBoardServiceTesting
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

/// What every implementation of the other services does, by each of them.
@Suite("service conformance") struct ServiceConformanceTests {
  // MARK: HTTP

  static let liveClient = APIClientConformance { exchanges in
    let server = try TestHTTPServer { request in
      let exchange = exchanges.first { $0.method == request.method && $0.target == request.target }
      switch exchange?.answer {
      case .response(let status, let headers, let body):
        return .response(
          .init(status, headers: headers.map { ($0.name, $0.value) }, body: Array(body)))
      case .hang: return .hang
      case nil: return nil
      }
    }
    return APIClientConformance.Subject(LiveAPIClient(), baseURL: server.origin, keeping: server)
  }

  static func subject(
    _ mock: MockAPIClient, _ exchanges: [APIClientConformance.Exchange]
  ) -> APIClientConformance.Subject {
    for exchange in exchanges {
      let answer: MockAnswer =
        switch exchange.answer {
        case .response(let status, let headers, let body):
          .response(status: status, headers: headers, body: body)
        case .hang: .hang
        }
      mock.answer(exchange.method, "http://host.example\(exchange.target)", with: answer)
    }
    return APIClientConformance.Subject(mock, baseURL: "http://host.example")
  }

  static let mockClient = APIClientConformance { subject(MockAPIClient(), $0) }
  static let previewClient = APIClientConformance { subject(MockAPIClient.preview, $0) }

  @Test("a live client keeps every rule", arguments: liveClient.checks)
  func liveClientConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("a mock client keeps every rule", arguments: mockClient.checks)
  func mockClientConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("a preview client keeps every rule", arguments: previewClient.checks)
  func previewClientConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  // MARK: Logger

  static let liveLogger = LoggerConformance { ConformanceSubject(LiveLogger(sinks: [])) }
  static let mockLogger = LoggerConformance { ConformanceSubject(MockLogger()) }

  @Test("a live logger keeps every rule", arguments: liveLogger.checks)
  func liveLoggerConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("a mock logger keeps every rule", arguments: mockLogger.checks)
  func mockLoggerConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  // MARK: Analytics

  private final class Collected: AnalyticsProvider {
    let name = "collected"
    private let collected = Mutex<[AnalyticsEvent]>([])
    var events: [AnalyticsEvent] { collected.withLock { $0 } }
    func deliver(_ events: [AnalyticsDelivery]) {
      collected.withLock { $0 += events.map(\.event) }
    }
  }

  static let liveAnalytics = AnalyticsConformance {
    let collected = Collected()
    return AnalyticsConformance.Subject(
      LiveAnalytics(providers: [collected], redactor: Redactor())
    ) { collected.events }
  }

  static let mockAnalytics = AnalyticsConformance {
    let mock = MockAnalytics()
    return AnalyticsConformance.Subject(mock) { mock.events }
  }

  @Test("live analytics keep every rule", arguments: liveAnalytics.checks)
  func liveAnalyticsConform(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("mock analytics keep every rule", arguments: mockAnalytics.checks)
  func mockAnalyticsConform(_ check: ConformanceCheck) async throws { try await check.run() }

  // MARK: Files

  static let liveFiles = FileConformance {
    let folder = try TemporaryFolder()
    return FileConformance.Subject(LiveFileService(), folder: folder.path, keeping: folder)
  }

  static let mockFiles = FileConformance {
    FileConformance.Subject(MockFileService(), folder: "folder")
  }

  @Test("live files keep every rule", arguments: liveFiles.checks)
  func liveFilesConform(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("mock files keep every rule", arguments: mockFiles.checks)
  func mockFilesConform(_ check: ConformanceCheck) async throws { try await check.run() }

  // MARK: Terminal

  static let mockTerminal = TerminalConformance(hasUser: false) { _ in
    TerminalConformance.Subject(Dependencies.mock.terminal)
  }

  static let previewTerminal = TerminalConformance(hasUser: false) { _ in
    TerminalConformance.Subject(Dependencies.preview.terminal)
  }

  @Test("a mock terminal keeps every rule", arguments: mockTerminal.checks)
  func mockTerminalConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("a preview terminal keeps every rule", arguments: previewTerminal.checks)
  func previewTerminalConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  // MARK: Suites

  /// Files without limits that are made over others.
  private final class Careless: FileService {
    let base = MockFileService()
    func read(_ path: String, limit: Int) async throws(FileError) -> Data {
      try await base.read(path, limit: .max)
    }
    func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
      try await base.write(data, to: path, mode: mode == .create ? .replace : mode)
    }
  }

  @Test("a broken rule is named, with what was expected and found") func brokenRules() async throws
  {
    let suite = FileConformance { FileConformance.Subject(Careless(), folder: "f") }
    var broken: [String: ConformanceFailure] = [:]
    for check in suite.checks {
      do { try await check.run() } catch let failure as ConformanceFailure {
        broken[check.rule] = failure
      }
    }
    #expect(
      broken.keys.sorted() == [
        "a new file replaces none", "appending keeps what is there, and creating leaves it",
        "more bytes than the limit are refused",
      ])
    let failure = try #require(broken["more bytes than the limit are refused"])
    #expect(failure.found == "nil")
    #expect(failure.expected.contains("tooLarge"))
    #expect(
      failure.description.hasPrefix(
        "FileService: the rule “more bytes than the limit are refused” is broken: expected "))
    #expect(failure.location?.fileID == "SwiftBoardServiceTesting/FileConformance.swift")
  }

  @Test("an error that no rule expects is a failure too") func unexpectedErrors() async throws {
    let check = ConformanceCheck("Own", "it works") {
      throw FileError(.io, path: "p", message: "m")
    }
    let failure = await #expect(throws: ConformanceFailure.self) { try await check.run() }
    #expect(failure?.expected == "no error")
    #expect(failure?.description.contains("or the service could not be made: expected") == true)
    #expect(failure?.found.contains("FileError") == true)
    let cancelled = ConformanceCheck("Own", "it works") { throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await cancelled.run() }
  }
}
