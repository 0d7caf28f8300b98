/// A result builder that combines a list of reducers. Each sees the state that the previous ones
/// produced. The effects of all are returned, in order.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable, Dependencies: Sendable> {
  /// Returns the reducer unchanged. Its type is kept, so that the optimizer can inline the whole
  /// body.
  @inlinable @inline(__always)
  public static func buildExpression<R: Reducer<State, Action, Dependencies>>(
    _ reducer: consuming R
  ) -> R {
    reducer
  }

  /// Returns a reducer that does nothing, for an empty body.
  @inlinable @inline(__always)
  public static func buildBlock() -> EmptyReducer<State, Action, Dependencies> {
    EmptyReducer()
  }

  /// Returns the first reducer of a body unchanged.
  @inlinable @inline(__always)
  public static func buildPartialBlock<R: Reducer<State, Action, Dependencies>>(first: consuming R)
    -> R
  {
    first
  }

  /// Combines the previous reducers and the next one in a pair.
  @inlinable @inline(__always)
  public static func buildPartialBlock<
    R0: Reducer<State, Action, Dependencies>, R1: Reducer<State, Action, Dependencies>
  >(accumulated: consuming R0, next: consuming R1) -> ReducerPair<R0, R1> {
    ReducerPair(accumulated, next)
  }

  /// Builds an `if` without `else`. The condition is evaluated for every action, when the body is
  /// created.
  @inlinable @inline(__always)
  public static func buildOptional<R: Reducer<State, Action, Dependencies>>(
    _ reducer: consuming R?
  ) -> OptionalReducer<R> {
    OptionalReducer(reducer)
  }

  /// Builds the first branch of an `if`, or an earlier case of a `switch`.
  @inlinable @inline(__always)
  public static func buildEither<
    First: Reducer<State, Action, Dependencies>, Second: Reducer<State, Action, Dependencies>
  >(first: consuming First) -> EitherReducer<First, Second> {
    .first(first)
  }

  /// Builds the `else` branch of an `if`, or a later case of a `switch`.
  @inlinable @inline(__always)
  public static func buildEither<
    First: Reducer<State, Action, Dependencies>, Second: Reducer<State, Action, Dependencies>
  >(second: consuming Second) -> EitherReducer<First, Second> {
    .second(second)
  }

  /// Builds a loop, with its reducers in order. The array is created with the body.
  @inlinable @inline(__always)
  public static func buildArray<R: Reducer<State, Action, Dependencies>>(
    _ reducers: consuming [R]
  ) -> ReducerList<R> {
    ReducerList(reducers)
  }
}
