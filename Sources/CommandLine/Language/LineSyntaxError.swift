/// A syntax error in a line, with its position.
public struct LineSyntaxError: Error, Sendable, Hashable {
  /// `usage`, or `malformedData` for invalid UTF-8 and NUL.
  public var kind: UsageError.Kind
  /// The problem, in one line without a full stop.
  public var message: String
  /// Advice, if any.
  public var help: String?
  /// The index of the physical line in a continued line, from 0.
  public var lineOffset: Int
  /// The column of the first wrong character in its physical line, in characters from 1.
  public var column: Int
  /// The number of wrong characters, at least 1.
  public var length: Int
  /// The prefix before the error. It lets `!` also apply to a line that does not parse.
  public var prefix: LinePrefix?

  /// Creates an error at a position in the line.
  ///
  /// - Parameter length: Values below 1 count as 1.
  public init(
    _ message: String, help: String? = nil, lineOffset: Int = 0, column: Int = 1, length: Int = 1,
    kind: UsageError.Kind = .usage, prefix: LinePrefix? = nil
  ) {
    self.kind = kind
    self.message = message
    self.help = help
    self.lineOffset = lineOffset
    self.column = column
    self.length = max(1, length)
    self.prefix = prefix
  }

  /// The error as a usage error, for callers that treat both alike.
  public var usageError: UsageError {
    UsageError(
      message, help: help, column: column, length: length, lineOffset: lineOffset, kind: kind)
  }
}
