/// A reader of lines from a terminal: a plain prompt or a line editor.
package protocol LineReader: Sendable {
  /// Shows the prompt and waits for a line. One caller at a time.
  ///
  /// - Throws: 74 if the terminal can no longer be read.
  func readLine(prompt: String) async throws(LineSourceError) -> LineRead
}

/// The user's input.
package enum LineRead: Sendable, Hashable {
  /// A line without its newline.
  case line(String)
  /// Ctrl-D on an empty line, or a terminal that was closed.
  case endOfInput
  /// Ctrl-C, and whether text had been typed.
  case interrupted(hadText: Bool)
}

/// The lines typed at a terminal.
package final class PromptedLineSource: LineSource {
  private let reader: any LineReader
  private let prompt: @Sendable (_ isContinuation: Bool) async -> String
  private let counter = LineCounter()

  /// - Parameter prompt: called before every line, so that the prompt can show changes.
  package init(
    reader: any LineReader, prompt: @escaping @Sendable (_ isContinuation: Bool) async -> String
  ) {
    self.reader = reader
    self.prompt = prompt
  }

  /// Shows the prompt and waits for a line. Lines count from 1.
  ///
  /// - Throws: The error of the reader.
  package func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine {
    switch try await reader.readLine(prompt: await prompt(isContinuation)) {
    case .line(let text):
      return .line(SourceLine(text: text, location: LineLocation(nil, line: counter.next())))
    case .endOfInput: return .end
    case .interrupted(let hadText): return .interrupted(hadText: hadText)
    }
  }
}
