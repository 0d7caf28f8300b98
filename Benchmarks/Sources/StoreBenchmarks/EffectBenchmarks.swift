import SwiftBoardStore

/// P5, P6, P8: steps with effects.
func effectBenchmarks() async -> [Measurement] {
  var table: [Measurement] = []

  // P5
  let links = 200_000
  let chain = Store(initialState: 0, reducer: Chain(), dependencies: links)
  let trips = await pair(operations: links) {
    await chain.send(1).finish()
  } limit: {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      @Sendable func go(_ number: Int) {
        Task.detached { number < links ? go(number + 1) : done.resume() }
      }
      go(1)
    }
  }
  table.append(
    Measurement(
      id: "P5", name: "effect round trip", ours: trips.ours, limit: trips.limit,
      limitName: "chain of tasks", goal: 1.15,
      peers: "Redux 0.8, ReSwift 4.8, Mobius 29, TCA 100"))

  // P6
  let inFlight = 100_000
  let flights = await pair(rounds: 5, operations: inFlight) {
    let store = Store(initialState: 0, reducer: Flights(), dependencies: ())
    let handles = (0..<inFlight).map { _ in store.send(true) }
    for handle in handles { await handle.finish() }
  } limit: {
    let box = Box()
    let all = (0..<inFlight).map { _ in Task.detached { box.number.withLock { $0 += 1 } } }
    for task in all { await task.value }
  }
  table.append(
    Measurement(
      id: "P6", name: "100 000 in flight, each", ours: flights.ours, limit: flights.limit,
      limitName: "bare tasks", goal: 1.1, peers: "Redux 0.6, ReSwift 3.5, Mobius 12, TCA 40"))

  // P8
  @Sendable func bareTasks() async {
    let all = (0..<inFlight).map { _ in
      Task.detached { try? await Task.sleep(for: .seconds(1000)) }
    }
    for task in all { task.cancel() }
    for task in all { await task.value }
  }
  let byHandle = await pair(rounds: 5, operations: inFlight) {
    let store = Store(initialState: 0, reducer: Waiting(), dependencies: ())
    let handles = (0..<inFlight).map { _ in store.send(.startNameless) }
    for handle in handles { handle.cancel() }
    for handle in handles { await handle.finish() }
  } limit: {
    await bareTasks()
  }
  table.append(
    Measurement(
      id: "P8", name: "start and cancel 100 000 by handle", ours: byHandle.ours,
      limit: byHandle.limit, limitName: "bare tasks", goal: 1.25))
  let byID = await pair(rounds: 5, operations: inFlight) {
    let store = Store(initialState: 0, reducer: Waiting(), dependencies: ())
    let handles = (0..<inFlight).map { store.send(.start($0)) }
    store.send(.cancelAll)
    for handle in handles { await handle.finish() }
  } limit: {
    await bareTasks()
  }
  table.append(
    Measurement(
      id: "P8", name: "the same, each by an id of its own", ours: byID.ours, limit: byID.limit,
      limitName: "bare tasks", goal: 1.25))
  return table
}
