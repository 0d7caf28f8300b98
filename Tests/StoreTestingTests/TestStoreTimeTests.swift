import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Time in a test store")
struct TestStoreTimeTests {
  enum Action: Sendable, Equatable {
    case go(Form)
    case done(Int)
  }

  enum Form: Sendable, Equatable, CaseIterable {
    case sendFirst, sendBetween, taskBetween, sendInOpenTurn, sendBeforeMerge, limitedBeforeSend
    case limitedBesideSend, sendTwice
  }

  /// Appends the number of each action and the second at which it was reduced.
  struct Sequences: Reducer {
    struct Entry: Sendable, Equatable {
      let number: Int
      let second: Int64
    }

    func reduce(
      _ state: inout [Entry], _ action: Action, _ clock: TestClock
    ) -> [Effect<Action>] {
      func work(_ number: Int, _ seconds: Int) -> Effect<Action> {
        .task { .done(number) }.delay(for: .seconds(seconds), clock: clock)
      }
      switch action {
      case .done(let number):
        state.append(Entry(number: number, second: clock.now.offset.components.seconds))
        return []
      case .go(.sendFirst): return [.concatenate(.send(.done(1)), work(2, 1))]
      case .go(.sendBetween):
        return [.concatenate(work(1, 1), .send(.done(2)), work(3, 1), .send(.done(4)), work(5, 1))]
      case .go(.taskBetween): return [.concatenate(work(1, 1), .task { .done(2) }, work(3, 1))]
      case .go(.sendInOpenTurn): return [.send(.done(1)), .concatenate(work(2, 1), work(3, 1))]
      case .go(.sendBeforeMerge):
        return [.concatenate(.send(.done(1)), .merge(work(2, 1), work(3, 2)), work(4, 1))]
      case .go(.limitedBeforeSend):
        let works = (1...3).map { work($0, 1).limited(id: "one", whenFull: .wait) }
        return [.concatenate(.merge(works), .send(.done(4)))]
      case .go(.limitedBesideSend):
        let works = (2...4).map { work($0, 1).limited(id: "one", whenFull: .wait) }
        return [.concatenate(.merge([.send(.done(1))] + works), .send(.done(5)))]
      case .go(.sendTwice): return [.concatenate(.send(.done(1)), .send(.done(2)), work(3, 1))]
      }
    }
  }

  private func clockAndStore() -> (TestClock, TestStore<Sequences>) {
    let clock = TestClock()
    return (
      clock,
      TestStore(
        initialState: [], reducer: Sequences(), clock: clock, dependencies: clock,
        report: { Issue.record("\($0)") })
    )
  }

  @Test("work of a sequence starts at its time, whatever the test has received")
  func sequence() {
    for form in Form.allCases where form != .sendTwice && form != .limitedBesideSend {
      let clock = TestClock()
      let store = Store(
        initialState: [], reducer: Sequences(), dependencies: clock, executor: clock.executor)
      store.send(.go(form))
      clock.advance(by: .seconds(10))

      let (_, test) = clockAndStore()
      test.send(.go(form))
      var arrivals: [Sequences.Entry] = []
      for second in 0...10 {
        if second > 0 { test.advance(by: .seconds(1)) }
        for case .done(let number) in test.received.dropFirst(arrivals.count) {
          arrivals.append(.init(number: number, second: Int64(second)))
        }
      }
      #expect(arrivals == store.state, "\(form)")
      #expect(test.skipReceivedActions().count == arrivals.count, "\(form)")
      test.finish()
    }
  }

  @Test("time passes at once as it does in steps")
  func atOnce() {
    for form in Form.allCases where form != .sendTwice {
      let (_, inSteps) = clockAndStore()
      inSteps.send(.go(form))
      for _ in 1...10 { inSteps.advance(by: .seconds(1)) }
      let (_, atOnce) = clockAndStore()
      atOnce.send(.go(form))
      atOnce.advance(by: .seconds(10))
      #expect(atOnce.received == inSteps.received, "\(form)")
      for store in [inSteps, atOnce] {
        store.skipReceivedActions()
        store.finish()
      }
    }
  }

  @Test("a send behind a send waits, since its order depends on what the first one causes")
  func order() {
    let (_, store) = clockAndStore()
    store.send(.go(.sendTwice))
    store.advance(by: .seconds(5))
    #expect(store.received == [.done(1)])
    store.receive(.done(1)) { $0.append(.init(number: 1, second: 5)) }
    store.receive(.done(2)) { $0.append(.init(number: 2, second: 5)) }
    store.advance(by: .seconds(1))
    store.receive(.done(3)) { $0.append(.init(number: 3, second: 6)) }
    store.finish()
  }

  @Test("work that started early is cancelled by the action that it did not wait for")
  func cancelled() {
    enum Step: Sendable, Equatable { case go, stop, done }
    let clock = TestClock()
    let reducer = Reduce<Int, Step, TestClock> { state, action, clock in
      switch action {
      case .go:
        return [
          .concatenate(
            .send(.stop),
            .task { .done }.delay(for: .seconds(1), clock: clock).cancellable(id: "work"))
        ]
      case .stop: return [.cancel(id: "work")]
      case .done:
        state += 1
        return []
      }
    }
    let store = TestStore(
      initialState: 0, reducer: reducer, clock: clock, dependencies: clock,
      report: { Issue.record("\($0)") })
    store.send(.go)
    store.advance(by: .seconds(2))
    #expect(store.received == [.stop, .done])
    store.receive(.stop)
    #expect(store.received == [])
    store.finish()
  }
}
