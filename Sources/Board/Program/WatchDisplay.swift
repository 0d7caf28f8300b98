import SwiftBoardCommandLine

/// The rows that the last round of a `watch` has left on the terminal, which the next round
/// replaces.
///
/// Rows that do not fit the screen are left out, because no escape sequence reaches what has
/// scrolled off it. Other output ends the replacing, and so does the program's being stopped: the
/// next round begins below it.
struct WatchDisplay {
  private var watch: Int?
  private var round: Int?
  /// What the round has shown, in lines.
  private var shown: [[UInt8]] = []
  /// How many rows of the round were left out.
  private var hidden = 0
  /// How often the program had been stopped when it was shown.
  private var stops = 0

  /// Notes output that is no round.
  mutating func end() { self = WatchDisplay() }

  /// Returns what to write for a part of a round.
  ///
  /// - Parameters:
  ///   - watch: The job of `watch`.
  ///   - job: The job of the round.
  ///   - size: The size of the terminal.
  ///   - stops: How often the program was stopped, after which the rows are another program's.
  mutating func show(
    _ text: StyledText, of watch: Int, job: Int, size: (columns: Int, rows: Int), stops: Int = 0
  ) -> StyledText {
    var erased = 0
    if self.watch != watch || self.stops != stops {
      self = WatchDisplay()
      (self.watch, self.stops, round) = (watch, stops, job)
    } else if round != job {
      erased = rows(size.columns)
      (shown, hidden, round) = ([], 0, job)
    } else if hidden > 0 {
      // The row that says how many are left out.
      erased = 1
    }
    // The rows for what runs, for the one that says what is left out, and for the prompt.
    var free = max(1, size.rows - 3) - rows(size.columns)
    var result = StyledText(erased > 0 ? "\u{1B}[\(min(erased, size.rows))A\r\u{1B}[J" : "")
    for line in text.lines {
      let height = DisplayWidth.rows(of: line, columns: size.columns)
      if hidden > 0 || height > free {
        hidden += height
      } else {
        free -= height
        shown.append(Array(line))
        result += text.part(line.startIndex..<line.endIndex) + "\n"
      }
    }
    if hidden > 0 { result.append("... \(hidden) more row\(hidden == 1 ? "" : "s")\n", .faint) }
    return result
  }

  /// The rows on the screen, if it is that wide.
  private func rows(_ columns: Int) -> Int {
    shown.reduce(hidden > 0 ? 1 : 0) { $0 + DisplayWidth.rows(of: $1[...], columns: columns) }
  }
}
