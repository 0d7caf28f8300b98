/// The scope of a child's effects, and the line that composed it.
///
/// One closure, because a body is made anew for every action: copying and destroying an id of any
/// type would cost more than all the rest of an action's way, the key allocates, and the optimiser
/// takes apart, and so makes free, only structs of up to six such parts.
@usableFromInline
struct ChildScope: Sendable {
  @usableFromInline let place: @Sendable () -> (id: (any Hashable & Sendable)?, SourceLocation)

  @inlinable
  @inline(__always)
  init(
    id: @escaping @Sendable () -> (any Hashable & Sendable)?,
    fileID: @escaping @Sendable () -> StaticString, line: @escaping @Sendable () -> UInt32
  ) {
    place = { (id(), SourceLocation(fileID: fileID(), line: line())) }
  }

  @usableFromInline
  var location: SourceLocation { place().1 }

  @usableFromInline
  var key: ScopeKey {
    let (id, location) = place()
    return ScopeKey(id: id, location: location)
  }

  /// A child's effects as the parent returns them.
  @inlinable
  @inline(__always)
  func adopt<Child, Parent>(
    _ effects: [Effect<Child>], as embed: @escaping @Sendable (Child) -> Parent
  ) -> [Effect<Parent>] {
    effects.adopted { effects in
      let key = key
      return effects.map { $0.map(embed).nested(under: key) }
    }
  }

  /// The effects of one child among several at this place.
  @inlinable
  @inline(never)
  func adopt<Child, Parent>(
    _ effects: [Effect<Child>], of identity: CancelID,
    as embed: @escaping @Sendable (Child) -> Parent
  ) -> [Effect<Parent>] {
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

  /// Ends all effects of removed children; of all children at once if none is left. O(count).
  @usableFromInline
  func end<ID: Hashable & Sendable, Element, Action>(
    _ before: [ID], now: IdentifiedArray<ID, Element>
  ) -> [Effect<Action>] {
    if now.isEmpty { return before.isEmpty ? [] : [end()] }
    return before.compactMap { now.contains(id: $0) ? nil : end(CancelID($0)) }
  }

  /// The handling of an action for a child that does not exist: an issue. The child's effects end
  /// as well if the store could not notice its removal, inside a reducer that composes others by
  /// itself.
  @usableFromInline
  func refuse<Action>(_ message: String) -> [Effect<Action>] {
    [issue(message), end()]
  }

  /// The same for an element. Not inlined, so that the way past it stays short.
  @inlinable
  @inline(never)
  func refuse<ID: Hashable & Sendable, ChildAction, Action>(
    _ action: ChildAction, _ id: ID, among ids: [ID]
  ) -> [Effect<Action>] {
    [issue(absentElement(action, id, among: ids)), end(CancelID(id))]
  }

  @usableFromInline
  func issue<Action>(_ message: String) -> Effect<Action> {
    let location = location
    return .issue(message, fileID: location.fileID, line: location.line)
  }
}

extension ScopeKey {
  @inlinable
  @inline(__always)
  init(_ identity: CancelID) {
    self.init(identity: identity, label: identity.description)
  }
}
