import SwiftBoardStore
import Synchronization

final class Box: Sendable {
  let number = Mutex(0)
}

func bench() async -> [Measurement] {
  var table: [Measurement] = []

  // P1
  let sends = 1_000_000
  let reducer = opaque(Counter())
  let factor = opaque(1)
  var state = opaque(Counter.State())
  let bare = nanoseconds(operations: sends) {
    for index in 0..<sends {
      let effects = reducer.reduce(&state, .add(index), factor)
      if !effects.isEmpty { state.count = opaque(0) }
      state = opaque(state)
    }
  }
  let store = Store(initialState: .init(), reducer: reducer, dependencies: factor)
  let send = nanoseconds(operations: sends) {
    for index in 0..<sends { store.send(.add(index)) }
  }
  _ = opaque(state)
  let box = Box()
  let lockPair = nanoseconds(operations: sends) {
    for _ in 0..<sends { box.number.withLock { $0 &+= 1 } }
  }
  table.append(
    Measurement(
      id: "P1", name: "send without effects", ours: send, limit: lockPair + bare,
      limitName: "lock pair + bare reduce", goal: 1.5))
  table.append(
    Measurement(
      id: "P1", name: "send without effects", ours: send, limit: bare,
      limitName: "bare reduce", goal: 2.0))

  // P9
  let read = nanoseconds(operations: sends) {
    for _ in 0..<sends { _ = opaque(store.withState { $0.count }) }
  }
  table.append(
    Measurement(
      id: "P9", name: "read state", ours: read, limit: lockPair, limitName: "lock pair", goal: 1.1))

  // P4
  let silent = store.observe { _, state in _ = state.count }
  let observed = nanoseconds(operations: sends) {
    for index in 0..<sends { store.send(.add(index)) }
  }
  let more = (0..<9).map { _ in store.observe { _, state in _ = state.count } }
  let observedByTen = nanoseconds(operations: sends) {
    for index in 0..<sends { store.send(.add(index)) }
  }
  (more + [silent]).forEach { $0.cancel() }
  table.append(
    Measurement(
      id: "P4", name: "first observer, added", ours: observed - send, limit: 35,
      limitName: "35 ns", goal: 1))
  table.append(
    Measurement(
      id: "P4", name: "each further observer, added", ours: (observedByTen - observed) / 9,
      limit: 4, limitName: "4 ns", goal: 1))

  // P5
  let links = 200_000
  let tasks = await nanoseconds(operations: links) {
    func link(_ number: Int) -> Task<Int, Never> {
      Task.detached { number < links ? await link(number + 1).value : number }
    }
    // A chain without waiting for one another: each starts the next and ends.
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      @Sendable func go(_ number: Int) {
        Task.detached { number < links ? go(number + 1) : done.resume() }
      }
      go(1)
    }
  }
  let chain = Store(initialState: 0, reducer: Chain(), dependencies: links)
  let trips = await nanoseconds(operations: links) { await chain.send(1).finish() }
  table.append(
    Measurement(
      id: "P5", name: "effect round trip", ours: trips, limit: tasks, limitName: "chain of tasks",
      goal: 1.15))

  // P6
  let inFlight = 100_000
  let bareFlights = await nanoseconds(operations: inFlight) {
    let box = Box()
    let all = (0..<inFlight).map { _ in Task.detached { box.number.withLock { $0 += 1 } } }
    for task in all { await task.value }
  }
  let flights = await nanoseconds(operations: inFlight) {
    let store = Store(initialState: 0, reducer: Flights(), dependencies: ())
    let handles = (0..<inFlight).map { _ in store.send(true) }
    for handle in handles { await handle.finish() }
  }
  table.append(
    Measurement(
      id: "P6", name: "100 000 in flight, each", ours: flights, limit: bareFlights,
      limitName: "bare tasks", goal: 1.1))

  // P7
  let contenders = 2
  let contendedLock = await nanoseconds(operations: sends) {
    let box = Box()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<contenders {
        group.addTask { for _ in 0..<sends / contenders { box.number.withLock { $0 &+= 1 } } }
      }
    }
  }
  let contendedStore = Store(initialState: .init(), reducer: reducer, dependencies: factor)
  let contended = await nanoseconds(operations: sends) {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<contenders {
        group.addTask { for index in 0..<sends / contenders { contendedStore.send(.add(index)) } }
      }
    }
  }
  table.append(
    Measurement(
      id: "P7", name: "contended send, 2 threads", ours: contended, limit: contendedLock,
      limitName: "contended lock", goal: 2))

  // P8
  let bareCancel = await nanoseconds(rounds: 3, operations: inFlight) {
    let all = (0..<inFlight).map { _ in
      Task.detached { try? await Task.sleep(for: .seconds(1000)) }
    }
    for task in all { task.cancel() }
    for task in all { await task.value }
  }
  let cancel = await nanoseconds(rounds: 3, operations: inFlight) {
    let store = Store(initialState: 0, reducer: Waiting(), dependencies: ())
    let handles = (0..<inFlight).map { store.send(.start($0)) }
    store.send(.cancelAll)
    for handle in handles { await handle.finish() }
  }
  table.append(
    Measurement(
      id: "P8", name: "start and cancel 100 000, each", ours: cancel, limit: bareCancel,
      limitName: "bare tasks", goal: 1.25))
  table += compositionBenchmarks()
  return table
}

let table = await bench()
print(
  column("id", 4), column("work", 34), column("ours ns", 10), column("limit ns", 10),
  column("limit", 26), column("ratio", 7), column("goal", 6), "verdict")
for row in table {
  print(
    column(row.id, 4), column(row.name, 34), column(rounded(row.ours), 10),
    column(rounded(row.limit), 10), column(row.limitName, 26), column(hundredths(row.ratio), 7),
    column("\(row.goal)", 6), row.holds ? "holds" : "MISSED")
}
