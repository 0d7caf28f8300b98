// The plain-call form of the operators, for a `reduce` that is written as a switch. Nothing here costs anything where there are no effects.

extension Array {
  /// A child's effects as its parent returns them: actions embedded, ids moved into a place of their own.
  ///
  /// The plain-call form of `Scope`, and the fastest there is:
  /// ```swift
  /// case .child(let action):
  ///   return child.reduce(&state.child, action, dependencies).scoped(Action.child, id: "child")
  /// ```
  /// - Parameter id: Tells children apart whose effects may bear equal ids. It is shown in descriptors.
  /// - Complexity: One comparison without effects; the id is not even made then.
  @inlinable
  @inline(__always)
  public func scoped<Child, Parent, ID: Hashable & Sendable>(
    _ embed: @escaping @Sendable (Child) -> Parent, id: @autoclosure () -> ID,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    isEmpty ? [] : adopted(embed, under: ScopeKey(CancelID(id())))
  }

  /// The same, with this line of source for an id: give one where a single line serves several children.
  @inlinable
  @inline(__always)
  public func scoped<Child, Parent>(
    _ embed: @escaping @Sendable (Child) -> Parent,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    isEmpty
      ? []
      : adopted(
        embed, under: ScopeKey(id: nil, location: SourceLocation(fileID: fileID, line: line)))
  }

  @inlinable
  @inline(never)
  func adopted<Child, Parent>(
    _ embed: @escaping @Sendable (Child) -> Parent, under key: ScopeKey
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    map { $0.map(embed).nested(under: key) }
  }
}
