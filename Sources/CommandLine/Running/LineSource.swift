/// Where lines come from: a file, a pipe, a list, a person.
public protocol LineSource: Sendable {
  /// The next physical line. `isContinuation` says that it continues the one before, for the
  /// prompt.
  ///
  /// Nothing is read ahead of need: on a pipe this waits for one line only.
  func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine
}

/// What a source answered.
public enum NextLine: Sendable, Hashable {
  /// A physical line.
  case line(SourceLine)
  /// Nothing more will come.
  case end
  /// The person gave up what was typed (Ctrl-C); reading may go on. `hadText` says whether
  /// something was typed.
  case interrupted(hadText: Bool)
}

/// A physical line.
public struct SourceLine: Sendable, Hashable {
  /// Without its line end.
  public var text: String
  /// Where it is from.
  public var place: LinePlace
  /// The line cannot be used, for example for invalid UTF-8; `text` is then only for showing.
  public var problem: LineSyntaxError?

  /// A line, with what is wrong with its bytes.
  public init(text: String, place: LinePlace, problem: LineSyntaxError? = nil) {
    self.text = text
    self.place = place
    self.problem = problem
  }
}

/// Lines cannot be read at all.
public struct LineSourceError: Error, Sendable, Hashable {
  /// The exit status: 66 for a file that cannot be opened, 74 for a read that failed, 65 for a line
  /// without an end.
  public var code: Int32
  /// What went wrong, in one line without a full stop.
  public var message: String
  /// What to do about it, if that is known.
  public var help: String?

  /// An error with its exit status.
  public init(code: Int32, message: String, help: String? = nil) {
    self.code = code
    self.message = message
    self.help = help
  }
}
