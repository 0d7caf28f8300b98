extension Failure {
  /// Whether the command was cancelled.
  var isCancellation: Bool { code == ExitCode.interrupted && error == "cancelled" }

  /// Whether the end of the lines or `exit` cancelled the command, which does not count as its
  /// failure.
  var isCancelledAtEnd: Bool {
    isCancellation
      && [Self.endOfLines, Self.exit].contains { self == .cancelled(by: $0) }
  }

  /// The cause for endless commands that are cancelled behind the last line.
  static let endOfLines = "the end of the lines"

  /// The cause for commands that `exit` cancels.
  static let exit = "'exit'"

  /// The cause for commands that a continued fork does not run.
  static let fork = "'session fork'"

  /// Returns the failure of a command that a continued fork ends.
  ///
  /// - Parameter mayHaveChanged: Whether the command was changing something.
  static func cancelledByFork(mayHaveChanged: Bool) -> Failure {
    var failure = cancelled(by: fork)
    if mayHaveChanged {
      failure.message += "; the change may have been made"
      failure.help = "look at it before the line is repeated"
    }
    return failure
  }

  /// The failure of a cancelled command.
  package static let cancelled = cancelled(by: nil)

  /// Returns the failure of a cancelled command.
  ///
  /// - Parameter cause: The cause for the message, or `nil` if the user or a line cancelled it.
  static func cancelled(by cause: String?) -> Failure {
    Failure(
      code: ExitCode.interrupted, error: "cancelled",
      message: cause.map { "cancelled by \($0)" } ?? "cancelled")
  }
}

extension Failure {
  /// The failure of `cancel` for a job that does not run.
  static func notRunning(job: Int) -> Failure {
    Failure(
      code: ExitCode.missing, error: "noSuchJob", message: "no job \(job) is running",
      help: "'jobs' lists what runs")
  }
}
