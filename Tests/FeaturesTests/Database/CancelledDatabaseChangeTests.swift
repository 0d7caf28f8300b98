import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardFeatures

/// Commands of `db` that are cancelled before or after they have changed something.
@Suite("a cancelled change of the database")
struct CancelledDatabaseChangeTests {
  /// Files that interrupt the running line when a command uses one, which is before its change.
  private final class InterruptingFiles: FileService {
    let interrupt = Mutex<(@Sendable () -> Void)?>(nil)
    /// Whether a file cannot be read.
    let fails: Bool

    init(fails: Bool) { self.fails = fails }

    private func use() { interrupt.withLock { $0.take() }?() }

    func read(_ path: String, limit: Int) async throws(FileError) -> Data {
      use()
      if fails { await waitUntilCancelled() }
      guard !fails else { throw FileError(.io, path: path, message: "\(path) cannot be read") }
      return Data("1".utf8)
    }
    func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {}
    func input(_ path: String) async throws(FileError) -> FileInput {
      FileInput(size: nil, isRepeatable: true) { nil }
    }
  }

  private func lines(_ files: InterruptingFiles, _ world: World) -> Lines {
    var dependencies = world.dependencies
    dependencies.files = files
    let lines = Lines(world, dependencies: dependencies)
    let session = lines.session
    files.interrupt.withLock { $0 = { session.interrupt() } }
    return lines
  }

  @Test("one that was made is reported as usual, and its line ends with 130")
  func made() async throws {
    let world = World()
    let lines = lines(InterruptingFiles(fails: false), world)
    #expect(await lines.run("db put c 1 @f") == 130)
    #expect(lines.allPrinted == "saved c/1\n", "\(lines.allPrinted)")
    #expect(world.persistence.calls.contains { $0.name == "putDocument" })
    let state = lines.board.store.state
    #expect(state.shell.running.isEmpty && state.db.changes == [])
    #expect(state.db.collections == ["c": 1])
    await lines.board.close()
  }

  @Test("one that was not made says that it was cancelled")
  func notMade() async throws {
    let world = World()
    let lines = lines(InterruptingFiles(fails: true), world)
    #expect(await lines.run("db put c 1 @f") == 130)
    #expect(lines.allPrinted.contains("error: cancelled\n"), "\(lines.allPrinted)")
    #expect(!lines.allPrinted.contains("cannot be read"), "\(lines.allPrinted)")
    #expect(!world.persistence.calls.contains { $0.name == "putDocument" })
    #expect(lines.board.store.state.shell.running.isEmpty)
    await lines.board.close()
  }

  @Test("an error after which the change is uncertain is said, also of a cancelled command")
  func uncertain() async throws {
    let world = World()
    world.persistence.failNext("putDocument", with: .io)
    let lines = lines(InterruptingFiles(fails: false), world)
    #expect(await lines.run("db put c 1 @f") == 130)
    #expect(lines.allPrinted.contains("error: putDocument: asked to fail"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test(
    "every command that changes something ends itself, and no other does",
    arguments: [
      ("db put c 1 1", true), ("db remove c 1", true), ("db index c a", true),
      ("db index --remove c a", true), ("db preference set p 1", true),
      ("db preference unset p", true), ("db backup b", true), ("db export e", true),
      ("db get c 1", false), ("db list c", false), ("db list", false), ("db index", false),
      ("db preference get p", false), ("db stats", false), ("db check", false), ("db path", false),
    ])
  func commands(line: String, changes: Bool) throws {
    guard let action = try action(line).action(of: BoardFeatures.db) else {
      Issue.record("\(line) is no command of db")
      return
    }
    var state = DatabaseState()
    state.isLoaded = true
    let reducer = BoardFeatures.db.reducer
    let effects = reducer.reduce(&state, action, World().dependencies)
    #expect(state.changes == (changes ? [1] : []))
    #expect(BoardFeatures.db.endsCancelled(state, 1) == changes)
    #expect(!effects.isEmpty)
    // In an earlier recording it ended at once.
    var earlier = try CanonicalDecoder.decode(
      DatabaseState.self, from: Array(#"{"isLoaded":true,"writes":0}"#.utf8))
    _ = reducer.reduce(&earlier, action, World().dependencies)
    #expect(!BoardFeatures.db.endsCancelled(earlier, 1))
  }
}
