/// Who is told of steps.
@usableFromInline
final class Observer<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline let id: Int
  @usableFromInline let body: @Sendable (Step<Action>, borrowing State) -> Void

  @inlinable
  init(id: Int, body: @escaping @Sendable (Step<Action>, borrowing State) -> Void) {
    self.id = id
    self.body = body
  }
}

/// Observers in order. Not an array: calling what lies in one that is reached by a pointer counts references to the array and to each
/// closure, which is half the cost of telling somebody.
@usableFromInline
struct ObserverList<State: Sendable, Action: Sendable>: ~Copyable {
  @usableFromInline typealias Element = Observer<State, Action>

  @usableFromInline var elements: UnsafeMutablePointer<Element>
  @usableFromInline var count = 0
  @usableFromInline var capacity: Int

  @inlinable
  init(capacity: Int = 1) {
    self.capacity = max(1, capacity)
    elements = .allocate(capacity: self.capacity)
  }

  @inlinable
  deinit {
    elements.deinitialize(count: count)
    elements.deallocate()
  }

  @inlinable
  @inline(__always)
  borrowing func forEach(_ body: (Element) -> Void) {
    for index in 0..<count {
      // The list keeps them alive, and does not change while they are called.
      Unmanaged.passUnretained(elements[index])._withUnsafeGuaranteedRef { body($0) }
    }
  }

  /// O(count).
  borrowing func copy() -> ObserverList {
    var copy = ObserverList(capacity: count)
    copy.elements.initialize(from: elements, count: count)
    copy.count = count
    return copy
  }

  /// O(count).
  var all: [Element] { Array(UnsafeBufferPointer(start: elements, count: count)) }

  mutating func append(_ element: Element) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: elements, count: count)
      elements.deallocate()
      elements = larger
      capacity *= 2
    }
    (elements + count).initialize(to: element)
    count += 1
  }

  /// Takes one out. O(count).
  mutating func remove(_ id: Int) -> Element? {
    guard let index = (0..<count).first(where: { elements[$0].id == id }) else { return nil }
    let element = (elements + index).move()
    (elements + index).moveInitialize(from: elements + index + 1, count: count - index - 1)
    count -= 1
    return element
  }
}
