import BenchmarkSupport
import SwiftBoardStore
import Synchronization

/// Opens when the last of so many has come: until then all of them are in flight.
final class Gate: Sendable {
  private let waiting = Mutex<[UnsafeContinuation<Void, Never>]>([])
  private let count: Int

  init(opensAt count: Int) {
    self.count = count
    waiting.withLock { $0.reserveCapacity(count) }
  }

  func pass() async {
    await withUnsafeContinuation { (one: UnsafeContinuation<Void, Never>) in
      let all = waiting.withLock { all -> [UnsafeContinuation<Void, Never>] in
        all.append(one)
        if all.count < count { return [] }
        defer { all = [] }
        return all
      }
      for continuation in all { continuation.resume() }
    }
  }
}

/// P5, P6, P8: steps with effects.
func effectBenchmarks() async -> [Measurement] {
  var table: [Measurement] = []

  // P5
  let links = 200_000
  @Sendable func bareChain() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      @Sendable func go(_ number: Int) {
        Task.detached { number < links ? go(number + 1) : done.resume() }
      }
      go(1)
    }
  }
  let chain = Store(initialState: 0, reducer: Chain(), dependencies: links)
  let peer = ActorStore(0) { state, action -> ActorStore<Int, Int>.Work? in
    state = action
    return action < links ? { @Sendable in action + 1 } : nil
  }
  let trips = await pair(operations: links) {
    await chain.send(1).finish()
  } limit: {
    await bareChain()
  } peer: {
    await peer.send(1)
    await peer.finish()
  }
  let recorded = Store(initialState: 0, reducer: Chain(), dependencies: links)
  recorded.setHooks { _, _ in StepHooks(didReduce: { step, _ in _ = opaque(step.number) }) }
  let hooked = await pair(rounds: 9, operations: links) {
    await recorded.send(1).finish()
  } limit: {
    await bareChain()
  }
  let named = Store(initialState: 0, reducer: NamedChain(), dependencies: links)
  let apart = await pair(rounds: 9, operations: links) {
    await named.send(1).finish()
  } limit: {
    await bareChain()
  }
  table.append(
    Measurement(
      id: "P5", name: "effect round trip", ours: trips.ours, limit: trips.limit,
      limitName: "chain of tasks", goal: 1.3, peer: trips.peer))
  table.append(
    Measurement(
      id: "P5", name: "the same, hooked", ours: hooked.ours, limit: hooked.limit,
      limitName: "chain of tasks", goal: nil))
  table.append(
    Measurement(
      id: "P5", name: "with an id", ours: apart.ours, limit: apart.limit,
      limitName: "chain of tasks", goal: 1.5))

  // P6
  let inFlight = 100_000
  let flights = await pair(operations: inFlight) {
    let gate = Gate(opensAt: inFlight)
    let store = Store(initialState: 0, reducer: Flights(), dependencies: gate)
    let handles = (0..<inFlight).map { _ in store.send(true) }
    for handle in handles { await handle.finish() }
  } limit: {
    let gate = Gate(opensAt: inFlight)
    let box = Box()
    let all = (0..<inFlight).map { _ in
      Task.detached {
        await gate.pass()
        box.number.withLock { $0 += 1 }
      }
    }
    for task in all { await task.value }
  } peer: {
    let gate = Gate(opensAt: inFlight)
    let peer = ActorStore(0) { state, isFlight -> ActorStore<Int, Bool>.Work? in
      state += 1
      guard isFlight else { return nil }
      return {
        await gate.pass()
        return false
      }
    }
    await Task.detached { for _ in 0..<inFlight { await peer.send(true) } }.value
    await peer.finish()
  }
  table.append(
    Measurement(
      id: "P6", name: "100 000 in flight, each", ours: flights.ours, limit: flights.limit,
      limitName: "bare tasks", goal: 1.25, peer: flights.peer))

  // P8
  @Sendable func bareTasks() async {
    let all = (0..<inFlight).map { _ in
      Task.detached { try? await Task.sleep(for: .seconds(1000)) }
    }
    for task in all { task.cancel() }
    for task in all { await task.value }
  }
  let byHandle = await pair(operations: inFlight) {
    let store = Store(initialState: 0, reducer: Waiting(), dependencies: ())
    let handles = (0..<inFlight).map { _ in store.send(.startNameless) }
    for handle in handles { handle.cancel() }
    for handle in handles { await handle.finish() }
  } limit: {
    await bareTasks()
  } peer: {
    let peer = ActorStore(0) { state, _ -> ActorStore<Int, Void>.Work? in
      state += 1
      return { try await Task.sleep(for: .seconds(1000)) }
    }
    await Task.detached {
      var tasks: [Int?] = []
      for _ in 0..<inFlight { tasks.append(await peer.send(())) }
      for case let task? in tasks { await peer.cancel(task) }
    }.value
    await peer.finish()
  }
  table.append(
    Measurement(
      id: "P8", name: "start and cancel 100 000 by handle", ours: byHandle.ours,
      limit: byHandle.limit, limitName: "bare tasks", goal: 1.4, peer: byHandle.peer))
  let byID = await pair(operations: inFlight) {
    let store = Store(initialState: 0, reducer: Waiting(), dependencies: ())
    let handles = (0..<inFlight).map { store.send(.start($0)) }
    for id in 0..<inFlight { store.send(.cancel(id)) }
    for handle in handles { await handle.finish() }
  } limit: {
    let named = Mutex<[Int: Task<Void, Never>]>([:])
    let all = (0..<inFlight).map { id in
      let task = Task.detached { () -> Void in try? await Task.sleep(for: .seconds(1000)) }
      named.withLock { $0[id] = task }
      return task
    }
    for id in 0..<inFlight { named.withLock { $0.removeValue(forKey: id) }?.cancel() }
    for task in all { await task.value }
  }
  table.append(
    Measurement(
      id: "P8", name: "the same, each by an id of its own", ours: byID.ours, limit: byID.limit,
      limitName: "bare tasks in a dictionary", goal: 1.4))
  return table
}
