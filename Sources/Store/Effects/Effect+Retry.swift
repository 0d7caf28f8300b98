extension Effect {
  /// Does the effect's work again when it throws, after a wait.
  ///
  /// The last error is thrown on: `catch` makes an action of it, else it is an issue. Cancellation
  /// is never retried. With `timeout` before it each attempt is limited, with `timeout` after it
  /// all together are.
  ///
  /// A `.run` starts from its beginning. What it sent before it threw has been reduced and stays
  /// so, and is sent again: let it send where that does no harm, or use a `.task`, which sends
  /// nothing before it succeeds. Each member of a group is retried by itself; a sequence continues
  /// when the member has succeeded or given up.
  ///
  /// - Parameters:
  ///   - clock: The clock of the dependencies.
  ///   - isWorthwhile: Whether an error may go away. Not asked about the last attempt's.
  /// - Complexity: No task beside the effect's own.
  @inlinable
  public func retry(
    _ policy: RetryPolicy, clock: some Clock<Duration>,
    while isWorthwhile: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
  ) -> Effect {
    retry(policy, jitter: .none, clock: clock, random: { 0 }, while: isWorthwhile)
  }

  /// Does the effect's work again when it throws, after waits that chance spreads. Else as
  /// `retry(_:clock:while:)`.
  ///
  /// - Parameter random: Draws a word, once for each wait: the generator of the dependencies. Not
  ///   drawn from with `Jitter.none`.
  @inlinable
  public func retry(
    _ policy: RetryPolicy, jitter: RetryPolicy.Jitter, clock: some Clock<Duration>,
    random: @escaping @Sendable () -> UInt64,
    while isWorthwhile: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
  ) -> Effect {
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
    return replacingWork(
      task: { _, work in .task { try await attempt(work) } },
      run: { _, work in .run { send in try await attempt { try await work(send) } } })
  }
}
