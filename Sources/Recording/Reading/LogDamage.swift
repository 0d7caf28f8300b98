/// A position at which a log is not what was written. Nothing after it is read, nothing is guessed.
public struct LogDamage: Sendable, Hashable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  /// The offset at which the line begins, in bytes from 0.
  public let offset: Int
  /// What the format asks for at this position, in words.
  public let expected: String
  /// The text at that position, shortened.
  public let found: String
  /// One sentence without the position.
  public let message: String

  /// Damage as a reader reports it.
  public init(line: Int, offset: Int, expected: String, found: String, message: String) {
    self.line = line
    self.offset = offset
    self.expected = expected
    self.found = found
    self.message = message
  }

  public var description: String {
    "line \(line), byte \(offset): \(message) (expected \(expected), found \(found))"
  }
}

/// Something about a log that a person should know and that is no error.
public enum LogWarning: Sendable, Hashable, CustomStringConvertible {
  /// The last line has no line feed: the writer died within it. It is not read. `offset` is where
  /// it begins, in bytes.
  case tornTail(offset: Int)
  /// There is no end line: the recording was not stopped, or it continues.
  case cutShort(afterStep: Int)
  /// A line of a kind that this program does not know, skipped.
  case unknownKind(String, line: Int)
  /// There were more warnings of this kind than are kept.
  case more(Int)
  /// The state has another form than when it was recorded, so that its digests cannot be compared.
  case digestsNotCompared

  public var description: String {
    switch self {
    case .tornTail(let offset):
      "the last line is incomplete and was left out; it begins at byte \(offset)"
    case .cutShort(let step): "the recording was cut short after step \(step): it has no end line"
    case .unknownKind(let kind, let line):
      "line \(line) has the unknown kind \(describe(.string(kind))) and was skipped"
    case .more(let count): "\(count) more lines of unknown kinds were skipped"
    case .digestsNotCompared:
      "the state's form has changed since the recording; its digests were not compared"
    }
  }
}
