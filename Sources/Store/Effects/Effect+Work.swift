extension Effect {
  @usableFromInline typealias TaskWork = @Sendable () async throws -> Action
  @usableFromInline typealias RunWork = @Sendable (Send<Action>) async throws -> Void

  /// The same effect with everything in it that takes time replaced; what is done at once stays as
  /// it is.
  @inlinable
  func replacingWork(
    task: (_ name: String, _ work: @escaping TaskWork) -> Operation,
    run: (_ name: String, _ work: @escaping RunWork) -> Operation
  ) -> Effect {
    folded { $0.replacingWork(task: task, run: run, members: $1) }
  }

  @inlinable
  func replacingWork(
    task: (_ name: String, _ work: @escaping TaskWork) -> Operation,
    run: (_ name: String, _ work: @escaping RunWork) -> Operation, members: [Effect]
  ) -> Effect {
    var copy = self
    switch operation {
    case .task(let work):
      copy.operation = task(name ?? "task", work)
    case .run(let work):
      copy.operation = run(name ?? "run", work)
    case .merge(let effects) where traits?.limit?.isHeldByInterval == true:
      // The first measures the interval of a throttle; it is no work of the user's.
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

extension Clock where Duration == Swift.Duration {
  /// Sleeps, and throws when the task was cancelled meanwhile even on a clock that does not look.
  @inlinable
  func wait(for duration: Duration) async throws {
    try await sleep(for: duration)
    try Task.checkCancellation()
  }
}
