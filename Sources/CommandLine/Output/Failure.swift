/// Why a command failed, in the terms of the command line: what, why, what to do, and the exit
/// code.
public struct Failure: Error, Codable, Sendable, Equatable {
  /// The exit code, of sysexits.h where it has one: 64 usage, 65 malformed data, 69 service and
  /// others.
  public var code: Int32
  /// For programs, for example `connectionRefused`.
  public var error: String
  /// What went wrong and why, for people, in one line.
  public var message: String
  /// Advice on the problem, if there is any; without the word `help:`.
  public var help: String?
  /// The column in the line, in characters from 1, if one word is to blame.
  public var column: Int?
  /// How many characters are to blame.
  public var length: Int?
  /// Which physical line of a continued line that is, from 0.
  public var lineOffset: Int?

  /// A failure from its parts.
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

  /// An error of a line, with its position in it; see `UsageError.name`.
  public init(_ error: UsageError) {
    self.init(
      code: error.code, error: error.name, message: error.message, help: error.help,
      column: error.column, length: error.length,
      lineOffset: error.lineOffset > 0 ? error.lineOffset : nil)
  }
}

extension UsageError {
  /// What programs know the error by: `malformedData` for malformed data (65), `configuration` for
  /// a variable or the configuration (78), else `usage`.
  public var name: String {
    switch code {
    case 65: "malformedData"
    case 78: "configuration"
    default: "usage"
    }
  }
}
