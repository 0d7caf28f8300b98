import EggTimer
import SwiftBoardStore

/// A clock whose minutes pass at once, so that the example takes no time.
struct HastyClock: Clock {
  var now: ContinuousClock.Instant { ContinuousClock.now }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
}

let store = Store(
  initialState: EggTimer.State(), reducer: EggTimer(),
  dependencies: EggTimer.Kitchen(clock: HastyClock()))
await store.send(.boil(minutes: 4)).finish()
print(store.state.isDone ? "the egg is done" : "the egg is raw")
