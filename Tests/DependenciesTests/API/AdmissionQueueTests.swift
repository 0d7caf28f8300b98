import SwiftBoardTesting
import Testing

@testable import SwiftBoardDependencies

/// The order in which requests may begin, without any network.
struct AdmissionQueueTests {
  /// Takes everything that may begin now.
  private func drain(_ queue: inout AdmissionQueue) -> [UInt64] {
    var result: [UInt64] = []
    while queue.hasNext, let id = queue.next() { result.append(id) }
    #expect(queue.next() == nil)
    return result
  }

  @Test("a host's places go to those who came first") func aHostsPlacesGoToThoseWhoCameFirst() {
    var queue = AdmissionQueue(perHost: 2, inAll: 100)
    for id: UInt64 in 1...5 { queue.add(id, host: "a") }
    #expect(drain(&queue) == [1, 2])
    #expect(queue.count == 3)
    queue.remove(2)
    #expect(drain(&queue) == [3])
    queue.remove(1)
    queue.remove(3)
    #expect(drain(&queue) == [4, 5])
    #expect(queue.count == 0)
  }

  @Test("one host does not wait for another") func hostsDoNotWaitForEachOther() {
    var queue = AdmissionQueue(perHost: 1, inAll: 100)
    queue.add(1, host: "a")
    queue.add(2, host: "a")
    queue.add(3, host: "b")
    #expect(drain(&queue) == [1, 3])
    queue.remove(3)
    #expect(drain(&queue).isEmpty)
    queue.remove(1)
    #expect(drain(&queue) == [2])
  }

  @Test("the limit in all holds over hosts") func theLimitInAllHoldsOverHosts() {
    var queue = AdmissionQueue(perHost: 2, inAll: 3)
    for (id, host) in [(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "c"), (6, "b")] as [(UInt64, _)]
    {
      queue.add(id, host: host)
    }
    #expect(drain(&queue) == [1, 2, 4])
    queue.remove(1)
    // 5 and 6 had a place of their hosts before 3 had.
    #expect(drain(&queue) == [5])
    queue.remove(2)
    queue.remove(4)
    #expect(drain(&queue) == [6, 3])
  }

  @Test("a request that leaves the queue is never begun") func whoLeavesTheQueueIsNeverBegun() {
    var queue = AdmissionQueue(perHost: 1, inAll: 1)
    queue.add(1, host: "a")
    queue.add(2, host: "b")
    for id: UInt64 in 3...5 { queue.add(id, host: "a") }
    #expect(drain(&queue) == [1])
    queue.remove(4)
    queue.remove(2)
    queue.remove(2)
    queue.remove(99)
    #expect(queue.count == 2)
    queue.remove(1)
    #expect(drain(&queue) == [3])
    queue.remove(3)
    #expect(drain(&queue) == [5])
    queue.remove(5)
    #expect(drain(&queue).isEmpty)
    #expect(queue.count == 0)
  }

  @Test("a limit below one counts as one", arguments: [0, -1, Int.min])
  func aLimitBelowOneCountsAsOne(limit: Int) {
    var queue = AdmissionQueue(perHost: limit, inAll: limit)
    queue.add(1, host: "a")
    queue.add(2, host: "a")
    #expect(drain(&queue) == [1])
    queue.remove(1)
    #expect(drain(&queue) == [2])
  }

  /// Against the rules said in the simplest way, whatever comes and goes in whatever order.
  @Test("any order of coming and going keeps the limits", arguments: 0..<20 as Range<UInt64>)
  func anyOrderOfComingAndGoing(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let perHost = Int.random(in: 1...4, using: &generator)
    let inAll = Int.random(in: 1...8, using: &generator)
    var queue = AdmissionQueue(perHost: perHost, inAll: inAll)
    var waiting: [(id: UInt64, host: String)] = []
    var ready: [(id: UInt64, host: String)] = []
    var active: [(id: UInt64, host: String)] = []
    for id: UInt64 in 1...2000 {
      let host = "host\(Int.random(in: 0..<4, using: &generator))"
      queue.add(id, host: host)
      waiting.append((id, host))
      giveHostPlaces()
      if id % 50 > 20 {
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
          guard let gone = (waiting + ready + active).randomElement(using: &generator) else {
            break
          }
          queue.remove(gone.id)
          waiting.removeAll { $0.id == gone.id }
          ready.removeAll { $0.id == gone.id }
          active.removeAll { $0.id == gone.id }
          giveHostPlaces()
        }
      }
      var expected: [UInt64] = []
      while active.count < inAll, !ready.isEmpty {
        active.append(ready.removeFirst())
        expected.append(active[active.count - 1].id)
      }
      #expect(drain(&queue) == expected)
      #expect(queue.count == waiting.count + ready.count)
    }

    func giveHostPlaces() {
      var index = 0
      while index < waiting.count {
        let host = waiting[index].host
        if (ready + active).count(where: { $0.host == host }) < perHost {
          ready.append(waiting.remove(at: index))
        } else {
          index += 1
        }
      }
    }
  }
}
