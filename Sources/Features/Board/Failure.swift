import SwiftBoardCommandLine

/// Why a command failed, in the terms of the command line: what, why, what to do, and the exit code.
public struct Failure: Error, Codable, Sendable, Equatable {
  public var code: Int32
  /// For programs, for example `connectionRefused`.
  public var error: String
  public var message: String
  public var help: String?
  /// Where in the line, 1-based characters, where one word is to blame.
  public var column: Int?
  public var length: Int?
  /// Which physical line of a continued line that is, from 0.
  public var lineOffset: Int?

  public init(
    code: Int32, error: String, message: String, help: String? = nil, column: Int? = nil,
    length: Int? = nil, lineOffset: Int? = nil
  ) {
    self.code = code
    self.error = error
    self.message = message
    self.help = help
    self.column = column
    self.length = length
    self.lineOffset = lineOffset
  }
}

/// The exit codes that the board gives.
public enum ExitCode {
  public static let no: Int32 = 1
  public static let usage: Int32 = 64
  public static let data: Int32 = 65
  public static let missing: Int32 = 66
  public static let unavailable: Int32 = 69
  public static let software: Int32 = 70
  public static let cannotCreate: Int32 = 73
  public static let io: Int32 = 74
  public static let temporary: Int32 = 75
  public static let networkProtocol: Int32 = 76
  public static let denied: Int32 = 77
  public static let configuration: Int32 = 78
  public static let interrupted: Int32 = 130
}
