/// A place at which a log is not what was written. Nothing behind it is read, nothing is guessed.
public struct LogDamage: Error, Sendable, Hashable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  /// Where the line begins, in bytes from 0.
  public let offset: Int
  /// What the format asks for at this place, in words.
  public let expected: String
  /// What stands there, shortened.
  public let found: String
  /// One sentence without the place.
  public let message: String

  /// Damage as a reader reports it.
  public init(line: Int, offset: Int, expected: String, found: String, message: String) {
    self.line = line
    self.offset = offset
    self.expected = expected
    self.found = found
    self.message = message
  }

  /// The exit status of a command that ends with this: malformed data.
  public var exitCode: Int32 { 65 }

  public var description: String {
    "line \(line), byte \(offset): \(message) (expected \(expected), found \(found))"
  }
}

/// Why a log cannot be read on.
public enum LogReadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes are not what was written. Exit status 65 (`EX_DATAERR` of sysexits).
  case damage(LogDamage)
  /// No such file.
  case missing(path: String)
  /// A system call failed. Exit status 74 (`EX_IOERR`).
  case io(path: String, LogIOError)
  /// One of a rotated recording's files cannot be read.
  indirect case file(path: String, LogReadError)
  /// A file of a rotated recording does not go on where the one before it ended.
  case broken(path: String, expected: String, found: String)
  /// A file of a rotated recording is not there, between two that are.
  case gap(path: String)
  /// Nobody wants it read any more.
  case cancelled

  /// The exit status of a command that ends with this: 65, 66 where there is no file, 74 where it cannot be read.
  public var exitCode: Int32 {
    switch self {
    case .damage(let damage): damage.exitCode
    case .missing: 66
    case .io: 74
    case .file(_, let error): error.exitCode
    case .broken, .gap: 65
    case .cancelled: 130
    }
  }

  public var description: String {
    switch self {
    case .damage(let damage): damage.description
    case .missing(let path): "there is no file \(path)"
    case .io(let path, let error): "\(path) cannot be read: \(error)"
    case .file(let path, let error): "\(path): \(error)"
    case .broken(let path, let expected, let found):
      "\(path) does not go on where the file before it ends (expected \(expected), found \(found))"
    case .gap(let path): "\(path) is missing: the files before and after it are there"
    case .cancelled: "the reading was cancelled"
    }
  }
}

/// Something about a log that a person should know and that is no error.
public enum LogWarning: Sendable, Hashable, CustomStringConvertible {
  /// The last line has no line feed: the writer died within it. It is not read. `offset` is where it begins, in bytes.
  case tornTail(offset: Int)
  /// There is no end line: the recording was not stopped, or it goes on.
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
