extension Reducer {
  /// Attaches a child to every element of a list.
  ///
  /// The child sees an action before this reducer does (R8). Every element is a place of its own:
  /// equal cancel ids in two of them never meet (R6). When an element goes, its effects are
  /// cancelled with the same step (R7). An action for an id that does not exist is dropped, for
  /// this reducer too, and is an issue at this line.
  ///
  /// A child that is removed elsewhere, by a reducer beside this one or above it, ends with that
  /// step as well: after each step, while effects of children run, the store looks which children
  /// are there.
  ///
  /// ```swift
  /// Reduce { state, action, _ in … }
  ///   .forEach(\.rows, action: .rows) { Row() }
  /// ```
  ///
  /// - Parameter id: Tells children apart whose effects may have equal ids; without one it is this
  ///   line of source.
  /// - Complexity: O(1) plus the cost of the child and this reducer, however many elements there
  ///   are, as long as none is added or removed; then O(count).
  @inlinable
  @inline(__always)
  public consuming func forEach<
    ID: Hashable & Sendable, ChildState, ChildAction,
    Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArray<ID, ChildState>> & Sendable,
    action: CasePath<Action, ElementAction<ID, ChildAction>>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> ForEachReducer<Self, Child, ID> {
    ForEachReducer(
      base: self, child: child(), state: state,
      action: action, scope: ChildScope(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to every element of a list, with a part of the dependencies. Else as
  /// `forEach(_:action:id:fileID:line:child:)`.
  ///
  /// - Parameter dependencies: What of this reducer's dependencies the child sees: a closure or a
  ///   key path.
  /// - Complexity: As there, and one call of `dependencies` for each action of a child.
  @inlinable
  @inline(__always)
  public consuming func forEach<
    ID: Hashable & Sendable, ChildState, ChildAction, ChildDependencies,
    Child: Reducer<ChildState, ChildAction, ChildDependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArray<ID, ChildState>> & Sendable,
    action: CasePath<Action, ElementAction<ID, ChildAction>>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    dependencies: @escaping @Sendable (Dependencies) -> ChildDependencies,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, ChildDependencies> child: () -> Child
  ) -> ForEachReducer<Self, DependencyReducer<Child, Dependencies>, ID> {
    ForEachReducer(
      base: self, child: child().dependencies(dependencies), state: state,
      action: action, scope: ChildScope(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to every element of a list; the action's case holds the id and the child's
  /// action side by side.
  ///
  /// ```swift
  /// enum Action { case row(Row.ID, Row.Action) }
  /// ```
  /// Else as with `ElementAction`.
  ///
  /// - Complexity: As there, and a second pattern for each action.
  @inlinable
  @inline(__always)
  public consuming func forEach<
    ID: Hashable & Sendable, ChildState, ChildAction,
    Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArray<ID, ChildState>> & Sendable,
    action: CasePath<Action, (ID, ChildAction)>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> ForEachReducer<Self, Child, ID> {
    ForEachReducer(
      base: self, child: child(), state: state,
      action: CasePath { [embed = action.embed] in
        embed(($0.id, $0.action))
      } extract: { [extract = action.extract] in
        extract($0).map { .element(id: $0.0, action: $0.1) }
      }, scope: ChildScope(id: id, fileID: fileID, line: line))
  }
}

/// A reducer with many children. Made by `forEach`.
public struct ForEachReducer<Base: Reducer, Child: Reducer, ID: Hashable & Sendable>: Reducer
where Child.Dependencies == Base.Dependencies {
  @usableFromInline let base: Base
  @usableFromInline let child: Child
  @usableFromInline
  let state: WritableKeyPath<Base.State, IdentifiedArray<ID, Child.State>> & Sendable
  @usableFromInline let action: CasePath<Base.Action, ElementAction<ID, Child.Action>>
  @usableFromInline let scope: ChildScope

  @inlinable
  @inline(__always)
  init(
    base: Base, child: Child,
    state: WritableKeyPath<Base.State, IdentifiedArray<ID, Child.State>> & Sendable,
    action: CasePath<Base.Action, ElementAction<ID, Child.Action>>, scope: ChildScope
  ) {
    self.base = base
    self.child = child
    self.state = state
    self.action = action
    self.scope = scope
  }

  /// The child first, then the base; an id that does not exist is an issue at the composing line,
  /// and neither sees the action. O(1) plus the cost of the two, O(count) in a step in which an
  /// element is added or removed.
  @inlinable
  @inline(__always)
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    guard case .element(let id, let childAction)? = self.action.extract(action) else {
      let before = state[keyPath: self.state].ids
      let effects = base.reduce(&state, action, dependencies)
      // O(1) where no id was added or removed: the same storage is equal.
      if before == state[keyPath: self.state].ids { return effects }
      return effects + scope.end(before, now: state[keyPath: self.state])
    }
    // Found first and changed then: a way in without branches is one that the optimiser turns into
    // a direct access.
    guard let position = state[keyPath: self.state].positions[id] else {
      return scope.refuse(childAction, id, among: state[keyPath: self.state].ids)
    }
    let childEffects = child.reduce(
      &state[keyPath: self.state].storage[position], childAction, dependencies)
    let before = state[keyPath: self.state].ids
    let effects: [Effect<Base.Action>] = .joined(
      adopted(childEffects, id), base.reduce(&state, action, dependencies))
    if before == state[keyPath: self.state].ids { return effects }
    return effects + scope.end(before, now: state[keyPath: self.state])
  }

  @inlinable
  @inline(__always)
  func adopted(_ effects: [Effect<Child.Action>], _ id: ID) -> [Effect<Base.Action>] {
    effects.adopted { effects in
      let embed = action.embed
      return scope.adopt(
        effects, of: CancelID(id), as: { embed(.element(id: id, action: $0)) })
    }
  }
}

extension ForEachReducer: ReducerOfParts {
  @inlinable
  @inline(__always)
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  )
  where
    Question.State == Base.State, Question.Action == Base.Action,
    Question.Dependencies == Base.Dependencies
  {
    question.ask(child: child, subject, &answer) { state, search in
      search.visit(each: child, at: scope) { state[keyPath: self.state] }
    } subscriptions: { state, dependencies in
      scope.subscriptions(of: child, in: state[keyPath: self.state], dependencies) {
        [embed = action.embed] in embed(.element(id: $0, action: $1))
      }
    }
    question.ask(base, subject, &answer)
  }
}

extension ChildScope {
  /// The subscriptions of the elements of a list, each in a place of its own.
  ///
  /// - Complexity: O(number of elements) if the child declares any.
  @inlinable
  func subscriptions<ID: Hashable & Sendable, Child: Reducer, Parent>(
    of child: Child, in elements: IdentifiedArray<ID, Child.State>,
    _ dependencies: Child.Dependencies,
    as embed: @escaping @Sendable (ID, Child.Action) -> Parent
  ) -> [Effect<Parent>] {
    guard child.declaresSubscriptions(in: CompositionPath()) else { return [] }
    return elements.ids.flatMap { id in
      elements[id: id].map { element in
        adopt(
          child.subscriptions(element, dependencies), of: CancelID(id), as: { embed(id, $0) })
      } ?? []
    }
  }
}
