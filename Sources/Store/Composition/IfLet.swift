extension Reducer {
  /// Attaches a child that exists only while its state is not `nil`.
  ///
  /// The child sees an action before this reducer does (R8). When its state becomes `nil`, or
  /// another child replaces it, the step cancels its effects (R7). An action for a child that does
  /// not exist is dropped, for this reducer too, and is an issue at this line.
  ///
  /// A child that another reducer removes, beside this one or above it, also ends in that step:
  /// after each step, while effects of children run, the store checks which children exist.
  ///
  /// Use it for presentation too: the parent presents by setting the state and dismisses by setting
  /// it to `nil`. A child requests its dismissal with an action of its own, which the parent sees
  /// after the child:
  /// ```swift
  /// case .detail(.doneTapped): state.detail = nil
  /// ```
  ///
  /// - Parameters:
  ///   - identity: Distinguishes a child from the next one at the same place, for example `\.key`.
  ///     The default is the `id` of a state that is `Identifiable`. With `nil`, or without such an
  ///     `id`, a state that is replaced while it is not `nil` is the same child.
  ///   - id: Distinguishes this child from others. The default is this source line and
  ///     the place of the child's state in the parent's; of a computed property only the line.
  /// - Complexity: The cost of the child and this reducer. No allocation without effects.
  @inlinable
  public consuming func ifLet<
    ChildState, ChildAction, Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, ChildState?> & Sendable,
    action: CasePath<Action, ChildAction>,
    identity: (@Sendable (ChildState) -> any Hashable & Sendable)? = { ownIdentity(of: $0) },
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> IfLetReducer<Self, Child> {
    IfLetReducer(
      base: self, child: child(), state: state, action: action, identity: identity,
      place: ChildPlace(id: id, fileID: fileID, line: line))
  }
}

/// A reducer with an optional child. Created by `ifLet`.
public struct IfLetReducer<Base: Reducer, Child: Reducer>: Reducer
where Child.Dependencies == Base.Dependencies {
  @usableFromInline let base: Base
  @usableFromInline let child: Child
  @usableFromInline let state: WritableKeyPath<Base.State, Child.State?> & Sendable
  @usableFromInline let action: CasePath<Base.Action, Child.Action>
  @usableFromInline let identity: (@Sendable (Child.State) -> any Hashable & Sendable)?
  @usableFromInline let place: ChildPlace

  @inlinable
  init(
    base: Base, child: Child, state: WritableKeyPath<Base.State, Child.State?> & Sendable,
    action: CasePath<Base.Action, Child.Action>,
    identity: (@Sendable (Child.State) -> any Hashable & Sendable)?,
    place: ChildPlace
  ) {
    self.base = base
    self.child = child
    self.state = state
    self.action = action
    self.identity = identity
    self.place = place
  }

  /// Reduces with the child first, then with the base. If the state is `nil`, this is an issue at
  /// the composing line, and neither sees the action. Calls `identity` two or three times if there
  /// is one.
  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    guard let childAction = self.action.extract(action) else {
      let before = ChildPresence(state[keyPath: self.state], identity)
      let effects = base.reduce(&state, action, dependencies)
      let after = ChildPresence(state[keyPath: self.state], identity)
      return before == after ? effects : effects + childPlace.end(before, before, now: after)
    }
    let step = state[keyPath: self.state].withValue { value in
      ChildPresence.step(&value, identity) { child.reduce(&$0, childAction, dependencies) }
    }
    guard let step else { return childPlace.refuse(absentChild(childAction)) }
    let effects: [Effect<Base.Action>] = .joined(
      step.effects.adopted { childPlace.adopt($0, of: step.after, as: self.action.embed) },
      base.reduce(&state, action, dependencies))
    let now = ChildPresence(state[keyPath: self.state], identity)
    return step.before == now && step.after == now
      ? effects : effects + childPlace.end(step.before, step.after, now: now)
  }

  /// The place of the child. It is computed only where there are effects.
  @inlinable @inline(__always)
  var childPlace: ChildPlace { place.at(MemoryLayout<Base.State>.offset(of: state)) }
}

extension IfLetReducer: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<Base.State, Base.Action, Base.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    question.ask(child: child, subject, &answer) { state, search in
      search.visit(child, at: childPlace, by: identity) { state[keyPath: self.state] }
    } subscriptions: { state, dependencies in
      guard let present = state[keyPath: self.state] else { return [] }
      return child.subscriptions(present, dependencies).adopted {
        childPlace.adopt($0, of: ChildPresence(present, identity), as: action.embed)
      }
    }
    question.ask(base, subject, &answer)
  }
}
