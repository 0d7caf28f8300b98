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

  /// Returns what a download says that is cancelled when its service stops.
  private static func shown(
    continues: Bool, _ headers: [HTTPHeader], piece: String? = "abc"
  ) async -> [CancelledTransfer] {
    let terminal = Terminal()
    var dependencies = Dependencies.mock
    dependencies.terminal = terminal
    let (stops, stop) = AsyncStream<Void>.makeStream()
    let client = StoppingClient(headers: headers, piece: piece.map { Data($0.utf8) }) {
      stop.yield()
    }
    let download = Download(
      client, dependencies, to: "f", continues: continues, key: "k", copyLimit: 0,
      showsProgress: false, limit: nil)
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

  @Test("a part that the next download continues is named")
  func kept() async {
    #expect(
      await Self.shown(continues: true, [HTTPHeader("ETag", "\"a\"")])
        == [CancelledTransfer(file: "f", isKept: true)])
  }

  @Test("a part that cannot be continued is said not to be kept")
  func notKept() async {
    let lost = [CancelledTransfer(file: "f", isKept: false)]
    #expect(await Self.shown(continues: true, [HTTPHeader("ETag", "W/\"a\"")]) == lost)
    #expect(await Self.shown(continues: false, [HTTPHeader("ETag", "\"a\"")]) == lost)
  }

  @Test("nothing is said where nothing has come")
  func nothing() async {
    #expect(
      await Self.shown(continues: true, [HTTPHeader("ETag", "\"a\"")], piece: nil) == [])
  }
}
