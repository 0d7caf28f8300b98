/// The exit codes that the board gives, of sysexits.h where it has one.
public enum ExitCode {
  /// The answer is no: `assert`, and differences that were asked for.
  public static let no: Int32 = 1
  /// `EX_USAGE` of sysexits.h: the line is not understood.
  public static let usage: Int32 = 64
  /// `EX_DATAERR`: malformed JSON, a damaged recording, keychain or database.
  public static let data: Int32 = 65
  /// `EX_NOINPUT`: a file, document, service or secret is not there.
  public static let missing: Int32 = 66
  /// `EX_UNAVAILABLE`: no host of that name, refused, out of reach.
  public static let unavailable: Int32 = 69
  /// `EX_SOFTWARE`: a fault of the program.
  public static let software: Int32 = 70
  /// `EX_CANTCREAT`: no file can be made, or one is there already.
  public static let cannotCreate: Int32 = 73
  /// `EX_IOERR`: reading or writing failed, the disk is full, the database locked.
  public static let io: Int32 = 74
  /// `EX_TEMPFAIL`: a time limit was over.
  public static let temporary: Int32 = 75
  /// `EX_PROTOCOL`: TLS, or an answer that is not whole or not HTTP.
  public static let networkProtocol: Int32 = 76
  /// `EX_NOPERM`: locked, a wrong secret, permissions.
  public static let denied: Int32 = 77
  /// `EX_CONFIG`: the configuration or a variable.
  public static let configuration: Int32 = 78
  /// 128 and `SIGINT`: cancelled by Ctrl-C or `cancel`.
  public static let interrupted: Int32 = 130
}
