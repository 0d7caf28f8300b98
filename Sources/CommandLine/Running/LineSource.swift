/// The source of lines: a file, a pipe, a list, a person.
package protocol LineSource: Sendable {
  /// The next physical line. `isContinuation` says that it continues the one before, for the
  /// prompt.
  ///
  /// Nothing is read ahead of need: on a pipe this waits for one line only.
  func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine
}

/// What a source answered.
package enum NextLine: Sendable, Hashable {
  /// A physical line.
  case line(SourceLine)
  /// Nothing more will come.
  case end
  /// The person gave up what was typed (Ctrl-C); reading may continue. `hadText` says whether
  /// something was typed.
  case interrupted(hadText: Bool)
}

/// A physical line.
package struct SourceLine: Sendable, Hashable {
  /// Without its line end.
  package var text: String
  /// Its origin.
  package var location: LineLocation
  /// The line cannot be used, for example for invalid UTF-8; `text` is then only for showing.
  package var problem: LineSyntaxError?

  /// A line, with what is wrong with its bytes.
  package init(text: String, location: LineLocation, problem: LineSyntaxError? = nil) {
    self.text = text
    self.location = location
    self.problem = problem
  }
}

/// Lines cannot be read at all.
package struct LineSourceError: Error, Sendable, Hashable {
  /// The exit status: 66 for a file that cannot be opened, 74 for a read that failed, 65 for a line
  /// without an end.
  package var code: Int32
  /// What went wrong, in one line without a full stop.
  package var message: String
  /// Advice on the problem, if there is any.
  package var help: String?

  /// An error with its exit status.
  package init(code: Int32, message: String, help: String? = nil) {
    self.code = code
    self.message = message
    self.help = help
  }
}
