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
  @inlinable @inline(__always)
  public func reduce(
    _ state: inout First.State, _ action: First.Action, _ dependencies: First.Dependencies
  ) -> [Effect<First.Action>] {
    switch self {
    case .first(let reducer): reducer.reduce(&state, action, dependencies)
    case .second(let reducer): reducer.reduce(&state, action, dependencies)
    }
  }
}

extension EitherReducer: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<First.State, First.Action, First.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    switch self {
    case .first(let reducer): question.ask(reducer, subject, &answer)
    case .second(let reducer): question.ask(reducer, subject, &answer)
    }
  }
}
