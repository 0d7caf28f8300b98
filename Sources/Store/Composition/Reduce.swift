/// A reducer that calls a closure.
///
/// With each operator that follows, the compiler takes about four times as long to find an error in
/// the closure, since their overloads are tried with each of its types: a second after three
/// operators, minutes after seven. Before a third one, or if the compiler seems to hang, name the
/// types: `Reduce<State, Action, Dependencies> { … }`.
public struct Reduce<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  @usableFromInline let body: @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]

  /// Creates a reducer from a closure, which is called for every action, under the store's lock.
  @inlinable @inline(__always)
  public init(
    _ body: @escaping @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]
  ) {
    self.body = body
  }

  /// Creates a reducer from a closure that needs no dependencies.
  @inlinable @inline(__always)
  public init(
    _ body: @escaping @Sendable (inout State, Action) -> [Effect<Action>]
  ) {
    self.body = { state, action, _ in body(&state, action) }
  }

  /// Calls the closure.
  @inlinable @inline(__always)
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    body(&state, action, dependencies)
  }
}

/// A reducer that does nothing.
public struct EmptyReducer<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  /// Creates a reducer that does nothing.
  @inlinable @inline(__always)
  public init() {}

  /// Returns no effects and does not change the state.
  @inlinable @inline(__always)
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    []
  }
}
