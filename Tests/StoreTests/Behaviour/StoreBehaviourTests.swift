import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("Behaviour of a store")
struct StoreBehaviourTests {
  /// Sends when it dies.
  final class LastWill: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }

    deinit { body() }
  }

  /// An action that may hold something whose end runs code.
  struct Parcel: Sendable, CustomStringConvertible {
    let description: String
    var content: LastWill?
  }

  struct Parcels: Reducer {
    let effects: @Sendable (Parcel) -> [Effect<Parcel>]

    func reduce(_ state: inout [String], _ action: Parcel, _ dependencies: Void)
      -> [Effect<Parcel>]
    {
      state.append(action.description)
      return effects(action)
    }
  }

  @Test("R2 an action whose end sends another: it is reduced after, and nothing locks up")
  func lastWill() {
    let box = Mutex<Store<Parcels>?>(nil)
    let will: @Sendable () -> LastWill = {
      LastWill { box.withLock { $0 }?.send(Parcel(description: "will")) }
    }
    let executor = ManualExecutor()
    let store = Store(
      initialState: [],
      reducer: Parcels { action in
        switch action.description {
        case "direct": []
        case "by send": [.send(Parcel(description: "sent", content: will()))]
        case "by task": [.task { Parcel(description: "done", content: will()) }]
        case "cancelled":
          [
            .send(Parcel(description: "cancel")),
            .send(Parcel(description: "never", content: will())).cancellable(id: 1),
          ]
        case "cancel": [.cancel(id: 1)]
        default: []
        }
      }, dependencies: (), executor: executor)
    box.withLock { $0 = store }
    store.send(Parcel(description: "direct", content: will()))
    for action in ["by send", "by task", "cancelled"] {
      store.send(Parcel(description: action))
      executor.run()
    }
    #expect(
      store.state == [
        "direct", "will", "by send", "sent", "will", "by task", "done", "will", "cancelled",
        "cancel", "will",
      ])
    box.withLock { $0 = nil }
  }

  @Test("R2 an observer that sends when a child appears is heard after the step, once")
  func observerSends() {
    let clock = TestClock()
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Host.State(child: nil),
      reducer: CombineReducers {
        Host { _ in [] }
        Reduce { state, action, _ in
          if case .cancel = action { state.child = Script.State() }
          return []
        }
      }, dependencies: (), executor: clock.executor, onIssue: { issues.note($0) })
    let order = Journal<Host.Action>()
    store.observe { [weak store] step, state in
      order.note(step.action)
      // Here `cancel` is what makes the child appear.
      if step.action == .cancel { store?.send(.child("hello")) }
    }
    store.send(.cancel)
    #expect(order.entries == [.cancel, .child("hello")])
    #expect(store.state.child?.seen == ["hello"])
    #expect(issues.entries == [])
  }

  @Test("R12 an observer is told of every step, those of one send too")
  func everyStep() {
    let told = Journal<Int>()
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { state, action, _ in
        if action == 0 { return [.send(1), .send(2), .send(3)] }
        state = action
        return []
      }, dependencies: ())
    store.observe { _, state in told.note(state) }
    store.send(0)
    #expect(told.entries == [0, 1, 2, 3])
  }

  @Test("a test store and a store come to the same state by the same steps")
  func storeAndTestStore() {
    @Sendable func effects(_ action: String) -> [Effect<String>] {
      switch action {
      case "tap": [.run { $0("1") }, .send("2")]
      case "1", "2": [.task { action + action }]
      default: []
      }
    }
    let test = TestStore(
      initialState: Script.State(), reducer: Script(effects), dependencies: (),
      report: { Issue.record("\($0)") })
    test.send("tap") { $0.seen = ["tap"] }
    for action in ["2", "1", "22", "11"] { test.receive(action) { $0.seen.append(action) } }
    test.finish()
    let stage = TimedStage { action, _ in effects(action) }
    stage.send("tap")
    #expect(stage.seen == test.state.seen)
  }

  @Test(
    "a test store reduces when the test receives: what a step reads and writes elsewhere is in step"
  )
  func lazySteps() {
    /// State outside the store, as features share it.
    final class Shared: Sendable {
      private let value = Mutex(false)
      var isOn: Bool { value.withLock { $0 } }
      func toggle() { value.withLock { $0.toggle() } }
    }
    let shared = Shared()
    let store = TestStore(
      initialState: [Bool](),
      reducer: Reduce<[Bool], String, Shared> { state, action, shared in
        if action == "tap" { return [.send("respond")] }
        shared.toggle()
        state.append(shared.isOn)
        return []
      }, dependencies: shared, report: { Issue.record("\($0)") })
    store.send("tap")
    #expect(!shared.isOn, "the response was not reduced behind the test's back")
    store.receive("respond") { $0 = [true] }
    #expect(shared.isOn)
    store.finish()
  }

  @Test("R6 two test stores on one clock do not meet, although their ids are equal")
  func testStores() {
    struct Feature: Reducer {
      func reduce(_ state: inout Int, _ action: String, _ clock: TestClock) -> [Effect<String>] {
        switch action {
        case "tap":
          return [
            .task {
              try await clock.sleep(for: .zero)
              try await clock.sleep(for: .seconds(1))
              return "response"
            }.cancellable(id: "effect")
          ]
        case "cancel": return [.cancel(id: "effect")]
        default:
          state = 42
          return []
        }
      }
    }
    let clock = TestClock()
    let stores = (0..<2).map { _ in
      TestStore(
        initialState: 0, reducer: Feature(), clock: clock, dependencies: clock,
        report: { Issue.record("\($0)") })
    }
    for store in stores { store.send("tap") }
    stores[1].send("cancel")
    clock.advance(by: .seconds(1))
    stores[0].receive("response") { $0 = 42 }
    for store in stores { store.finish() }
    #expect(stores.map(\.state) == [42, 0])
  }

  /// A child two levels down with many elements.
  struct Deep: ComposedReducer {
    struct Inner: Sendable {
      var elements = Array(repeating: 0, count: 100_000)
    }

    struct State: Sendable {
      var inner: Inner? = Inner()
      var count = 0
    }

    static let all = CasePath<Int, Int>(embed: { $0 }, extract: { $0 })

    var body: some Reducer<State, Int, Void> {
      Reduce { state, _, _ in
        state.count += 1
        return []
      }
      .ifLet(\.inner, action: Self.all) {
        Scope(state: \Inner.elements, action: Self.all) {
          Reduce<[Int], Int, Void> { elements, index, _ in
            elements[index] += 1
            return index.isMultiple(of: 7) ? [.fireAndForget {}] : []
          }
        }
      }
    }
  }

  @Test("R3 a hundred thousand elements stay where they are over a thousand steps and reads")
  func inPlace() {
    let executor = ManualExecutor()
    let store = Store(
      initialState: Deep.State(), reducer: Deep(), dependencies: (), executor: executor)
    let address: () -> Int? = {
      store.withState { state in
        state.inner?.elements.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
      }
    }
    // The first step takes the array from the test's copy, as a literal or a decoded one would be
    // taken.
    store.send(0)
    let first = address()
    #expect(first != nil)
    let observation = Journal<Int>()
    for index in 1..<1000 {
      if index == 500 {
        store.observe { step, state in observation.note(state.inner?.elements[step.action] ?? 0) }
      }
      store.send(index)
      executor.run()
      // Reads that end before the next step: in place, and as a copy that is let go.
      #expect(store.withState { $0.count } == index + 1)
      #expect(store.state.inner?.elements.count == 100_000)
    }
    #expect(address() == first)
    #expect(observation.entries == Array(repeating: 1, count: 500))
  }

  @Test("R3 who keeps a copy has the state of then, and pays for it once")
  func keptCopy() {
    let store = Store(initialState: Deep.State(), reducer: Deep(), dependencies: ())
    store.send(1)
    let kept = store.state
    store.send(2)
    #expect(kept.inner?.elements[1] == 1 && kept.inner?.elements[2] == 0)
    #expect(store.state.inner?.elements[2] == 1)
  }
}
