import SwiftBoardJSON

/// The end of a command, for the program that ran it.
struct CommandEnd: Sendable, Equatable {
  /// The exit code; 0 for success.
  var exitCode: Int32
  /// The value of `{{last}}` after the command; `null` if the command has no value.
  var value: JSON = .null
  /// The final bytes for standard output, even if redirected. Earlier output of a long command is
  /// not included.
  var output: [UInt8] = []
  /// A message about the commands that it waited for.
  var message: String?
  /// The failure, or `nil` if the command succeeded.
  var failure: Failure?
}

extension Failure {
  /// Returns a failure that other output describes, such as that of a job that was waited for or of
  /// a file that could not be written.
  static func unnamed(_ code: Int32) -> Failure {
    Failure(code: code, error: "failed", message: "the line ended with \(code)")
  }
}
