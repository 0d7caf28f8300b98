extension Reducer {
  /// Declares effects that run for as long as the state declares them; see `Reducer.subscriptions`.
  ///
  /// ```swift
  /// Reduce { … }
  ///   .subscribing { state, dependencies in
  ///     state.isWatching
  ///       ? [.stream(dependencies.changes) { .changed($0) }.cancellable(id: "changes")] : []
  ///   }
  /// ```
  /// An effect whose parameters change under the same id continues as it is. Put what it depends on
  /// into the id, such as the interval of a timer, to have it replaced. `declare` must not draw
  /// values that a recording has, such as dates: a replay does not call it.
  ///
  /// - Complexity: Adds a call of `declare` to every step of the store.
  @inlinable
  public func subscribing(
    _ declare: @escaping @Sendable (State, Dependencies) -> [Effect<Action>]
  ) -> SubscribingReducer<Self> {
    SubscribingReducer(base: self, declare: declare)
  }
}

/// A reducer with subscriptions. Created by `subscribing`.
public struct SubscribingReducer<Base: Reducer>: Reducer {
  @usableFromInline let base: Base
  @usableFromInline let declare: @Sendable (Base.State, Base.Dependencies) -> [Effect<Base.Action>]

  @inlinable
  init(
    base: Base,
    declare: @escaping @Sendable (Base.State, Base.Dependencies) -> [Effect<Base.Action>]
  ) {
    self.base = base
    self.declare = declare
  }

  /// Reduces with the base. The subscriptions are not involved.
  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    base.reduce(&state, action, dependencies)
  }
}

extension SubscribingReducer: CompositeReducer {
  @inlinable
  @inline(__always)
  func visitChildren<Question: ChildVisitor<Base.State, Base.Action, Base.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    question.ask(declared: declare, subject, &answer)
    question.ask(base, subject, &answer)
  }
}
