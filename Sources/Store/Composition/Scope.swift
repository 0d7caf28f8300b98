/// A reducer that runs a child's reducer on a part of the parent's state, for the child's actions.
///
/// The child's cancel ids have a place of their own. They differ from the parent's and from a
/// sibling's.
///
/// - Complexity: No allocation without effects. A key path costs a few nanoseconds for each level.
///   The plain call (`Array.scoped`) costs nothing. A key path through a computed property or a
///   subscript reads the child's state and writes it back, so that each step copies the arrays and
///   dictionaries that it changes. Use the plain call for such a state.
public struct Scope<ParentState: Sendable, ParentAction: Sendable, Child: Reducer>: Reducer {
  /// The dependencies of the parent, all of which the child sees.
  public typealias Dependencies = Child.Dependencies

  @usableFromInline let state: WritableKeyPath<ParentState, Child.State> & Sendable
  @usableFromInline let action: CasePath<ParentAction, Child.Action>
  @usableFromInline let place: ChildPlace
  @usableFromInline let child: Child

  /// Creates a scope for a child. `Reducer.dependencies` narrows what the child sees.
  ///
  /// - Parameter id: Distinguishes this child from others. The default is this source line and the
  ///   place of the child's state in the parent's; of a computed property only the line. It is
  ///   shown in descriptors.
  /// - Complexity: Allocates nothing if `id` is omitted or a literal.
  @inlinable @inline(__always)
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
    self.place = ChildPlace(id: id, fileID: fileID, line: line)
    self.child = child()
  }

  /// Reduces the child's part of the state, in place, if the action is the child's. Otherwise does
  /// nothing. If there are effects, creates a new array, and for each effect a closure and new ids.
  @inlinable @inline(__always)
  public func reduce(
    _ state: inout ParentState, _ action: ParentAction, _ dependencies: Child.Dependencies
  ) -> [Effect<ParentAction>] {
    guard let childAction = self.action.extract(action) else { return [] }
    return child.reduce(&state[keyPath: self.state], childAction, dependencies)
      .adopted { childPlace.adopt($0, as: self.action.embed) }
  }

  /// The place of the child. It is computed only where there are effects.
  @inlinable @inline(__always)
  var childPlace: ChildPlace {
    place.at(MemoryLayout<ParentState>.offset(of: state), mayBeAbsent: false)
  }
}

extension Scope: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<ParentState, ParentAction, Child.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    // The child's state is copied, which retains its shared parts.
    question.ask(child: child, subject, &answer) { state, search in
      search.visit(child, at: childPlace) { state[keyPath: self.state] }
    } subscriptions: { state, dependencies in
      child.subscriptions(state[keyPath: self.state], dependencies)
        .adopted { childPlace.adopt($0, as: action.embed) }
    }
  }
}
