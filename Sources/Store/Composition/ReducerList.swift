/// A reducer for a `for` loop.
public struct ReducerList<R: Reducer>: Reducer {
  @usableFromInline let reducers: [R]

  @inlinable
  init(_ reducers: [R]) {
    self.reducers = reducers
  }

  /// Reduces with all reducers in order on the same state. O(number of reducers).
  @inlinable @inline(__always)
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

extension ReducerList: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<R.State, R.Action, R.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    for reducer in reducers { question.ask(reducer, subject, &answer) }
  }
}
