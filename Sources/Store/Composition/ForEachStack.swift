extension Reducer {
  /// Attaches a child to every element of a stack, and performs the changes of `StackAction`.
  ///
  /// - `element`: The child sees the action, then this reducer (R8).
  /// - `push`: The element is added on top, then this reducer sees the action.
  /// - `popFrom`: This reducer sees the action while the elements still exist, then they are
  ///   removed.
  ///
  /// The step in which any reducer removes an element cancels its effects (R7). Every element is a
  /// place of its own for cancel ids (R6). An element that does not exist, or an id that was used
  /// before, is an issue at this line. The action is dropped, for this reducer too.
  ///
  /// If this reducer replaces the stack (`state.path = StackState([…])`), the new stack has
  /// different elements. They receive the next ids after this reducer has seen the action.
  ///
  /// A child requests its dismissal with an action of its own, and the parent removes it:
  /// ```swift
  /// case .path(.element(let id, .doneTapped)): state.path.pop(from: id)
  /// ```
  ///
  /// - Parameter id: Distinguishes this list from other children. The default is this source line
  ///   and the place of the list in the state; of a computed property only the line.
  /// - Complexity: O(1) plus the cost of the child and this reducer. O(count) in a step that adds
  ///   or removes an element. While effects run in children of elements that may be absent, every
  ///   step of the store costs O(number of these elements) more.
  @inlinable
  public consuming func forEach<
    ChildState, ChildAction, Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, StackState<ChildState>> & Sendable,
    action: CasePath<Action, StackAction<ChildState, ChildAction>>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> ForEachStackReducer<Self, Child> {
    ForEachStackReducer(
      base: self, child: child(), state: state, action: action,
      place: ChildPlace(id: id, fileID: fileID, line: line))
  }
}

/// A reducer with a stack of children. Created by `forEach`.
public struct ForEachStackReducer<Base: Reducer, Child: Reducer>: Reducer
where Child.Dependencies == Base.Dependencies {
  @usableFromInline let base: Base
  @usableFromInline let child: Child
  @usableFromInline let state: WritableKeyPath<Base.State, StackState<Child.State>> & Sendable
  @usableFromInline let action: CasePath<Base.Action, StackAction<Child.State, Child.Action>>
  @usableFromInline let place: ChildPlace

  @inlinable
  init(
    base: Base, child: Child,
    state: WritableKeyPath<Base.State, StackState<Child.State>> & Sendable,
    action: CasePath<Base.Action, StackAction<Child.State, Child.Action>>,
    place: ChildPlace
  ) {
    self.base = base
    self.child = child
    self.state = state
    self.action = action
    self.place = place
  }

  /// Performs the action on the stack, as `forEach` describes. O(1) plus the cost of child and
  /// base, O(count) in a step that adds or removes an element.
  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    var effects: [Effect<Base.Action>] = []
    var popped: StackElementID?
    let before: [StackElementID]
    switch self.action.extract(action) {
    case nil:
      before = state[keyPath: self.state].ids
    case .element(let id, let childAction)?:
      guard let position = state[keyPath: self.state].rows.positions[id] else {
        return childPlace.refuse(childAction, id, among: state[keyPath: self.state].ids)
      }
      let childEffects = child.reduce(
        &state[keyPath: self.state].rows.storage[position], childAction, dependencies)
      before = state[keyPath: self.state].ids
      if !childEffects.isEmpty {
        let embed = self.action.embed
        effects = childPlace.adopt(
          childEffects, of: CancelID(id), as: { embed(.element(id: id, action: $0)) })
      }
    case .push(let id, let element)?:
      before = state[keyPath: self.state].ids
      if let id {
        let next = state[keyPath: self.state].nextID
        guard state[keyPath: self.state].push(element, id: id) else {
          return [place.issue(usedPush(id, next: next, among: before))]
        }
      } else {
        state[keyPath: self.state].append(element)
      }
    case .popFrom(let id)?:
      before = state[keyPath: self.state].ids
      guard state[keyPath: self.state].contains(id: id) else {
        return [place.issue(absentPop(id, among: before))]
      }
      popped = id
    }
    let next = state[keyPath: self.state].nextID
    // The first stack does not replace another one and keeps its ids.
    if state[keyPath: self.state].isNew { state[keyPath: self.state].beginReduction() }
    effects = .joined(effects, base.reduce(&state, action, dependencies))
    if state[keyPath: self.state].hasUnfinishedReduction(after: next) {
      state[keyPath: self.state].endReduction(after: next)
    }
    // The base may have removed the element already.
    if let popped { state[keyPath: self.state].pop(from: popped) }
    // O(1) if no id was added or removed, because arrays with the same storage are equal.
    if before == state[keyPath: self.state].ids { return effects }
    return .joined(effects, childPlace.end(before, now: state[keyPath: self.state].rows))
  }

  /// The place of the child. It is computed only where there are effects.
  @inlinable @inline(__always)
  var childPlace: ChildPlace { place.at(MemoryLayout<Base.State>.offset(of: state)) }
}

extension ForEachStackReducer: CompositeReducer {
  @inlinable @inline(__always)
  func visitChildren<Question: ChildVisitor<Base.State, Base.Action, Base.Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  ) {
    question.ask(child: child, subject, &answer) { state, search in
      search.visit(each: child, at: childPlace) { state[keyPath: self.state].rows }
    } subscriptions: { state, dependencies in
      place.subscriptions(
        of: child, at: MemoryLayout<Base.State>.offset(of: self.state),
        in: state[keyPath: self.state].rows, dependencies
      ) {
        [embed = action.embed] in embed(.element(id: $0, action: $1))
      }
    }
    question.ask(base, subject, &answer)
  }
}
