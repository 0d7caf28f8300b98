/// A reducer that runs two reducers one after the other.
public struct ReducerPair<R0: Reducer, R1: Reducer>: Reducer
where R0.State == R1.State, R0.Action == R1.Action, R0.Dependencies == R1.Dependencies {
  @usableFromInline let first: R0
  @usableFromInline let second: R1

  @inlinable @inline(__always)
  init(_ first: R0, _ second: R1) {
    self.first = first
    self.second = second
  }

  /// Reduces with both, one after the other on the same state. The effects have the same order.
  /// Creates no array if one of the two has no effects.
  @inlinable @inline(__always)
  public func reduce(
    _ state: inout R0.State, _ action: R0.Action, _ dependencies: R0.Dependencies
  ) -> [Effect<R0.Action>] {
    let effects = first.reduce(&state, action, dependencies)
    return .joined(effects, second.reduce(&state, action, dependencies))
  }
}

extension ReducerPair: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<R0.State, R0.Action, R0.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    question.ask(first, subject, &answer)
    question.ask(second, subject, &answer)
  }
}
