import SwiftBoardCommandLine
import SwiftBoardJSON

/// The failure of a command: the problem, the reason, advice, and the exit code.
public struct Failure: Error, Codable, Sendable, Equatable {
  /// The exit code. It follows sysexits.h if it has a matching code: 64 usage, 65 malformed data,
  /// 69 service and others.
  public var code: Int32
  /// The name of the error for programs, for example `connectionRefused`.
  public var error: String
  /// The problem and its reason for users, in one line.
  public var message: String
  /// Advice, if any, without the word `help:`.
  public var help: String?
  /// The column in the line, in characters from 1, if a word is at fault.
  public var column: Int?
  /// The number of offending characters.
  public var length: Int?
  /// The index of that physical line in a continued line, from 0.
  public var lineOffset: Int?

  /// Creates a failure.
  ///
  /// - Parameter code: The exit code, from 1 to 255. Any other number counts as 70.
  public init(
    code: Int32, error: String, message: String, help: String? = nil, column: Int? = nil,
    length: Int? = nil, lineOffset: Int? = nil
  ) {
    self.code = (1...255).contains(code) ? code : ExitCode.software
    self.error = error
    self.message = message
    self.help = help
    self.column = column
    self.length = length
    self.lineOffset = lineOffset
  }

  /// Creates the failure of a line, with its position.
  public init(_ error: UsageError) {
    self.init(
      code: ExitCode.of(error.kind), error: error.kind.rawValue, message: error.message,
      help: error.help,
      column: error.column, length: error.length,
      lineOffset: error.lineOffset > 0 ? error.lineOffset : nil)
  }

  /// The members that describe the failure in JSON output.
  var members: [JSON.Member] {
    [
      .init("code", JSON(code)), .init("error", .string(error)),
      .init("message", .string(message)),
    ]
  }

  /// Returns the failure with the position of a word.
  func at(_ word: Argument) -> Failure {
    var failure = self
    failure.column = word.column
    failure.length = max(1, word.length)
    failure.lineOffset = word.lineOffset > 0 ? word.lineOffset : nil
    return failure
  }
}
