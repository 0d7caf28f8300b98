// The same for elements that bring their ids: an element that changes its own is reported.

extension Reducer {
  /// Attaches a child to every element of a list, where elements bring their ids: see the one for elements of any type. An element
  /// that changes its own id is an issue at this line, too.
  @inlinable
  @inline(__always)
  public func forEach<
    ChildState: Identifiable & Sendable, ChildAction,
    Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArray<ChildState.ID, ChildState>> & Sendable,
    action: CasePath<Action, ElementAction<ChildState.ID, ChildAction>>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> ForEachReducer<Self, Child, OwnIDs<ChildState>>
  where ChildState.ID: Sendable {
    ForEachReducer(
      base: self, child: child(), state: state,
      action: action, scope: ChildScope(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to every element of a list, with a part of the dependencies.
  ///
  /// - Parameter dependencies: What of this reducer's dependencies the child sees: a closure or a key path.
  @inlinable
  @inline(__always)
  public func forEach<
    ChildState: Identifiable & Sendable, ChildAction, ChildDependencies,
    Child: Reducer<ChildState, ChildAction, ChildDependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArray<ChildState.ID, ChildState>> & Sendable,
    action: CasePath<Action, ElementAction<ChildState.ID, ChildAction>>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    dependencies: @escaping @Sendable (Dependencies) -> ChildDependencies,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, ChildDependencies> child: () -> Child
  ) -> ForEachReducer<Self, DependencyReducer<Child, Dependencies>, OwnIDs<ChildState>>
  where ChildState.ID: Sendable {
    ForEachReducer(
      base: self, child: child().dependencies(dependencies), state: state,
      action: action, scope: ChildScope(id: id, fileID: fileID, line: line))
  }

  /// Attaches a child to every element of a list; the action's case holds the id and the child's action side by side.
  ///
  /// ```swift
  /// enum Action { case row(Row.ID, Row.Action) }
  /// ```
  @inlinable
  @inline(__always)
  public func forEach<
    ChildState: Identifiable & Sendable, ChildAction,
    Child: Reducer<ChildState, ChildAction, Dependencies>
  >(
    _ state: WritableKeyPath<State, IdentifiedArray<ChildState.ID, ChildState>> & Sendable,
    action: CasePath<Action, (ChildState.ID, ChildAction)>,
    id: @autoclosure @escaping @Sendable () -> (any Hashable & Sendable)? = nil,
    fileID: @autoclosure @escaping @Sendable () -> StaticString = #fileID,
    line: @autoclosure @escaping @Sendable () -> UInt32 = #line,
    @ReducerBuilder<ChildState, ChildAction, Dependencies> child: () -> Child
  ) -> ForEachReducer<Self, Child, OwnIDs<ChildState>>
  where ChildState.ID: Sendable {
    ForEachReducer(
      base: self, child: child(), state: state,
      action: CasePath { [embed = action.embed] in
        embed(($0.id, $0.action))
      } extract: { [extract = action.extract] in
        extract($0).map { .element(id: $0.0, action: $0.1) }
      }, scope: ChildScope(id: id, fileID: fileID, line: line))
  }
}
