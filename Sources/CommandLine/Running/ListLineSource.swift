import Synchronization

/// A source of lines in memory, for `-c` and pasted text. A text of several lines counts as
/// several.
package final class ListLineSource: LineSource {
  private struct State {
    var lines: [(text: String, number: Int)]
    var next = 0
  }

  private let file: String?
  private let state: Mutex<State>

  /// - Parameter file: the name in line locations, for example `-c`.
  package init(_ texts: [String], file: String? = nil) {
    self.file = file
    var lines: [(String, Int)] = []
    for text in texts {
      for part in text.physicalLines {
        lines.append((String(part), lines.count + 1))
      }
    }
    state = Mutex(State(lines: lines))
  }

  /// Returns the next line of the list. Never waits or throws.
  package func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine {
    state.withLock { state in
      guard state.next < state.lines.count else { return .end }
      defer { state.next += 1 }
      let (text, number) = state.lines[state.next]
      return .line(SourceLine(text: text, location: LineLocation(file, line: number)))
    }
  }
}
