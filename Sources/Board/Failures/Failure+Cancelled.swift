import SwiftBoardCommandLine

extension Failure {
  /// Whether the command was cancelled.
  var isCancellation: Bool { code == ExitCode.interrupted && error == "cancelled" }

  /// The failure of a cancelled command.
  static let cancelled = cancelled(by: nil)

  /// Returns the failure of a cancelled command.
  ///
  /// - Parameter cause: The cause for the message, or `nil` if the user or a line cancelled it.
  static func cancelled(by cause: String?) -> Failure {
    Failure(
      code: ExitCode.interrupted, error: "cancelled",
      message: cause.map { "cancelled by \($0)" } ?? "cancelled")
  }
}
