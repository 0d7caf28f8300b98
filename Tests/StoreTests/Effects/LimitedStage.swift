import SwiftBoardStore
import SwiftBoardTesting

/// A store whose effects sleep a second each on a clock of the test's, and say when they begin and
/// end.
struct LimitedStage {
  let clock = TestClock()
  let dropped = Journal<String>()
  let store: Store<Script>

  init(_ limit: @escaping @Sendable (Effect<String>, TestClock) -> Effect<String>) {
    let clock = clock
    let dropped = dropped
    store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        if action == "cancel" { return [.cancel(id: "line")] }
        guard action.count == 1 else { return [] }
        let work = Effect<String>.run(name: action) { send in
          send("\(action) begins")
          try await clock.sleep(for: .seconds(1))
          send("\(action) ends")
        }
        return [limit(work, clock)]
      }, dependencies: (), executor: clock.executor)
    store.setMeter {
      if case .effectDropped(let effect) = $0 { dropped.note(effect.descriptor.name) }
    }
  }

  func send(_ actions: String...) {
    for action in actions { store.send(action) }
    clock.executor.run()
  }

  var told: [String] { store.state.seen.filter { $0.count > 1 && $0 != "cancel" } }
}
