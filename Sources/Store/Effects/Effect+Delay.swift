extension Effect {
  /// Delays the effect. The time runs from the effect's start; cancelling the effect cancels the
  /// wait.
  ///
  /// Name, ids and place stay. A `.send` becomes a task. A group waits once and then begins as a
  /// whole, as members of a sequence whose first is a task called “delay”; so does a `.cancel` or
  /// an `.issue`.
  ///
  /// - Parameter clock: The clock of the dependencies.
  /// - Complexity: No task beside the effect's own, one for a group, a `.send`, a `.cancel` or an
  ///   `.issue`; one closure.
  @inlinable
  public func delay(for duration: Duration, clock: some Clock<Duration>) -> Effect {
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
      // The ids are the sequence's: borne twice, one that cancels what is in flight would cancel
      // its own sequence.
      var member = self
      member.traits = traits.map {
        EffectTraits(path: $0.path, limit: $0.limit, outlives: $0.outlives)
      }
      copy.traits = traits.map {
        EffectTraits(
          keys: $0.keys, keysInFlight: $0.keysInFlight, path: $0.path, outlives: $0.outlives)
      }
      copy.operation = .concatenate([pause(duration, clock), member])
    }
    return copy
  }

  /// A wait at this effect's place.
  @inlinable
  func pause(_ duration: Duration, _ clock: some Clock<Duration>) -> Effect {
    Effect(
      .run { _ in try await clock.wait(for: duration) }, name: "delay", location: location,
      traits: traits.map { EffectTraits(path: $0.path, outlives: $0.outlives) })
  }
}
