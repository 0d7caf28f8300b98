/// A reducer for an `if` without `else`.
public struct OptionalReducer<R: Reducer>: Reducer {
  @usableFromInline let reducer: R?

  @inlinable
  init(_ reducer: R?) {
    self.reducer = reducer
  }

  /// Reduces with the reducer if there is one. Otherwise does nothing.
  @inlinable @inline(__always)
  public func reduce(
    _ state: inout R.State, _ action: R.Action, _ dependencies: R.Dependencies
  ) -> [Effect<R.Action>] {
    reducer?.reduce(&state, action, dependencies) ?? []
  }
}

extension OptionalReducer: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<R.State, R.Action, R.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    if let reducer { question.ask(reducer, subject, &answer) }
  }
}
