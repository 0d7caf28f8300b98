extension Reducer {
  /// Reacts when this reducer changed a part of the state.
  ///
  /// The part is compared before and after this reducer alone; what is composed beside it, and
  /// `change` itself, do not count.
  ///
  /// - Parameters:
  ///   - value: The part, a key path or a closure. Kept while this reducer runs, so that changing a
  ///     large array in it copies that: watch something small, such as a count or an id.
  ///   - change: Gets both values and may change the state further. Its effects come after this
  ///     reducer's.
  /// - Complexity: Making the part twice and comparing it once, for every action.
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

  /// Reacts when this reducer changed a part of the state, compared by a closure: for tuples, or to
  /// look away from some changes. In a long chain a named function, or a closure with its types
  /// written out, type-checks much faster than `{ $0 == $1 }`.
  ///
  /// - Complexity: Making the part twice and one call of `isEqual`, for every action.
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

/// A reducer with a reaction to what it changed. Made by `onChange`.
public struct OnChangeReducer<Base: Reducer, Value>: Reducer {
  @usableFromInline let base: Base
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

  /// The base first, then `change` where the part differs. Costs what both do, and one comparison
  /// of the part.
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

extension OnChangeReducer: ReducerOfParts {
  @inlinable
  @inline(__always)
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  )
  where
    Question.State == Base.State, Question.Action == Base.Action,
    Question.Dependencies == Base.Dependencies
  {
    question.ask(base, subject, &answer)
  }
}
