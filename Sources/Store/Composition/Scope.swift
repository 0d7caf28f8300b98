/// Runs a child's reducer on a part of the parent's state, for the actions that are the child's.
///
/// The child's cancel ids get a place of their own: they meet neither the parent's nor a sibling's.
///
/// - Complexity: No allocation without effects. A key path costs a few nanoseconds a level; the
///   plain call (`Array.scoped`) costs none.
public struct Scope<ParentState: Sendable, ParentAction: Sendable, Child: Reducer>: Reducer {
  /// The child's dependencies; with `dependencies:`, the parent's, of which the child sees a part.
  public typealias Dependencies = Child.Dependencies

  @usableFromInline let state: WritableKeyPath<ParentState, Child.State> & Sendable
  @usableFromInline let action: CasePath<ParentAction, Child.Action>
  @usableFromInline let scope: ChildScope
  @usableFromInline let child: Child

  /// A child that sees all of the parent's dependencies.
  ///
  /// - Parameter id: Tells children apart whose effects may have equal ids; without one it is this
  ///   line of source. It is shown in descriptors.
  /// - Complexity: Nothing is allocated here where `id` is left out or a literal.
  @inlinable
  @inline(__always)
  public init<ChildState, ChildAction, ChildDependencies>(
    state: WritableKeyPath<ParentState, ChildState> & Sendable,
    action: CasePath<ParentAction, ChildAction>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, ChildDependencies> child: () -> Child
  ) where Child: Reducer<ChildState, ChildAction, ChildDependencies> {
    self.state = state
    self.action = action
    self.scope = ChildScope(id: id, fileID: fileID, line: line)
    self.child = child()
  }

  /// A child that sees a part of the parent's dependencies. Else as
  /// `init(state:action:id:fileID:line:child:)`.
  ///
  /// - Parameter dependencies: What the child sees: a closure or a key path. Called for each action
  ///   of the child.
  @inlinable
  @inline(__always)
  public init<
    ChildState, ChildAction, Whole: Sendable, ChildDependencies,
    Inner: Reducer<ChildState, ChildAction, ChildDependencies>
  >(
    state: WritableKeyPath<ParentState, ChildState> & Sendable,
    action: CasePath<ParentAction, ChildAction>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    dependencies: @escaping @Sendable (Whole) -> ChildDependencies,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, ChildDependencies> child: () -> Inner
  ) where Child == DependencyReducer<Inner, Whole> {
    self.state = state
    self.action = action
    self.scope = ChildScope(id: id, fileID: fileID, line: line)
    self.child = DependencyReducer(base: child(), part: dependencies)
  }

  /// Hands the child its part of the state, in place, where the action is the child's; else does
  /// nothing. With effects, a new array and for each a closure and its ids anew.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout ParentState, _ action: ParentAction, _ dependencies: Child.Dependencies
  ) -> [Effect<ParentAction>] {
    guard let childAction = self.action.extract(action) else { return [] }
    return child.reduce(&state[keyPath: self.state], childAction, dependencies)
      .adopted { scope.adopt($0, as: self.action.embed) }
  }
}

extension Scope: ReducerOfParts {
  @inlinable
  @inline(__always)
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  )
  where
    Question.State == ParentState, Question.Action == ParentAction,
    Question.Dependencies == Child.Dependencies
  {
    // The child's state is copied: a retain for what is shared.
    question.ask(child: child, subject, &answer) { state, search in
      search.visit(child, at: scope) { state[keyPath: self.state] }
    } subscriptions: { state, dependencies in
      scope.adopt(
        child.subscriptions(state[keyPath: self.state], dependencies), as: action.embed)
    }
  }
}
