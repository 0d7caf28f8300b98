import SwiftBoardCommandLine

extension LineExecutor {
  /// Refuses a command that cannot be repeated.
  func checkRepeated(_ words: [Argument]) throws(UsageError) {
    guard let first = words.first else { return }
    let match = try board.features.commands.parse(words: words)
    if let option = match.output.readsInput ?? match.output.writesSecret {
      throw UsageError("a command with \(option) cannot be repeated", at: first)
    }
    if match.output.isEndless {
      throw UsageError(
        "'\(match.path.joined(separator: " "))' has no end to wait for", at: first)
    }
  }

  /// Runs a command again and again. Each round is a command of its own, with a job and steps; the
  /// reducer says when the next one is due.
  func watch(
    _ watch: WatchCommand, _ action: BoardAction, _ context: CommandContext, _ line: Line
  ) async -> CommandEnd {
    guard jobs.begin(context, in: line.id) else { return await fail(context, .cancelled) }
    guard !context.isBackground else {
      await board.begin(action, context)
      Task { await repeatRounds(watch, context, line) }
      return CommandEnd(exitCode: 0)
    }
    board.expectEnd(of: context.job)
    await board.begin(action, context)
    await repeatRounds(watch, context, line)
    let code = await jobs.wait(for: [context.job], in: line.id)[0]
    return await closeOutput(of: context, code, line)
  }

  private func repeatRounds(
    _ watch: WatchCommand, _ context: CommandContext, _ line: Line
  ) async {
    let words = watch.arguments(userHome: userHome)
    while !board.isClosing, await isDue(context.job, line) {
      if let typed = secrets.refusal(of: words, nil, board.redactor) {
        return board.end(context.job, failing: Failure(typed.error))
      }
      let end = await round(words, context, line)
      // Ctrl-C at a question of the round is no signal, and means all that the line does.
      if end.exitCode == ExitCode.interrupted, !context.isBackground { jobs.interrupt(line.id) }
      // An interrupt of the pause cancels `watch` itself.
      jobs.setForeground(context.job, in: line.id)
      if lostOutputCode != nil, isEndless(context.job) || !context.isBackground {
        return endWithoutOutput()
      }
      await board.endRound(of: context.job, status: end.exitCode)
    }
  }

  /// Waits for the next round; false once there is none. Meanwhile an interrupt cancels `watch`.
  private func isDue(_ job: Int, _ line: Line) async -> Bool {
    jobs.setForeground(job, in: line.id)
    do {
      try await board.store.wait { $0.shell.isDue(job) != false }
    } catch { return false }
    return board.store.withState { $0.shell.isDue(job) == true }
  }

  /// Waits for the end of a round in the background.
  ///
  /// - Parameters:
  ///   - round: The job of the round, which has started.
  ///   - watch: The job of its `watch`.
  /// - Returns: The exit code of the round.
  func wait(forRound round: Int, of watch: Int) async -> Int32 {
    // `watch` may have been cancelled while the round started.
    await board.store.waitUntilDelivered()
    if board.store.withState({ $0.shell.isDue(watch) == nil }) { jobs.cancel([round]) }
    return await board.wait(for: round)
  }

  /// Cancels the running round of a `watch` in the background that was cancelled. The reducers
  /// cancel `watch` alone.
  func cancelRound(of watch: Int, by cause: String? = nil) {
    let running = board.store.withState { $0.shell.running }
    let rounds = running.filter { $0.round == watch && $0.isBackground }
    jobs.cancel(rounds.map(\.job), by: cause)
  }

  private func round(
    _ words: [Argument], _ outer: CommandContext, _ line: Line
  ) async -> CommandEnd {
    var context = self.context(line, nil)
    do throws(UsageError) {
      let match = try board.features.commands.parse(words: words)
      (context.name, context.round) = (match.name, outer.job)
      context.isBackground = outer.isBackground
      context.takeOptions(of: outer)
      context.usesPager = false
      try apply(match, to: &context)
      borrowOutput(of: outer, for: &context)
      var action = match.output.action(context)
      // The rounds show the present state, also while the board shows an earlier one.
      if case .session = action { action = redirectedToRecording(action) }
      if let end = await special(action, context, line) { return end }
      return await perform(action, context, line)
    } catch { return await reject(Failure(error), context) }
  }
}
