extension Reducer {
  /// Returns a reducer for larger dependencies, which passes this reducer its part. It narrows what
  /// a child sees, in `Scope`, `ifLet`, `ifCaseLet` and `forEach` alike.
  ///
  /// ```swift
  /// Scope(state: \.search, action: .search) { Search().dependencies(\Board.Dependencies.search) }
  /// ```
  ///
  /// - Parameter part: Returns the part of the dependencies for this reducer: a closure or a key
  ///   path. Called for every action.
  /// - Complexity: One call of `part` for each action. Nothing is kept.
  @inlinable
  public consuming func dependencies<Whole: Sendable>(
    _ part: @escaping @Sendable (Whole) -> Dependencies
  ) -> DependencyReducer<Self, Whole> {
    DependencyReducer(base: self, part: part)
  }

  /// Changes the dependencies of this reducer and of all reducers inside it. If it is applied
  /// twice, the inner change takes precedence.
  ///
  /// - Parameter change: Changes a copy of the dependencies. Called for every action.
  /// - Complexity: A copy of the dependencies and one call of `change` for each action that reaches
  ///   this reducer.
  @inlinable
  public consuming func transformDependencies(
    _ change: @escaping @Sendable (inout Dependencies) -> Void
  ) -> DependencyReducer<Self, Dependencies> {
    DependencyReducer(base: self) {
      var copy = $0
      change(&copy)
      return copy
    }
  }

  /// Replaces one of the dependencies of this reducer and of all reducers inside it.
  ///
  /// - Complexity: The same as `transformDependencies`: a copy of the dependencies for each action
  ///   that reaches this reducer.
  @inlinable
  public consuming func dependency<Value: Sendable>(
    _ path: WritableKeyPath<Dependencies, Value> & Sendable, _ value: Value
  ) -> DependencyReducer<Self, Dependencies> {
    transformDependencies { $0[keyPath: path] = value }
  }
}

/// A reducer that passes other dependencies to its base than it receives. Created by
/// `dependencies`, `transformDependencies` and `dependency`.
public struct DependencyReducer<Base: Reducer, Whole: Sendable>: Reducer {
  @usableFromInline let base: Base
  @usableFromInline let part: @Sendable (Whole) -> Base.Dependencies

  @inlinable
  init(base: Base, part: @escaping @Sendable (Whole) -> Base.Dependencies) {
    self.base = base
    self.part = part
  }

  /// Reduces with the base and its part of the dependencies. Costs one more call.
  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Whole
  ) -> [Effect<Base.Action>] {
    base.reduce(&state, action, part(dependencies))
  }
}

extension DependencyReducer: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<Base.State, Base.Action, Whole>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    question.ask(child: base, subject, &answer) {
      base.findAbsentChildren(in: $0, &$1)
    } subscriptions: {
      base.subscriptions($0, part($1))
    }
  }
}
