/// A command that cannot be understood as typed: what is wrong, where, and what to do about it.
public struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The exit status, 64 unless the data itself is malformed (65) or the configuration is (78).
  public var code: Int32
  /// The problem, in one line without a full stop; may hold what was typed, controls and all:
  /// escape it before it is shown.
  public var message: String
  /// The advice, if there is any; without the word `help:`.
  public var help: String?
  /// The first offending character, from 1; `nil` when no word is to blame.
  public var column: Int?
  /// How many characters are to blame.
  public var length: Int?
  /// Which physical line of a continued line, 0 for the first.
  public var lineOffset: Int

  /// An error at a position that is known as a number.
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

  /// An error that blames a word.
  public init(_ message: String, help: String? = nil, at argument: Argument?, code: Int32 = 64) {
    self.init(
      message, help: help, column: argument?.column, length: argument.map { max(1, $0.length) },
      lineOffset: argument?.lineOffset ?? 0, code: code)
  }

  public var description: String { message }
}
