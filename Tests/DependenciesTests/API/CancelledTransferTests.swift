import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// What a cancelled download says of its file.
struct CancelledTransferTests {
  /// A service whose answer stops after its first piece, until the task is cancelled.
  private struct StoppingClient: APIClient {
    let headers: [HTTPHeader]
    let piece: Data?
    let onStop: @Sendable () -> Void

    func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
      throw APIError(.unanswered, "only streams")
    }

    func open(_ request: APIRequest) async throws(APIError) -> APIStream {
      let response = APIResponse(status: 200, headers: headers, url: request.url)
      let next = Mutex(piece)
      return APIStream(
        response,
        pieces: { () throws(APIError) in
          if let piece = next.withLock({ $0.take() }) { return piece }
          onStop()
          for await _ in AsyncStream<Never>.makeStream().stream {}
          throw APIError(.cancelled, "cancelled")
        })
    }
  }

  private final class Terminal: TerminalService {
    let shown = Mutex<[CancelledTransfer]>([])

    func askPassphrase(
      prompt: String, isNew: Bool
    ) async throws(TerminalError) -> GuardedBytes? { nil }
    func reveal(_ value: Data) async {}
    func readInput(limit: Int) async throws(TerminalError) -> Data { Data() }
    func show(_ transfer: CancelledTransfer) { shown.withLock { $0.append(transfer) } }
  }

  /// Files of which each is a regular one or none, and whose writing ends when it is cancelled.
  private struct Files: FileService {
    let isRegular: Bool
    var resolvedPath: String?
    var onWrite: @Sendable () -> Void = {}

    struct Output: FileOutput {
      let files: Files
      var kept: PartialContent? { nil }
      var resolvedPath: String? { files.resolvedPath }

      func begin(afterKept: Bool, tag: String?) async throws(FileError) {}
      func write(_ data: Data) async throws(FileError) {}
      func finish() async throws(FileError) {
        files.onWrite()
        for await _ in AsyncStream<Never>.makeStream().stream {}
      }
      func discard() async {}
    }

    func read(_ path: String, limit: Int) async throws(FileError) -> Data { Data() }
    func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {}
    func checkCreatable(_ path: String) throws(FileError) {}
    func isFile(_ path: String) -> Bool { isRegular }
    func output(_ path: String, continues: Bool) async throws(FileError) -> any FileOutput {
      Output(files: self)
    }
  }

  /// Returns what a download says that is cancelled when its service stops.
  private static func shown(
    continues: Bool, mayContinue: Bool = true, _ headers: [HTTPHeader], piece: String? = "abc",
    _ files: Files = Files(isRegular: true)
  ) async -> [CancelledTransfer] {
    let (stops, stop) = AsyncStream<Void>.makeStream()
    let client = StoppingClient(headers: headers, piece: piece.map { Data($0.utf8) }) {
      stop.yield()
    }
    return await shown(continues: continues, mayContinue: mayContinue, client, files, stops)
  }

  /// Returns what a download says that is cancelled at the first element of a stream.
  private static func shown(
    continues: Bool, mayContinue: Bool = true, _ client: any APIClient, _ files: Files,
    _ stops: AsyncStream<Void>
  ) async -> [CancelledTransfer] {
    let terminal = Terminal()
    var dependencies = Dependencies.mock
    dependencies.terminal = terminal
    dependencies.files = files
    let download = Download(
      client, dependencies, to: "f", continues: continues, mayContinue: mayContinue, key: "k",
      copyLimit: 0, showsProgress: false, limit: nil)
    let task = Task {
      do throws(APIError) { _ = try await download.send(APIRequest(url: "http://h/f")) } catch {}
    }
    for await _ in stops { break }
    task.cancel()
    // At once, and not when the task has ended.
    let shown = terminal.shown.withLock { $0 }
    await task.value
    return shown
  }

  private static let strong = [HTTPHeader("ETag", "\"a\"")]

  @Test("a part that the next download continues is named, next to the target of a link")
  func kept() async {
    #expect(
      await Self.shown(continues: true, Self.strong) == [CancelledTransfer(file: "f", part: .kept)])
    let files = Files(isRegular: true, resolvedPath: "target")
    #expect(
      await Self.shown(continues: true, Self.strong, files)
        == [CancelledTransfer(file: "target", part: .kept)])
  }

  @Test("a part that is not kept although it should be has the reason")
  func lost() async {
    let shown = await Self.shown(continues: true, [HTTPHeader("ETag", "W/\"a\"")])
    guard case .lost(let reason)? = shown.first?.part else {
      Issue.record("\(shown)")
      return
    }
    #expect(reason.contains("an ETag that is weak"))
  }

  @Test("--resume is named only where it goes with the request, the file and the answer")
  func resumable() async {
    #expect(
      await Self.shown(continues: false, Self.strong)
        == [CancelledTransfer(file: "f", part: .resumable)])
    #expect(await Self.shown(continues: false, mayContinue: false, Self.strong) == [])
    #expect(await Self.shown(continues: false, Self.strong, Files(isRegular: false)) == [])
    #expect(await Self.shown(continues: false, []) == [])
  }

  @Test("nothing is said where nothing has come")
  func nothing() async {
    #expect(await Self.shown(continues: true, Self.strong, piece: nil) == [])
  }

  @Test("nothing is said while the file gets its name", arguments: [true, false])
  func finishing(continues: Bool) async {
    /// A service that sends everything.
    struct Client: APIClient {
      func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
        APIResponse(
          status: 200, headers: CancelledTransferTests.strong, body: Data("abc".utf8),
          url: request.url)
      }
    }
    let (stops, stop) = AsyncStream<Void>.makeStream()
    let files = Files(isRegular: true, onWrite: { stop.yield() })
    #expect(await Self.shown(continues: continues, Client(), files, stops) == [])
  }
}
