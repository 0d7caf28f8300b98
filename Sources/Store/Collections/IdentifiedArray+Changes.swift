extension IdentifiedArray {
  // MARK: Adding

  /// Appends an element, unless its id already exists.
  ///
  /// - Returns: Whether the element was appended. If not, nothing is changed.
  /// - Complexity: O(1) amortized, or O(count) while there is a copy of `ids`.
  @inlinable
  @discardableResult
  public mutating func append(_ element: Element, id: ID) -> Bool {
    insert(element, id: id, at: count)
  }

  /// Inserts an element before the one at `position`, unless its id already exists.
  ///
  /// - Parameter position: The position, from 0. It is clamped to the bounds of the array.
  /// - Returns: Whether the element was inserted. If not, nothing is changed.
  /// - Complexity: O(count − position).
  @inlinable
  @discardableResult
  public mutating func insert(_ element: Element, id: ID, at position: Int) -> Bool {
    guard positions[id] == nil else { return false }
    let position = Swift.min(Swift.max(position, 0), count)
    storage.insert(element, at: position)
    order.insert(id, at: position)
    reindex(from: position)
    return true
  }

  /// Replaces the element under the id in place, or appends a new one.
  ///
  /// - Returns: The replaced element, or `nil` if there was none.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  public mutating func updateOrAppend(_ element: Element, id: ID) -> Element? {
    guard let position = positions[id] else {
      append(element, id: id)
      return nil
    }
    var old = element
    Swift.swap(&storage[position], &old)
    return old
  }

  // MARK: Removing

  /// Removes the element under the id.
  ///
  /// - Returns: The removed element, or `nil` if there was none.
  /// - Complexity: O(count − position), which is O(1) at the end.
  @inlinable
  @discardableResult
  public mutating func remove(id: ID) -> Element? {
    guard let position = positions[id] else { return nil }
    let element = storage.remove(at: position)
    forget(position)
    return element
  }

  /// Removes and returns the element at a position, or returns `nil` if the position is out of
  /// range. O(count − position).
  @inlinable
  @discardableResult
  public mutating func remove(at position: Int) -> Element? {
    guard storage.indices.contains(position) else { return nil }
    return remove(id: ids[position])
  }

  /// Removes and returns the last element, or returns `nil` if there is none.
  @inlinable
  @discardableResult
  public mutating func popLast() -> Element? {
    remove(at: count - 1)
  }

  /// Unavailable; use `popLast()`, which returns `nil` if there is no element.
  @available(*, unavailable, renamed: "popLast()")
  public mutating func removeLast() {}

  /// Unavailable; use `remove(at:)`, which returns `nil` if there is no element.
  @available(*, unavailable, message: "Use remove(at: 0), or remove(id:).")
  public mutating func removeFirst() {}

  /// Removes all elements. O(count).
  @inlinable
  public mutating func removeAll(keepingCapacity: Bool = false) {
    order.removeAll(keepingCapacity: keepingCapacity)
    storage.removeAll(keepingCapacity: keepingCapacity)
    positions.removeAll(keepingCapacity: keepingCapacity)
  }

  /// Removes the elements for which the closure returns `true`. The others keep their order.
  /// O(count). If none is removed, copies nothing, and `ids` keeps its storage.
  @inlinable
  public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
    guard let first = try storage.firstIndex(where: isGone) else { return }
    var keptIDs = Array(ids[..<first])
    var kept = ContiguousArray(storage[..<first])
    for position in storage.indices.dropFirst(first + 1) where try !isGone(storage[position]) {
      keptIDs.append(ids[position])
      kept.append(storage[position])
    }
    self = Self(order: keptIDs, storage: kept)
  }

  /// Returns the elements for which the closure returns `true`, with the same ids and in the same
  /// order. O(count).
  @inlinable
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    var copy = self
    try copy.removeAll { try !isIncluded($0) }
    return copy
  }

  // MARK: Ordering

  /// Moves the element under the id, so that it is at `position` afterwards.
  ///
  /// - Parameter position: The position, from 0, counted without the element. It is clamped to the
  ///   bounds of the array.
  /// - Returns: Whether there is such an element.
  /// - Complexity: O(count).
  @inlinable
  @discardableResult
  public mutating func move(id: ID, to position: Int) -> Bool {
    guard let old = positions[id] else { return false }
    let new = Swift.min(Swift.max(position, 0), count - 1)
    guard old != new else { return true }
    storage.insert(storage.remove(at: old), at: new)
    order.insert(order.remove(at: old), at: new)
    reindex(from: Swift.min(old, new))
    return true
  }

  /// Unavailable; use `move(id:to:)` for each element.
  @available(*, unavailable, message: "Use move(id:to:) for each element.")
  public mutating func move(fromOffsets: some Sequence<Int>, toOffset: Int) {}

  /// Exchanges the positions of two elements. Does nothing if either is missing. O(1), or O(count)
  /// while there is a copy of `ids`.
  @inlinable
  public mutating func swap(id first: ID, with second: ID) {
    guard let a = positions[first], let b = positions[second], a != b else { return }
    storage.swapAt(a, b)
    order.swapAt(a, b)
    positions[first] = b
    positions[second] = a
  }

  /// Sorts the elements. Equal elements keep their order. O(count log count).
  @inlinable
  public mutating func sort(
    by areInIncreasingOrder: (Element, Element) throws -> Bool
  ) rethrows {
    let order = try storage.indices.sorted { a, b in
      if try areInIncreasingOrder(storage[a], storage[b]) { return true }
      return try a < b && !areInIncreasingOrder(storage[b], storage[a])
    }
    rearrange(order)
  }

  /// Reverses the order of the elements. O(count).
  @inlinable
  public mutating func reverse() {
    rearrange(storage.indices.reversed())
  }

  /// Shuffles the elements with the generator. The same random numbers lead to the same order.
  /// O(count).
  @inlinable
  public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
    rearrange(storage.indices.shuffled(using: &generator))
  }
}

extension IdentifiedArray where Element: Comparable {
  /// Sorts the elements. Equal elements keep their order. O(count log count).
  @inlinable
  public mutating func sort() {
    sort(by: <)
  }
}

extension IdentifiedArray {
  /// Creates an array of elements with ids that are known to be unique.
  @inlinable
  init(order: [ID], storage: ContiguousArray<Element>) {
    self.init(order: order, storage: storage, positions: [:])
    positions.reserveCapacity(order.count)
    reindex(from: 0)
  }

  @inlinable
  mutating func rearrange(_ order: [Int]) {
    guard !order.elementsEqual(storage.indices) else { return }
    self = Self(
      order: order.map { ids[$0] }, storage: ContiguousArray(order.map { storage[$0] }))
  }

  @inlinable
  mutating func reindex(from position: Int) {
    for later in position..<ids.count { positions[ids[later]] = later }
  }

  /// Removes the id of an element that was removed.
  @inlinable
  mutating func forget(_ position: Int) {
    positions[order.remove(at: position)] = nil
    reindex(from: position)
  }
}
