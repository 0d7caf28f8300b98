import SwiftBoardRecording
import SwiftBoardSystem

extension ExitCode {
  /// The exit code of a log that cannot be read: 65, 66, 74 or 130.
  static func of(_ error: LogReadError) -> Int32 {
    switch error {
    case .damage, .changed, .broken, .gap: data
    case .missing: missing
    case .io: io
    case .file(_, let error): of(error)
    case .cancelled: interrupted
    }
  }

  /// The exit code of a replay that does not agree: 1, 64, 65, 70, or that of an unreadable log.
  static func of(_ error: ReplayError) -> Int32 {
    switch error {
    case .unreadable(let error): of(error)
    case .foreign, .impossible: data
    case .risky, .diverged, .unreachable: no
    case .encoding: software
    case .noStep, .noMark, .speed, .idleLimit: usage
    }
  }

  /// The exit code of a recording that cannot begin: 64, 65, 70, 73, 74, 130, or that of an
  /// unreadable log.
  static func of(_ error: RecordingError) -> Int32 {
    switch error {
    case .exists, .busy, .failed, .changed: cannotCreate
    case .io, .unwritable: io
    case .encoding, .header, .attached: software
    case .closing: interrupted
    case .state, .withheld: data
    case .unreadable(let error): of(error)
    case .noStep: usage
    }
  }
}

extension Failure {
  /// Creates the failure of replaying or visiting the recording at `path`.
  init(_ error: ReplayError, _ path: String) {
    let code = ExitCode.of(error)
    switch error {
    case .unreadable(let reason): self.init(reason, path)
    case .noStep:
      self.init(
        code: code, error: "noStep", message: error.description,
        help: "'session timeline' lists them")
    case .noMark:
      self.init(
        code: code, error: "noMark", message: error.description,
        help: "'session mark NAME' sets one; 'session timeline' lists them")
    case .speed, .idleLimit: self.init(code: code, error: "noPace", message: error.description)
    case .foreign, .impossible, .risky, .diverged, .encoding, .unreachable:
      self.init(reading: path, code, error.description)
    }
  }

  /// Creates the failure of reading the recording at `path`.
  init(_ error: LogReadError, _ path: String) {
    self.init(
      reading: path, ExitCode.of(error), error.description, help: Failure.help(for: error))
  }

  /// Advice about a log that cannot be read, or `nil` if the description is enough.
  static func help(for error: LogReadError) -> String? {
    switch error {
    case .broken(let path, _, _):
      "\(PathComponents(path).name) or the file before it was changed, cut or replaced, or is another "
        + "recording's: put the right one back, or open a file by itself by its number"
    case .gap(let path):
      "put \(PathComponents(path).name) back, or move the files before it elsewhere: the recording then "
        + "begins behind it"
    // Before the header and the first step there is nothing to keep.
    case .damage(let damage) where damage.line > 2:
      "the lines before it are whole: 'head -n \(damage.line - 1) FILE > OTHER' makes a recording of "
        + "them"
    // The files after it would no longer continue a part of one.
    case .file(_, .damage): nil
    case .file(_, let error): help(for: error)
    case .changed: "another program writes to it or has replaced it: read it again after that"
    case .damage, .missing, .io, .cancelled: nil
    }
  }

  /// Creates the failure of a recording that cannot begin.
  init(_ error: RecordingError) {
    let code = ExitCode.of(error)
    let help =
      code == ExitCode.io
      ? "nothing is recorded; make room on the disk, or record to another one"
      : "a recording needs a new file in a folder that can be written"
    self.init(
      code: code, error: code == ExitCode.cannotCreate ? Self.word(for: error) : "io",
      message: error.description, help: help)
  }

  /// The word for a file that cannot be created, or is in use.
  private static func word(for error: RecordingError) -> String {
    if case .failed = error { "cannotCreate" } else { "exists" }
  }

  /// Creates the failure of a recording that cannot be forked.
  init(forking error: RecordingError) {
    let code = ExitCode.of(error)
    let name =
      switch code {
      case ExitCode.cannotCreate: Self.word(for: error)
      case ExitCode.usage: "noStep"
      case ExitCode.data: "damaged"
      default: "io"
      }
    self.init(code: code, error: name, message: error.description)
  }

  private init(reading path: String, _ code: Int32, _ message: String, help: String? = nil) {
    let name =
      switch code {
      case ExitCode.no: "differs"
      case ExitCode.missing: "missing"
      case ExitCode.data: "damaged"
      default: "io"
      }
    self.init(
      code: code, error: name,
      message: message.names(path) ? message : "\(path): \(message)", help: help)
  }
}

extension String {
  /// Whether the message names the file at `path`.
  func names(_ path: String) -> Bool {
    hasPrefix("\(path) ") || hasPrefix("\(path): ") || hasSuffix(" \(path)")
      || hasPrefix("\(path).")
  }
}
