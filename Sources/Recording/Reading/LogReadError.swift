/// An error of reading a log, or a recording of several files.
public enum LogReadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes are not what was written.
  case damage(LogDamage)
  /// The file does not exist.
  case missing(path: String)
  /// The file is shorter than when it was found, or another one is in its place.
  case changed(path: String, isAnotherFile: Bool = false)
  /// A system call failed.
  case io(path: String, LogIOError)
  /// A file of a rotated recording cannot be read.
  indirect case file(path: String, LogReadError)
  /// A file of a rotated recording does not continue where the previous one ended.
  case broken(path: String, expected: String, found: String)
  /// A file between two others of a rotated recording is missing.
  case gap(path: String)
  /// Reading was cancelled.
  case cancelled

  /// A sentence with the path of the file and the reason.
  public var description: String {
    switch self {
    case .damage(let damage): damage.description
    case .missing(let path): "there is no file \(path)"
    case .changed(let path, _): "\(path) changed while it was read"
    case .io(let path, let error): "\(path) cannot be read: \(error)"
    case .file(let path, let error): "\(path): \(error)"
    case .broken(let path, let expected, let found):
      "\(path) does not go on where the file before it ends (expected \(expected), found \(found))"
    case .gap(let path): "\(path) is missing: the files before and after it are there"
    case .cancelled: "the reading was cancelled"
    }
  }

  /// Whether a file is missing, or another one has its name. Rotation may have removed a file since
  /// the recording was listed, or another recording may have begun at its path, so a second attempt
  /// may succeed.
  public var isAboutNames: Bool {
    switch self {
    case .missing, .gap: true
    case .changed(_, let isAnotherFile): isAnotherFile
    case .file(_, let error): error.isAboutNames
    case .damage, .io, .broken, .cancelled: false
    }
  }

  /// Returns damage within a line, to which the reader adds the position of the line.
  static func fault(_ message: String, expected: String, found: FoundContent) -> LogReadError {
    .damage(LogDamage(line: 0, offset: 0, expected: expected, content: found, message: message))
  }

  /// Returns the same damage with the position of its line.
  func at(line: Int, offset: Int) -> LogReadError {
    guard case .damage(let damage) = self else { return self }
    return .damage(damage.at(line: line, offset: offset))
  }

  /// Returns the same error with the path of its file. Errors other than damage have a path
  /// already.
  func inFile(_ path: String) -> LogReadError {
    if case .damage = self { .file(path: path, self) } else { self }
  }
}

extension LogDamage {
  func at(line: Int, offset: Int) -> LogDamage {
    LogDamage(line: line, offset: offset, expected: expected, content: content, message: message)
  }
}
