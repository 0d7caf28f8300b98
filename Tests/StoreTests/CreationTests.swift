import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R12 A store that is watched from its creation")
struct CreationTests {
  /// Declares a `.send` and a task as long as the state is even.
  private static func reducer() -> some Reducer<Int, Int, Void> {
    Reduce<Int, Int, Void> { state, action, _ in
      state += action
      return []
    }.subscribing { state, _ in
      state % 2 == 0
        ? [
          .send(10).cancellable(id: "at once"),
          .task { 100 }.cancellable(id: "later"),
        ] : []
    }
  }

  private func hooks(_ heard: Journal<String>) -> StepHooks<Int, Int> {
    StepHooks(
      willReduce: { heard.note("will \($0)") },
      didReduce: { step, state in heard.note("\(step.number): \(step.action), \(state)") })
  }

  @Test("R12 hooks that are there at the creation hear of the steps of the first subscriptions")
  func hooks() {
    let heard = Journal<String>()
    let executor = ManualExecutor()
    let store = Store(
      initialState: 0, reducer: Self.reducer(), dependencies: (), hooks: hooks(heard),
      executor: executor)
    #expect(heard.entries == ["will 1", "1: 10, 10"])
    executor.run()
    #expect(heard.entries.dropFirst(2) == ["will 2", "2: 100, 110"])
    #expect(store.stepCount == 2)
  }

  @Test("R12 steps go on from the number of the last one")
  func lastStep() {
    let heard = Journal<String>()
    let store = Store(
      initialState: 1, reducer: Self.reducer(), dependencies: (), hooks: hooks(heard),
      lastStep: 41)
    #expect(store.stepCount == 41)
    store.send(2)
    #expect(store.stepCount == 42)
    #expect(heard.entries == ["will 42", "42: 2, 3"])
    store.setHooks { state, last in
      #expect(state == 3 && last == 42)
      return nil
    }
  }

  @Test("R12 subscriptions are held back until they are started, and are then those of that state")
  func heldBack() {
    let heard = Journal<String>()
    let executor = ManualExecutor()
    let store = Store(
      initialState: 0, reducer: Self.reducer(), dependencies: (), lastStep: 7,
      startsSubscriptions: false, executor: executor)
    executor.run()
    #expect(store.stepCount == 7 && store.effects.isEmpty)
    store.send(1)
    store.send(1)
    executor.run()
    #expect(store.state == 2 && store.effects.isEmpty, "no step starts them either")
    store.setHooks { _, _ in hooks(heard) }
    store.startSubscriptions()
    #expect(heard.entries == ["will 10", "10: 10, 12"])
    store.startSubscriptions()
    executor.run()
    #expect(heard.entries.dropFirst(2) == ["will 11", "11: 100, 112"])
    store.send(1)
    store.send(1)
    executor.run()
    #expect(store.stepCount == 15, "they begin anew when the state declares them again")
  }

  @Test("R12 what was held back does not start once the store has shut down")
  func shutDown() async {
    let store = Store(
      initialState: 0, reducer: Self.reducer(), dependencies: (), startsSubscriptions: false)
    await store.shutdown(deadline: .zero)
    store.startSubscriptions()
    #expect(store.stepCount == 0 && store.effects.isEmpty)
  }
}
