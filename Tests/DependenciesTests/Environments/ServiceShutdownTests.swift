import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@Suite("shutting down services")
struct ServiceShutdownTests {
  @Test("every service is shut down, also one of the user's own, and the log before the rest")
  func everyService() async throws {
    let calls = Calls()
    var dependencies = Dependencies.mock
    dependencies.apiClient = OwnService("api", calls)
    dependencies.analytics = OwnService("analytics", calls)
    dependencies.files = OwnService("files", calls)
    dependencies.terminal = OwnService("terminal", calls)
    dependencies.logger = OwnLogger(calls)
    let live = LiveKeychainService(path: "/nowhere/k.sbkc", rollbackMarks: OwnMarks(calls))
    dependencies.keychainService = RedactingKeychain(live, redactor: Redactor())
    #expect(await dependencies.shutDown(within: .seconds(7)))
    #expect(
      calls.all == [
        "logger 7.0 seconds", "analytics 7.0 seconds", "terminal 7.0 seconds",
        "files 7.0 seconds", "api 7.0 seconds", "keychain marks",
      ])
  }

  @Test("one service that leaves something behind is told of, and the others are shut down")
  func leftBehind() async {
    let calls = Calls()
    var dependencies = Dependencies.mock
    dependencies.analytics = OwnService("analytics", calls, isComplete: false)
    dependencies.apiClient = OwnService("api", calls)
    #expect(await !dependencies.shutDown(within: .zero))
    #expect(calls.all == ["analytics 0.0 seconds", "api 0.0 seconds"])
  }

  @Test("an own media service and an own download service are shut down")
  func programs() async {
    let calls = Calls()
    var dependencies = Dependencies.mock
    dependencies.mediaService = ShutDownMediaService { calls.add("media") }
    dependencies.downloadService = ShutDownDownloadService { calls.add("downloads") }
    #expect(await dependencies.shutDown(within: .zero))
    #expect(calls.all == ["media", "downloads"])
  }

  @Test("the services of mock, demonstration and preview have nothing to close")
  func nothingToClose() async {
    #expect(await Dependencies.mock.shutDown())
    #expect(await Dependencies.demonstration.shutDown())
    #expect(await Dependencies.preview.shutDown())
  }

  @Test("a sink that keeps a record makes the logger's shutdown incomplete")
  func stuckSink() async {
    var dependencies = Dependencies.mock
    dependencies.logger = LiveLogger(sinks: [StuckSink()])
    #expect(await !dependencies.shutDown(within: .zero))
  }

  @Test("the database is closed: its journal is folded into it")
  func database() async throws {
    let folder = try TemporaryFolder()
    var dependencies = Dependencies.mock
    dependencies.persistence = LivePersistenceService(
      mainPath: folder.path("main.sqlite"), cachePath: folder.path("cache.sqlite"))
    try await dependencies.persistence.setPreference("a", to: "1")
    #expect(access(folder.path("main.sqlite-wal"), F_OK) == 0)
    #expect(await dependencies.shutDown())
    #expect(access(folder.path("main.sqlite-wal"), F_OK) != 0)
    #expect(try await dependencies.persistence.preference("a") == "1")
    #expect(await dependencies.shutDown())
  }
}

private final class Calls: Sendable {
  private let names = Mutex<[String]>([])

  var all: [String] { names.withLock { $0 } }
  func add(_ name: String) { names.withLock { $0.append(name) } }
}

/// A service as a user of the package writes one.
private struct OwnService: APIClient, Analytics, FileService, TerminalService {
  let name: String
  let calls: Calls
  let isComplete: Bool

  init(_ name: String, _ calls: Calls, isComplete: Bool = true) {
    self.name = name
    self.calls = calls
    self.isComplete = isComplete
  }

  func shutDown(within duration: Duration) async -> Bool {
    calls.add("\(name) \(duration)")
    return isComplete
  }

  func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    throw APIError(.unanswered, "")
  }
  func track(_ event: AnalyticsEvent) {}
  func setConsent(_ granted: Bool) {}
  var hasConsent: Bool { false }
  func read(_ path: String, limit: Int) async throws(FileError) -> Data { Data() }
  func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {}
  func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes? {
    nil
  }
  func reveal(_ value: Data) async {}
  func readInput(limit: Int) async throws(TerminalError) -> Data { Data() }
}

private struct OwnLogger: Logger {
  let calls: Calls
  let redactor = Redactor()

  init(_ calls: Calls) { self.calls = calls }

  func shutDown(within duration: Duration) async -> Bool {
    calls.add("logger \(duration)")
    return true
  }

  func isEnabled(_ level: LogLevel, category: String) -> Bool { false }
  func write(_ level: LogLevel, category: String, message: String, fields: [LogField]) {}
  func recent(limit: Int) -> [LogRecord] { [] }
  func clear() {}
  func setLevel(_ level: LogLevel, category: String?) {}
  func level(category: String?) -> LogLevel { .info }
  func statistics() -> LoggerStatistics { LoggerStatistics(counts: [:], dropped: 0) }
  func flush(within duration: Duration) async -> Bool { true }
}

private struct OwnMarks: RollbackMarkStore {
  let calls: Calls

  init(_ calls: Calls) { self.calls = calls }

  func mark(forKeychainAt path: String) throws -> RollbackMark? { nil }
  func raise(_ mark: RollbackMark, forKeychainAt path: String) throws {}
  func replace(_ mark: RollbackMark, forKeychainAt path: String) throws {}
  func closeStore() { calls.add("keychain marks") }
}

private struct StuckSink: LogRecordSink {
  var dropped: Int { 0 }
  func write(_ record: LogRecord) {}
  func flush(deadline: ContinuousClock.Instant) -> Bool { false }
}
