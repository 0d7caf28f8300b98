/// A reducer from a closure.
public struct Reduce<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  @usableFromInline let body: @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]

  @inlinable
  @inline(__always)
  public init(
    _ body: @escaping @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]
  ) {
    self.body = body
  }

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
  @inlinable
  @inline(__always)
  public init() {}

  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    []
  }
}
