import Testing

@testable import SwiftBoardStore

@Suite("The queue")
struct QueueTests {
  private func queue(_ elements: some Sequence<Int>) -> Queue<Int> {
    var queue = Queue<Int>()
    for element in elements { queue.append(element) }
    return queue
  }

  @Test(
    "what came first is taken first, also beyond the point at which taken places are given back")
  func order() {
    var queue = queue(0..<3000)
    for element in 0..<2000 { #expect(queue.popFirst() == element) }
    for element in 3000..<5000 { queue.append(element) }
    #expect(queue.count == 3000)
    #expect(queue.elements.first == 2000)
    for element in 2000..<5000 { #expect(queue.popFirst() == element) }
    #expect(queue.popFirst() == nil)
  }

  @Test("an empty queue has nothing, and takes elements again")
  func empty() {
    var queue = queue([1])
    #expect(queue.popFirst() == 1)
    #expect(queue.isEmpty && queue.count == 0 && queue.elements.isEmpty)
    queue.append(2)
    #expect(queue.elements == [2])
  }

  @Test(
    "the first of equal elements is removed",
    arguments: [(1, [2, 3, 2]), (2, [1, 3, 2]), (3, [1, 2, 2])])
  func remove(element: Int, left: [Int]) {
    var queue = queue([0, 1, 2, 3, 2])
    #expect(queue.popFirst() == 0)
    let isRemoved = queue.remove(element)
    #expect(isRemoved)
    #expect(queue.elements == left)
  }

  @Test("what has been taken, or was never there, is not removed")
  func removeMissing() {
    var queue = queue([1, 2])
    _ = queue.popFirst()
    let isRemoved = queue.remove(1)
    #expect(!isRemoved)
    #expect(queue.elements == [2])
  }
}
