/// Names effects so that they can be cancelled: any hashable value, told apart by type as well.
///
/// An id belongs to one store and to the place in the composition where it was given: the same value in a sibling, in another row
/// or in another store is another id.
public struct CancelID: Hashable, Sendable, CustomStringConvertible {
  @usableFromInline let base: any Hashable & Sendable

  @inlinable
  public init(_ base: some Hashable & Sendable) {
    self.base = base
  }

  public var description: String { String(describing: base) }

  @inlinable
  public static func == (a: CancelID, b: CancelID) -> Bool {
    func equal<T: Hashable>(_ value: T) -> Bool { (b.base as? T) == value }
    return type(of: a.base) == type(of: b.base) && equal(a.base)
  }

  @inlinable
  public func hash(into hasher: inout Hasher) {
    base.hash(into: &hasher)
  }
}

/// One step of the way from the root reducer to a child: who the child is, and how it is called in descriptors.
@usableFromInline
struct ScopeKey: Hashable, Sendable {
  @usableFromInline let identity: CancelID
  /// Shown in ids; `nil` where the composition gave no name.
  @usableFromInline let label: String?

  @inlinable
  init(identity: CancelID, label: String?) {
    self.identity = identity
    self.label = label
  }

  @inlinable
  static func == (a: ScopeKey, b: ScopeKey) -> Bool { a.identity == b.identity }

  @inlinable
  func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

/// An id with its place, outermost scope first. Without an id it stands for everything at that place and below.
@usableFromInline
struct CancelKey: Hashable, Sendable {
  @usableFromInline var path: [ScopeKey]
  @usableFromInline let id: CancelID?

  @inlinable
  init(path: [ScopeKey] = [], id: CancelID?) {
    self.path = path
    self.id = id
  }

  /// The id as descriptors show it.
  @usableFromInline
  var text: String? {
    let parts = path.compactMap(\.label) + (id.map { [$0.description] } ?? [])
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }
}
