// For reading by position. Elements are changed by id, since a position may have another element
// after the next step.

extension IdentifiedArray: RandomAccessCollection {
  /// Always 0.
  @inlinable
  public var startIndex: Int { 0 }
  /// The number of elements.
  @inlinable
  public var endIndex: Int { storage.count }

  /// The element at a position, which must be one of `indices`, as with any collection.
  @inlinable
  public subscript(position: Int) -> Element { storage[position] }

  /// Calls `body` with all elements, which are contiguous; never returns `nil` for want of storage.
  /// O(1) plus the cost of `body`.
  @inlinable
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    try storage.withContiguousStorageIfAvailable(body)
  }
}

/// Equal by ids and elements, in order. O(count).
extension IdentifiedArray: Equatable where Element: Equatable {
  @inlinable
  public static func == (a: Self, b: Self) -> Bool {
    a.storage == b.storage && a.ids == b.ids
  }
}

extension IdentifiedArray: Hashable where Element: Hashable {
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ids)
    hasher.combine(storage)
  }
}

extension IdentifiedArray: CustomStringConvertible {
  public var description: String { storage.description }
}

/// A list whose parts are called by their ids.
extension IdentifiedArray: CustomReflectable {
  public var customMirror: Mirror {
    Mirror(
      self, children: zip(ids, storage).map { (label: "\($0)" as String?, value: $1 as Any) },
      displayStyle: .collection)
  }
}
