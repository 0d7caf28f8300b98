/// A reducer from a closure.
public struct Reduce<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  @usableFromInline let body: @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]
  /// Of a wrapped reducer that declares subscriptions.
  @usableFromInline let declare: (@Sendable (State, Dependencies) -> [Effect<Action>])?

  @inlinable
  @inline(__always)
  public init(
    _ body: @escaping @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]
  ) {
    self.body = body
    declare = nil
  }

  /// Wraps another reducer, hiding its type.
  @inlinable
  @inline(__always)
  public init(_ reducer: some Reducer<State, Action, Dependencies>) {
    body = { reducer.reduce(&$0, $1, $2) }
    if reducer.declaresSubscriptions {
      declare = { reducer.subscriptions($0, $1) }
    } else {
      declare = nil
    }
  }

  @inlinable
  public var declaresSubscriptions: Bool { declare != nil }

  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    declare?(state, dependencies) ?? []
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
