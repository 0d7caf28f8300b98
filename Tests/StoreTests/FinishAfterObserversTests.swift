import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("R10 R12 The end of waiting")
struct FinishAfterObserversTests {
  @Test("R10 who asks while the last step is being told waits until every observer has heard it")
  func afterTheLastObserver() async {
    let effects = ManualExecutor()
    let waiters = ManualExecutor()
    let journal = Journal<String>()
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { state, action, _ in
        state = action
        return action == 1 ? [.task { 2 }] : []
      }, dependencies: (), executor: effects)
    let handle = store.send(1)
    let waiter = Mutex<Task<Void, Never>?>(nil)
    store.observe { step, _ in
      guard step.action == 2 else { return }
      waiter.withLock {
        $0 = Task(executorPreference: waiters) {
          await handle.finish()
          journal.note("finished")
        }
      }
      // The effect is over, and the second observer has not heard of it.
      waiters.run()
    }
    store.observe { _, _ in journal.note("told") }
    effects.run()
    waiters.run()
    await waiter.withLock { $0 }?.value
    #expect(journal.entries == ["told", "finished"])
  }

  @Test("R10 who waits already is not resumed by an effect that ends while observers are told")
  func resumedAfterTelling() async {
    let effects = ManualExecutor()
    let waiters = ManualExecutor()
    let journal = Journal<String>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        switch action {
        case "a": [.task { "b" }]
        case "b": [.run { _ in }]
        default: []
        }
      }, dependencies: (), executor: effects)
    let handle = store.send("a")
    let waiter = Task(executorPreference: waiters) {
      await handle.finish()
      journal.note("finished")
    }
    waiters.run()
    store.observe { _, _ in
      // What the step caused ends meanwhile, as it may on another thread.
      effects.run()
      waiters.run()
    }
    store.observe { step, _ in journal.note("told \(step.action)") }
    effects.run()
    waiters.run()
    await waiter.value
    #expect(journal.entries == ["told b", "finished"])
  }
}
