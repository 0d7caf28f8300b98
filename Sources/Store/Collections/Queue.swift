/// A first-in, first-out queue.
///
/// - Complexity: O(1) amortized to add and to remove.
@usableFromInline
struct Queue<Element: Sendable>: Sendable {
  @usableFromInline var storage: [Element?] = []
  @usableFromInline var head = 0

  @inlinable
  init() {}

  @usableFromInline
  init(_ elements: [Element]) { storage = elements }

  @inlinable
  var isEmpty: Bool { head == storage.count }

  @inlinable
  var count: Int { storage.count - head }

  @inlinable
  var elements: [Element] { isEmpty ? [] : storage[head...].compactMap(\.self) }

  var first: Element? { isEmpty ? nil : storage[head] }

  /// Returns the first element for which `isWanted` returns `true`. O(number of elements before
  /// it).
  func first(where isWanted: (Element) -> Bool) -> Element? {
    for case let element? in storage[head...] where isWanted(element) { return element }
    return nil
  }

  @inlinable
  mutating func append(_ element: Element) {
    storage.append(element)
  }

  @inlinable
  mutating func popFirst() -> Element? {
    if storage.count - head <= 1 {
      guard head < storage.count, let last = storage.popLast() else { return nil }
      if head > 0 { removeTaken() }
      return last
    }
    let element = storage[head].take()
    head += 1
    if head >= 1024, head * 2 >= storage.count { removeTaken() }
    return element
  }

  @usableFromInline
  mutating func removeTaken() {
    // Releases the storage that a burst needed.
    if head == storage.count, head > 1024 { storage = [] } else { storage.removeFirst(head) }
    head = 0
  }

  /// Replaces the last element for which `change` returns another one. Returns whether there was
  /// one. O(number of elements behind it).
  mutating func changeLast(_ change: (Element) -> Element?) -> Bool {
    for index in storage.indices.dropFirst(head).reversed() {
      guard let element = storage[index], let changed = change(element) else { continue }
      storage[index] = changed
      return true
    }
    return false
  }

  /// Removes all elements and returns them.
  @usableFromInline
  mutating func removeAll() -> [Element] {
    defer { self = Queue() }
    return elements
  }

  /// Removes the first element that equals `element`. Returns whether there was one. O(count).
  mutating func remove(_ element: Element) -> Bool where Element: Equatable {
    guard let index = storage[head...].firstIndex(of: element) else { return false }
    if index == head { _ = popFirst() } else { storage.remove(at: index) }
    return true
  }
}
