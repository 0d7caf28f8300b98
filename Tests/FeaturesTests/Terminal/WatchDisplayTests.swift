import SwiftBoardCommandLine
import Testing

@testable import SwiftBoardBoard

/// The rows of the rounds of `watch`.
@Suite struct WatchDisplayTests {
  private static func shown(
    _ display: inout WatchDisplay, _ text: String, job: Int, stops: Int
  ) -> String {
    let text = display.show(
      StyledText(text), of: 1, job: job, size: (columns: 80, rows: 24), stops: stops)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test("a round replaces the one before, unless the program was stopped in between")
  func stopped() {
    var display = WatchDisplay()
    #expect(Self.shown(&display, "a\nb\n", job: 2, stops: 0) == "a\nb\n")
    #expect(Self.shown(&display, "c\n", job: 3, stops: 0) == "\u{1B}[2A\r\u{1B}[Jc\n")
    #expect(Self.shown(&display, "d\n", job: 4, stops: 1) == "d\n")
    #expect(Self.shown(&display, "e\n", job: 5, stops: 1) == "\u{1B}[1A\r\u{1B}[Je\n")
    // The rest of a round is all that the next one replaces.
    #expect(Self.shown(&display, "f\n", job: 5, stops: 2) == "f\n")
    #expect(Self.shown(&display, "g\n", job: 6, stops: 2) == "\u{1B}[1A\r\u{1B}[Jg\n")
  }
}
