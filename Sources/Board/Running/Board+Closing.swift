import SwiftBoardDependencies
import SwiftBoardStore
import SwiftBoardSystem

extension Board {
  /// Closes the board: cancels running commands, ends the recording and shuts the services down,
  /// which flushes the log. A command that changes something ends first and says what it did, and
  /// one that has printed a part of a value of JSON ends the value, unless the output is blocked.
  ///
  /// Every call returns when this is done and the output of the last step has been written, and it
  /// is done once. A sink must not wait for it. Calls to `wait(for:)` that are
  /// still suspended return 130.
  public func close() async {
    // A part of the time in which a signal ends the program, which leaves time for the log.
    await close(waitingForValues: .seconds(1))
  }

  /// Closes the board.
  ///
  /// - Parameter limit: The maximum time for printing the ends of values.
  func close(waitingForValues limit: Duration) async {
    closing.set()
    let end = shared.withLock { shared in
      if let end = shared.end { return end }
      let end = Task { await self.end(waitingForValues: limit) }
      shared.end = end
      return end
    }
    await end.value
  }

  /// Cancels the commands that say what they have done when they are cancelled, and waits for them.
  private func endChanges() async {
    let jobs = store.withState { state in
      state.shell.running.filter { features.endsCancelled(state, $0.job) }.map(\.job)
    }
    endCancelled(jobs)
    for job in jobs { _ = await wait(for: job) }
  }

  /// Cancels the commands that have printed a part of a value, whose end a program reads, and waits
  /// a moment for them.
  ///
  /// The end of a value is a step, so that a replay prints it too, and must come before the ends of
  /// the store and the recording. But while output is blocked, because the reader of a pipe has
  /// stopped, no step follows. The recording, the log and unfinished files must not wait for that.
  private func endValues(within limit: Duration) async {
    let jobs = store.withState { state in
      state.shell.running.filter { BoardRenderer.hasOpenValue($0, state) }.map(\.job)
    }
    guard !jobs.isEmpty else { return }
    let (events, ended) = AsyncStream.makeStream(of: Never.self)
    // The sink, which may block, is called on the thread that sends.
    Task { await DetachedThread.run { self.endCancelled(jobs) } }
    Task {
      for job in jobs { _ = await wait(for: job) }
      ended.finish()
    }
    let timer = Task {
      try? await Task.sleep(for: limit)
      ended.finish()
    }
    for await _ in events {}
    timer.cancel()
  }

  private func endCancelled(_ jobs: [Int]) {
    for job in jobs where !hasEnded(job) {
      store.send(.shell(.cancelled(job: job, by: nil)), origin: .program("interrupt"))
    }
  }

  private func end(waitingForValues limit: Duration) async {
    await endChanges()
    await endValues(within: limit)
    await store.shutdown(deadline: .zero)
    // Observers may still be about to receive the last step, which may end a command.
    let last = store.withState { $0.shell.finished }
    let waiting = shared.withLock { shared in
      shared.isOver = true
      defer { shared.waiting = [:] }
      return shared.waiting
    }
    for (job, continuations) in waiting {
      let code = last?.context.job == job ? last?.status : nil
      for continuation in continuations {
        continuation.resume(returning: code ?? ExitCode.interrupted)
      }
    }
    stopRecording()
    await navigators.unfinishedWork.wait()
    navigators.endContinuations()
    await analytics.finish()
    await dependencies.shutDown()
    // The output of the last step, which is in the recording. Last, because it may be blocked.
    await store.waitUntilDelivered()
  }
}
