extension Reducer {
  /// Runs a closure when this reducer has changed a part of the state.
  ///
  /// The part is compared before and after this reducer only. Changes by other reducers, and by
  /// `change` itself, are not detected.
  ///
  /// - Parameters:
  ///   - value: Returns the part: a key path or a closure. The old value is kept while this reducer
  ///     runs, so that changing a large array in it copies the array. Use a small part, such as a
  ///     count or an id.
  ///   - change: Receives both values and may change the state further. Its effects follow those of
  ///     this reducer.
  /// - Complexity: Two calls of `value` and one comparison for every action.
  @inlinable
  public consuming func onChange<Value: Equatable & Sendable>(
    of value: @escaping @Sendable (State) -> Value,
    _ change:
      @escaping @Sendable (_ old: Value, _ new: Value, inout State, Dependencies) -> [Effect<
        Action
      >]
  ) -> OnChangeReducer<Self, Value> {
    OnChangeReducer(base: self, value: value, isEqual: { $0 == $1 }, change: change)
  }

  /// Runs a closure when this reducer has changed a part of the state, compared by another closure.
  /// Use it for tuples, or to ignore some changes. In a long chain, a named function or a closure
  /// with explicit types type-checks much faster than `{ $0 == $1 }`.
  ///
  /// - Complexity: Two calls of `value` and one of `isEqual` for every action.
  @inlinable
  public consuming func onChange<Value>(
    of value: @escaping @Sendable (State) -> Value,
    by isEqual: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool,
    _ change:
      @escaping @Sendable (_ old: Value, _ new: Value, inout State, Dependencies) -> [Effect<
        Action
      >]
  ) -> OnChangeReducer<Self, Value> {
    OnChangeReducer(base: self, value: value, isEqual: isEqual, change: change)
  }
}

/// A reducer that reacts to its own changes. Created by `onChange`.
public struct OnChangeReducer<Base: Reducer, Value>: WrappingReducer {
  /// The reducer whose changes are detected.
  public let base: Base
  @usableFromInline let value: @Sendable (Base.State) -> Value
  @usableFromInline let isEqual: @Sendable (Value, Value) -> Bool
  @usableFromInline let change:
    @Sendable (Value, Value, inout Base.State, Base.Dependencies) -> [Effect<Base.Action>]

  @inlinable
  init(
    base: Base, value: @escaping @Sendable (Base.State) -> Value,
    isEqual: @escaping @Sendable (Value, Value) -> Bool,
    change:
      @escaping @Sendable (Value, Value, inout Base.State, Base.Dependencies)
      -> [Effect<Base.Action>]
  ) {
    self.base = base
    self.value = value
    self.isEqual = isEqual
    self.change = change
  }

  /// Reduces with the base, then calls `change` if the part differs. Costs one comparison of the
  /// part.
  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let old = value(state)
    let effects = base.reduce(&state, action, dependencies)
    let new = value(state)
    if isEqual(old, new) { return effects }
    return .joined(effects, change(old, new, &state, dependencies))
  }
}
