import BenchmarkSupport
import CAllocations
import SwiftBoardStore

/// What a kind of work may allocate at most, each time. Free of noise, so that the tests of the
/// repository hold it.
struct AllocationLimit {
  let name: String
  let limit: Int
  /// Over all repetitions; what is more than the limit of each may be an array that grew.
  var total: Int
  let repetitions: Int

  var holds: Bool { total <= limit * repetitions + 8 }
}

/// Counts the allocations of repetitions once everything has its size.
private func count(_ repetitions: Int, _ body: () -> Void) -> Int {
  for _ in 0..<repetitions { body() }
  let before = allocation_count()
  for _ in 0..<repetitions { body() }
  return Int(allocation_count() - before)
}

func allocationLimits() async -> [AllocationLimit] {
  var limits: [AllocationLimit] = []
  func hold(_ name: String, to limit: Int, _ body: () -> Void) {
    limits.append(
      AllocationLimit(name: name, limit: limit, total: count(1000, body), repetitions: 1000))
  }
  let store = Store(initialState: .init(), reducer: opaque(Counter()), dependencies: opaque(1))
  hold("send without effects", to: 0) { store.send(opaque(.add(1))) }
  let actions = opaque((0..<10).map { Counter.Action.add($0) })
  hold("send of ten at once", to: 0) { store.send(contentsOf: actions) }
  hold("read state in place", to: 0) { _ = opaque(store.withState { $0.count }) }
  hold("read a copy of the state", to: 0) { _ = opaque(store.state) }
  let view = store.view
  hold("send by a view", to: 0) { view.send(opaque(.add(1))) }
  let observed = Store(initialState: .init(), reducer: opaque(Counter()), dependencies: opaque(1))
  for _ in 0..<3 { observed.observe { _, state in _ = opaque(state.count) } }
  hold("send with three observers", to: 0) { observed.send(opaque(.add(1))) }
  let big = Store(
    initialState: Array(repeating: 0, count: 100_000),
    reducer: Reduce<[Int], Int, Void> { state, action, _ in
      state[action] &+= 1
      return []
    }, dependencies: ())
  big.observe { _, state in _ = opaque(state.count) }
  hold("one of 100 000 elements changed, observed", to: 0) { big.send(opaque(7)) }
  for (name, send) in depths() { hold(name, to: 0, send) }

  limits.append(await roundTrip(limit: 6))
  return limits
}

/// An effect that sends while another thread is still publishing joins a queue, which allocates:
/// the scheduler decides how often. What a round trip itself allocates is therefore the fewest of
/// several rounds, of which one suffices.
private func roundTrip(limit: Int) async -> AllocationLimit {
  let links = 10_000
  let chain = Store(initialState: 0, reducer: Chain(), dependencies: links)
  await chain.send(1).finish()
  var fewest = AllocationLimit(
    name: "effect round trip", limit: limit, total: .max, repetitions: links)
  for _ in 0..<20 where !fewest.holds {
    let before = allocation_count()
    await chain.send(1).finish()
    fewest.total = min(fewest.total, Int(allocation_count() - before))
  }
  return fewest
}

func printAllocations(_ limits: [AllocationLimit]) -> Bool {
  for limit in limits {
    print(
      column(limit.name, 44),
      column("\(hundredths(Double(limit.total) / Double(limit.repetitions))) allocations", 20),
      "at most \(limit.limit)", limit.holds ? "holds" : "EXCEEDED")
  }
  return limits.allSatisfy(\.holds)
}

/// Sends through nested features, composed by plain calls and by key paths.
private func depths() -> [(String, () -> Void)] {
  let plain = Store(
    initialState: opaque(deep5()), reducer: opaque(plain5), dependencies: opaque(1))
  let paths = Store(
    initialState: opaque(deep5()), reducer: opaque(paths5), dependencies: opaque(1))
  let list = Store(
    initialState: opaque(ListState(1000)), reducer: opaque(ListByOperator()),
    dependencies: opaque(1))
  return [
    ("5 scopes, plain calls", { plain.send(opaque(add5(1))) }),
    ("5 scopes, key paths", { paths.send(opaque(add5(1))) }),
    ("one of 1 000, forEach", { list.send(opaque(.row(.element(id: 7, action: .add(1))))) }),
  ]
}
