import SwiftBoardCommandLine

/// The board's exit codes. They follow sysexits.h if it has a matching code.
public enum ExitCode {
  /// A negative answer: from `assert`, or differences that were requested.
  public static let no: Int32 = 1
  /// `EX_USAGE` of sysexits.h: the line is invalid.
  public static let usage: Int32 = 64
  /// `EX_DATAERR`: malformed JSON, a damaged recording, keychain or database.
  public static let data: Int32 = 65
  /// `EX_NOINPUT`: a file, document, service or secret does not exist.
  public static let missing: Int32 = 66
  /// `EX_UNAVAILABLE`: unknown host, connection refused, or unreachable.
  public static let unavailable: Int32 = 69
  /// `EX_SOFTWARE`: a fault of the program.
  public static let software: Int32 = 70
  /// `EX_CANTCREAT`: a file cannot be created or already exists.
  public static let cannotCreate: Int32 = 73
  /// `EX_IOERR`: reading or writing failed, the disk is full, or the database is locked.
  public static let io: Int32 = 74
  /// `EX_TEMPFAIL`: a time limit was exceeded.
  public static let temporary: Int32 = 75
  /// `EX_PROTOCOL`: a TLS error, or an incomplete or non-HTTP response.
  public static let networkProtocol: Int32 = 76
  /// `EX_NOPERM`: locked, a wrong secret, or missing permissions.
  public static let denied: Int32 = 77
  /// `EX_CONFIG`: an invalid configuration or environment variable.
  public static let configuration: Int32 = 78
  /// 128 plus `SIGINT`: cancelled by Ctrl-C or `cancel`.
  public static let interrupted: Int32 = 130
  /// 128 plus `SIGPIPE`: the reader has closed the output.
  static let closedOutput: Int32 = 141
}

/// The exit codes of what the command line reports.
extension ExitCode {
  static func of(_ kind: UsageError.Kind) -> Int32 {
    switch kind {
    case .usage: usage
    case .malformedData: data
    case .configuration: configuration
    case .missing: missing
    case .io: io
    }
  }

  static func of(_ kind: LineSourceError.Kind) -> Int32 {
    switch kind {
    case .missing: missing
    case .io: io
    case .malformedData: data
    case .cancelled: interrupted
    }
  }

  static func of(_ error: OutputError) -> Int32 {
    switch error {
    case .closed: closedOutput
    case .failed: io
    }
  }

  /// Returns the exit code of a program that the signal ends.
  static func of(_ signal: Signal) -> Int32 { 128 + signal.number }
}
