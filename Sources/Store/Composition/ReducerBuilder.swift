/// Lets reducers be written one under the other: each sees the state as the ones above left it, and
/// the effects of all are returned, in order.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable, Dependencies: Sendable> {
  /// A reducer as it stands: its type is kept, so that the optimiser sees through the whole body.
  @inlinable
  @inline(__always)
  public static func buildExpression<R: Reducer<State, Action, Dependencies>>(
    _ reducer: consuming R
  ) -> R {
    reducer
  }

  /// An empty body does nothing.
  @inlinable
  @inline(__always)
  public static func buildBlock() -> EmptyReducer<State, Action, Dependencies> {
    EmptyReducer()
  }

  /// The first reducer of a body, as it is.
  @inlinable
  @inline(__always)
  public static func buildPartialBlock<R: Reducer<State, Action, Dependencies>>(first: consuming R)
    -> R
  {
    first
  }

  /// The reducers above, and the next one: a pair for each further reducer.
  @inlinable
  @inline(__always)
  public static func buildPartialBlock<
    R0: Reducer<State, Action, Dependencies>, R1: Reducer<State, Action, Dependencies>
  >(accumulated: consuming R0, next: consuming R1) -> ReducerPair<R0, R1> {
    ReducerPair(accumulated, next)
  }

  /// An `if` without `else`; decided when the body is made, which is for every action.
  @inlinable
  @inline(__always)
  public static func buildOptional<R: Reducer<State, Action, Dependencies>>(
    _ reducer: consuming R?
  ) -> OptionalReducer<R> {
    OptionalReducer(reducer)
  }

  /// The reducer of the `if`, or of an earlier case of the `switch`.
  @inlinable
  @inline(__always)
  public static func buildEither<
    First: Reducer<State, Action, Dependencies>, Second: Reducer<State, Action, Dependencies>
  >(first: consuming First) -> EitherReducer<First, Second> {
    .first(first)
  }

  /// The reducer of the `else`, or of a later case of the `switch`.
  @inlinable
  @inline(__always)
  public static func buildEither<
    First: Reducer<State, Action, Dependencies>, Second: Reducer<State, Action, Dependencies>
  >(second: consuming Second) -> EitherReducer<First, Second> {
    .second(second)
  }

  /// A loop: the reducers in its order. The array is made with the body.
  @inlinable
  @inline(__always)
  public static func buildArray<R: Reducer<State, Action, Dependencies>>(
    _ reducers: consuming [R]
  ) -> ReducerList<R> {
    ReducerList(reducers)
  }
}

/// Two reducers, one after the other.
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

  /// One after the other on the same state; effects in that order. No array is made where one of
  /// the two has no effects. Costs what the parts do.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout R0.State, _ action: R0.Action, _ dependencies: R0.Dependencies
  ) -> [Effect<R0.Action>] {
    let effects = first.reduce(&state, action, dependencies)
    return .joined(effects, second.reduce(&state, action, dependencies))
  }
}

/// An `if` without `else`.
public struct OptionalReducer<R: Reducer>: Reducer {
  @usableFromInline let reducer: R?

  @inlinable
  init(_ reducer: R?) {
    self.reducer = reducer
  }

  /// The reducer if there is one; else nothing.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout R.State, _ action: R.Action, _ dependencies: R.Dependencies
  ) -> [Effect<R.Action>] {
    reducer?.reduce(&state, action, dependencies) ?? []
  }
}

/// An `if` with `else`, or a `switch`.
public enum EitherReducer<First: Reducer, Second: Reducer>: Reducer
where
  First.State == Second.State, First.Action == Second.Action,
  First.Dependencies == Second.Dependencies
{
  /// The first branch was taken.
  case first(First)
  /// The second branch was taken.
  case second(Second)

  /// The reducer of the branch that was taken. Costs what the parts do.
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

/// A `for` loop.
public struct ReducerList<R: Reducer>: Reducer {
  @usableFromInline let reducers: [R]

  @inlinable
  init(_ reducers: [R]) {
    self.reducers = reducers
  }

  /// All in order on the same state: O(number of reducers).
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

/// Several reducers as one, for composing outside a `body`.
public struct CombineReducers<
  State: Sendable, Action: Sendable, Dependencies: Sendable,
  R: Reducer<State, Action, Dependencies>
>: Reducer {
  @usableFromInline let base: R

  /// Calls the builder once, here.
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
