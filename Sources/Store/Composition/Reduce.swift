/// A reducer from a closure.
public struct Reduce<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  @usableFromInline let body: @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]

  /// Keeps the closure; it is called for every action, under the store's lock.
  @inlinable
  @inline(__always)
  public init(
    _ body: @escaping @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]
  ) {
    self.body = body
  }

  /// A closure that needs no dependencies.
  @inlinable
  @inline(__always)
  public init(
    _ body: @escaping @Sendable (inout State, Action) -> [Effect<Action>]
  ) {
    self.body = { state, action, _ in body(&state, action) }
  }

  /// Calls the closure.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    body(&state, action, dependencies)
  }
}

/// Does nothing.
public struct EmptyReducer<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  /// Holds nothing.
  @inlinable
  @inline(__always)
  public init() {}

  /// Leaves the state as it is and returns no effects.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    []
  }
}
