import SwiftBoardStore
import Synchronization
import Testing

@Suite("Alignments of lists")
struct ListAlignmentTests {
  /// Counts how often elements are compared and hashed.
  final class Work: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
  }

  struct Element: Hashable {
    let number: Int
    let work: Work

    static func == (a: Element, b: Element) -> Bool {
      a.work.add()
      return a.number == b.number
    }

    func hash(into hasher: inout Hasher) {
      work.add()
      hasher.combine(number)
    }
  }

  /// Returns an alignment as text: common numbers alone, others after `-` and `+`.
  func text(_ a: [Int], _ b: [Int]) -> [String] {
    ListAlignment.pairs(a, b).map { pair in
      switch pair {
      case (let i?, let j?): a[i] == b[j] ? "\(a[i])" : "wrong"
      case (let i?, nil): "-\(a[i])"
      case (nil, let j?): "+\(b[j])"
      case (nil, nil): "nothing"
      }
    }
  }

  func work(_ a: [Int], _ b: [Int]) -> Int {
    let work = Work()
    _ = ListAlignment.pairs(
      a.map { Element(number: $0, work: work) }, b.map { Element(number: $0, work: work) })
    return work.count
  }

  @Test("short lists have a minimal alignment")
  func short() {
    #expect(text([], []) == [])
    #expect(text([], [1]) == ["+1"])
    #expect(text([1, 2, 3], [0, 1, 2, 3]) == ["+0", "1", "2", "3"])
    #expect(text([1, 2, 3, 4], [1, 5, 4]) == ["1", "-2", "-3", "+5", "4"])
    #expect(text([1, 1], [1]) == ["1", "-1"])
  }

  @Test("long lists are compared in linear time", arguments: [8_000, 16_000])
  func linear(count: Int) {
    let numbers = Array(0..<count)
    #expect(work(numbers, numbers.reversed()) < 20 * count)
    #expect(work(numbers, numbers.map { $0 % 7 }.reversed()) < 20 * count)
    #expect(work(numbers, numbers.map { $0 + count }) < 20 * count)
    #expect(work(numbers, []) < 20 * count)
    #expect(work([count / 2, -1, count / 3], numbers) < 20 * count)
  }

  @Test("in long lists, a moved, a removed, a replaced and an inserted element are found")
  func long() {
    let numbers = Array(0..<4_000)
    var changed = numbers
    changed.removeFirst()
    changed.swapAt(2_000, 2_001)
    changed[3_000] = -1
    changed.append(-2)
    let found = text(numbers, changed)
    #expect(found.filter { !$0.allSatisfy(\.isNumber) }.count == 6)
    #expect(found.filter { $0.hasPrefix("-") } == ["-0", "-2001", "-3001"])
  }

  @Test("every alignment has all positions in order", arguments: 0..<20)
  func complete(seed: Int) {
    let a = (0..<700).map { ($0 * (seed + 3)) % (seed * 40 + 2) }
    let b = (0..<600).map { ($0 * (seed + 5)) % (seed * 30 + 3) }
    let pairs = ListAlignment.pairs(a, b)
    #expect(pairs.compactMap(\.first) == Array(a.indices))
    #expect(pairs.compactMap(\.second) == Array(b.indices))
    #expect(!text(a, b).contains("wrong"))
  }
}
