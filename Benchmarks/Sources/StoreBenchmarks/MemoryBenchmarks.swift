import CAllocations
import SwiftBoardStore

/// P11: what a store, an observer and an effect in flight take.
func memoryBenchmarks() async -> [Measurement] {
  guard allocations_are_counted() == 1 else { return [] }
  count_allocations(1)
  defer { count_allocations(0) }
  var table: [Measurement] = []
  let count = 10_000

  func bytes<Kept>(_ make: (Int) -> Kept) -> Double {
    var kept: [Kept] = []
    kept.reserveCapacity(count)
    let before = allocated_bytes()
    for index in 0..<count { kept.append(make(index)) }
    let taken = allocated_bytes() - before
    withExtendedLifetime(kept) {}
    return Double(taken) / Double(count)
  }
  func add(_ name: String, _ ours: Double, _ limit: Double, _ peers: String = "") {
    table.append(
      Measurement(
        id: "P11", name: name, ours: ours, limit: limit, limitName: "\(Int(limit)) bytes", goal: 1,
        unit: "B", peers: peers))
  }

  add(
    "a store",
    bytes { _ in Store(initialState: .init(), reducer: Counter(), dependencies: 1) }, 400,
    "ReSwift 1.3, Redux 2, TCA 2.1, Mobius 3.8")
  let store = Store(initialState: .init(), reducer: Counter(), dependencies: 1)
  add(
    "an observer", bytes { index in store.observe { _, state in _ = opaque(state.count + index) } },
    112)

  var tasks: [Task<Void, Never>] = []
  let bare = bytes { _ in
    tasks.append(Task.detached { try? await Task.sleep(for: .seconds(1000)) })
  }
  for task in tasks { task.cancel() }
  for task in tasks { await task.value }
  let waiting = Store(initialState: 0, reducer: Waiting(), dependencies: ())
  let ours = bytes { _ in waiting.send(.startNameless) }
  await waiting.shutdown(deadline: .zero)
  add("an effect in flight, over a bare task", ours - bare, 200)
  let named = Store(initialState: 0, reducer: Waiting(), dependencies: ())
  let withID = bytes { named.send(.start($0)) }
  await named.shutdown(deadline: .zero)
  add("the same with an id of its own", withID - bare, 400)
  return table
}
