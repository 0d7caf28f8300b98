// Access by position is read-only. Elements are changed by id, because a position can have another
// element after the next step.

extension IdentifiedArray: RandomAccessCollection {
  /// Always 0.
  @inlinable
  public var startIndex: Int { 0 }
  /// The number of elements.
  @inlinable
  public var endIndex: Int { storage.count }

  /// The element at a position, which must be one of `indices`, like in any collection.
  @inlinable
  public subscript(position: Int) -> Element { storage[position] }

  /// Calls `body` with the contiguous storage of all elements. Never returns `nil` because of
  /// missing storage. O(1) plus the cost of `body`.
  @inlinable
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    try storage.withContiguousStorageIfAvailable(body)
  }
}

/// Two arrays are equal if their ids and elements are equal, in order. O(count).
extension IdentifiedArray: Equatable where Element: Equatable {
  /// Returns whether the ids and elements are equal, in order. O(count).
  @inlinable
  public static func == (a: Self, b: Self) -> Bool {
    a.storage == b.storage && a.ids == b.ids
  }
}

extension IdentifiedArray: Hashable where Element: Hashable {
  /// Hashes the ids and the elements. O(count).
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ids)
    hasher.combine(storage)
  }
}

extension IdentifiedArray: CustomStringConvertible {
  /// The description of the elements, without their ids.
  public var description: String { storage.description }
}

/// The children of the mirror are labelled with their ids.
extension IdentifiedArray: CustomReflectable {
  /// A mirror of the elements, labelled with their ids.
  public var customMirror: Mirror {
    Mirror(
      self, children: zip(ids, storage).map { (label: "\($0)" as String?, value: $1 as Any) },
      displayStyle: .collection)
  }
}
