import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// Test stores start what the state declares, as stores do, and take what it sends one by one.
@Suite("Declared subscriptions in test stores")
struct DeclaredSubscriptionTests {
  private struct Ticker: Reducer {
    struct State: Sendable, Equatable {
      var isOn = false
      var ticks = 0
    }

    enum Action: Sendable, Equatable {
      case set(Bool)
      case tick
    }

    func reduce(_ state: inout State, _ action: Action, _ dependencies: TestClock) -> [Effect<
      Action
    >] {
      switch action {
      case .set(let isOn): state.isOn = isOn
      case .tick: state.ticks += 1
      }
      return []
    }

    func declaresSubscriptions(in path: CompositionPath) -> Bool { true }

    func subscriptions(_ state: State, _ clock: TestClock) -> [Effect<Action>] {
      state.isOn
        ? [.timer(every: .seconds(1), clock: clock) { _ in .tick }.cancellable(id: "ticks")] : []
    }
  }

  private func makeStore(_ initial: Ticker.State, _ failures: Failures) -> TestStore<Ticker> {
    let clock = TestClock()
    return TestStore(
      initialState: initial, reducer: Ticker(), clock: clock, dependencies: clock,
      report: failures.report)
  }

  @Test("what the initial state declares runs, and its actions wait for the test")
  func initial() async {
    let failures = Failures()
    let store = makeStore(Ticker.State(isOn: true), failures)
    #expect(store.inFlight.map(\.descriptor.id) == ["ticks"])
    store.clock.advance(by: .seconds(2))
    store.receive(.tick) { $0.ticks = 1 }
    store.receive(.tick) { $0.ticks = 2 }
    store.finish()
    #expect(failures.all.isEmpty, "what a state declares need not be ended")
  }

  @Test("it ends with the step after which it is declared no more")
  func ends() async {
    let failures = Failures()
    let store = makeStore(Ticker.State(), failures)
    #expect(store.inFlight.isEmpty)
    store.send(.set(true)) { $0.isOn = true }
    store.clock.advance(by: .seconds(1))
    store.receive(.tick) { $0.ticks = 1 }
    store.send(.set(false)) { $0.isOn = false }
    store.clock.advance(by: .seconds(9))
    #expect(store.inFlight.isEmpty)
    store.finish()
    #expect(failures.all.isEmpty)
  }

  @Test("an action of it that nobody received is a failure")
  func unreceived() async {
    let failures = Failures()
    let store = makeStore(Ticker.State(isOn: true), failures)
    store.clock.advance(by: .seconds(1))
    store.finish()
    #expect(failures.kinds == [.unreceivedActions])
  }

  @Test("the end of a test does not wait for it")
  func finishes() async {
    let failures = Failures()
    let store = makeStore(Ticker.State(isOn: true), failures)
    await store.finishWhenReady(patience: .seconds(3600))
    #expect(failures.all.isEmpty)
  }
}
