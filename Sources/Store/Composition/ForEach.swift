extension Reducer {
  /// Attaches a child to every element of a list.
  ///
  /// The child sees an action before this reducer does (R8). Every element is a place of its own:
  /// equal cancel ids in two elements are different ids (R6). The step that removes an element
  /// cancels its effects (R7). An action for an id that does not exist is dropped, for this reducer
  /// too, and is an issue at this line.
  ///
  /// A child that another reducer removes, beside this one or above it, also ends in that step:
  /// after each step, while effects of children run, the store checks which children exist.
  ///
  /// ```swift
  /// Reduce { state, action, _ in … }
  ///   .forEach(\.rows, action: .rows) { Row() }
  /// ```
  ///
  /// - Parameter id: Distinguishes this list from other children. The default is this source line
  ///   and the place of the list in the state; of a computed property only the line.
  /// - Complexity: O(1) plus the cost of the child and this reducer, regardless of the number of
  ///   elements. O(count) in a step that adds or removes one. While effects run in children of
  ///   elements that may be absent, every step of the store costs O(number of these elements) more.
  @inlinable @inline(__always)
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
      action: action, place: ChildPlace(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to every element of a list, with an action case that has the id and the
  /// child's action as two values.
  ///
  /// ```swift
  /// enum Action { case row(Row.ID, Row.Action) }
  /// ```
  /// Otherwise the same as with `ElementAction`.
  ///
  /// - Complexity: The same, and a second pattern for each action.
  @inlinable @inline(__always)
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
      }, place: ChildPlace(id: id, fileID: fileID, line: line))
  }
}

/// A reducer with a child for every element of a list. Created by `forEach`.
public struct ForEachReducer<Base: Reducer, Child: Reducer, ID: Hashable & Sendable>: Reducer
where Child.Dependencies == Base.Dependencies {
  @usableFromInline let base: Base
  @usableFromInline let child: Child
  @usableFromInline
  let state: WritableKeyPath<Base.State, IdentifiedArray<ID, Child.State>> & Sendable
  @usableFromInline let action: CasePath<Base.Action, ElementAction<ID, Child.Action>>
  @usableFromInline let place: ChildPlace

  @inlinable @inline(__always)
  init(
    base: Base, child: Child,
    state: WritableKeyPath<Base.State, IdentifiedArray<ID, Child.State>> & Sendable,
    action: CasePath<Base.Action, ElementAction<ID, Child.Action>>, place: ChildPlace
  ) {
    self.base = base
    self.child = child
    self.state = state
    self.action = action
    self.place = place
  }

  /// Reduces with the child first, then with the base. An id that does not exist is an issue at the
  /// composing line, and neither sees the action. O(1) plus the cost of the two, O(count) in a step
  /// that adds or removes an element.
  @inlinable @inline(__always)
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    guard case .element(let id, let childAction)? = self.action.extract(action) else {
      let before = state[keyPath: self.state].ids
      let effects = base.reduce(&state, action, dependencies)
      // O(1) if no id was added or removed, because arrays with the same storage are equal.
      if before == state[keyPath: self.state].ids { return effects }
      return effects + childPlace.end(before, now: state[keyPath: self.state])
    }
    // The position is found before the element is changed, because the optimizer turns only access
    // without branches into direct access.
    guard let position = state[keyPath: self.state].positions[id] else {
      return childPlace.refuse(childAction, id, among: state[keyPath: self.state].ids)
    }
    let childEffects = child.reduce(
      &state[keyPath: self.state].storage[position], childAction, dependencies)
    let before = state[keyPath: self.state].ids
    let effects: [Effect<Base.Action>] = .joined(
      adopted(childEffects, id), base.reduce(&state, action, dependencies))
    if before == state[keyPath: self.state].ids { return effects }
    return effects + childPlace.end(before, now: state[keyPath: self.state])
  }

  @inlinable @inline(__always)
  func adopted(_ effects: [Effect<Child.Action>], _ id: ID) -> [Effect<Base.Action>] {
    effects.adopted { effects in
      let embed = action.embed
      return childPlace.adopt(
        effects, of: CancelID(id), as: { embed(.element(id: id, action: $0)) })
    }
  }

  /// The place of the child. It is computed only where there are effects.
  @inlinable @inline(__always)
  var childPlace: ChildPlace { place.at(MemoryLayout<Base.State>.offset(of: state)) }
}

extension ForEachReducer: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<Base.State, Base.Action, Base.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    question.ask(child: child, subject, &answer) { state, search in
      search.visit(each: child, at: childPlace) { state[keyPath: self.state] }
    } subscriptions: { state, dependencies in
      place.subscriptions(
        of: child, at: MemoryLayout<Base.State>.offset(of: self.state),
        in: state[keyPath: self.state], dependencies
      ) {
        [embed = action.embed] in embed(.element(id: $0, action: $1))
      }
    }
    question.ask(base, subject, &answer)
  }
}

extension ChildPlace {
  /// Returns the subscriptions of the elements of a list, each in a place of its own.
  ///
  /// - Complexity: O(number of elements) if the child declares any.
  @inlinable
  func subscriptions<ID: Hashable & Sendable, Child: Reducer, Parent>(
    of child: Child, at offset: Int?,
    in elements: IdentifiedArray<ID, Child.State>,
    _ dependencies: Child.Dependencies,
    as embed: @escaping @Sendable (ID, Child.Action) -> Parent
  ) -> [Effect<Parent>] {
    guard child.declaresSubscriptions(in: CompositionPath()) else { return [] }
    let place = at(offset)
    return elements.ids.flatMap { id in
      elements[id: id].map { element in
        place.adopt(
          child.subscriptions(element, dependencies), of: CancelID(id), as: { embed(id, $0) })
      } ?? []
    }
  }
}
