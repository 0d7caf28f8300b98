/// A reducer whose type is hidden: for a list of different ones, and to keep a long composition's
/// type out of signatures.
///
/// - Complexity: One call through a closure for each action more than the reducer itself; it is not
///   taken apart by the optimiser.
public struct AnyReducer<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  @usableFromInline let body: @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]
  @usableFromInline let declares: @Sendable (CompositionPath) -> Bool
  @usableFromInline let declared: @Sendable (State, Dependencies) -> [Effect<Action>]
  @usableFromInline let search: @Sendable (State, inout ChildSearch) -> Void

  /// Wraps `reducer`. Allocates four closures.
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

  /// Whether the wrapped reducer declares subscriptions, through one closure.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool { declares(path) }

  /// The subscriptions of the wrapped reducer, through one closure.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    declared(state, dependencies)
  }

  /// Asks the wrapped reducer, through one closure.
  @inlinable
  public func findAbsentChildren(in state: State, _ search: inout ChildSearch) {
    self.search(state, &search)
  }
}
