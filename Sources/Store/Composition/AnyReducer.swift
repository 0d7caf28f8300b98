/// A type-erased reducer, for lists of different reducers, and to keep the type of a long
/// composition out of signatures.
///
/// - Complexity: One dynamic call for each action, which the optimizer does not inline.
public struct AnyReducer<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  @usableFromInline let base: any Reducer<State, Action, Dependencies>

  /// Creates a type-erased reducer. Allocates a box if the reducer is larger than three words.
  @inlinable
  public init(_ reducer: some Reducer<State, Action, Dependencies>) {
    base = reducer
  }

  /// Reduces with the wrapped reducer, by one dynamic call.
  @inlinable
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    base.reduce(&state, action, dependencies)
  }

  /// Returns whether the wrapped reducer declares subscriptions, by one dynamic call.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    base.declaresSubscriptions(in: path)
  }

  /// Returns the subscriptions of the wrapped reducer, by one dynamic call.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    base.subscriptions(state, dependencies)
  }

  /// Passes the search to the wrapped reducer, by one dynamic call.
  @inlinable
  public func findAbsentChildren(in state: State, _ search: inout ChildSearch) {
    base.findAbsentChildren(in: state, &search)
  }
}
