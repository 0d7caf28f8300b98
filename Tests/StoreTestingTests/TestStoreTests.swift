import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("TestStore")
struct TestStoreTests {
  @Test("an action, its effect and the effect's action, one after the other")
  func flow() {
    let store = searchStore()
    store.send(.typed("ri")) { $0.text = "ri" }
    #expect(store.effects == [EffectDescriptor(kind: .task, name: "search", id: "search")])
    #expect(store.inFlight.map(\.descriptor.name) == ["search"])
    store.advance(by: .milliseconds(299))
    #expect(store.received == [])
    store.advance(by: .milliseconds(1))
    store.receive(.found(["ri!"])) { $0.results = ["ri!"] }
    #expect(store.origin == .effect(name: "search", id: "search", step: 1))
    #expect(store.inFlight.isEmpty)
    store.finish()
  }

  @Test("a received action is reduced when the test receives it, not before")
  func lazy() {
    let store = searchStore()
    store.send(.twice("a"))
    #expect(store.received == [.found(["a"]), .found(["a", "a"])])
    #expect(store.state.results == [])
    store.receive(.found(["a"])) { $0.results = ["a"] }
    #expect(store.state.results == ["a"])
    store.receive(.found(["a", "a"])) { $0.results = ["a", "a"] }
    store.finish()
  }

  @Test("debounce: the last of what is typed is looked up, once")
  func debounce() {
    let store = searchStore()
    store.send(.typed("r")) { $0.text = "r" }
    store.advance(by: .milliseconds(200))
    store.send(.typed("ri")) { $0.text = "ri" }
    store.advance(by: .milliseconds(200))
    store.send(.typed("ric")) { $0.text = "ric" }
    #expect(store.clock.sleepers == [TestClock.Instant(offset: .milliseconds(700))])
    store.advance(by: .seconds(10))
    store.receive(.found(["ric!"])) { $0.results = ["ric!"] }
    store.finish()
  }

  @Test("cancelling by an action: nothing comes any more, and nothing is left")
  func cancelByAction() {
    let store = searchStore()
    store.send(.typed("r")) { $0.text = "r" }
    store.send(.close)
    #expect(store.effects.map(\.kind) == [.cancel, .cancel])
    store.advance(by: .seconds(1))
    store.finish()
  }

  @Test("an action that was received but not reduced is dropped when its effect is cancelled")
  func dropped() {
    let store = searchStore()
    store.send(.poll)
    store.advance(by: .seconds(3))
    #expect(store.received == [.tick, .tick, .tick])
    store.receive(.tick) { $0.ticks = 1 }
    store.skipInFlightEffects()
    #expect(store.received == [])
    store.finish()
  }

  @Test("a handle cancels what its send set going")
  func handle() {
    let store = searchStore()
    let poll = store.send(.poll)
    let search = store.send(.typed("a")) { $0.text = "a" }
    poll.cancel()
    #expect(poll.isFinished)
    #expect(!search.isFinished)
    store.advance(by: .seconds(1))
    #expect(!search.isFinished, "its action was not received yet")
    store.receive(.found(["a!"])) { $0.results = ["a!"] }
    #expect(search.isFinished)
    store.finish()
  }

  @Test("receive by case and by predicate")
  func receiveOtherwise() {
    let store = searchStore()
    store.send(.twice("a"))
    let first = store.receive(.found) { $0.results = ["a"] }
    #expect(first == ["a"])
    let second = store.receive(where: { $0 != .tick }) { $0.results = ["a", "a"] }
    #expect(second == .found(["a", "a"]))
    store.finish()
  }

  @Test("an effect that waits for another thread")
  func otherThread() async {
    let store = searchStore(find: { text in
      await Task.detached { [text.uppercased()] }.value
    })
    store.send(.typed("a")) { $0.text = "a" }
    store.advance(by: .milliseconds(300))
    await store.waitForAction()
    store.receive(.found(["A"])) { $0.results = ["A"] }
    store.finish()
  }

  @Test("actions that are not Equatable are received by predicate")
  func notEquatable() {
    struct Action: Sendable { let number: Int }
    let store = TestStore(
      initialState: 0,
      reducer: Reduce<Int, Action, Void> { state, action, _ in
        state += action.number
        return action.number < 3 ? [.send(Action(number: action.number + 1))] : []
      }, dependencies: (), report: report)
    store.send(Action(number: 1)) { $0 = 1 }
    store.receive(where: { $0.number == 2 }) { $0 = 3 }
    store.receive(where: { $0.number == 3 }) { $0 = 6 }
    store.finish()
  }

  @Test("a hundred tests side by side do not disturb each other")
  func parallel() async {
    let failures = Failures()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let store = searchStore(report: failures.report)
          let text = String(number)
          store.send(.typed(text)) { $0.text = text }
          store.send(.poll)
          store.advance(by: .milliseconds(300 + number % 3))
          store.receive(.found([text + "!"])) { $0.results = [text + "!"] }
          store.advance(by: .seconds(1))
          store.receive(.tick) { $0.ticks = 1 }
          store.send(.close)
          store.finish()
        }
      }
    }
    #expect(failures.messages == [])
  }
}

@Suite("NonExhaustiveTestStore")
struct NonExhaustiveTestStoreTests {
  @Test("states what it likes, and leaves the rest")
  func loose() {
    let store = looseStore()
    store.send(.typed("a"))
    store.send(.poll)
    store.advance(by: .seconds(2))
    store.receive(.tick) { $0.ticks = 1 }
    #expect(store.state.results == ["a!"], "what came before the tick was reduced")
    store.assert { $0.text = "a" }
    #expect(store.skipReceivedActions() == [.tick])
    store.assert { $0.ticks = 2 }
    store.finish()
  }

  @Test("received actions are reduced before the next send")
  func sendReducesReceived() {
    let store = looseStore()
    store.send(.twice("a"))
    store.send(.nothing) { $0.results = ["a", "a"] }
    store.skipInFlightEffects()
    #expect(store.failures == [])
  }

  @Test("what is asked for has to be so")
  func failures() {
    let failures = Failures()
    let store = looseStore(report: failures.report)
    let line = #line + 1
    store.send(.typed("a")) { $0.text = "b" }
    store.receive(.tick)
    store.send(.twice("x"))
    store.receive(.tick)
    store.send(.fail)
    #expect(failures.kinds == [.stateDiffers, .nothingReceived, .nothingReceived, .issue])
    #expect(failures.lines == [line, line + 1, line + 3, line + 4])
    #expect(
      failures.messages.first == """
        The state after `typed("a")` is not the expected one (- expected, + actual):

          State(
        -   text: "b",
        +   text: "a",
            … (2 unchanged)
          )
        """)
    #expect(
      failures.messages[2] == """
        Expected to receive `tick`, but only these came:
          found(["x"])
          found(["x", "x"])
        Still running: “search” (id search). The clock shows 0.0 seconds, and the next sleeper wakes at 0.3 seconds: \
        advance the clock.
        """)
  }
}
