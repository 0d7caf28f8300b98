/// A reducer that combines several reducers, for composition outside a `body`.
public struct CombineReducers<
  State: Sendable, Action: Sendable, Dependencies: Sendable,
  R: Reducer<State, Action, Dependencies>
>: WrappingReducer {
  /// The listed reducers as one.
  public let base: R

  /// Creates a reducer from the listed ones. The builder is called once.
  @inlinable
  public init(
    @ReducerBuilder<State, Action, Dependencies> _ reducers: () -> R
  ) {
    base = reducers()
  }

  /// Reduces with the listed reducers, one after the other.
  @inlinable @inline(__always)
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    base.reduce(&state, action, dependencies)
  }
}
