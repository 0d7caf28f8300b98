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

extension LineExecutor {
  /// Whether a command that runs until it is cancelled prints, has begun and has not ended.
  var hasEndlessOutput: Bool { jobs.hasEndlessOutput }

  /// The exit code of the program after the end of standard output, or `nil` before it.
  var lostOutputCode: Int32? { lostOutput.withLock { $0.exitCode }() }

  /// Cancels the commands that have no end, and a `watch` that the line waits for, because their
  /// output is no longer read. Other commands end by themselves.
  func endWithoutOutput() {
    let watches = board.store.withState { state in
      state.shell.running.filter { !$0.isBackground && state.shell.isDue($0.job) != nil }.map(\.job)
    }
    let ended = Set(jobs.endless + watches).sorted()
    lostOutput.withLock { $0.silence }(ended)
    jobs.cancel(ended)
  }

  /// Ends a command without an end that has started after the reader of standard output has left.
  func endIfUnread(_ context: CommandContext) {
    if isEndless(context.job), lostOutputCode != nil { endWithoutOutput() }
  }
}
