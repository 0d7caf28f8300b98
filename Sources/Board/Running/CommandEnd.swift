import SwiftBoardCommandLine
import SwiftBoardJSON

/// How a command ended, for a program that ran it.
struct CommandEnd: Sendable, Equatable {
  /// 0 for success.
  var exitCode: Int32
  /// What `{{last}}` is afterwards; `null` where the command has no value.
  var value: JSON
  /// What it printed on standard output when it ended, wherever that went. What a long command
  /// prints before its end is not part of it.
  var output: [UInt8]
  /// What there is to say of the commands that it waited for.
  var message: String?
  /// Why it failed; `nil` where it succeeded.
  var failure: Failure?

  init(
    exitCode: Int32, value: JSON = .null, output: [UInt8] = [], message: String? = nil,
    failure: Failure? = nil
  ) {
    self.exitCode = exitCode
    self.value = value
    self.output = output
    self.message = message
    self.failure = failure
  }
}

extension Failure {
  /// A failure that another line or its output tells of: a job that was waited for, or a file that
  /// could not be written.
  static func unnamed(_ code: Int32) -> Failure {
    Failure(code: code, error: "failed", message: "the line ended with \(code)")
  }
}
