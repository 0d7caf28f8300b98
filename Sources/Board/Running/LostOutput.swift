/// What an executor knows of standard output, which a closed pipe or a full disk ends. No further
/// command begins then.
struct LostOutput: Sendable {
  /// Returns the exit code of the program, or `nil` while standard output can be written.
  var exitCode: @Sendable () -> Int32? = { nil }
  /// Leaves out further messages of commands, which are about to be cancelled.
  var silence: @Sendable ([Int]) -> Void = { _ in }
  /// Looks out for the reader of standard output to leave, while a command without an end may write
  /// nothing for long.
  var watchReader: @Sendable () -> Void = {}
}
