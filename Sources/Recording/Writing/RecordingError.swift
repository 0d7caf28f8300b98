/// An error of beginning a recording or forking a log.
public enum RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A file with this path exists. It was not changed.
  case exists(path: String)
  /// Another recorder has the file open.
  case busy(path: String)
  /// The file cannot be created or opened: a system call failed.
  case failed(path: String, LogIOError)
  /// A file to be continued has changed.
  case changed(path: String)
  /// No reader would accept the header, for example because of a negative version.
  case header(String)
  /// The store has another recorder, which has not been stopped.
  case attached
  /// The program is ending, so that no step would follow.
  case closing
  /// The header cannot be written.
  case io(LogIOError)
  /// A fork was created but cannot be written. It was removed.
  case unwritable(path: String, LogIOError)
  /// The state has no canonical JSON.
  case encoding(String)
  /// The state of the store is not the last state of the log to be continued.
  case state(expected: Digest, found: Digest)
  /// The log to be forked cannot be read.
  case unreadable(LogReadError)
  /// A line of the log to be forked may not be copied. It belongs to `step`, which is 0 for the
  /// header. No fork was left.
  case withheld(step: Int, line: Int)
  /// The log to be forked has only the steps `first` to `last`.
  case noStep(Int, first: Int = 0, last: Int)

  /// A sentence that describes the error.
  public var description: String {
    switch self {
    case .exists(let path): "\(path) exists already; a recording starts with a new file"
    case .busy(let path): "\(path) is being written by another recorder"
    case .failed(let path, let error): "\(path) cannot be created: \(error)"
    case .changed(let path): "\(path) has changed since it was read"
    case .header(let reason): "the recording would not be readable: \(reason)"
    case .attached: "the store is being recorded already; stop its recorder first"
    case .closing: "no recording starts any more: the program is ending"
    case .io(let error): "the recording's first line cannot be written: \(error)"
    case .unwritable(let path, let error): "\(path) cannot be written: \(error)"
    case .encoding(let text): "the state cannot be recorded: \(text)"
    case .state(let expected, let found):
      "the state is not the one that the log ends with: expected \(expected), found \(found)"
    case .unreadable(let error): error.description
    case .withheld(_, let line): "line \(line) may not be copied"
    case .noStep(let step, let first, let last): ReplayError.noStep(step, first, last)
    }
  }
}
