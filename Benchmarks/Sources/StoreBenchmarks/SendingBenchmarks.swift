import SwiftBoardStore
import Synchronization

final class Box: Sendable {
  let number = Mutex(0)
}

@inline(never)
func reduceBarely(
  _ reducer: Counter, _ state: inout Counter.State, _ action: Counter.Action, _ factor: Int
) {
  let effects = reducer.reduce(&state, action, factor)
  if !effects.isEmpty { state.count = opaque(0) }
}

/// P1, P4, P7, P9: steps without effects.
func sendingBenchmarks() async -> [Measurement] {
  var table: [Measurement] = []
  let sends = 1_000_000
  let reducer = opaque(Counter())
  let factor = opaque(1)
  let store = Store(initialState: .init(), reducer: reducer, dependencies: factor)
  let box = Box()

  // P1
  let list = opaque(Todos())
  var todos = opaque(Todos.State())
  let listed = Store(initialState: todos, reducer: list, dependencies: factor)
  let sendToList = pair(operations: sends) {
    for index in 0..<sends { listed.send(opaque(.toggle(index & 63))) }
  } limit: {
    for index in 0..<sends { reduceBarely(list, &todos, opaque(.toggle(index & 63)), factor) }
  }
  _ = opaque(todos)
  table.append(
    Measurement(
      id: "P1", name: "send to a row of a list", ours: sendToList.ours,
      limit: sendToList.limit, limitName: "bare loop over reduce", goal: 2.0,
      peers: "Redux 28, ReSwift 132, Mobius 151, TCA 570"))

  var state = opaque(Counter.State())
  let send = pair(operations: sends) {
    for index in 0..<sends { store.send(opaque(.add(index))) }
  } limit: {
    for index in 0..<sends { reduceBarely(reducer, &state, opaque(.add(index)), factor) }
  }
  _ = opaque(state)
  let lock = nanoseconds(operations: sends) {
    for _ in 0..<sends { box.number.withLock { $0 &+= 1 } }
  }
  table.append(
    Measurement(
      id: "P1", name: "send to a counter", ours: send.ours, limit: lock + send.limit,
      limitName: "lock pair + bare reduce", goal: 1.1))
  table.append(
    Measurement(
      id: "P1", name: "send to a counter", ours: send.ours, limit: send.limit,
      limitName: "bare loop over reduce", goal: nil))
  let actions = (0..<1000).map { Counter.Action.add($0) }
  let batch = pair(operations: sends) {
    for _ in 0..<sends / 1000 { store.send(contentsOf: opaque(actions)) }
  } limit: {
    for _ in 0..<sends / 1000 {
      for action in opaque(actions) { reduceInline(reducer, &state, action, factor) }
    }
  }
  table.append(
    Measurement(
      id: "P1", name: "send of 1 000 at once, each", ours: batch.ours, limit: batch.limit,
      limitName: "bare loop over reduce", goal: 1.1))

  // P9
  let read = pair(operations: sends) {
    for _ in 0..<sends { _ = opaque(store.withState { $0.count }) }
  } limit: {
    for _ in 0..<sends { _ = opaque(box.number.withLock { $0 }) }
  }
  table.append(
    Measurement(
      id: "P9", name: "read state", ours: read.ours, limit: read.limit, limitName: "lock pair",
      goal: 1.1))

  // P4
  let lonely = Store(initialState: .init(), reducer: reducer, dependencies: factor)
  let captured = opaque(Box())
  store.observe { _, state in _ = opaque((state.count, captured)) }
  let observed = pair(operations: sends) {
    for index in 0..<sends { store.send(opaque(.add(index))) }
  } limit: {
    for index in 0..<sends { lonely.send(opaque(.add(index))) }
  }
  for _ in 0..<99 { store.observe { _, state in _ = opaque(state.count) } }
  let byHundred = nanoseconds(operations: sends / 10) {
    for index in 0..<sends / 10 { store.send(opaque(.add(index))) }
  }
  table.append(
    Measurement(
      id: "P4", name: "first observer, added", ours: observed.ours - observed.limit, limit: 35,
      limitName: "35 ns", goal: 1, peers: "TCA 25, ReSwift 6.5, Mobius 3.9, Redux 0.4"))
  table.append(
    Measurement(
      id: "P4", name: "each further observer, added", ours: (byHundred - observed.ours) / 99,
      limit: 4, limitName: "4 ns", goal: 1, peers: "TCA 157, ReSwift 51, Mobius 11, Redux 2.7"))

  // P7
  let shared = Store(initialState: .init(), reducer: reducer, dependencies: factor)
  let contended = await pair(operations: sends) {
    await side(by: 2) { for index in 0..<sends / 2 { shared.send(.add(index)) } }
  } limit: {
    await side(by: 2) { for _ in 0..<sends / 2 { box.number.withLock { $0 &+= 1 } } }
  }
  table.append(
    Measurement(
      id: "P7", name: "contended send, 2 threads", ours: contended.ours, limit: contended.limit,
      limitName: "contended lock", goal: 2,
      peers: "TCA 255-413, ReSwift 660-1 070, Mobius 700-1 130"))
  let steps = shared.stepCount
  precondition(steps == 15 * sends, "P7 lost actions: \(steps) of \(15 * sends)")
  return table
}

@inline(never)
func reduceBarely(
  _ reducer: Todos, _ state: inout Todos.State, _ action: Todos.Action, _ factor: Int
) {
  let effects = reducer.reduce(&state, action, factor)
  if !effects.isEmpty { state.done = opaque(0) }
}

@inline(__always)
func reduceInline(
  _ reducer: Counter, _ state: inout Counter.State, _ action: Counter.Action, _ factor: Int
) {
  let effects = reducer.reduce(&state, action, factor)
  if !effects.isEmpty { state.count = opaque(0) }
}

func side(by count: Int, _ body: @escaping @Sendable () -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<count { group.addTask { body() } }
  }
}
