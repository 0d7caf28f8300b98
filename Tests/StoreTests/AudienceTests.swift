import SwiftBoardStore
import Synchronization
import Testing

@Suite("R8 R12 Who watches, and what ends with them")
struct AudienceTests {
  /// Tells when it ends, and reads the store then: under the lock that would not return.
  private final class Tail: Sendable {
    private let name: String
    private let journal: Journal<String>
    private let store: Mutex<Store<Reduce<Int, Int, Void>>?>

    init(_ name: String, _ journal: Journal<String>, _ store: Store<Reduce<Int, Int, Void>>? = nil)
    {
      self.name = name
      self.journal = journal
      self.store = Mutex(store)
    }

    func touch() {}

    deinit {
      let steps = store.withLock { $0.take() }.map { " at \($0.stepCount)" } ?? ""
      journal.note("\(name) ended\(steps)")
    }
  }

  private let journal = Journal<String>()

  private func makeStore() -> Store<Reduce<Int, Int, Void>> {
    Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { state, action, _ in
        state += action
        return []
      }, dependencies: ())
  }

  @Test(
    "an observer that leaves while it is told is let go when the step has been told, outside the lock"
  )
  func leavesWhileTold() {
    let store = makeStore()
    let observation = Mutex<ObservationToken?>(nil)
    observation.withLock { [tail = Tail("first", journal, store), journal] observation in
      observation = store.observe { step, _ in
        tail.touch()
        journal.note("first \(step.number)")
      }
    }
    store.observe { [journal] step, _ in
      observation.withLock { $0.take() }?.cancel()
      journal.note("second \(step.number)")
    }
    store.send(1)
    store.send(1)
    #expect(journal.entries == ["first 1", "second 1", "first ended at 1", "second 2"])
  }

  @Test("an observer that comes while a step is told hears of the next")
  func comesWhileTold() {
    let store = makeStore()
    let hasCome = Mutex(false)
    store.observe { [journal] step, _ in
      journal.note("old \(step.number)")
      if hasCome.withLock({ was in
        defer { was = true }; return was
      }) {
        return
      }
      store.observe { [journal] step, _ in journal.note("new \(step.number)") }
    }
    store.send(1)
    store.send(1)
    #expect(journal.entries == ["old 1", "old 2", "new 2"])
  }

  @Test("those that come and go keep the order of the rest", arguments: [false, true])
  func order(whileTold: Bool) {
    let store = makeStore()
    let observations = (0..<9).map { number in
      store.observe { [journal] _, _ in journal.note("\(number)") }
    }
    let change: @Sendable () -> Void = { [journal] in
      for number in [8, 0, 4] { observations[number].cancel() }
      store.observe { _, _ in journal.note("9") }
    }
    let changer = store.observe { _, _ in if whileTold { change() } }
    if !whileTold { change() }
    store.send(1)
    changer.cancel()
    let told = journal.entries.count
    store.send(1)
    #expect(Array(journal.entries[told...]) == ["1", "2", "3", "5", "6", "7", "9"])
  }

  @Test("hooks end when others take their place, outside the lock")
  func hooksReplaced() {
    let store = makeStore()
    func hooks(_ name: String) -> StepHooks<Int, Int> {
      StepHooks(didReduce: { [tail = Tail(name, journal, store), journal] step, state in
        tail.touch()
        journal.note("\(name) \(step.number): \(state)")
      })
    }
    store.setHooks { _, _ in hooks("first") }
    store.send(5)
    store.setHooks { _, _ in hooks("second") }
    store.send(5)
    store.setHooks { _, _ in nil }
    store.send(5)
    #expect(
      journal.entries == ["first 1: 5", "first ended at 1", "second 2: 10", "second ended at 2"])
  }

  @Test("R11 what observers and hooks hold ends with the store")
  func endsWithStore() {
    do {
      let store = makeStore()
      store.setHooks { [journal] _, _ in
        let tail = Tail("hooks", journal)
        return StepHooks(willReduce: { _ in tail.touch() })
      }
      let tail = Tail("observer", journal)
      store.observe { _, _ in tail.touch() }
      store.send(1)
    }
    #expect(Set(journal.entries) == ["hooks ended", "observer ended"])
  }
}

/// A step takes a shorter path if only hooks watch, or nothing does.
@Suite("R2 Whoever watches")
struct ChangingAudienceTests {
  /// The steps that each observer received.
  private final class Heard: Sendable {
    private let storage = Mutex<[String: [Int]]>([:])

    func note(_ who: String, _ step: Int) {
      storage.withLock { $0[who, default: []].append(step) }
    }

    var all: [String: [Int]] { storage.withLock { $0 } }
  }

  @Test("each hears of exactly the steps while it watches, whoever else does", arguments: 0..<200)
  func hears(seed: UInt64) {
    var random = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    func next(_ count: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % count
    }
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { state, action, _ in
        state += 1
        switch action {
        case 1: return [.cancel(id: 3)]
        case 2: return [.send(0)]
        case 3: return [.none]
        case 4: return [.send(1), .cancel(id: 3)]
        default: return []
        }
      }, dependencies: ())
    let heard = Heard()
    var expected: [String: [Int]] = [:]
    var hook: Int?
    var meter: Int?
    var observers: [(id: Int, observation: ObservationToken)] = []
    for id in 0..<40 {
      switch next(9) {
      case 0:
        hook = id
        store.setHooks { _, _ in
          StepHooks(
            willReduce: { heard.note("will \(id)", $0) },
            didReduce: { step, _ in heard.note("did \(id)", step.number) })
        }
      case 1:
        hook = nil
        store.setHooks { _, _ in nil }
      case 2:
        meter = id
        store.setMeter { if case .didReduce(let step, _) = $0 { heard.note("meter \(id)", step) } }
      case 3:
        meter = nil
        store.setMeter(nil)
      case 4:
        let observation = store.observe { step, _ in heard.note("observer \(id)", step.number) }
        observers.append((id, observation))
      case 5:
        if !observers.isEmpty { observers.removeFirst().observation.cancel() }
      default:
        let before = store.stepCount
        let action = next(6)
        if next(4) == 0 {
          store.send(contentsOf: [action, 0, action])
        } else {
          store.send(action, origin: .program(next(3) == 0 ? "named" : ""))
        }
        for step in before + 1..<store.stepCount + 1 {
          if let hook {
            expected["will \(hook)", default: []].append(step)
            expected["did \(hook)", default: []].append(step)
          }
          if let meter { expected["meter \(meter)", default: []].append(step) }
          for observer in observers {
            expected["observer \(observer.id)", default: []].append(step)
          }
        }
      }
    }
    #expect(heard.all == expected)
    #expect(store.state == store.stepCount)
    #expect(store.effects.isEmpty)
  }
}
