import Dependencies
import Store
import SwiftBoardStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

let graph = Graph(["app.zip": ["library.zip", "missing.zip"], "library.zip": ["runtime.zip"]])
let shelf = Shelf(["runtime.zip": 300, "library.zip": 20, "app.zip": 1])
let store = Store(
  initialState: .init(), reducer: DownloadQueue(), dependencies: .simulated(shelf))

// An observer is part of the cost of a step, so this one only passes on.
let (steps, tell) = AsyncStream.makeStream(of: String.self)
let observation = store.observe { step, state in
  tell.yield("\(step.number) \(step.action): \(state.running) run, \(state.done.count) done")
  if state.done.count == 5 { tell.finish() }
}

// One place is taken for good, so the others come one after the other.
let endless = store.send(.add(["endless.iso"]))
await store.send(.add(graph.order(upTo: "app.zip"))).finish()
let inFlight = store.effects.map { "\($0.descriptor.name) \($0.descriptor.id ?? "-")" }
store.send(.cancel("endless.iso"))
await endless.finish()
let left = await store.shutdown(deadline: .seconds(1))

func differs<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) -> Bool {
  guard found != expected else { return false }
  print("WRONG \(what): \(found) instead of \(expected)")
  return true
}

let results: [DownloadQueue.State.Result] = [
  .init(name: "runtime.zip", bytes: 300), .init(name: "library.zip", bytes: 20),
  .init(name: "missing.zip", bytes: nil), .init(name: "app.zip", bytes: 1),
  .init(name: "endless.iso", bytes: nil),
]
let isWrong = [
  differs("results", store.state.done, results),
  differs("effects in flight", inFlight, ["download endless.iso"]),
  differs("effects left", left.count, 0),
  differs("steps", store.stepCount, 7),
].contains(true)
if isWrong { exit(1) }

// The last step may still be on its way to the observer; it comes, since the state has it.
var seen = 0
for await line in steps {
  print(line)
  seen += 1
}
observation.cancel()
guard !differs("steps seen", seen, 7) else { exit(1) }
print("all as expected")
