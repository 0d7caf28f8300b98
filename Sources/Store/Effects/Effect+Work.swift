extension Effect {
  @usableFromInline typealias TaskWork = @Sendable () async throws -> Action
  @usableFromInline typealias RunWork = @Sendable (Send<Action>) async throws -> Void

  /// Returns the same effect with all work that takes time replaced. Operations that are done at
  /// once do not change. The effect keeps its name.
  ///
  /// - Parameters:
  ///   - task: Returns the operation in place of a `task`. The name is that of the effect, or its
  ///     kind, for messages.
  ///   - run: The same for a `run`.
  @inlinable
  func replacingWork(
    task: (_ name: String, _ work: @escaping TaskWork) -> Operation,
    run: (_ name: String, _ work: @escaping RunWork) -> Operation
  ) -> Effect {
    folded { effect, members in
      var copy = effect
      switch effect.operation {
      case .task(let work):
        copy.operation = task(effect.name ?? "task", work)
      case .run(let work):
        copy.operation = run(effect.name ?? "run", work)
      case .merge(let effects) where effect.traits?.limit?.isHeldByInterval == true:
        // The first member measures the interval of a throttle and is not user work.
        copy.operation = .merge(Array(effects.prefix(1)) + members.dropFirst())
      case .merge:
        copy.operation = .merge(members)
      case .concatenate:
        copy.operation = .concatenate(members)
      case .none, .send, .cancel, .issue:
        break
      }
      return copy
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Sleeps, and throws `CancellationError` if the task was cancelled, even if the clock does not
  /// check for it. Every duration is valid: `.seconds(Int64.max)` never ends.
  @inlinable
  package func wait(for duration: Duration) async throws {
    try await sleep(for: min(max(duration, .zero), .hundredYears))
    try Task.checkCancellation()
  }
}

extension Duration {
  /// The longest sleep. The end of a much longer one overflows, which stops the process.
  @inlinable
  static var hundredYears: Duration { .seconds(100 * 365 * 86_400) }
}
