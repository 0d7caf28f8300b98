extension Effect {
  /// Gives the effect's work a limited time. When it is over the work is cancelled, nothing that it
  /// sends any more is reduced, and the effect throws `EffectTimeout`: `catch` makes an action of
  /// it, `retry` tries again, else it is an issue.
  ///
  /// The error arrives when the cancelled work has returned: at once where the work heeds
  /// cancellation, else as late as it likes. If that is not enough, `timeout(after:clock:_:)` sends
  /// an action exactly at the deadline. What late work returns or throws is dropped. Work that ends
  /// at the very instant of the limit may be on either side of it.
  ///
  /// In a `merge` each member has this limit, which for all begins at once; in a `concatenate` each
  /// has it for itself, from when its turn comes. `.send`, `.cancel` and `.issue` take no time.
  ///
  /// - Parameter clock: The clock of the dependencies.
  /// - Complexity: Two child tasks for each task of the effect, a group and a gate.
  @inlinable
  public func timeout(after duration: Duration, clock: some Clock<Duration>) -> Effect {
    replacingWork(
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

  /// Gives the effect's work a limited time. When it is over an action is sent, at that instant,
  /// whether the work heeds its cancellation or not; nothing of the work is reduced after that
  /// action.
  ///
  /// Work that does not return stays listed in `Store.effects`, and handles wait for it. Errors in
  /// time are thrown as ever. For groups and instants see `timeout(after:clock:)`. A `.task`
  /// becomes a `.run`.
  ///
  /// - Parameters:
  ///   - clock: The clock of the dependencies.
  ///   - action: Makes the action that says that time is over.
  /// - Complexity: Two child tasks for each task of the effect, a group and a gate.
  @inlinable
  public func timeout(
    after duration: Duration, clock: some Clock<Duration>,
    _ action: @escaping @Sendable (EffectTimeout) -> Action
  ) -> Effect {
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
    return replacingWork(
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

/// Runs `work` against the clock. Whichever closes the gate says what is returned or thrown, and
/// the other is cancelled and awaited.
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
