extension EffectProtocol {
  /// Delays the effect. The time begins with the effect's start. Cancelling the effect cancels the
  /// wait.
  ///
  /// The name, ids and place do not change. A `.send` becomes a task. A group waits once and then
  /// begins as a whole: it becomes a member of a sequence that begins with a task called “delay”.
  /// The same applies to a `.cancel` or an `.issue`.
  ///
  /// - Parameter clock: The clock of the dependencies.
  /// - Complexity: One closure. No additional task for a `.task` or a `.run`, otherwise one.
  @inlinable
  public func delay(for duration: Duration, clock: some Clock<Duration>) -> Self {
    changed { $0.delayed(duration, clock) }
  }
}

extension Effect {
  @inlinable
  func delayed(_ duration: Duration, _ clock: some Clock<Duration>) -> Effect {
    var copy = self
    switch operation {
    case .none:
      break
    case .send(let action):
      copy.operation = .task {
        try await clock.wait(for: duration)
        return action
      }
    case .task(let work):
      copy.operation = .task {
        try await clock.wait(for: duration)
        return try await work()
      }
    case .run(let work):
      copy.operation = .run { send in
        try await clock.wait(for: duration)
        try await work(send)
      }
    case .concatenate(let effects):
      copy.operation = .concatenate([pause(duration, clock)] + effects)
    case .merge, .cancel, .issue:
      // Only the sequence has the ids. If the member had them too, and cancelled effects in flight,
      // it would cancel its own sequence.
      var member = self
      member.traits = traits.map {
        EffectTraits(place: $0.place, limit: $0.limit, outlives: $0.outlives)
      }
      copy.traits = traits.map {
        EffectTraits(
          keys: $0.keys, keysInFlight: $0.keysInFlight, place: $0.place, outlives: $0.outlives)
      }
      copy.operation = .concatenate([pause(duration, clock), member])
    }
    return copy
  }

  /// Returns a wait at this effect's place.
  @inlinable
  func pause(_ duration: Duration, _ clock: some Clock<Duration>) -> Effect {
    Effect(
      .run { _ in try await clock.wait(for: duration) }, name: "delay", location: location,
      traits: traits.map { EffectTraits(place: $0.place, outlives: $0.outlives) })
  }
}
