extension EffectProtocol {
  /// Limits the time of the effect's work. At the deadline the work is cancelled, none of its
  /// further actions is reduced, and the effect throws `EffectTimeout`. Use `catch` to turn the
  /// error into an action, or `retry` to try again. Otherwise it is an issue.
  ///
  /// The error arrives when the cancelled work has returned: at once if the work checks for
  /// cancellation, otherwise at any later time. To send an action exactly at the deadline, use
  /// `timeout(after:clock:_:)`. The result or the error of late work is dropped. Work that ends
  /// exactly at the deadline may count as in time or as late.
  ///
  /// In a `merge` each member has this limit, and all begin at the same time. In a `concatenate`
  /// each member's time begins with its own turn. `.send`, `.cancel` and `.issue` take no time.
  ///
  /// - Parameter clock: The clock of the dependencies.
  /// - Complexity: Two child tasks for each task of the effect, a group and a gate.
  @inlinable
  public func timeout(after duration: Duration, clock: some Clock<Duration>) -> Self {
    changed {
      $0.replacingWork(
        task: { name, work in
          .task {
            try await within(duration, clock, TimeoutGate(), work) {
              throw EffectTimeout(name: name, duration: duration)
            }
          }
        },
        run: { name, work in
          .run { send in
            let gate = TimeoutGate()
            try await within(duration, clock, gate) {
              try await work(send.through(gate))
            } expired: {
              throw EffectTimeout(name: name, duration: duration)
            }
          }
        })
    }
  }

  /// Limits the time of the effect's work. At the deadline an action is sent, whether or not the
  /// work checks for cancellation. No action of the work is reduced after that action.
  ///
  /// Work that does not return stays listed in `Store.effects`, and handles wait for it. Errors
  /// before the deadline are thrown as usual. For groups and exact deadlines see
  /// `timeout(after:clock:)`. A `.task` becomes a `.run`.
  ///
  /// - Parameters:
  ///   - clock: The clock of the dependencies.
  ///   - action: Creates the action that is sent at the deadline.
  /// - Complexity: Two child tasks for each task of the effect, a group and a gate.
  @inlinable
  public func timeout(
    after duration: Duration, clock: some Clock<Duration>,
    _ action: @escaping @Sendable (EffectTimeout) -> Action
  ) -> Self {
    @Sendable func limit(
      _ name: String, _ send: Send<Action>,
      _ work: @escaping @Sendable (Send<Action>) async throws -> Void
    ) async throws {
      let gate = TimeoutGate()
      try await within(duration, clock, gate) {
        try await work(send.through(gate))
      } expired: {
        await gate.drain()
        send(action(EffectTimeout(name: name, duration: duration)))
      }
    }
    return changed {
      $0.replacingWork(
        task: { name, work in
          .run { send in
            try await limit(name, send) { send in send(try await work()) }
          }
        },
        run: { name, work in
          .run { send in try await limit(name, send, work) }
        })
    }
  }
}

/// Runs `work` with a time limit. The first of the two to close the gate determines the result or
/// the error. The other is cancelled and awaited.
@inlinable
func within<Value: Sendable>(
  _ duration: Duration, _ clock: some Clock<Duration>, _ gate: TimeoutGate,
  _ work: @escaping @Sendable () async throws -> Value,
  expired: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      return gate.close() ? try result.get() : nil
    }
    group.addTask {
      try await clock.wait(for: duration)
      return gate.close() ? try await expired() : nil
    }
    defer { group.cancelAll() }
    while let value = try await group.next() {
      if let value { return value }
    }
    throw CancellationError()
  }
}
