/// The place of a child in its parent, and the line that composed it.
///
/// It is one closure, because a body is created for every action. Copying and destroying an id of
/// any type would cost more than everything else that an action does, and creating the key
/// allocates. Moreover, the optimizer splits only structs of up to six such parts, which makes them
/// free.
@usableFromInline
struct ChildPlace: Sendable {
  /// What the composition says about a child. The offset is that of its state in the parent's.
  @usableFromInline typealias Declaration = (
    id: (any Hashable & Sendable)?, offset: Int?, location: SourceLocation, mayBeAbsent: Bool
  )

  @usableFromInline let declaration: @Sendable () -> Declaration

  @inlinable @inline(__always)
  init(
    id: @escaping @Sendable () -> (any Hashable & Sendable)?,
    fileID: @escaping @Sendable () -> StaticString, line: @escaping @Sendable () -> UInt32
  ) {
    declaration = { (id(), nil, SourceLocation(fileID: fileID(), line: line()), true) }
  }

  @usableFromInline
  init(_ declaration: @escaping @Sendable () -> Declaration) {
    self.declaration = declaration
  }

  /// Returns the place of a child whose state is at an offset in the parent's, since one line can
  /// compose several children: in a helper or a loop. It allocates.
  ///
  /// A key path in its place would be called at run time, which makes an action through five scopes
  /// take 5 microseconds instead of 15 nanoseconds. The compiler computes the offset.
  @inlinable @inline(never)
  func at(_ offset: Int?, mayBeAbsent: Bool = true) -> ChildPlace {
    ChildPlace { [declaration] in
      let (id, _, location, _) = declaration()
      return (id, offset, location, mayBeAbsent)
    }
  }

  @usableFromInline
  var location: SourceLocation { declaration().location }

  @usableFromInline
  var key: ChildKey {
    let (id, offset, location, mayBeAbsent) = declaration()
    return ChildKey(id: id, offset: offset, location: location, mayBeAbsent: mayBeAbsent)
  }

  /// Returns a child's effects as effects of the parent.
  @inlinable @inline(__always)
  func adopt<Child, Parent>(
    _ effects: [Effect<Child>], as embed: @escaping @Sendable (Child) -> Parent
  ) -> [Effect<Parent>] {
    effects.adopted { effects in
      let key = key
      return effects.map { $0.adopted(embed, under: key) }
    }
  }

  /// Returns the effects of one of several children at this place as effects of the parent.
  @inlinable @inline(never)
  func adopt<Child, Parent>(
    _ effects: [Effect<Child>], of identity: CancelID,
    as embed: @escaping @Sendable (Child) -> Parent
  ) -> [Effect<Parent>] {
    let outer = key
    let inner = ChildKey(identity)
    return effects.map { $0.adopted(embed, under: inner).nested(under: outer) }
  }

  /// Returns an effect that ends all effects of the child.
  @usableFromInline
  func end<Action>() -> Effect<Action> {
    .cancelAll(at: [key], location: location)
  }

  /// Returns an effect that ends all effects of one of several children at this place.
  @usableFromInline
  func end<Action>(_ identity: CancelID) -> Effect<Action> {
    .cancelAll(at: [key, ChildKey(identity)], location: location)
  }

  /// Returns effects that end the effects of removed children, or one that ends all if no child is
  /// left. O(count) comparisons of ids. Only the ids behind the first difference are hashed, so
  /// that elements can be added and removed at the end of a long list.
  @inlinable @inline(never)
  func end<ID: Hashable & Sendable, Element, Action>(
    _ before: [ID], now: IdentifiedArray<ID, Element>
  ) -> [Effect<Action>] {
    if now.isEmpty { return before.isEmpty ? [] : [end()] }
    let ids = now.ids
    let change = before.indices.first { $0 == ids.count || before[$0] != ids[$0] }
    return before[(change ?? before.count)...]
      .compactMap { now.contains(id: $0) ? nil : end(CancelID($0)) }
  }

  /// Returns the effects of an action for a child that does not exist: an issue, and the end of the
  /// child's effects. The latter is needed inside a reducer that composes others without operators,
  /// because the store does not notice the removal there.
  @usableFromInline
  func refuse<Action>(_ message: String) -> [Effect<Action>] {
    [issue(message), end()]
  }

  /// Does the same for an element. Not inlined, so that the common path stays short.
  @inlinable @inline(never)
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

extension ChildKey {
  @inlinable @inline(__always)
  init(_ identity: CancelID, mayBeAbsent: Bool = true) {
    self.init(identity: identity, label: identity.description, mayBeAbsent: mayBeAbsent)
  }
}
