/// Reads lines from a terminal: a plain prompt, or a line editor with the same interface.
package protocol LineReader: Sendable {
  /// Shows the prompt and waits for a line. One caller at a time.
  ///
  /// - Throws: 74 where the terminal cannot be read any more.
  func readLine(prompt: String) async throws(LineSourceError) -> LineRead
}

/// The user's answer.
package enum LineRead: Sendable, Hashable {
  /// Without its line end.
  case line(String)
  /// Ctrl-D on an empty line, or a terminal that was closed.
  case endOfInput
  /// Ctrl-C; whether something was typed.
  case interrupted(hadText: Bool)
}

/// The lines typed at a terminal.
package final class PromptedLineSource: LineSource {
  private let reader: any LineReader
  private let prompt: @Sendable (_ isContinuation: Bool) async -> String
  private let counter = LineCounter()

  /// - Parameter prompt: asked before every line, so that it can show what changed.
  package init(
    reader: any LineReader, prompt: @escaping @Sendable (_ isContinuation: Bool) async -> String
  ) {
    self.reader = reader
    self.prompt = prompt
  }

  /// Asks for the prompt, shows it and waits for the person. Lines count from 1.
  ///
  /// - Throws: What the reader throws.
  package func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine {
    switch try await reader.readLine(prompt: await prompt(isContinuation)) {
    case .line(let text):
      return .line(SourceLine(text: text, location: LineLocation(nil, line: counter.next())))
    case .endOfInput: return .end
    case .interrupted(let hadText): return .interrupted(hadText: hadText)
    }
  }
}
