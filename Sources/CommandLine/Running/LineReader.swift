import Synchronization

/// A reader of lines from a terminal: a plain prompt or a line editor.
package protocol LineReader: Sendable {
  /// Shows the prompt and waits for a line. One caller at a time.
  ///
  /// - Throws: `io` if the terminal can no longer be read.
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
  /// The number of lines that were read.
  private let count = Atomic(0)
  private let mayEnd: @Sendable () -> Bool

  /// - Parameters:
  ///   - mayEnd: Called at the end of the input. If it returns `false`, a further line is read.
  ///   - prompt: Called before every line, so that the prompt can show changes.
  package init(
    reader: any LineReader, mayEnd: @escaping @Sendable () -> Bool = { true },
    prompt: @escaping @Sendable (_ isContinuation: Bool) async -> String
  ) {
    self.reader = reader
    self.mayEnd = mayEnd
    self.prompt = prompt
  }

  /// Shows the prompt and waits for a line. Lines count from 1.
  ///
  /// - Throws: The error of the reader.
  package func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine {
    switch try await reader.readLine(prompt: await prompt(isContinuation)) {
    case .line(let text):
      let number = count.wrappingAdd(1, ordering: .relaxed).newValue
      return .line(SourceLine(text: text, location: LineLocation(nil, line: number)))
    case .endOfInput:
      // A continued line ends first, which is an error.
      guard isContinuation || mayEnd() else { return try await next(isContinuation: false) }
      return .end
    case .interrupted(let hadText): return .interrupted(hadText: hadText)
    }
  }
}
