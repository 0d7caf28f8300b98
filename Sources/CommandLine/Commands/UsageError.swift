/// An error in a command as typed: the problem, its position, and advice.
public struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The exit code: 64, or 65 if the data itself is malformed, or 78 if the configuration is.
  public var code: Int32
  /// The problem, in one line without a full stop. It may contain control characters that were
  /// typed, so escape it before displaying it.
  public var message: String
  /// Advice, if any, without the word `help:`.
  public var help: String?
  /// The column of the first offending character, from 1, or `nil` if no word is at fault.
  public var column: Int?
  /// The number of offending characters.
  public var length: Int?
  /// The index of the physical line in a continued line, from 0.
  public var lineOffset: Int

  /// Creates an error at a numeric position.
  public init(
    _ message: String, help: String? = nil, column: Int? = nil, length: Int? = nil,
    lineOffset: Int = 0, code: Int32 = 64
  ) {
    self.code = code
    self.message = message
    self.help = help
    self.column = column
    self.length = length
    self.lineOffset = lineOffset
  }

  /// Creates an error at a word.
  public init(_ message: String, help: String? = nil, at argument: Argument?, code: Int32 = 64) {
    self.init(
      message, help: help, column: argument?.column, length: argument.map { max(1, $0.length) },
      lineOffset: argument?.lineOffset ?? 0, code: code)
  }

  /// The message without the help.
  public var description: String { message }
}
