extension Effect {
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
  ) -> Effect {
    folded { (effect: Effect, members: [Effect]) -> Effect in
      var copy = effect
      switch effect.operation {
      case .none, .send, .cancel, .issue: break
      case .task(let operation):
        copy.operation = .task {
          try await local.withValue(value) { try await operation() }
        }
      case .run(let operation):
        copy.operation = .run { send in
          try await local.withValue(value) { try await operation(send) }
        }
      case .merge: copy.operation = .merge(members)
      case .concatenate: copy.operation = .concatenate(members)
      }
      return copy
    }
  }
}
