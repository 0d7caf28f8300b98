/// Why a line is no line, and where.
public struct LineSyntaxError: Error, Sendable, Hashable {
  /// The exit status: 64, or 65 where the bytes themselves are malformed (invalid UTF-8, NUL).
  public var code: Int32
  /// The problem, in one line without a full stop.
  public var message: String
  /// Advice on the problem, if there is any.
  public var help: String?
  /// Which physical line of a continued line, 0 for the first.
  public var lineOffset: Int
  /// The first wrong character in its physical line, counted in characters from 1.
  public var column: Int
  /// How many characters are wrong, at least 1.
  public var length: Int
  /// The prefix that was read before the error, so that `!` also covers a line that does not parse.
  public var prefix: LinePrefix?

  /// An error at a position in the line.
  ///
  /// - Parameter length: Less than 1 counts as 1.
  public init(
    _ message: String, help: String? = nil, lineOffset: Int = 0, column: Int = 1, length: Int = 1,
    code: Int32 = 64, prefix: LinePrefix? = nil
  ) {
    self.code = code
    self.message = message
    self.help = help
    self.lineOffset = lineOffset
    self.column = column
    self.length = max(1, length)
    self.prefix = prefix
  }

  /// The same as a usage error, for a handler that treats both alike.
  public var usageError: UsageError {
    UsageError(
      message, help: help, column: column, length: length, lineOffset: lineOffset, code: code)
  }
}
