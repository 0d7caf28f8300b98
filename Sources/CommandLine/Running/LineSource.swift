/// A source of lines: a file, a pipe, a list, or a user.
package protocol LineSource: Sendable {
  /// Returns the next physical line. `isContinuation` says whether it continues the previous one,
  /// for the prompt.
  ///
  /// A source does not read ahead: on a pipe, this waits for one line only.
  func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine
}

/// The result of reading a line.
package enum NextLine: Sendable, Hashable {
  /// A physical line.
  case line(SourceLine)
  /// The end of the lines.
  case end
  /// The user discarded the typed text (Ctrl-C), and reading may continue. `hadText` says whether
  /// there was any.
  case interrupted(hadText: Bool)
}

/// A physical line.
package struct SourceLine: Sendable, Hashable {
  /// The text without its newline.
  package var text: String
  /// The location of the line.
  package var location: LineLocation
  /// The problem, if the line cannot be used, for example invalid UTF-8. Then `text` is for display
  /// only.
  package var problem: LineSyntaxError?
}

/// An error when reading lines.
package struct LineSourceError: Error, Sendable, Hashable {
  /// The kind of an error. The raw value is the name of the error for programs.
  package enum Kind: String, Sendable, Hashable {
    /// A file that does not exist.
    case missing
    /// A file that cannot be opened, or a failed read.
    case io
    /// A line without an end.
    case malformedData
    /// The task was cancelled while the source waited.
    case cancelled
  }

  package var kind: Kind
  /// The problem, in one line without a full stop.
  package var message: String
  /// Advice, if any.
  package var help: String?

  package init(_ kind: Kind, message: String, help: String? = nil) {
    self.kind = kind
    self.message = message
    self.help = help
  }

  /// The error of a source whose task was cancelled while it waited.
  package static let cancelled = LineSourceError(.cancelled, message: "cancelled")
}
