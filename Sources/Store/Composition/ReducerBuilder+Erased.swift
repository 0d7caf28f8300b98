extension ReducerBuilder {
  // Disfavoured, because otherwise every reducer would be taken for one and lose its type, and with
  // it its speed.
  /// A reducer whose type is not known: `erased as any Reducer<State, Action, Dependencies>`, or
  /// plainly `Reduce(erased)`. Its cost is that of `AnyReducer`.
  @_disfavoredOverload
  @inlinable
  public static func buildExpression(
    _ reducer: any Reducer<State, Action, Dependencies>
  ) -> AnyReducer<State, Action, Dependencies> {
    AnyReducer(reducer)
  }

  /// What is only there from some system version on (`if #available`); its type must not be named
  /// where it is not. Its cost is that of `AnyReducer`.
  @inlinable
  public static func buildLimitedAvailability(
    _ reducer: some Reducer<State, Action, Dependencies>
  ) -> AnyReducer<State, Action, Dependencies> {
    AnyReducer(reducer)
  }
}
