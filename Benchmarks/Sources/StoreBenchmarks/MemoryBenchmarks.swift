import BenchmarkSupport
import CAllocations
import SwiftBoardStore

/// P11: what a store, an observer and an effect in flight take.
func memoryBenchmarks() async -> [Measurement] {
  guard allocations_are_counted() == 1 else { return [] }
  count_allocations(1)
  defer { count_allocations(0) }
  var table: [Measurement] = []
  let count = 10_000

  // The median: threads of the pool may still free what came before.
  func bytes<Kept>(_ begin: () -> (Int) -> Kept) -> Double {
    let rounds = (0..<5).map { _ in
      let make = begin()
      var kept: [Kept] = []
      kept.reserveCapacity(count)
      let before = allocated_bytes()
      for index in 0..<count { kept.append(make(index)) }
      let taken = allocated_bytes() - before
      withExtendedLifetime(kept) {}
      return Double(taken) / Double(count)
    }
    return rounds.sorted()[2]
  }
  func add(_ name: String, _ ours: Double, _ limit: Double) {
    table.append(
      Measurement(
        id: "P11", name: name, ours: ours, limit: limit, limitName: "\(Int(limit)) bytes", goal: 1,
        unit: "B"))
  }

  add(
    "a store",
    bytes { { _ in Store(initialState: .init(), reducer: Counter(), dependencies: 1) } }, 512)
  add(
    "an observer",
    bytes {
      let store = Store(initialState: .init(), reducer: Counter(), dependencies: 1)
      return { index in store.observe { _, state in _ = opaque(state.count + index) } }
    }, 128)

  // Only what sleeps is counted: until a task has come so far, what it takes is a matter of chance.
  let asleep = Box()
  func bytesAsleep<Kept>(_ make: (Int) -> Kept) async -> Double {
    asleep.number.withLock { $0 = 0 }
    var kept: [Kept] = []
    kept.reserveCapacity(count)
    let before = allocated_bytes()
    for index in 0..<count { kept.append(make(index)) }
    while asleep.number.withLock({ $0 }) < count { try? await Task.sleep(for: .milliseconds(10)) }
    try? await Task.sleep(for: .milliseconds(100))
    let taken = allocated_bytes() - before
    withExtendedLifetime(kept) {}
    return Double(taken) / Double(count)
  }
  var tasks: [Task<Void, Never>] = []
  tasks.reserveCapacity(count)
  // It calls its work, as an effect's does: one call more or less may be a kilobyte, since frames
  // are taken in slabs of that size.
  let work: @Sendable () async throws -> Int? = {
    asleep.number.withLock { $0 += 1 }
    try await Task.sleep(for: .seconds(1000))
    return nil
  }
  let hidden = opaque(work)
  let bare = await bytesAsleep { (_: Int) -> Void in
    tasks.append(Task<Void, Never>.detached { _ = try? await hidden() })
  }
  for task in tasks { task.cancel() }
  for task in tasks { await task.value }
  let waiting = Store(initialState: 0, reducer: Sleeping(), dependencies: asleep)
  let ours = await bytesAsleep { _ in waiting.send(nil) }
  await waiting.shutdown(deadline: .zero)
  add("an effect in flight, over a bare task", ours - bare, 300)
  let named = Store(initialState: 0, reducer: Sleeping(), dependencies: asleep)
  let withID = await bytesAsleep { named.send($0) }
  await named.shutdown(deadline: .zero)
  add("the same with an id of its own", withID - bare, 400)
  return table
}

/// Starts an effect that says that it sleeps, and does; under an id where it is given one.
private struct Sleeping: Reducer {
  func reduce(_ state: inout Int, _ action: Int?, _ asleep: Box) -> [Effect<Int?>] {
    let effect = Effect<Int?>.task {
      asleep.number.withLock { $0 += 1 }
      try await Task.sleep(for: .seconds(1000))
      return nil
    }
    return [action.map { effect.cancellable(id: $0) } ?? effect]
  }
}
