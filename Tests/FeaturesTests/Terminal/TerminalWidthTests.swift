import SwiftBoardDependencies
import SwiftBoardStore
import Synchronization
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

  private func widths(_ lines: Lines) -> [String] { widths(lines.allSteps) }

  private func widths(_ steps: String) -> [String] {
    steps.split(separator: #""resized":{"width":"#).dropFirst().map {
      String($0.prefix { $0.isNumber })
    }
  }

  @Test("a drag is the first and the newest width while a command runs", .timeLimit(.minutes(20)))
  func drag() async {
    let (lines, endPause) = makeLines()
    #expect(await lines.run("watch 1h echo x &") == 0)
    // What another thread is at, here the first round, delays a step.
    for width in 60...99 { lines.board.resizeRunning(to: width) }
    await lines.waitForSteps { !widths($0).isEmpty }
    #expect(widths(lines) == ["60"])
    endPause()
    await lines.waitForSteps { widths($0).count > 1 }
    #expect(widths(lines) == ["60", "99"])
    // What waits is older than the width at which a line begins.
    for width in 50...55 { lines.board.resizeRunning(to: width) }
    lines.board.resize(to: 42)
    await lines.waitForSteps { widths($0).count > 2 }
    #expect(widths(lines).last == "42")
    endPause()
    endPause()
    lines.board.resize(to: 43)
    await lines.waitForSteps { widths($0).count > 3 }
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

  @Test("a width that comes while another thread sends an older one is sent after it")
  func order() {
    var widths = TerminalWidths()
    func send() -> Int? {
      if case .send(let width, _) = widths.takeNext() { width } else { nil }
    }
    var isSending = widths.noteRunning(60) && widths.beginSending()
    #expect(isSending)
    var sent = [send(), send()]
    #expect(sent == [60, nil])
    isSending = widths.noteRunning(61)
    #expect(!isSending, "it waits")
    isSending = widths.endPause(isRunning: true) && widths.beginSending()
    #expect(isSending)
    // A line begins while the thread of the pause has a width that it has not sent.
    sent = [send()]
    widths.note(62)
    isSending = widths.beginSending()
    #expect(!isSending, "the other thread does")
    sent += [send(), send()]
    #expect(sent == [61, 62, nil])
    // A width that is still to be sent is replaced.
    isSending = widths.noteRunning(63)
    _ = widths.endPause(isRunning: true)
    widths.note(64)
    isSending = widths.beginSending()
    #expect(isSending)
    sent = [send(), send()]
    #expect(sent == [64, nil])
  }

  @Test("a line waits until another thread has sent its width")
  func lineWaits() {
    var widths = TerminalWidths()
    let waits = Mutex(0)
    var areSent = widths.areSent { waits.withLock { $0 += 1 } }
    #expect(areSent)
    widths.note(60)
    _ = widths.beginSending()
    // A line begins while that thread is between the two widths.
    _ = widths.takeNext()
    widths.note(61)
    areSent = widths.areSent { waits.withLock { $0 += 1 } }
    #expect(!areSent)
    guard case .send(61, 60) = widths.takeNext(), case .end(let resume) = widths.takeNext() else {
      Issue.record("61 is sent, and nothing after it")
      return
    }
    for resume in resume { resume() }
    #expect(waits.withLock { $0 } == 1)
    areSent = widths.areSent { waits.withLock { $0 += 1 } }
    #expect(areSent)
  }

  @Test("a line begins at the width of the terminal")
  func lineBegins() async {
    let (lines, _) = makeLines()
    await lines.board.resizeBeforeLine(to: 77)
    #expect(lines.board.store.state.settings.width == 77)
    await lines.board.close()
  }
}
