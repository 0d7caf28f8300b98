import SwiftBoardDependencies
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// Commands that begin, mark, end or write a recording, and are cancelled meanwhile.
@Suite("a cancelled command of session")
struct CancelledSessionTests {
  /// A terminal that interrupts the line when the progress of reading ends.
  private struct InterruptingTerminal: TerminalService {
    let interrupt: Interruption

    func askPassphrase(
      prompt: String, isNew: Bool
    ) async throws(TerminalError) -> GuardedBytes? { nil }
    func reveal(_ value: Data) async {}
    func readInput(limit: Int) async throws(TerminalError) -> Data { Data() }
    func show(_ progress: TransferProgress?) { if progress == nil { interrupt() } }
  }

  @Test("recording begins, is marked and ends, and the lines say so")
  func recording() async throws {
    let folder = try TemporaryFolder()
    let interrupt = Interruption()
    let lines = Lines()
    // The effect of the step cannot be cancelled.
    lines.board.store.observe { step, _ in
      if case .session(.run) = step.action { interrupt() }
    }
    let path = folder.path("r.actions.jsonl")
    func run(_ line: String) async -> Int32 {
      interrupt.arm { [session = lines.session] in session.interrupt() }
      return await lines.run(line)
    }
    #expect(await run("session record \(path)") == 130)
    #expect(lines.board.store.state.session.recording == path, "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains(path))
    #expect(await run("session mark here") == 130)
    #expect(await lines.run("session goto @here; session live") == 0, "\(lines.allPrinted)")
    #expect(await run("session stop") == 130)
    #expect(lines.board.store.state.session.recording == nil)
    #expect(!lines.allPrinted.contains("cancelled"), "\(lines.allPrinted)")
    #expect(lines.board.store.state.session.changes == [])
    #expect(await lines.run("session verify \(path)") == 0, "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test(
    "a fork that is written is said to be, and the board goes on in it", arguments: [true, false])
  func fork(isContinued: Bool) async throws {
    let folder = try TemporaryFolder()
    let (world, interrupt) = (World(), Interruption())
    var dependencies = world.dependencies
    dependencies.terminal = InterruptingTerminal(interrupt: interrupt)
    let lines = Lines(world, dependencies: dependencies)
    let (path, fork) = (folder.path("r.actions.jsonl"), folder.path("f.actions.jsonl"))
    #expect(await lines.run("session record \(path)") == 0)
    #expect(await lines.run("echo a") == 0)
    if !isContinued { #expect(await lines.run("session stop") == 0) }
    interrupt.arm { [session = lines.session] in session.interrupt() }
    let line = "session fork 1 \(fork)" + (isContinued ? "" : " --file \(path)")
    #expect(await lines.run(line) == 130)
    #expect(!lines.allPrinted.contains("cancelled"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains(fork), "\(lines.allPrinted)")
    #expect(lines.board.store.state.session.recording == (isContinued ? fork : nil))
    #expect(lines.board.store.state.session.changes == [])
    #expect(await lines.run("session stop") == (isContinued ? 0 : 64))
    #expect(await lines.run("session verify \(fork)") == 0, "\(lines.allPrinted)")
    await lines.board.close()
  }
}
