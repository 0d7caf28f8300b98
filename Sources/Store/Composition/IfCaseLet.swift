extension Reducer {
  /// Attaches a child to one case of this reducer's state, which is an enum.
  ///
  /// The child sees an action before this reducer does (R8). When the state leaves the case, or
  /// another child replaces this one in the same case, the step cancels its effects (R7). An action
  /// for a child is dropped, for this reducer too, if the state is not in the child's case. It is
  /// an issue at this line.
  ///
  /// To attach a feature to each case, chain the calls:
  /// ```swift
  /// Reduce { state, action, _ in … }
  ///   .ifCaseLet(.signIn, action: .signIn) { SignIn() }
  ///   .ifCaseLet(.board, action: .board) { Board() }
  /// ```
  ///
  /// - Parameters:
  ///   - identity: Distinguishes a child from the next one in the same case, for example `\.key`.
  ///     The default is the `id` of a state that is `Identifiable`. With `nil`, or without such an
  ///     `id`, a value that is replaced within the case is the same child.
  ///   - id: Distinguishes this child from others. The default is this source line and
  ///     the place of the enum in the state; of a computed property only the line.
  /// - Complexity: The cost of the child and this reducer. The value of the case is changed in
  ///   place.
  @inlinable
  public consuming func ifCaseLet<
    ChildState, ChildAction, Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: CasePath<State, ChildState>, action: CasePath<Action, ChildAction>,
    identity: (@Sendable (ChildState) -> any Hashable & Sendable)? = { ownIdentity(of: $0) },
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> IfCaseLetReducer<Self, State, Child> {
    IfCaseLetReducer(
      base: self, child: child(), container: \.self, state: state, action: action,
      identity: identity,
      place: ChildPlace(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to one case of an enum that is a part of this reducer's state. Otherwise the
  /// same as `ifCaseLet(_:action:identity:id:fileID:line:child:)`.
  ///
  /// - Parameter container: The path to the enum in the state.
  /// - Complexity: The same, and one key path.
  @inlinable
  public consuming func ifCaseLet<
    Mode, ChildState, ChildAction, Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ container: WritableKeyPath<State, Mode> & Sendable, is state: CasePath<Mode, ChildState>,
    action: CasePath<Action, ChildAction>,
    identity: (@Sendable (ChildState) -> any Hashable & Sendable)? = { ownIdentity(of: $0) },
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> IfCaseLetReducer<Self, Mode, Child> {
    IfCaseLetReducer(
      base: self, child: child(), container: container, state: state, action: action,
      identity: identity,
      place: ChildPlace(id: id, fileID: fileID, line: line))
  }
}

/// A reducer with a child in one case of its state. Created by `ifCaseLet`.
public struct IfCaseLetReducer<Base: Reducer, Mode: Sendable, Child: Reducer>: Reducer
where Child.Dependencies == Base.Dependencies {
  @usableFromInline let base: Base
  @usableFromInline let child: Child
  @usableFromInline let container: WritableKeyPath<Base.State, Mode> & Sendable
  @usableFromInline let state: CasePath<Mode, Child.State>
  @usableFromInline let action: CasePath<Base.Action, Child.Action>
  @usableFromInline let identity: (@Sendable (Child.State) -> any Hashable & Sendable)?
  @usableFromInline let place: ChildPlace

  @inlinable
  init(
    base: Base, child: Child, container: WritableKeyPath<Base.State, Mode> & Sendable,
    state: CasePath<Mode, Child.State>, action: CasePath<Base.Action, Child.Action>,
    identity: (@Sendable (Child.State) -> any Hashable & Sendable)?,
    place: ChildPlace
  ) {
    self.base = base
    self.child = child
    self.container = container
    self.state = state
    self.action = action
    self.identity = identity
    self.place = place
  }

  /// Reduces with the child first, then with the base. If the state is in another case, this is an
  /// issue at the composing line, and neither sees the action. Extracts the case before and after,
  /// and calls `identity` two or three times if there is one.
  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    guard let childAction = self.action.extract(action) else {
      let before = presence(state)
      let effects = base.reduce(&state, action, dependencies)
      let after = presence(state)
      return before == after ? effects : effects + childPlace.end(before, before, now: after)
    }
    let step = self.state.modify(&state[keyPath: container]) { value in
      ChildPresence.step(&value, identity) { child.reduce(&$0, childAction, dependencies) }
    }
    guard let step else {
      return childPlace.refuse(otherCase(childAction, state[keyPath: container]))
    }
    let effects: [Effect<Base.Action>] = .joined(
      step.effects.adopted { childPlace.adopt($0, of: step.after, as: self.action.embed) },
      base.reduce(&state, action, dependencies))
    let now = presence(state)
    return step.before == now && step.after == now
      ? effects : effects + childPlace.end(step.before, step.after, now: now)
  }

  @inlinable
  func presence(_ state: Base.State) -> ChildPresence {
    ChildPresence(self.state.extract(state[keyPath: container]), identity)
  }

  /// The place of the child. It is computed only where there are effects.
  @inlinable @inline(__always)
  var childPlace: ChildPlace { place.at(MemoryLayout<Base.State>.offset(of: container)) }
}

extension IfCaseLetReducer: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<Base.State, Base.Action, Base.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    question.ask(child: child, subject, &answer) { state, search in
      search.visit(child, at: childPlace, by: identity) {
        self.state.extract(state[keyPath: container])
      }
    } subscriptions: { state, dependencies in
      guard let present = self.state.extract(state[keyPath: container]) else { return [] }
      return child.subscriptions(present, dependencies).adopted {
        childPlace.adopt($0, of: ChildPresence(present, identity), as: action.embed)
      }
    }
    question.ask(base, subject, &answer)
  }
}
