import SwiftBoardDependencies
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardBoard

/// What still runs when nothing more can be written to standard output.
@Suite("lost output")
struct LostOutputTests {
  /// The jobs that are to be silent.
  private let silenced = EventLog<[Int]>()

  /// Lines whose standard output ends with the first output. No time passes.
  private func lines() -> Lines {
    var dependencies = Dependencies.preview
    dependencies.clock = BoardClock(now: { 0 }, sleep: { _ in })
    let lines = Lines(dependencies: dependencies)
    lines.session.lostOutput.withLock {
      $0 = LostOutput(
        exitCode: { [weak lines] in lines?.allPrinted.isEmpty == false ? 74 : nil },
        silence: { [silenced] in silenced.append($0) })
    }
    return lines
  }

  @Test(
    "the rest of a line and of sourced files does not begin",
    arguments: [
      "echo a; set x 1", "echo a; set x 1 &", "-echo a; set x 1", "source IN; set x 1",
      "source OUT; set x 1", "-source OUT", "set y 1 > FILE; echo a; set x 1",
    ])
  func rest(line: String) async throws {
    let (folder, lines) = (try TemporaryFolder(), self.lines())
    try folder.write("set y 2\necho a\nset x 1\n", to: "in.sb")
    try folder.write("source \(folder.path("in.sb"))\nset x 1\n", to: "out.sb")
    let text = line.replacing("IN", with: folder.path("in.sb"))
      .replacing("OUT", with: folder.path("out.sb")).replacing("FILE", with: folder.path("file"))
    #expect(await lines.run(text) == 74, "\(lines.allPrinted)")
    #expect(lines.allPrinted == "a\n")
    #expect(lines.board.store.state.shell.variables["x"] == nil)
    #expect(await lines.run("set x 1") == 74)
    #expect(lines.board.store.state.shell.variables["x"] == nil)
    await lines.board.close()
  }

  @Test("a command without an end whose reader has left before it starts ends")
  func endless() async {
    let lines = Lines()
    let hasLeft = Mutex(false)
    lines.session.lostOutput.withLock {
      $0 = LostOutput(
        exitCode: { hasLeft.withLock { $0 } ? 141 : nil },
        watchReader: { hasLeft.withLock { $0 = true } })
    }
    #expect(await lines.run("log tail -f") == 141, "\(lines.allPrinted)")
    #expect(lines.board.store.state.shell.running.isEmpty)
    await lines.board.close()
  }

  @Test("a file's command without an end looks out for no reader of standard output")
  func endlessToFile() async throws {
    let (folder, lines) = (try TemporaryFolder(), Lines())
    let isWatched = Mutex(false)
    lines.session.lostOutput.withLock {
      $0 = LostOutput(watchReader: { isWatched.withLock { $0 = true } })
    }
    #expect(await lines.run("log tail -f > \(folder.path("file")) &") == 0)
    #expect(!isWatched.withLock { $0 })
    #expect(!lines.session.hasEndlessOutput)
    #expect(await lines.run("log tail -f &") == 0)
    #expect(isWatched.withLock { $0 })
    #expect(lines.session.hasEndlessOutput)
    #expect(await lines.run("cancel 2") == 0)
    #expect(await lines.board.wait(for: 2) == 130)
    #expect(!lines.session.hasEndlessOutput)
    await lines.board.close()
  }

  @Test(
    "a watch begins no other round", arguments: ["watch 1h echo x", "watch 1h --count 50 echo x"])
  func watch(line: String) async {
    let lines = self.lines()
    #expect(await lines.run("\(line); set x 1") == 74)
    #expect(lines.allPrinted.ranges(of: "x\n").count == 1, "\(lines.allPrinted)")
    #expect(silenced.events.contains([1]), "\(silenced.events)")
    #expect(lines.board.store.state.shell.watches == nil)
    #expect(lines.board.store.state.shell.running.isEmpty)
    #expect(lines.board.store.state.shell.variables == [:])
    await lines.board.close()
  }
}
