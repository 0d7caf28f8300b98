/// A type-erased reducer, for lists of different reducers, and to keep the type of a long
/// composition out of signatures.
///
/// - Complexity: One more call through a closure for each action. The optimizer does not inline it.
public struct AnyReducer<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  @usableFromInline let body: @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]
  @usableFromInline let declares: @Sendable (CompositionPath) -> Bool
  @usableFromInline let declared: @Sendable (State, Dependencies) -> [Effect<Action>]
  @usableFromInline let search: @Sendable (State, inout ChildSearch) -> Void

  /// Creates a type-erased reducer. Allocates four closures.
  @inlinable
  public init(_ reducer: some Reducer<State, Action, Dependencies>) {
    body = { reducer.reduce(&$0, $1, $2) }
    declares = { reducer.declaresSubscriptions(in: $0) }
    declared = { reducer.subscriptions($0, $1) }
    search = { reducer.findAbsentChildren(in: $0, &$1) }
  }

  /// Reduces with the wrapped reducer, through one closure.
  @inlinable
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    body(&state, action, dependencies)
  }

  /// Returns whether the wrapped reducer declares subscriptions, through one closure.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool { declares(path) }

  /// Returns the subscriptions of the wrapped reducer, through one closure.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    declared(state, dependencies)
  }

  /// Passes the search to the wrapped reducer, through one closure.
  @inlinable
  public func findAbsentChildren(in state: State, _ search: inout ChildSearch) {
    self.search(state, &search)
  }
}
