/// The sleepers of a clock: a heap ordered by deadline, then by arrival.
///
/// A cancelled sleeper stays in the heap as an empty entry until it reaches the top, or until more
/// than half of the entries are empty.
///
/// - Complexity: Adding, waking and cancelling a sleeper are amortized O(log n) each.
struct SleeperQueue: Sendable {
  typealias Continuation = CheckedContinuation<Void, any Error>

  private struct Position {
    let deadline: TestClock.Instant
    let id: Int

    static func < (a: Position, b: Position) -> Bool {
      a.deadline == b.deadline ? a.id < b.id : a.deadline < b.deadline
    }
  }

  private var heap: [Position] = []
  private var asleep: [Int: Continuation] = [:]

  var isEmpty: Bool { asleep.isEmpty }

  /// The deadlines of all sleepers, in the order in which they will wake.
  ///
  /// - Complexity: O(n log n).
  var deadlines: [TestClock.Instant] {
    heap.filter { asleep[$0.id] != nil }.sorted(by: <).map(\.deadline)
  }

  /// The deadline of the next sleeper to wake.
  var nextDeadline: TestClock.Instant? {
    mutating get {
      while let first = heap.first {
        if asleep[first.id] != nil { return first.deadline }
        removeFirst()
      }
      return nil
    }
  }

  /// Adds a sleeper.
  ///
  /// - Parameter id: An id above those of all earlier sleepers.
  mutating func insert(_ continuation: Continuation, id: Int, deadline: TestClock.Instant) {
    asleep[id] = continuation
    heap.append(Position(deadline: deadline, id: id))
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes a sleeper before its deadline.
  mutating func remove(id: Int) -> Continuation? {
    guard let continuation = asleep.removeValue(forKey: id) else { return nil }
    if heap.count > 32, heap.count > 2 * asleep.count {
      heap = heap.filter { asleep[$0.id] != nil }
      for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }
    return continuation
  }

  /// Removes all sleepers of `deadline`, which must be the next one, in the order of arrival.
  mutating func removeAll(due deadline: TestClock.Instant) -> [Continuation] {
    var due: [Continuation] = []
    while let first = heap.first, first.deadline <= deadline {
      removeFirst()
      if let continuation = asleep.removeValue(forKey: first.id) { due.append(continuation) }
    }
    return due
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sink(0)
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var smallest = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child] < heap[smallest] {
        smallest = child
      }
      if smallest == index { return }
      heap.swapAt(index, smallest)
      index = smallest
    }
  }
}
