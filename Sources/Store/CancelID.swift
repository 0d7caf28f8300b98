/// An id with which effects can be cancelled. Any hashable value can be an id. Values of different
/// types are different ids.
///
/// Descriptors and recordings have the value's `description`. It must be the same in every process,
/// or a recording does not replay: those of a `Set` and a `Dictionary` are not.
///
/// An id belongs to one store and to the place in the composition where it was given. The same
/// value in a sibling, in another row or in another store is a different id. The value's
/// `description`, `==`, `hash(into:)` and `deinit` can run under the lock of the store and must not
/// use it. Numbers and strings cost no allocation, other types one.
public struct CancelID: Hashable, Sendable, CustomStringConvertible {
  @usableFromInline
  enum Value: Sendable {
    case number(Int)
    case text(String)
    case other(AnyCancelID)
  }

  @usableFromInline let value: Value

  /// Creates an id from any value. A `CancelID` is copied.
  ///
  /// - Complexity: `Int` and `String` are stored inline. A value of another type costs one
  ///   allocation and is hashed once, here.
  @inlinable
  public init(_ base: some Hashable & Sendable) {
    // The types are compared first, because casting a value of any type is slower than everything
    // else here.
    let type = type(of: base)
    if type == Int.self, let number = base as? Int {
      value = .number(number)
    } else if type == String.self, let text = base as? String {
      value = .text(text)
    } else if type == CancelID.self, let id = base as? CancelID {
      value = id.value
    } else {
      value = .other(TypedCancelID(base))
    }
  }

  /// The description of the value.
  public var description: String {
    switch value {
    case .number(let number): number.description
    case .text(let text): text
    case .other(let box): box.description
    }
  }

  /// Returns whether two ids are equal. If neither is an `Int` or a `String`, compares hashes
  /// first.
  @inlinable
  public static func == (a: CancelID, b: CancelID) -> Bool {
    switch (a.value, b.value) {
    case (.number(let a), .number(let b)): a == b
    case (.text(let a), .text(let b)): a == b
    case (.other(let a), .other(let b)): a === b || a.isEqual(to: b)
    default: false
    }
  }

  /// Hashes the value. O(1) for values that are neither `Int` nor `String`.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    switch value {
    case .number(let number): hasher.combine(number)
    case .text(let text): hasher.combine(text)
    case .other(let box): hasher.combine(box.hash)
    }
  }
}

/// A box for an id of a type that the store does not know. It is a class, so that a copy costs one
/// retain and most comparisons end at the hash.
@usableFromInline
class AnyCancelID: @unchecked Sendable {
  // Unchecked only because a class that can be subclassed cannot be checked. This field and the
  // subclass's are constants of Sendable types.
  @usableFromInline let hash: Int

  @inlinable
  init(hash: Int) {
    self.hash = hash
  }

  @usableFromInline
  func isEqual(to other: AnyCancelID) -> Bool { self === other }

  @usableFromInline var description: String { "" }
}

@usableFromInline
final class TypedCancelID<Base: Hashable & Sendable>: AnyCancelID, @unchecked Sendable {
  // Unchecked like its superclass. Its field is a constant of a Sendable type.
  @usableFromInline let base: Base

  @inlinable
  init(_ base: Base) {
    self.base = base
    super.init(hash: base.hashValue)
  }

  @usableFromInline
  override func isEqual(to other: AnyCancelID) -> Bool {
    guard hash == other.hash, let other = other as? TypedCancelID<Base> else { return false }
    return base == other.base
  }

  @usableFromInline
  override var description: String { String(describing: base) }
}

/// The key of a child: its identity among the children of its parent, and its name in descriptors.
/// A place in the composition consists of the keys from the root to a child.
@usableFromInline
struct ChildKey: Hashable, Sendable {
  @usableFromInline let identity: CancelID
  /// The name shown in ids, or `nil` if the composition gave none.
  @usableFromInline let label: String?
  /// Whether the store has to look after each step if the child is still there. The child of a
  /// `Scope` always is. A plain call does not know: an operator may compose the same child.
  @usableFromInline let mayBeAbsent: Bool

  @inlinable
  init(identity: CancelID, label: String?, mayBeAbsent: Bool = true) {
    self.identity = identity
    self.label = label
    self.mayBeAbsent = mayBeAbsent
  }

  @inlinable
  static func == (a: ChildKey, b: ChildKey) -> Bool { a.identity == b.identity }

  @inlinable
  func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension ChildKey {
  /// Creates a key from the id that the composition gave, or from the source location and the
  /// offset of the child's state if it gave none.
  @usableFromInline
  init(
    id: (any Hashable & Sendable)?, offset: Int? = nil, location: SourceLocation,
    mayBeAbsent: Bool = true
  ) {
    let identity =
      if let id {
        CancelID(id)
      } else if let offset {
        CancelID(ComposedChild(offset: offset, location: location))
      } else {
        CancelID(location)
      }
    self.init(
      identity: identity, label: id == nil ? nil : identity.description, mayBeAbsent: mayBeAbsent)
  }
}

/// A child without an id: the line that composed it, and the offset of its state in the parent's,
/// by which children of the same line differ.
private struct ComposedChild: Hashable, Sendable {
  let offset: Int
  let location: SourceLocation
}

/// An id with its place, outermost child first. Without an id it stands for everything at that
/// place and below.
@usableFromInline
struct CancelKey: Hashable, Sendable {
  @usableFromInline var place: [ChildKey]
  @usableFromInline let id: CancelID?

  @inlinable
  init(place: [ChildKey] = [], id: CancelID?) {
    self.place = place
    self.id = id
  }

  /// The id as descriptors show it.
  @usableFromInline
  var text: String? {
    let parts = place.compactMap(\.label) + (id.map { [$0.description] } ?? [])
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }
}
