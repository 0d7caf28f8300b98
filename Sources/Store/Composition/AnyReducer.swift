/// A reducer whose type is hidden: for a list of different ones, and to keep a long composition's type out of signatures.
///
/// - Complexity: One call through a closure for each action more than the reducer itself; it is not taken apart by the optimiser.
public struct AnyReducer<State: Sendable, Action: Sendable, Dependencies: Sendable>: Reducer {
  @usableFromInline let body: @Sendable (inout State, Action, Dependencies) -> [Effect<Action>]
  @usableFromInline let part: ReducerPart<State, Action, Dependencies>

  /// Wraps `reducer`. Allocates four closures.
  @inlinable
  public init(_ reducer: some Reducer<State, Action, Dependencies>) {
    body = { reducer.reduce(&$0, $1, $2) }
    part = ReducerPart(reducer)
  }

  /// What the wrapped reducer does, through one closure.
  @inlinable
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    body(&state, action, dependencies)
  }
}

extension AnyReducer: ReducerOfParts {
  @inlinable var parts: [ReducerPart<State, Action, Dependencies>] { [part] }
}
