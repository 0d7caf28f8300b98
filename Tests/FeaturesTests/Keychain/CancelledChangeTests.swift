import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardFeatures

/// Commands of the keychain that are cancelled before or after they have changed it.
@Suite("a cancelled change of the keychain")
struct CancelledChangeTests {
  /// A terminal that interrupts the running line when a command shows input again, which is after
  /// its change and before its result.
  private final class InterruptingTerminal: TerminalService {
    let interrupt = Mutex<(@Sendable () -> Void)?>(nil)

    func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes? {
      nil
    }
    func reveal(_ value: Data) async {}
    func readInput(limit: Int) async throws(TerminalError) -> Data { Data("typed-value".utf8) }
    func showInput() { interrupt.withLock { $0.take() }?() }
  }

  /// Files whose reading waits until it is cancelled.
  private final class EndlessFiles: FileService {
    let waits: AsyncStream<Void>
    private let begun: AsyncStream<Void>.Continuation

    init() { (waits, begun) = AsyncStream.makeStream(of: Void.self) }

    func read(_ path: String, limit: Int) async throws(FileError) -> Data {
      let (never, _) = AsyncStream.makeStream(of: Void.self)
      begun.yield()
      for await _ in never {}
      throw FileError(.io, path: path, message: "\(path) cannot be read")
    }
    func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {}
    func input(_ path: String) async throws(FileError) -> FileInput {
      FileInput(size: nil, isRepeatable: true) { nil }
    }
  }

  private let keychain = MockKeychainService(entries: ["old": Data("first-value".utf8)])

  @Test(
    "one that was made is reported as usual, and its line ends with 130",
    arguments: [
      ("keychain set new --from-stdin", "saved; use it as {{secret:new}}", ["new", "old"]),
      ("keychain remove old", "removed old", []),
      ("keychain rename old new", "renamed old to new", ["new"]),
      ("keychain rekey", "the data key is new", ["old"]),
    ] as [(String, String, [String])])
  func made(line: String, note: String, names: [String]) async throws {
    let terminal = InterruptingTerminal()
    let world = World(keychain)
    var dependencies = world.dependencies
    dependencies.terminal = terminal
    let lines = Lines(world, dependencies: dependencies)
    let session = lines.session
    terminal.interrupt.withLock { $0 = { session.interrupt() } }
    #expect(await lines.run(line) == 130)
    #expect(lines.allPrinted.contains(note), "\(lines.allPrinted)")
    #expect(!lines.allPrinted.contains("cancelled"), "\(lines.allPrinted)")
    #expect(try await keychain.keys() == names)
    let state = lines.board.store.state
    #expect(state.shell.running.isEmpty && state.keychain.changes == [])
    await lines.board.close()
  }

  @Test("one that was not made says that it was cancelled")
  func notMade() async throws {
    let files = EndlessFiles()
    let world = World(keychain)
    var dependencies = world.dependencies
    dependencies.files = files
    let lines = Lines(world, dependencies: dependencies)
    var waits = files.waits.makeAsyncIterator()
    let line = Task { await lines.run("keychain set new --from-file f") }
    await waits.next()
    #expect(lines.session.interrupt() == .command)
    #expect(await line.value == 130)
    #expect(lines.allPrinted.contains("error: cancelled\n"), "\(lines.allPrinted)")
    #expect(try await keychain.keys() == ["old"])
    #expect(lines.board.store.state.shell.running.isEmpty)
    await lines.board.close()
  }

  @Test("in an earlier recording a cancelled change ends at once")
  func earlier() throws {
    let earlier = try CanonicalDecoder.decode(KeychainState.self, from: Array("{}".utf8))
    let request = KeychainRequest(job: 1, command: .remove(name: "old"))
    for (state, ends) in [(earlier, false), (KeychainState(), true)] {
      var state = state
      _ = KeychainReducer().reduce(&state, .opened(request: request), .mock)
      #expect(BoardFeatures.keychain.endsCancelled(state, 1) == ends)
    }
    var state = KeychainState()
    _ = KeychainReducer().reduce(
      &state, .opened(request: KeychainRequest(job: 2, command: .list)), .mock)
    #expect(!BoardFeatures.keychain.endsCancelled(state, 2))
  }
}
