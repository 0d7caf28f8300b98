/// An error in a command as typed: the problem, its position, and advice.
public struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is at fault. The raw value is the name of the error for programs.
  public enum Kind: String, Sendable, Hashable {
    /// The command: a wrong word, option or value.
    case usage
    /// The data itself, such as invalid JSON.
    case malformedData
    /// A variable of the environment, or the configuration.
    case configuration
    /// A file that does not exist.
    case missing
    /// A file that cannot be read.
    case io
  }

  /// What is at fault.
  public var kind: Kind
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
    lineOffset: Int = 0, kind: Kind = .usage
  ) {
    self.kind = kind
    self.message = message
    self.help = help
    self.column = column
    self.length = length
    self.lineOffset = lineOffset
  }

  /// Creates an error at a word.
  public init(_ message: String, help: String? = nil, at argument: Argument?, kind: Kind = .usage) {
    self.init(
      message, help: help, column: argument?.column, length: argument.map { max(1, $0.length) },
      lineOffset: argument?.lineOffset ?? 0, kind: kind)
  }

  /// Creates an error at a word.
  package init(_ message: String, help: String? = nil, at word: Word, kind: Kind = .usage) {
    self.init(
      message, help: help, column: word.column, length: max(1, word.length),
      lineOffset: word.lineOffset, kind: kind)
  }

  /// The message without the help.
  public var description: String { message }
}
