extension ReducerBuilder {
  // Disfavoured, because otherwise every reducer would match it and lose its type, and with it its
  // speed.
  /// Wraps a reducer of an unknown type. Its type has to be written out, `erased as any
  /// Reducer<State, Action, Dependencies>`. `AnyReducer(erased)` does and costs the same.
  @_disfavoredOverload
  @inlinable
  public static func buildExpression(
    _ reducer: any Reducer<State, Action, Dependencies>
  ) -> AnyReducer<State, Action, Dependencies> {
    AnyReducer(reducer)
  }

  /// Hides the type of a reducer that is available only in some system versions (`if #available`),
  /// because that type must not appear elsewhere. It costs the same as `AnyReducer`.
  @inlinable
  public static func buildLimitedAvailability(
    _ reducer: some Reducer<State, Action, Dependencies>
  ) -> AnyReducer<State, Action, Dependencies> {
    AnyReducer(reducer)
  }
}
