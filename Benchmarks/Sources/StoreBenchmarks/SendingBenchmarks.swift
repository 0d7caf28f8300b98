import BenchmarkSupport
import SwiftBoardStore
import Synchronization

final class Box: Sendable {
  let number = Mutex(0)
}

/// A state behind a lock of the standard library: what a store is at least.
final class Locked<State: Sendable>: Sendable {
  let state: Mutex<State>

  init(_ state: State) {
    self.state = Mutex(state)
  }
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
  let listed = Store(initialState: opaque(Todos.State()), reducer: list, dependencies: factor)
  let lockedTodos = Locked(opaque(Todos.State()))
  let peerList = SubscriberStore(opaque(Todos.State()), reduce: listing)
  let sendToList = pair(operations: sends) {
    for index in 0..<sends { listed.send(opaque(.toggle(index & 63))) }
  } limit: {
    for index in 0..<sends {
      let action = opaque(Todos.Action.toggle(index & 63))
      lockedTodos.state.withLock { reduceInline(list, &$0, action, factor) }
    }
  } peer: {
    for index in 0..<sends { peerList.dispatch(opaque(Todos.Action.toggle(index & 63))) }
  }
  table.append(
    Measurement(
      id: "P1", name: "send to a row of a list", ours: sendToList.ours,
      limit: sendToList.limit, limitName: "reduce in a lock pair", goal: 1.15,
      peer: sendToList.peer, lead: 10))

  var state = opaque(Counter.State())
  let locked = Locked(opaque(Counter.State()))
  let peer = SubscriberStore(opaque(Counter.State()), reduce: counting)
  let send = pair(operations: sends) {
    for index in 0..<sends { store.send(opaque(.add(index))) }
  } limit: {
    for index in 0..<sends {
      let action = opaque(Counter.Action.add(index))
      locked.state.withLock { reduceInline(reducer, &$0, action, factor) }
    }
  } peer: {
    for index in 0..<sends { peer.dispatch(opaque(Counter.Action.add(index))) }
  }
  table.append(
    Measurement(
      id: "P1", name: "send to a counter", ours: send.ours, limit: send.limit,
      limitName: "reduce in a lock pair", goal: 1.15, peer: send.peer, lead: 10))
  let actions = (0..<1000).map { Counter.Action.add($0) }
  let batch = pair(operations: sends) {
    for _ in 0..<sends / 1000 { store.send(contentsOf: opaque(actions)) }
  } limit: {
    for _ in 0..<sends / 1000 {
      for action in opaque(actions) { reduceInline(reducer, &state, action, factor) }
    }
  }
  _ = opaque(state)
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
  peer.subscribe { _, state in _ = opaque((state.count, captured)) }
  let observed = pair(operations: sends) {
    for index in 0..<sends { store.send(opaque(.add(index))) }
  } limit: {
    for index in 0..<sends { lonely.send(opaque(.add(index))) }
  } peer: {
    for index in 0..<sends { peer.dispatch(opaque(Counter.Action.add(index))) }
  }
  for _ in 0..<99 {
    store.observe { _, state in _ = opaque(state.count) }
    peer.subscribe { _, state in _ = opaque(state.count) }
  }
  let byHundred = pair(operations: sends / 10) {
    for index in 0..<sends / 10 { store.send(opaque(.add(index))) }
  } limit: {
  } peer: {
    for index in 0..<sends / 10 { peer.dispatch(opaque(Counter.Action.add(index))) }
  }
  table.append(
    Measurement(
      id: "P4", name: "first observer, added", ours: observed.ours - observed.limit,
      limit: read.limit, limitName: "lock pair", goal: 4,
      peer: observed.peer - send.peer))
  table.append(
    Measurement(
      id: "P4", name: "each further observer, added", ours: (byHundred.ours - observed.ours) / 99,
      limit: read.limit, limitName: "lock pair", goal: 0.5,
      peer: (byHundred.peer - observed.peer) / 99))

  // P7
  let shared = Store(initialState: .init(), reducer: reducer, dependencies: factor)
  let sharedPeer = ActorStore(0) { state, action -> ActorStore<Int, Int>.Work? in
    state &+= action
    return nil
  }
  let contended = await pair(operations: sends) {
    await side(by: 2) { for index in 0..<sends / 2 { shared.send(.add(index)) } }
  } limit: {
    await side(by: 2) { for _ in 0..<sends / 2 { box.number.withLock { $0 &+= 1 } } }
  } peer: {
    await side(by: 2) { for index in 0..<sends / 2 { await sharedPeer.send(index) } }
  }
  table.append(
    Measurement(
      id: "P7", name: "contended send, 2 threads", ours: contended.ours, limit: contended.limit,
      limitName: "contended lock", goal: 1.6, peer: contended.peer))
  let steps = shared.stepCount
  precondition(steps == 15 * sends, "P7 lost actions: \(steps) of \(15 * sends)")
  return table
}

@inline(__always)
func reduceInline(
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

func side(by count: Int, _ body: @escaping @Sendable () async -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<count { group.addTask { await body() } }
  }
}
