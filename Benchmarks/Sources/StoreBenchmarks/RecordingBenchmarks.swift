import SwiftBoardStore

/// P12: what hooks cost on the path of an action.
func recordingBenchmarks() async -> [Measurement] {
  var table: [Measurement] = []
  let sends = 200_000
  let reducer = opaque(Counter())
  var state = opaque(Counter.State())
  let store = Store(initialState: .init(), reducer: reducer, dependencies: 1)
  store.setHooks { _, _ in StepHooks(didReduce: { step, _ in _ = opaque(step.number) }) }
  let hooked = pair(operations: sends) {
    for index in 0..<sends { store.send(opaque(.add(index))) }
  } limit: {
    for index in 0..<sends { reduceBarely(reducer, &state, opaque(.add(index)), 1) }
  }
  table.append(
    Measurement(
      id: "P12", name: "hooks of a recorder, nothing encoded", ours: hooked.ours,
      limit: hooked.limit, limitName: "bare loop over reduce", goal: 2.5))
  return table
}
