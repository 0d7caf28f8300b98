// The operators as direct calls, for a `reduce` method that is written as a switch. They cost
// nothing if there are no effects.

extension Array {
  /// Returns a child's effects as effects of its parent: embeds the actions, and moves the ids into
  /// a place of their own.
  ///
  /// This is the plain-call form of `Scope`, and the fastest form. It has the effects that the
  /// child returns. A child with `subscribing`, or with children that operators compose, needs
  /// `Scope`:
  /// ```swift
  /// case .child(let action):
  ///   return child.reduce(&state.child, action, dependencies).scoped(Action.child, id: "child")
  /// ```
  /// - Parameter id: Distinguishes this child from others, and is shown in descriptors. The default
  ///   is this source line. Pass an id if one line serves several children.
  /// - Complexity: One comparison if there are no effects. The id is not evaluated in that case.
  ///   Otherwise a new array, and for each effect a closure and new ids.
  @inlinable @inline(__always)
  public consuming func scoped<Child, Parent, ID: Hashable & Sendable>(
    _ embed: @escaping @Sendable (Child) -> Parent, id: @autoclosure () -> ID = NoIdentity(),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    adopted {
      let id = id()
      return $0.adopted(
        embed,
        under: ChildKey(
          id: id is NoIdentity ? nil : id, location: SourceLocation(fileID: fileID, line: line)))
    }
  }

  @inlinable @inline(never)
  func adopted<Child, Parent>(
    _ embed: @escaping @Sendable (Child) -> Parent, under key: ChildKey
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    map { $0.adopted(embed, under: key) }
  }
}

extension Reducer {
  /// Reduces the state of an optional child, if it is not `nil`. This is the plain-call form of
  /// `ifLet`.
  ///
  /// ```swift
  /// case .detail(let action):
  ///   return Detail().reduce(ifLet: &state.detail, action, dependencies)
  ///     .scoped(Action.detail, id: "detail")
  /// case .dismiss:
  ///   state.detail = nil
  ///   return [.endChild(id: "detail")]
  /// ```
  /// - Returns: The child's effects. If there is no child, an issue at this line; nothing is
  ///   changed.
  /// - Complexity: The cost of the child, in place.
  @inlinable @inline(__always)
  public func reduce(
    ifLet state: inout State?, _ action: Action, _ dependencies: Dependencies,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<Action>] {
    state.withValue { reduce(&$0, action, dependencies) }
      ?? [.issue(absentChild(action), fileID: fileID, line: line)]
  }

  /// Reduces the value of an enum's case, if the enum is in that case. This is the plain-call form
  /// of `ifCaseLet`.
  ///
  /// ```swift
  /// case .board(let action):
  ///   return Board().reduce(ifCase: State.board, of: &state, action, dependencies)
  ///     .scoped(Action.board, id: "board")
  /// ```
  /// An action after which the state is in another case must return `.endChild(id: "board")`.
  ///
  /// - Returns: The child's effects. If the enum is in another case, an issue at this line; nothing
  ///   is changed.
  /// - Complexity: The cost of the child, in place.
  @inlinable @inline(__always)
  public func reduce<Mode>(
    ifCase path: CasePath<Mode, State>, of mode: inout Mode, _ action: Action,
    _ dependencies: Dependencies, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> [Effect<Action>] {
    path.modify(&mode) { reduce(&$0, action, dependencies) }
      ?? [.issue(otherCase(action, mode), fileID: fileID, line: line)]
  }

  /// Reduces one element of a list. This is the plain-call form of `forEach`.
  ///
  /// ```swift
  /// case .rows(let action):
  ///   return Row().reduce(forEach: &state.rows, action, dependencies)
  ///     .scoped(Action.rows, id: "rows")
  /// case .remove(let id):
  ///   state.rows.remove(id: id)
  ///   return [.endElement(id, of: "rows")]
  /// ```
  /// - Returns: The child's effects, in a place of their own for each element. If the element does
  ///   not exist, an issue at this line; nothing is changed.
  /// - Complexity: O(1) plus the cost of the child, in place.
  @inlinable @inline(__always)
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
      .adopted { $0.adopted({ .element(id: id, action: $0) }, under: ChildKey(CancelID(id))) }
  }
}

extension Effect {
  /// Ends a child: cancels its effects and the effects of its children. For children that are
  /// composed by plain calls. Operators end their children themselves.
  ///
  /// - Parameter id: The id that was passed to `scoped`.
  /// - Complexity: Creating the effect allocates a place with one part. Reducing it is O(number of
  ///   the child's effects).
  public static func endChild(
    id: some Hashable & Sendable, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    .cancelAll(
      at: [ChildKey(CancelID(id))], location: SourceLocation(fileID: fileID, line: line))
  }

  /// Ends one element of a list: cancels its effects and the effects of its children.
  ///
  /// ```swift
  /// let before = state.rows.ids
  /// state.rows.removeAll { $0.isDone }
  /// return before.filter { !state.rows.contains(id: $0) }.map { .endElement($0, of: "rows") }
  /// ```
  /// - Parameter id: The id that was passed to `scoped` for the list.
  /// - Complexity: The same as `endChild(id:)`, for the effects of one element.
  public static func endElement(
    _ element: some Hashable & Sendable, of id: some Hashable & Sendable,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    .cancelAll(
      at: [ChildKey(CancelID(id)), ChildKey(CancelID(element))],
      location: SourceLocation(fileID: fileID, line: line))
  }
}
