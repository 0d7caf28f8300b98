import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

struct Count: Sendable, Equatable {
  var count = 0
  var other = 0
}

private func makeStore() -> Store<Reduce<Count, Int, Void>> {
  Store(
    initialState: Count(),
    reducer: Reduce { state, action, _ in
      if action < 0 { state.other += 1 } else { state.count = action }
      return action == 100_000 ? [.task { 100_001 }] : []
    }, dependencies: ())
}

@Suite("R12 Observers")
struct R12Observers {
  @Test("R12 every step in order, although nobody takes them meanwhile, to the end of the store")
  func everyStep() async {
    let store = makeStore()
    let steps = store.steps()
    let actions = store.actions()
    for number in 1...1000 { store.send(number) }
    await store.shutdown(deadline: .zero)
    var seen: [Int] = []
    for await (step, state) in steps {
      #expect(step.number == state.count)
      seen.append(state.count)
    }
    #expect(seen == Array(1...1000))
    var taken: [Int] = []
    for await action in actions { taken.append(action) }
    #expect(taken == Array(1...1000))
  }

  @Test("R12 to begin observing takes no longer beside many that observe", .timeLimit(.minutes(1)))
  func manyObservers() {
    let store = makeStore()
    let heard = Atomic<Int>(0)
    // Minutes, where each made something of all that were there.
    for _ in 0..<20_000 {
      store.observe { _, _ in heard.wrappingAdd(1, ordering: .relaxed) }
    }
    store.send(1)
    #expect(heard.load(ordering: .relaxed) == 20_000)
  }

  @Test("R12 a bounded buffer keeps the newest")
  func bounded() async {
    let store = makeStore()
    let actions = store.actions(buffering: 3)
    for number in 1...10 { store.send(number) }
    await store.shutdown(deadline: .zero)
    var taken: [Int] = []
    for await action in actions { taken.append(action) }
    #expect(taken == [8, 9, 10])
  }

  @Test("R12 the latest state: what was missed is missed, what is taken is the newest")
  func conflated() async {
    let store = makeStore()
    var states = store.states.makeAsyncIterator()
    #expect(await states.next() == Count())
    for number in 1...10 { store.send(number) }
    #expect(await states.next()?.count == 10)
    store.send(11)
    #expect(await states.next()?.count == 11)
    store.send(12)
    await store.shutdown(deadline: .zero)
    #expect(await states.next()?.count == 12)
    #expect(await states.next() == nil)
  }

  @Test("R12 a key path without repetitions")
  func distinct() async {
    let store = makeStore()
    var counts = store.states(\.count).makeAsyncIterator()
    #expect(await counts.next() == 0)
    store.send(-1)
    store.send(5)
    #expect(await counts.next() == 5)
    store.send(-1)
    store.send(5)
    store.send(6)
    #expect(await counts.next() == 6)
    store.send(-1)
    await store.shutdown(deadline: .zero)
    #expect(await counts.next() == nil)
  }

  @Test("R12 who waits for a state is woken by the step; cancelling ends the waiting")
  func woken() async {
    let store = makeStore()
    let waiter = Task {
      var counts = store.states(\.count).makeAsyncIterator()
      _ = await counts.next()
      store.send(1)
      return await counts.next()
    }
    #expect(await waiter.value == 1)
    let idle = Task { () -> Int? in
      var counts = store.states(\.count).makeAsyncIterator()
      _ = await counts.next()
      return await counts.next()
    }
    idle.cancel()
    #expect(await idle.value == nil)
  }

  @Test("R12 what nobody iterates any more watches no more")
  func ends() async {
    let store = makeStore()
    do {
      var states = store.states.makeAsyncIterator()
      _ = await states.next()
      #expect(store.observerCount == 1)
      let steps = store.steps()
      _ = steps
      #expect(store.observerCount == 2)
    }
    #expect(store.observerCount == 0)
  }

  @Test("R3 R12 neither a reader nor a waiting sequence makes a step copy the state")
  func inPlace() async {
    struct Big: Sendable {
      var numbers = Array(0..<1000)
      var address = 0
    }
    let store = Store(
      initialState: Big(),
      reducer: Reduce<Big, Int, Void> { state, action, _ in
        state.numbers[action] += 1
        state.address = state.numbers.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
        return []
      }, dependencies: ())
    var counts = store.states { $0.numbers.count }.makeAsyncIterator()
    _ = await counts.next()
    store.observe { _, state in _ = state.numbers.count }
    store.send(0)
    let first = store.withState { $0.address }
    for number in 1..<100 {
      store.send(number)
      _ = await counts.next()
      #expect(store.withState { $0.address } == first)
    }
  }

  @Test("R12 steps come to the isolation of the caller")
  func isolation() async {
    actor Screen {
      var lines: [Int] = []
      func show(_ store: Store<Reduce<Count, Int, Void>>) async {
        await store.forEachStep { step, _ in
          assertIsolated()
          lines.append(step.action)
        }
      }
    }
    let executor = ManualExecutor()
    let store = makeStore()
    let screen = Screen()
    let showing = Task(executorPreference: executor) { await screen.show(store) }
    executor.run()
    store.send(1)
    store.send(2)
    await store.shutdown(deadline: .zero)
    executor.run()
    await showing.value
    #expect(await screen.lines == [1, 2])
  }
}

@Suite("Waiting for a state")
struct WaitUntilTests {
  @Test("a state that holds already, one that comes, and one that lasts one step only")
  func wait() async throws {
    let executor = ManualExecutor()
    let store = makeStore()
    try await store.wait(until: { $0.count == 0 })
    let passing = Task(executorPreference: executor) {
      try await store.wait { $0.count == 100_000 }
    }
    let later = Task(executorPreference: executor) { try await store.wait { $0.count == 7 } }
    executor.run()
    #expect(store.observerCount == 2)
    store.send(contentsOf: [100_000, 8, 7, 9])
    #expect(store.observerCount == 0)
    executor.run()
    try await passing.value
    try await later.value
  }

  @Test("an error when the store ends, or the waiting task is cancelled, before")
  func ends() async throws {
    let executor = ManualExecutor()
    let store = makeStore()
    let early = Task(executorPreference: executor) { try await store.wait { $0.count == 7 } }
    early.cancel()
    executor.run()
    await #expect(throws: CancellationError.self) { try await early.value }
    let late = Task(executorPreference: executor) { try await store.wait { $0.count == 7 } }
    executor.run()
    late.cancel()
    executor.run()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(store.observerCount == 0)
    let waiting = Task(executorPreference: executor) { try await store.wait { $0.count == 7 } }
    executor.run()
    await store.shutdown(deadline: .zero)
    executor.run()
    await #expect(throws: StoreEnded.self) { try await waiting.value }
    await #expect(throws: StoreEnded.self) { try await store.wait(until: { $0.count == 7 }) }
    try await store.wait(until: { $0.count == 0 })
  }
}

@Suite("Views of a store")
struct StoreViewTests {
  struct Board: Sendable {
    var left = Count()
    var right = Count()
  }

  enum Action: Sendable {
    case left(Int), right(Int)
  }

  private func makeBoard() -> Store<Reduce<Board, Action, Void>> {
    Store(
      initialState: Board(),
      reducer: Reduce { state, action, _ in
        switch action {
        case .left(let count): state.left.count = count
        case .right(let count): state.right.count = count
        }
        return []
      }, dependencies: ())
  }

  @Test("a view reads its part, sends its actions, and is watched by value")
  func parts() async {
    let store = makeBoard()
    let left = store.scope(state: \.left, action: Action.left)
    let count = left.scope(state: \.count, action: { (step: Int) in step })
    var counts = count.states(\.self).makeAsyncIterator()
    #expect(await counts.next() == 0)
    store.send(.right(9))
    count.send(4)
    #expect(await counts.next() == 4)
    #expect(left.state == Count(count: 4))
    #expect(store.state.left.count == 4)
    #expect(store.withState { $0.right.count } == 9)
    let seen = Journal<Int>()
    let observation = count.observe { seen.note($0) }
    count.send(5)
    observation.cancel()
    count.send(6)
    #expect(seen.entries == [5])
  }

  @Test("a view costs the store nothing: no observer, no copy")
  func free() {
    let store = makeBoard()
    let view = store.view
    _ = store.scope(state: \.left, action: Action.left).state
    #expect(store.observerCount == 0)
    #expect(view.withState { $0.left.count } == 0)
  }

  @Test("R11 a view of a dropped store reads the last state, and sending is an issue")
  func dropped() {
    let issues = Journal<StoreIssue>()
    var store: Store<Reduce<Count, Int, Void>>? = Store(
      initialState: Count(),
      reducer: Reduce { state, action, _ in
        state.count = action
        return []
      }, dependencies: (), onIssue: { issues.note($0) })
    let view = store?.view
    store?.send(3)
    store = nil
    view?.send(4)
    #expect(view?.state.count == 3)
    #expect(issues.entries.count == 1)
  }
}

@Suite("Sending many")
struct SendContentsTests {
  @Test(
    "R1 the same steps as one by one, with effects, observers or neither", arguments: [false, true])
  func same(isObserved: Bool) async throws {
    let store = makeStore()
    let seen = Journal<Int>()
    if isObserved { store.observe { step, _ in seen.note(step.number) } }
    store.send(contentsOf: Array(1...149) + [100_000, -1])
    try await store.wait(until: { $0.other == 1 })
    #expect(store.stepCount >= 151)
    #expect(!isObserved || seen.entries.prefix(151) == Array(1...151)[...])
  }
}

@Suite("R10 R12 The end of waiting")
struct FinishAfterObserversTests {
  @Test("R10 who asks while the last step is being told waits until every observer has heard it")
  func afterTheLastObserver() async {
    let effects = ManualExecutor()
    let waiters = ManualExecutor()
    let journal = Journal<String>()
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { state, action, _ in
        state = action
        return action == 1 ? [.task { 2 }] : []
      }, dependencies: (), executor: effects)
    let handle = store.send(1)
    let waiter = Mutex<Task<Void, Never>?>(nil)
    store.observe { step, _ in
      guard step.action == 2 else { return }
      waiter.withLock {
        $0 = Task(executorPreference: waiters) {
          await handle.finish()
          journal.note("finished")
        }
      }
      // The effect is over, and the second observer has not heard of it.
      waiters.run()
    }
    store.observe { _, _ in journal.note("told") }
    effects.run()
    waiters.run()
    await waiter.withLock { $0 }?.value
    #expect(journal.entries == ["told", "finished"])
  }
}
