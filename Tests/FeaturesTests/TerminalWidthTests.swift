import SwiftBoardDependencies
import SwiftBoardStore
import Testing

@testable import SwiftBoardBoard

@Suite("the width of the terminal")
struct TerminalWidthTests {
  /// Lines whose pause between two widths ends with a value of the stream.
  private func makeLines() -> (Lines, endPause: @Sendable () -> Void) {
    let (pauses, ends) = AsyncStream<Void>.makeStream()
    let world = World()
    var dependencies = world.dependencies
    dependencies.clock = BoardClock(
      now: { 0 },
      sleep: { duration in
        // Real time: an endless sleep, which cancelling ends.
        guard duration == Board.resizePause else { return try await Task.sleep(for: .seconds(1e9)) }
        for await _ in pauses { break }
      })
    return (Lines(world, dependencies: dependencies), { ends.yield() })
  }

  private func widths(_ lines: Lines) -> [String] {
    lines.allSteps.split(separator: #""resized":{"width":"#).dropFirst().map {
      String($0.prefix { $0.isNumber })
    }
  }

  @Test("a drag is the first and the newest width while a command runs", .timeLimit(.minutes(5)))
  func drag() async throws {
    let (lines, endPause) = makeLines()
    #expect(await lines.run("watch 1h echo x &") == 0)
    for width in 60...99 { lines.board.resizeRunning(to: width) }
    #expect(widths(lines) == ["60"])
    endPause()
    try await lines.board.store.wait { $0.settings.width == 99 }
    #expect(widths(lines) == ["60", "99"])
    // What waits is older than the width at which a line begins.
    for width in 50...55 { lines.board.resizeRunning(to: width) }
    lines.board.resize(to: 42)
    #expect(widths(lines).last == "42")
    endPause()
    endPause()
    lines.board.resize(to: 43)
    #expect(await lines.run("cancel 1") == 0)
    #expect(widths(lines).suffix(2) == ["42", "43"])
    await lines.board.close()
  }

  @Test("without a running command no width is a step before the next line")
  func idle() async {
    let (lines, _) = makeLines()
    for width in 60...99 { lines.board.resizeRunning(to: width) }
    #expect(widths(lines) == [])
    lines.board.resize(to: 99)
    lines.board.resize(to: 99)
    #expect(widths(lines) == ["99"])
    await lines.board.close()
  }
}
