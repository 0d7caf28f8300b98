import SwiftBoardStore
import SwiftBoardTestSupport
import SwiftBoardTesting
import Synchronization
import Testing

struct Count: Sendable, Equatable {
  var count = 0
  var other = 0
}

func countStore() -> Store<Reduce<Count, Int, Void>> {
  Store(
    initialState: Count(),
    reducer: Reduce { state, action, _ in
      if action < 0 { state.other += 1 } else { state.count = action }
      return action == 100_000 ? [.task { 100_001 }] : []
    }, dependencies: ())
}

@Suite("R12 Observers")
struct ObserverTests {
  @Test("R12 every step in order, although nobody takes them meanwhile, to the end of the store")
  func everyStep() async {
    let store = countStore()
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

  // Real time: the limit fails the test where each one makes something of all that are there.
  @Test("R12 to begin observing takes no longer beside many that observe", .timeLimit(.minutes(10)))
  func manyObservers() {
    let store = countStore()
    let heard = Atomic<Int>(0)
    for _ in 0..<20_000 {
      store.observe { _, _ in heard.wrappingAdd(1, ordering: .relaxed) }
    }
    store.send(1)
    #expect(heard.load(ordering: .relaxed) == 20_000)
  }

  @Test("R12 observers that are removed in any order leave the others, in their order")
  func removed() {
    let store = countStore()
    let calls = EventLog<Int>()
    let tokens = (0..<9).map { number in store.observe { _, _ in calls.append(number) } }
    for number in [4, 0, 8, 5, 4] { tokens[number].cancel() }
    store.send(1)
    #expect(calls.events == [1, 2, 3, 6, 7])
    for token in tokens.reversed() { token.cancel() }
    store.send(1)
    #expect(calls.events.count == 5)
  }

  @Test("R12 a bounded buffer keeps the newest")
  func bounded() async {
    let store = countStore()
    let actions = store.actions(buffering: 3)
    for number in 1...10 { store.send(number) }
    await store.shutdown(deadline: .zero)
    var taken: [Int] = []
    for await action in actions { taken.append(action) }
    #expect(taken == [8, 9, 10])
  }

  @Test("R12 the latest state: what was missed is missed, what is taken is the newest")
  func conflated() async {
    let store = countStore()
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
    let store = countStore()
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

  @Test("R12 a cancelled task gets no more states, though the store changes all the time")
  func cancelledStates() async {
    let store = countStore()
    let task = Task {
      var seen = 0
      for await _ in store.states {
        seen += 1
        if seen == 2 { withUnsafeCurrentTask { $0?.cancel() } }
        store.send(1)
        // A loop that goes on would never end.
        if seen == 100 { break }
      }
      return seen
    }
    #expect(await task.value == 2)
  }

  @Test("R12 who waits for a state is woken by the step; cancelling ends the waiting")
  func woken() async {
    let store = countStore()
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
    let store = countStore()
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
        for await (step, _) in store.steps() {
          assertIsolated()
          lines.append(step.action)
        }
      }
    }
    let executor = ManualExecutor()
    let store = countStore()
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

  @Test(
    "R12 the step in which the store ends is told before the end")
  func lastStep() async {
    let executor = ManualExecutor()
    let holder = Holder<Store<Script>>()
    holder.value.withLock {
      $0 = Store(
        initialState: Script.State(),
        reducer: Script { $0 == "go" ? [.task { "last" }] : [] },
        dependencies: (), executor: executor, onIssue: { _ in })
    }
    let steps: AsyncStream<String>? = holder.value.withLock { store in
      store?.observe { step, _ in
        if step.action == "last" {
          let last = holder.value.withLock { $0.take() }
          _ = last
        }
      }
      return store?.actions()
    }
    holder.value.withLock { $0 }?.send("go")
    executor.run()
    var told: [String] = []
    if let steps { for await action in steps { told.append(action) } }
    #expect(told == ["go", "last"])
  }
}
