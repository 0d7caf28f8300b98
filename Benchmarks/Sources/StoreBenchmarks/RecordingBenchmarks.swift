import SwiftBoardRecording
import SwiftBoardStore
import Synchronization

/// Swallows what is written, so that encoding is measured and no file.
private final class NullSink: LogSink {
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    bytes.count
  }
  func truncate(to size: Int) throws(LogIOError) {}
  func synchronize() throws(LogIOError) {}
  func close() {}
}

struct Tally: Reducer {
  struct State: Sendable, Codable {
    var count = 0
  }

  enum Action: Sendable, Codable {
    case add(Int)
  }

  @inlinable
  func reduce(_ state: inout State, _ action: Action, _ dependencies: Int) -> [Effect<Action>] {
    if case .add(let amount) = action { state.count &+= amount &* dependencies }
    return []
  }
}

/// P12 and L1: what hooks cost on the path of an action, and what a recorder costs with all its encoding.
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

  let recorded = Store(initialState: Tally.State(), reducer: Tally(), dependencies: 1)
  let info = RecordingInfo(
    schema: LogSchema(program: "benchmarks", feature: "tally", name: "Tally", version: 1),
    created: 0, environment: "bench", seed: "0")
  guard
    let recorder = try? Recorder<Tally.State, Tally.Action>(
      sink: NullSink(), info: info, state: Tally.State(),
      options: RecordingOptions(durability: .none, digestEvery: .max), journal: nil, clock: { 0 })
  else { return table }
  recorded.setHooks { _, _ in recorder.hooks }
  let ours = nanoseconds(operations: sends) {
    for index in 0..<sends { recorded.send(.add(index)) }
  }
  table.append(
    Measurement(
      id: "L1", name: "record a step, plain Codable, no digest", ours: ours, limit: 600,
      limitName: "600 ns", goal: 1))
  return table
}
