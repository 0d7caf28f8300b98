import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// Remembers the actions that it passes on.
private struct Remembering<Base: Reducer>: WrappingReducer where Base.Action: Equatable {
  let base: Base
  let seen = Journal<Base.Action>()

  func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    seen.note(action)
    return base.reduce(&state, action, dependencies)
  }
}

@Suite struct WrappingReducerTests {
  @Test("a wrapped reducer keeps its subscriptions")
  func subscriptions() {
    let executor = ManualExecutor()
    let wrapped = Remembering(
      base: Reduce<Int, Int, Void> { state, action in
        state += action
        return []
      }
      .subscribing { state, _ in state < 3 ? [.task { 1 }.cancellable(id: state)] : [] })
    let store = Store(initialState: 0, reducer: wrapped, executor: executor)
    executor.run()
    #expect(store.state == 3)
    #expect(wrapped.seen.entries == [1, 1, 1])
  }

  @Test("R7 a child that goes beside a wrapped reducer ends")
  func children() {
    let scene = Scene(
      RemovedElsewhereTests.Inner.State(),
      CombineReducers {
        Remembering(base: RemovedElsewhereTests.Inner())
        Reduce<
          RemovedElsewhereTests.Inner.State, RemovedElsewhereTests.Inner.Action, Ticker.Dependencies
        > { state, action, _ in
          if action == .child(.add(1)) { state.child = nil }
          return []
        }
      })
    scene.store.send(.child(.start))
    #expect(scene.running.count == 1)
    scene.store.send(.child(.add(1)))
    #expect(scene.running.isEmpty)
  }
}
