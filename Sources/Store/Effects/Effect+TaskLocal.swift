extension EffectProtocol {
  /// Returns the same effect with work that runs with a task-local value. Tasks that the work
  /// starts inherit it.
  ///
  /// The name, kind, ids and place do not change.
  ///
  /// - Parameters:
  ///   - local: The projected value of the property: `Trace.$id`.
  ///   - value: The value, which replaces the sender's.
  /// - Complexity: One closure for each member.
  public func binding<Value: Sendable>(
    _ local: TaskLocal<Value>, to value: Value
  ) -> Self {
    changed {
      $0.replacingWork(
        task: { _, work in .task { try await local.withValue(value) { try await work() } } },
        run: { _, work in
          .run { send in try await local.withValue(value) { try await work(send) } }
        })
    }
  }
}
