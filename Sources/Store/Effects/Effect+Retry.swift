extension EffectProtocol {
  /// Repeats the effect's work after a wait if it throws.
  ///
  /// The last error is thrown. Use `catch` to turn it into an action; otherwise it is an issue.
  /// Cancellation is never retried. With `timeout` before `retry`, the time of each attempt is
  /// limited. With `timeout` after it, the time of all attempts together is limited.
  ///
  /// A `.run` starts from its beginning. The actions that it sent before the error have been
  /// reduced, and are sent again. Use a `.run` only if repeated actions are harmless. A `.task`
  /// sends nothing before it succeeds. Each member of a group is retried separately. A sequence
  /// continues when the member has succeeded or failed for the last time.
  ///
  /// - Parameters:
  ///   - clock: The clock of the dependencies.
  ///   - isWorthwhile: Returns whether to retry after an error. Not called after the last attempt.
  /// - Complexity: No additional task.
  @inlinable
  public func retry(
    _ policy: RetryPolicy, clock: some Clock<Duration>,
    while isWorthwhile: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
  ) -> Self {
    retry(policy, jitter: .none, clock: clock, random: { 0 }, while: isWorthwhile)
  }

  /// Repeats the effect's work after a random wait if it throws. Otherwise the same as
  /// `retry(_:clock:while:)`.
  ///
  /// - Parameter random: Draws a word, once for each wait, from the generator of the dependencies.
  ///   Not called with `Jitter.none`.
  @inlinable
  public func retry(
    _ policy: RetryPolicy, jitter: RetryPolicy.Jitter, clock: some Clock<Duration>,
    random: @escaping @Sendable () -> UInt64,
    while isWorthwhile: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
  ) -> Self {
    @Sendable func attempt<Value>(_ work: () async throws -> Value) async throws -> Value {
      var schedule = RetrySchedule(policy, jitter: jitter)
      while true {
        do {
          return try await work()
        } catch let error where !(error is CancellationError) && !Task.isCancelled {
          guard schedule.attemptsLeft > 1, isWorthwhile(error), let wait = schedule.next(random)
          else { throw error }
          try await clock.wait(for: wait)
        }
      }
    }
    return changed {
      $0.replacingWork(
        task: { _, work in .task { try await attempt(work) } },
        run: { _, work in .run { send in try await attempt { try await work(send) } } })
    }
  }
}
