import BenchmarkSupport
import SwiftBoardStore

/// P12: what hooks cost on the path of an action.
func recordingBenchmarks() async -> [Measurement] {
  var table: [Measurement] = []
  let sends = 200_000
  let reducer = opaque(Counter())
  let plain = Store(initialState: .init(), reducer: reducer, dependencies: 1)
  let store = Store(initialState: .init(), reducer: reducer, dependencies: 1)
  store.setHooks { _, _ in StepHooks(didReduce: { step, _ in _ = opaque(step.number) }) }
  let hooked = pair(operations: sends) {
    for index in 0..<sends { store.send(opaque(.add(index))) }
  } limit: {
    for index in 0..<sends { plain.send(opaque(.add(index))) }
  }

  let list = opaque(Todos())
  let plainList = Store(initialState: opaque(Todos.State()), reducer: list, dependencies: 1)
  let listed = Store(initialState: opaque(Todos.State()), reducer: list, dependencies: 1)
  listed.setHooks { _, _ in StepHooks(didReduce: { step, _ in _ = opaque(step.number) }) }
  let listing = pair(operations: sends) {
    for index in 0..<sends { listed.send(opaque(.toggle(index & 63))) }
  } limit: {
    for index in 0..<sends { plainList.send(opaque(.toggle(index & 63))) }
  }
  table.append(
    Measurement(
      id: "P12", name: "hooked, a row of a list", ours: listing.ours, limit: listing.limit,
      limitName: "without a hook", goal: 2))
  table.append(
    Measurement(
      id: "P12", name: "hooked, a counter", ours: hooked.ours, limit: hooked.limit,
      limitName: "without a hook", goal: 2))

  let wide = Store(initialState: Wide(), reducer: Widening(), dependencies: ())
  wide.setHooks { _, _ in StepHooks(didReduce: { step, _ in _ = opaque(step.number) }) }
  let both = pair(operations: sends) {
    for index in 0..<sends { wide.send(opaque(index)) }
  } limit: {
    for index in 0..<sends { store.send(opaque(.add(index))) }
  }
  table.append(
    Measurement(
      id: "P12", name: "hooked, eight references in state", ours: both.ours, limit: both.limit,
      limitName: "a state of two numbers", goal: 1.25))
  return table
}

/// A state that it would cost to copy.
private struct Wide: Sendable {
  var texts = (0..<5).map { opaque("a text that does not fit into a string itself, \($0)") }
  var name = opaque("a text that does not fit into a string itself")
  var path = opaque("another text that does not fit into a string itself")
  var rows = opaque([1, 2, 3])
  var columns = opaque([1, 2])
  var title = opaque("a third text that does not fit into a string itself")
  var numbers = opaque(Set([1, 2, 3]))
  var table = opaque([1: 2])
  var count = 0
}

private struct Widening: Reducer {
  func reduce(_ state: inout Wide, _ action: Int, _: Void) -> [Effect<Int>] {
    state.count &+= action
    return []
  }
}
