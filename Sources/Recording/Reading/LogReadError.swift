/// Why a log, or a recording of several files, cannot be read.
public enum LogReadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes are not what was written.
  case damage(LogDamage)
  /// There is no such file.
  case missing(path: String)
  /// A system call failed.
  case io(path: String, LogIOError)
  /// One of a rotated recording's files cannot be read.
  indirect case file(path: String, LogReadError)
  /// A file of a rotated recording does not continue where the one before it ended.
  case broken(path: String, expected: String, found: String)
  /// A file of a rotated recording is not there, between two that are.
  case gap(path: String)
  /// The task in which the log is read was cancelled.
  case cancelled

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

  /// Whether a file is not there. One of a recording may have been removed by rotation since the
  /// recording was looked for: another look may find it whole.
  public var isAboutNames: Bool {
    switch self {
    case .missing, .gap: true
    case .file(_, let error): error.isAboutNames
    case .damage, .io, .broken, .cancelled: false
    }
  }

  /// Damage within a line; the reader says where the line is.
  static func fault(_ message: String, expected: String, found: String) -> LogReadError {
    .damage(LogDamage(line: 0, offset: 0, expected: expected, found: found, message: message))
  }

  /// The same damage, in a line whose position is known.
  func at(line: Int, offset: Int) -> LogReadError {
    guard case .damage(let damage) = self else { return self }
    return .damage(damage.at(line: line, offset: offset))
  }

  /// The same error of the file at `path`; errors that are not damage name their file already.
  func inFile(_ path: String) -> LogReadError {
    if case .damage = self { .file(path: path, self) } else { self }
  }
}

extension LogDamage {
  func at(line: Int, offset: Int) -> LogDamage {
    LogDamage(line: line, offset: offset, expected: expected, found: found, message: message)
  }
}
