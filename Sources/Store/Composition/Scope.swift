/// Runs a child's reducer on a part of the parent's state, for the actions that are the child's.
///
/// The child's cancel ids get a place of their own: they meet neither the parent's nor a sibling's.
///
/// - Complexity: a key path costs a few nanoseconds a level; the plain call (`Array.scoped`) costs none.
public struct Scope<
  ParentState: Sendable, ParentAction: Sendable, ParentDependencies: Sendable, Child: Reducer
>:
  Reducer
{
  @usableFromInline let state: WritableKeyPath<ParentState, Child.State> & Sendable
  @usableFromInline let action: CasePath<ParentAction, Child.Action>
  @usableFromInline let dependencies: @Sendable (ParentDependencies) -> Child.Dependencies
  @usableFromInline let key: ScopeKey
  @usableFromInline let child: Child

  /// - Parameters:
  ///   - id: Tells children apart whose effects may bear equal ids; without one it is this line of source. It is shown in
  ///     descriptors.
  ///   - dependencies: What of the parent's dependencies the child sees.
  @inlinable
  public init(
    state: WritableKeyPath<ParentState, Child.State> & Sendable,
    action: CasePath<ParentAction, Child.Action>, id: (any Hashable & Sendable)? = nil,
    dependencies: @escaping @Sendable (ParentDependencies) -> Child.Dependencies,
    fileID: StaticString = #fileID, line: UInt32 = #line, child: () -> Child
  ) {
    self.state = state
    self.action = action
    self.dependencies = dependencies
    self.key = ScopeKey(id: id, location: SourceLocation(fileID: fileID, line: line))
    self.child = child()
  }

  /// A child that sees all of the parent's dependencies.
  @inlinable
  public init(
    state: WritableKeyPath<ParentState, Child.State> & Sendable,
    action: CasePath<ParentAction, Child.Action>, id: (any Hashable & Sendable)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line, child: () -> Child
  ) where Child.Dependencies == ParentDependencies {
    self.init(
      state: state, action: action, id: id, dependencies: { $0 }, fileID: fileID, line: line,
      child: child)
  }

  @inlinable
  public func reduce(
    _ state: inout ParentState, _ action: ParentAction, _ dependencies: ParentDependencies
  ) -> [Effect<ParentAction>] {
    guard let childAction = self.action.extract(action) else { return [] }
    let effects = child.reduce(
      &state[keyPath: self.state], childAction, self.dependencies(dependencies))
    if effects.isEmpty { return [] }
    return effects.map { $0.map(self.action.embed).nested(under: key) }
  }
}
