// The plain-call form of the operators, for a `reduce` that is written as a switch. Nothing here
// costs anything if there are no effects.

extension Array {
  /// A child's effects as its parent returns them: actions embedded, ids moved into a place of
  /// their own.
  ///
  /// The plain-call form of `Scope`, and the fastest there is:
  /// ```swift
  /// case .child(let action):
  ///   return child.reduce(&state.child, action, dependencies).scoped(Action.child, id: "child")
  /// ```
  /// - Parameter id: Tells children apart whose effects may have equal ids. It is shown in
  ///   descriptors.
  /// - Complexity: One comparison without effects; the id is not even made then.
  @inlinable
  @inline(__always)
  public consuming func scoped<Child, Parent, ID: Hashable & Sendable>(
    _ embed: @escaping @Sendable (Child) -> Parent, id: @autoclosure () -> ID,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    adopted { $0.adopted(embed, id) }
  }

  /// The same, with this line of source for an id: give one where a single line serves several
  /// children.
  ///
  /// - Complexity: One comparison without effects; else a new array, and for each effect a closure
  ///   and its ids anew.
  @inlinable
  @inline(__always)
  public consuming func scoped<Child, Parent>(
    _ embed: @escaping @Sendable (Child) -> Parent,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    adopted {
      $0.adopted(
        embed, under: ScopeKey(id: nil, location: SourceLocation(fileID: fileID, line: line)))
    }
  }

  @inlinable
  @inline(never)
  func adopted<Child, Parent, ID: Hashable & Sendable>(
    _ embed: @escaping @Sendable (Child) -> Parent, _ id: () -> ID
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    adopted(embed, under: ScopeKey(CancelID(id())))
  }

  @inlinable
  @inline(never)
  func adopted<Child, Parent>(
    _ embed: @escaping @Sendable (Child) -> Parent, under key: ScopeKey
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    map { $0.map(embed).nested(under: key) }
  }
}

extension Reducer {
  /// Reduces where there is a child: the plain-call form of `ifLet`.
  ///
  /// ```swift
  /// case .detail(let action):
  ///   return Detail().reduce(ifLet: &state.detail, action, dependencies).scoped(Action.detail, id: "detail")
  /// case .dismiss:
  ///   state.detail = nil
  ///   return [.endChild(id: "detail")]
  /// ```
  /// - Returns: The child's effects; an issue at this line if there is no child, and then nothing
  ///   changed.
  /// - Complexity: The child's own; in place.
  @inlinable
  @inline(__always)
  public func reduce(
    ifLet state: inout State?, _ action: Action, _ dependencies: Dependencies,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<Action>] {
    state.withValue { reduce(&$0, action, dependencies) }
      ?? [.issue(absentChild(action), fileID: fileID, line: line)]
  }

  /// Reduces where an enum is in the child's case: the plain-call form of `ifCaseLet`.
  ///
  /// ```swift
  /// case .board(let action):
  ///   return Board().reduce(ifCase: State.board, of: &state, action, dependencies).scoped(Action.board, id: "board")
  /// ```
  /// What takes the state out of the case returns `.endChild(id: "board")`.
  ///
  /// - Returns: The child's effects; an issue at this line where the enum is in another case, and
  ///   then nothing changed.
  /// - Complexity: The child's own; in place.
  @inlinable
  @inline(__always)
  public func reduce<Mode>(
    ifCase path: CasePath<Mode, State>, of mode: inout Mode, _ action: Action,
    _ dependencies: Dependencies, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<Action>] {
    path.modify(&mode) { reduce(&$0, action, dependencies) }
      ?? [.issue(otherCase(action, mode), fileID: fileID, line: line)]
  }

  /// Reduces one element of a list: the plain-call form of `forEach`.
  ///
  /// ```swift
  /// case .rows(let action):
  ///   return Row().reduce(forEach: &state.rows, action, dependencies).scoped(Action.rows, id: "rows")
  /// case .remove(let id):
  ///   state.rows.remove(id: id)
  ///   return [.endElement(id, of: "rows")]
  /// ```
  /// - Returns: The child's effects, each element's in a place of its own; an issue at this line
  ///   where the element is not there, and then nothing changed.
  /// - Complexity: O(1) plus the cost of the child's own; in place.
  @inlinable
  @inline(__always)
  public func reduce<ID: Hashable & Sendable>(
    forEach elements: inout IdentifiedArray<ID, State>, _ action: ElementAction<ID, Action>,
    _ dependencies: Dependencies, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<ElementAction<ID, Action>>] {
    let id = action.id
    guard let position = elements.positions[id] else {
      return [
        .issue(
          absentElement(action.action, id, among: elements.ids), fileID: fileID, line: line)
      ]
    }
    return reduce(&elements.storage[position], action.action, dependencies)
      .adopted { $0.adopted({ .element(id: id, action: $0) }) { id } }
  }
}

extension Effect {
  /// Ends a child: cancels its effects and the effects of its children. For children that are
  /// composed by plain calls; operators do it by themselves.
  ///
  /// - Parameter id: The one given to `scoped`.
  /// - Complexity: O(number of the child's effects) when it is reduced, and O(length of the queue)
  ///   where actions wait in it. Making it allocates a path of one part.
  public static func endChild(
    id: some Hashable & Sendable, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    .cancelScope(
      path: [ScopeKey(CancelID(id))], location: SourceLocation(fileID: fileID, line: line))
  }

  /// Ends everything that one element of a list has going.
  ///
  /// - Parameter id: The one given to `scoped` for the list.
  /// - Complexity: As `endChild(id:)`, for the effects of one element.
  public static func endElement(
    _ element: some Hashable & Sendable, of id: some Hashable & Sendable,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    .cancelScope(
      path: [ScopeKey(CancelID(id)), ScopeKey(CancelID(element))],
      location: SourceLocation(fileID: fileID, line: line))
  }

  /// Ends the effects of removed elements.
  ///
  /// ```swift
  /// let before = state.rows.ids
  /// state.rows.removeAll { $0.isDone }
  /// return Effect.endRemoved(from: before, in: state.rows, of: "rows")
  /// ```
  /// - Parameter id: The one given to `scoped` for the list.
  /// - Complexity: O(1) where no id was added or removed since `before` was taken, else O(count).
  public static func endRemoved<ID: Hashable & Sendable, Element>(
    from before: [ID], in elements: IdentifiedArray<ID, Element>,
    of id: some Hashable & Sendable, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect] {
    if before == elements.ids { return [] }
    return ChildScope(id: { id }, fileID: { fileID }, line: { line })
      .end(before, now: elements)
  }
}
