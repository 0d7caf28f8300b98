/// Where a child's effects live: made anew with every body, so that the key, which allocates, is only built once there are effects.
@usableFromInline
struct ChildScope: Sendable {
  /// A closure, because copying and destroying a value of any type would cost more than all the rest of an action's way.
  @usableFromInline let id: @Sendable () -> (any Hashable & Sendable)?
  @usableFromInline let fileID: StaticString
  @usableFromInline let line: UInt32

  @inlinable
  @inline(__always)
  init(
    id: @escaping @Sendable () -> (any Hashable & Sendable)?, fileID: StaticString, line: UInt32
  ) {
    self.id = id
    self.fileID = fileID
    self.line = line
  }

  @inlinable
  var location: SourceLocation { SourceLocation(fileID: fileID, line: line) }

  @usableFromInline
  var key: ScopeKey { ScopeKey(id: id(), location: location) }

  /// A child's effects as the parent returns them.
  @inlinable
  @inline(__always)
  func adopt<Child, Parent>(
    _ effects: [Effect<Child>], as embed: @escaping @Sendable (Child) -> Parent
  ) -> [Effect<Parent>] {
    if effects.isEmpty { return [] }
    let key = key
    return effects.map { $0.map(embed).nested(under: key) }
  }

  /// The effects of one child among several at this place.
  @inlinable
  @inline(__always)
  func adopt<Child, Parent>(
    _ effects: [Effect<Child>], of identity: CancelID,
    as embed: @escaping @Sendable (Child) -> Parent
  ) -> [Effect<Parent>] {
    if effects.isEmpty { return [] }
    let outer = key
    let inner = ScopeKey(identity)
    return effects.map { $0.map(embed).nested(under: inner).nested(under: outer) }
  }

  /// Ends everything of the child.
  @usableFromInline
  func end<Action>() -> Effect<Action> {
    .cancelScope(path: [key], location: location)
  }

  /// Ends everything of one child among several at this place.
  @usableFromInline
  func end<Action>(_ identity: CancelID) -> Effect<Action> {
    .cancelScope(path: [key, ScopeKey(identity)], location: location)
  }

  /// Ends everything of the children that are gone; of all at once where none is left.
  @usableFromInline
  func end<ID: Hashable & Sendable, Action>(
    _ before: [ID], isEmptyNow: Bool, isThere: (ID) -> Bool
  ) -> [Effect<Action>] {
    if isEmptyNow { return before.isEmpty ? [] : [end()] }
    return before.compactMap { isThere($0) ? nil : end(CancelID($0)) }
  }

  @usableFromInline
  func issue<Action>(_ message: String) -> Effect<Action> {
    .issue(message, fileID: fileID, line: line)
  }
}

extension ScopeKey {
  @inlinable
  @inline(__always)
  init(_ identity: CancelID) {
    self.init(identity: identity, label: identity.description)
  }
}

extension Array {
  /// Both, without making a new array where one is empty.
  @inlinable
  static func joined<Action>(_ first: Self, _ second: Self) -> Self
  where Element == Effect<Action> {
    if second.isEmpty { return first }
    return first.isEmpty ? second : first + second
  }
}
