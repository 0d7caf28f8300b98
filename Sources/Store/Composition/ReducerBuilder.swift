/// A result builder that combines a list of reducers. Each sees the state that the previous ones
/// produced. The effects of all are returned, in order.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable, Dependencies: Sendable> {
  /// Returns the reducer unchanged. Its type is kept, so that the optimiser can inline the whole
  /// body.
  @inlinable
  @inline(__always)
  public static func buildExpression<R: Reducer<State, Action, Dependencies>>(
    _ reducer: consuming R
  ) -> R {
    reducer
  }

  /// Returns a reducer that does nothing, for an empty body.
  @inlinable
  @inline(__always)
  public static func buildBlock() -> EmptyReducer<State, Action, Dependencies> {
    EmptyReducer()
  }

  /// Returns the first reducer of a body unchanged.
  @inlinable
  @inline(__always)
  public static func buildPartialBlock<R: Reducer<State, Action, Dependencies>>(first: consuming R)
    -> R
  {
    first
  }

  /// Combines the previous reducers and the next one in a pair.
  @inlinable
  @inline(__always)
  public static func buildPartialBlock<
    R0: Reducer<State, Action, Dependencies>, R1: Reducer<State, Action, Dependencies>
  >(accumulated: consuming R0, next: consuming R1) -> ReducerPair<R0, R1> {
    ReducerPair(accumulated, next)
  }

  /// Builds an `if` without `else`. The condition is evaluated for every action, when the body is
  /// created.
  @inlinable
  @inline(__always)
  public static func buildOptional<R: Reducer<State, Action, Dependencies>>(
    _ reducer: consuming R?
  ) -> OptionalReducer<R> {
    OptionalReducer(reducer)
  }

  /// Builds the first branch of an `if`, or an earlier case of a `switch`.
  @inlinable
  @inline(__always)
  public static func buildEither<
    First: Reducer<State, Action, Dependencies>, Second: Reducer<State, Action, Dependencies>
  >(first: consuming First) -> EitherReducer<First, Second> {
    .first(first)
  }

  /// Builds the `else` branch of an `if`, or a later case of a `switch`.
  @inlinable
  @inline(__always)
  public static func buildEither<
    First: Reducer<State, Action, Dependencies>, Second: Reducer<State, Action, Dependencies>
  >(second: consuming Second) -> EitherReducer<First, Second> {
    .second(second)
  }

  /// Builds a loop, with its reducers in order. The array is created with the body.
  @inlinable
  @inline(__always)
  public static func buildArray<R: Reducer<State, Action, Dependencies>>(
    _ reducers: consuming [R]
  ) -> ReducerList<R> {
    ReducerList(reducers)
  }
}

/// A reducer that runs two reducers one after the other.
public struct ReducerPair<R0: Reducer, R1: Reducer>: Reducer
where R0.State == R1.State, R0.Action == R1.Action, R0.Dependencies == R1.Dependencies {
  @usableFromInline let first: R0
  @usableFromInline let second: R1

  @inlinable
  @inline(__always)
  init(_ first: R0, _ second: R1) {
    self.first = first
    self.second = second
  }

  /// Reduces with both, one after the other on the same state. The effects have the same order.
  /// Creates no array if one of the two has no effects.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout R0.State, _ action: R0.Action, _ dependencies: R0.Dependencies
  ) -> [Effect<R0.Action>] {
    let effects = first.reduce(&state, action, dependencies)
    return .joined(effects, second.reduce(&state, action, dependencies))
  }
}

/// A reducer for an `if` without `else`.
public struct OptionalReducer<R: Reducer>: Reducer {
  @usableFromInline let reducer: R?

  @inlinable
  init(_ reducer: R?) {
    self.reducer = reducer
  }

  /// Reduces with the reducer if there is one. Otherwise does nothing.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout R.State, _ action: R.Action, _ dependencies: R.Dependencies
  ) -> [Effect<R.Action>] {
    reducer?.reduce(&state, action, dependencies) ?? []
  }
}

/// A reducer for an `if` with `else`, or for a `switch`.
public enum EitherReducer<First: Reducer, Second: Reducer>: Reducer
where
  First.State == Second.State, First.Action == Second.Action,
  First.Dependencies == Second.Dependencies
{
  /// The reducer of the first branch.
  case first(First)
  /// The reducer of the second branch.
  case second(Second)

  /// Reduces with the reducer of the selected branch.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout First.State, _ action: First.Action, _ dependencies: First.Dependencies
  ) -> [Effect<First.Action>] {
    switch self {
    case .first(let reducer): reducer.reduce(&state, action, dependencies)
    case .second(let reducer): reducer.reduce(&state, action, dependencies)
    }
  }
}

/// A reducer for a `for` loop.
public struct ReducerList<R: Reducer>: Reducer {
  @usableFromInline let reducers: [R]

  @inlinable
  init(_ reducers: [R]) {
    self.reducers = reducers
  }

  /// Reduces with all reducers in order on the same state. O(number of reducers).
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout R.State, _ action: R.Action, _ dependencies: R.Dependencies
  ) -> [Effect<R.Action>] {
    var effects: [Effect<R.Action>] = []
    for reducer in reducers {
      effects += reducer.reduce(&state, action, dependencies)
    }
    return effects
  }
}

/// A reducer that combines several reducers, for composition outside a `body`.
public struct CombineReducers<
  State: Sendable, Action: Sendable, Dependencies: Sendable,
  R: Reducer<State, Action, Dependencies>
>: Reducer {
  @usableFromInline let base: R

  /// Creates a reducer from the listed ones. The builder is called once.
  @inlinable
  public init(
    @ReducerBuilder<State, Action, Dependencies> _ reducers: () -> R
  ) {
    base = reducers()
  }

  /// Reduces with the listed reducers, one after the other.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    base.reduce(&state, action, dependencies)
  }
}

// MARK: Parts

extension CombineReducers: ReducerOfParts {
  @inlinable
  @inline(__always)
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  )
  where Question.State == State, Question.Action == Action, Question.Dependencies == Dependencies {
    question.ask(base, subject, &answer)
  }
}

extension ReducerPair: ReducerOfParts {
  @inlinable
  @inline(__always)
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  )
  where
    Question.State == R0.State, Question.Action == R0.Action,
    Question.Dependencies == R0.Dependencies
  {
    question.ask(first, subject, &answer)
    question.ask(second, subject, &answer)
  }
}

extension OptionalReducer: ReducerOfParts {
  @inlinable
  @inline(__always)
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  )
  where
    Question.State == R.State, Question.Action == R.Action, Question.Dependencies == R.Dependencies
  {
    if let reducer { question.ask(reducer, subject, &answer) }
  }
}

extension EitherReducer: ReducerOfParts {
  @inlinable
  @inline(__always)
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  )
  where
    Question.State == First.State, Question.Action == First.Action,
    Question.Dependencies == First.Dependencies
  {
    switch self {
    case .first(let reducer): question.ask(reducer, subject, &answer)
    case .second(let reducer): question.ask(reducer, subject, &answer)
    }
  }
}

extension ReducerList: ReducerOfParts {
  @inlinable
  @inline(__always)
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  )
  where
    Question.State == R.State, Question.Action == R.Action, Question.Dependencies == R.Dependencies
  {
    for reducer in reducers { question.ask(reducer, subject, &answer) }
  }
}
