// The same for elements that bring their ids: an element that changes its own is reported.

extension Reducer {
  /// Attaches a child to every element of a list: see the one for elements of any type. An element that changes its own id is an issue
  /// at this line, too.
  @inlinable
  public func forEach<
    ChildState: Identifiable, ChildAction, Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArrayOf<ChildState>> & Sendable,
    action: CasePath<Action, ElementAction<ChildState.ID, ChildAction>>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> ForEachReducer<Self, ChildState.ID, Child> {
    ForEachReducer(
      base: self, child: child(), state: state, action: action, dependencies: { $0 },
      ownID: { $0.id },
      scope: ChildScope(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to every element of a list, with a part of the dependencies.
  ///
  /// - Parameter dependencies: What of this reducer's dependencies the child sees: a closure or a key path.
  @inlinable
  public func forEach<
    ChildState: Identifiable, ChildAction, ChildDependencies,
    Child: Reducer<ChildState, ChildAction, ChildDependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArrayOf<ChildState>> & Sendable,
    action: CasePath<Action, ElementAction<ChildState.ID, ChildAction>>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    dependencies: @escaping @Sendable (Dependencies) -> ChildDependencies,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, ChildDependencies> child: () -> Child
  ) -> ForEachReducer<Self, ChildState.ID, Child> {
    ForEachReducer(
      base: self, child: child(), state: state, action: action, dependencies: dependencies,
      ownID: { $0.id }, scope: ChildScope(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to every element of a list; the action's case holds the id and the child's action side by side.
  @inlinable
  public func forEach<
    ChildState: Identifiable, ChildAction, Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArrayOf<ChildState>> & Sendable,
    action: CasePath<Action, (ChildState.ID, ChildAction)>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> ForEachReducer<Self, ChildState.ID, Child> {
    ForEachReducer(
      base: self, child: child(), state: state,
      action: CasePath { [embed = action.embed] in
        embed(($0.id, $0.action))
      } extract: { [extract = action.extract] in
        extract($0).map { .element(id: $0.0, action: $0.1) }
      }, dependencies: { $0 }, ownID: { $0.id },
      scope: ChildScope(id: id, fileID: fileID, line: line))
  }
}
