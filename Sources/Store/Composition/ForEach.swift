extension Reducer {
  /// Attaches a child to every element of a list.
  ///
  /// The child sees an action before this reducer does (R8). Every element is a place of its own: equal cancel ids in two of them never
  /// meet (R6). When an element goes, its effects are cancelled with the same step (R7). An action for an id that is not there is
  /// dropped, for this reducer too, and is an issue at this line.
  ///
  /// ```swift
  /// Reduce { state, action, _ in … }
  ///   .forEach(\.rows, action: .rows) { Row() }
  /// ```
  ///
  /// - Parameter id: Tells children apart whose effects may bear equal ids; without one it is this line of source.
  /// - Complexity: O(1) beside the child and this reducer, however many elements there are, as long as none comes or goes; then
  ///   O(count).
  @inlinable
  public func forEach<
    ID, ChildState, ChildAction, Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArray<ID, ChildState>> & Sendable,
    action: CasePath<Action, ElementAction<ID, ChildAction>>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> ForEachReducer<Self, ID, Child> {
    ForEachReducer(
      base: self, child: child(), state: state, action: action, dependencies: { $0 }, ownID: nil,
      scope: ChildScope(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to every element of a list, with a part of the dependencies.
  ///
  /// - Parameter dependencies: What of this reducer's dependencies the child sees: a closure or a key path.
  @inlinable
  public func forEach<
    ID, ChildState, ChildAction, ChildDependencies,
    Child: Reducer<ChildState, ChildAction, ChildDependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArray<ID, ChildState>> & Sendable,
    action: CasePath<Action, ElementAction<ID, ChildAction>>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    dependencies: @escaping @Sendable (Dependencies) -> ChildDependencies,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, ChildDependencies> child: () -> Child
  ) -> ForEachReducer<Self, ID, Child> {
    ForEachReducer(
      base: self, child: child(), state: state, action: action, dependencies: dependencies,
      ownID: nil, scope: ChildScope(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to every element of a list; the action's case holds the id and the child's action side by side.
  ///
  /// ```swift
  /// enum Action { case row(Row.ID, Row.Action) }
  /// ```
  @inlinable
  public func forEach<
    ID, ChildState, ChildAction, Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArray<ID, ChildState>> & Sendable,
    action: CasePath<Action, (ID, ChildAction)>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> ForEachReducer<Self, ID, Child> {
    ForEachReducer(
      base: self, child: child(), state: state,
      action: CasePath { [embed = action.embed] in
        embed(($0.id, $0.action))
      } extract: { [extract = action.extract] in
        extract($0).map { .element(id: $0.0, action: $0.1) }
      }, dependencies: { $0 }, ownID: nil,
      scope: ChildScope(id: id, fileID: fileID, line: line))
  }
}

/// A reducer with many children. Made by `forEach`.
public struct ForEachReducer<Base: Reducer, ID: Hashable & Sendable, Child: Reducer>: Reducer {
  @usableFromInline
  let state: WritableKeyPath<Base.State, IdentifiedArray<ID, Child.State>> & Sendable
  @usableFromInline let base: Base
  @usableFromInline let child: Child
  @usableFromInline let action: CasePath<Base.Action, ElementAction<ID, Child.Action>>
  @usableFromInline let dependencies: @Sendable (Base.Dependencies) -> Child.Dependencies
  @usableFromInline let ownID: (@Sendable (Child.State) -> ID)?
  @usableFromInline let scope: ChildScope

  @inlinable
  init(
    base: Base, child: Child,
    state: WritableKeyPath<Base.State, IdentifiedArray<ID, Child.State>> & Sendable,
    action: CasePath<Base.Action, ElementAction<ID, Child.Action>>,
    dependencies: @escaping @Sendable (Base.Dependencies) -> Child.Dependencies,
    ownID: (@Sendable (Child.State) -> ID)?, scope: ChildScope
  ) {
    self.ownID = ownID
    self.base = base
    self.child = child
    self.state = state
    self.action = action
    self.dependencies = dependencies
    self.scope = scope
  }

  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    guard case .element(let id, let childAction)? = self.action.extract(action) else {
      let before = state[keyPath: self.state].ids
      return ended(before, state: &state, [], action, dependencies)
    }
    let step = state[keyPath: self.state].step(id: id, ownID: ownID) {
      child.reduce(&$0, childAction, self.dependencies(dependencies))
    }
    guard let childEffects = step.effects else {
      return [scope.issue(absentElement(childAction, id, among: step.ids))]
    }
    var effects: [Effect<Base.Action>] = []
    if !childEffects.isEmpty {
      let embed = self.action.embed
      effects = scope.adopt(
        childEffects, of: CancelID(id), as: { embed(.element(id: id, action: $0)) })
    }
    if let own = step.misfiled { effects.append(scope.issue(misfiledElement(id, says: own))) }
    return ended(step.ids, state: &state, effects, action, dependencies)
  }

  /// Lets the base reduce, and ends what elements had going that are gone then.
  @inlinable
  func ended(
    _ before: [ID], state: inout Base.State, _ effects: [Effect<Base.Action>],
    _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let effects: [Effect<Base.Action>] = .joined(
      effects, base.reduce(&state, action, dependencies))
    // O(1) where no id came or went: the same storage is equal.
    if before == state[keyPath: self.state].ids { return effects }
    let rows = state[keyPath: self.state]
    return .joined(
      effects, scope.end(before, isEmptyNow: rows.isEmpty) { rows.contains(id: $0) })
  }
}

extension IdentifiedArray {
  /// Lets the element reduce in place; gives the ids, and the element's own where that is another now.
  @inlinable
  mutating func step<Effects>(
    id: ID, ownID: (@Sendable (Element) -> ID)?, _ reduce: (inout Element) -> Effects
  ) -> (effects: Effects?, ids: [ID], misfiled: ID?) {
    guard let position = positions[id] else { return (nil, ids, nil) }
    let effects = reduce(&storage[position])
    if let ownID {
      let own = ownID(storage[position])
      if own != id { return (effects, ids, own) }
    }
    return (effects, ids, nil)
  }
}
