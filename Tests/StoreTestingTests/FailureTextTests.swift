import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Failure texts")
struct FailureTextTests {
  let failures = Failures()

  @Test("a change that was not stated")
  func unexpectedChange() {
    let store = searchStore(report: failures.report)
    let line = #line + 1
    store.send(.typed("ri"))
    #expect(failures.kinds == [.unexpectedChange])
    #expect(failures.lines == [line])
    #expect(failures.all[0].location.fileID == #fileID)
    #expect(failures.all[0].location.filePath == #filePath)
    #expect(
      failures.messages == [
        """
        The state was not expected to change after `typed("ri")`, but it did (- before, + after):

          State(
        -   text: "",
        +   text: "ri",
            … (2 unchanged)
          )
        """
      ])
    store.skipInFlightEffects()
    store.finish()
  }

  @Test("another change than stated")
  func stateDiffers() {
    let store = searchStore(report: failures.report)
    store.send(.twice("a"))
    store.receive(.found(["a"])) { $0.results = ["a", "b"] }
    #expect(
      failures.messages == [
        """
        The state after `found(["a"])` is not the expected one (- expected, + actual):

          State(
            … (1 unchanged)
            results: [
              … (1 unchanged)
        -     "b"
            ],
            … (1 unchanged)
          )
        """
      ])
    store.skipReceivedActions()
    store.finish()
    #expect(failures.all.count == 1)
  }

  @Test("a change that did not happen")
  func nothingChanged() {
    let store = searchStore(report: failures.report)
    store.send(.nothing) { $0.text = "" }
    #expect(failures.kinds == [.nothingChanged])
    #expect(
      failures.messages == [
        "The state was expected to change after `nothing`, but nothing changed. "
          + "If that is right, leave the closure out."
      ])
  }

  @Test("a closure that throws")
  func closureThrew() {
    let store = searchStore(report: failures.report)
    store.send(.nothing) { _ in throw Broken() }
    #expect(failures.messages == ["The closure after `nothing` threw: the disk is full"])
  }

  @Test("nothing was received: nothing runs, or somebody sleeps")
  func nothingReceived() {
    let store = searchStore(report: failures.report)
    store.receive(.tick)
    store.send(.poll)
    store.receive(.tick)
    store.receive(where: { _ in true })
    store.receive(.found)
    #expect(
      failures.messages == [
        "Expected to receive `tick`, but no effect sent an action. "
          + "No effect is running: it never started, has ended, or was cancelled.",
        "Expected to receive `tick`, but no effect sent an action. "
          + "Still running: “poll” (id poll). The clock shows 0.0 seconds, and the next sleeper "
          + "wakes at 1.0 seconds: advance the clock.",
        "Expected to receive an action that the closure accepts, but no effect sent an action. "
          + "Still running: “poll” (id poll). The clock shows 0.0 seconds, and the next sleeper "
          + "wakes at 1.0 seconds: advance the clock.",
        "Expected to receive an action of the case, but no effect sent an action. "
          + "Still running: “poll” (id poll). The clock shows 0.0 seconds, and the next sleeper "
          + "wakes at 1.0 seconds: advance the clock.",
      ])
    store.skipInFlightEffects()
  }

  @Test("nothing was received, since the effect sleeps on another clock")
  func anotherClock() {
    let clock = TestClock()
    let other = TestClock(executor: clock.executor)
    let reducer = Reduce<Int, String, Void> { _, _, _ in
      [
        .run(name: "later") { send in
          try await other.sleep(for: .seconds(1))
          send("done")
        }
        .cancellable(id: "timer")
      ]
    }
    let store = TestStore(initialState: 0, reducer: reducer, clock: clock, report: failures.report)
    store.send("start")
    store.advance(by: .seconds(1))
    let line = #line + 1
    store.receive("done")
    #expect(failures.lines == [line])
    #expect(
      failures.messages == [
        "Expected to receive `\"done\"`, but no effect sent an action. "
          + "Still running: “later” (id timer). "
          + "Nothing sleeps on the test store's clock, which shows 1.0 seconds. "
          + "Does an effect wait for a clock that this test does not advance, such as another "
          + "TestClock, ContinuousClock or Task.sleep? Let the reducer take a clock from its "
          + "dependencies, and pass the test store's clock. If it waits for another thread, use `receive(_:within:)`."
      ])
    store.skipInFlightEffects()
    store.finish()
  }

  @Test("an effect that waits for a permit or its turn is not said to run")
  func pendingEffects() {
    let clock = TestClock()
    let reducer = Reduce<Int, Int, Void> { _, _, _ in
      let sleeps = ["first", "second"].map { name in
        Effect<Int>.run(name: name) { _ in try await clock.sleep(for: .seconds(1)) }
          .limited(id: "one", whenFull: .wait)
      }
      return sleeps
    }
    let store = TestStore(initialState: 0, reducer: reducer, clock: clock, report: failures.report)
    store.send(1)
    store.receive(1)
    #expect(
      failures.messages == [
        "Expected to receive `1`, but no effect sent an action. Still running: “first” (id one). "
          + "Waiting for a permit or for their turn in a sequence: “second” (id one). "
          + "The clock shows 0.0 seconds, and the next sleeper wakes at 1.0 seconds: advance the clock."
      ])
    store.advance(by: .seconds(2))
    store.finish()
    #expect(failures.all.count == 1)
  }

  @Test("of many running effects 20 are named")
  func manyEffects() {
    let clock = TestClock()
    let reducer = Reduce<Int, Int, Void> { _, count, _ in
      (0..<count).map { number in
        .run(name: "\(number)") { _ in try await clock.sleep(for: .seconds(1)) }
      }
    }
    let store = TestStore(initialState: 0, reducer: reducer, clock: clock, report: failures.report)
    store.send(23)
    store.receive(1)
    #expect(failures.messages[0].contains("“18”, “19” and 3 more. The clock shows"))
    store.advance(by: .seconds(1))
    store.finish()
    #expect(failures.all.count == 1)
  }

  @Test("another action than expected")
  func unexpectedAction() {
    let store = searchStore(report: failures.report)
    store.send(.twice("a"))
    store.receive(.found(["b"])) { $0.results = ["b"] }
    store.receive(where: { $0 == .tick })
    store.skipReceivedActions()
    store.send(.poll)
    store.advance(by: .seconds(1))
    store.receive(.found)
    store.skipInFlightEffects()
    store.finish()
    #expect(
      failures.messages == [
        """
        Received another action than expected (- expected, + received):

          found(
            [
        -     "b"
        +     "a"
            ]
          )

        Of the 1 action behind it in the queue none is the expected one. Nothing was reduced.
        """,
        "Received an action that the closure does not accept: `found([\"a\", \"a\"])`.\n\nNothing was reduced.",
        "Received an action of another case: `tick`.\n\nNothing was reduced.",
      ])
    #expect(
      store.state.results == ["a", "a"], "what was told of is reduced, so that the test goes on")
  }

  @Test("another action than expected, which is further back in the queue")
  func furtherBack() {
    let store = searchStore(report: failures.report)
    store.send(.twice("a"))
    let before = store.state
    #expect(store.receive(where: { $0 == .found(["a", "a"]) }) == nil)
    #expect(store.state == before, "nothing is reduced")
    #expect(store.received == [.found(["a"]), .found(["a", "a"])])
    store.finish()
    #expect(
      failures.messages == [
        """
        Received an action that the closure does not accept: `found(["a"])`.

        The expected action is further back in the queue, behind 1 other:
          found(["a"])
        Receive that first. Nothing was reduced.
        """
      ])
  }

  struct Screens: Reducer {
    struct State: Sendable, Equatable {
      var path = StackState(["one", "two"])
      var title = ""
    }

    func reduce(_ state: inout State, _ action: String, _ dependencies: Void) -> [Effect<String>] {
      switch action {
      case "pop all": state.path.removeAll()
      case "begin anew": state.path = StackState()
      default: state.title = action
      }
      return []
    }
  }

  @Test(
    "a stack that was emptied by a new StackState() is told apart by nextID", arguments: [0, 1])
  func newStack(anew: Int) {
    let store = TestStore(
      initialState: Screens.State(), reducer: Screens(), dependencies: (), report: failures.report)
    let (expected, actual) = anew == 0 ? (0, 2) : (2, 0)
    store.send(anew == 0 ? "pop all" : "begin anew") { state in
      if anew == 0 { state.path = StackState() } else { state.path.removeAll() }
    }
    #expect(
      failures.messages == [
        """
        The state after `"\(anew == 0 ? "pop all" : "begin anew")"` is not the expected one (- expected, + actual):

          State(
            path: [
        -     nextID: #\(expected)
        +     nextID: #\(actual)
            ],
            … (1 unchanged)
          )

        The stacks have the same elements, but will give different ids to those that are pushed next (nextID). \
        Likely causes: one of them was made anew, by StackState(), in the test or in a reducer without forEach, \
        and begins at #0 again; or an element was pushed and popped on one side only. To empty a stack write \
        removeAll(), which keeps nextID; under forEach a reducer may write StackState(), which goes on with \
        the ids of the stack that it replaces.
        """
      ])
  }

  @Test("receive before send")
  func receiveBeforeSend() {
    let store = searchStore(report: failures.report)
    store.send(.twice("a"))
    let line = #line + 1
    store.send(.clear) { $0 = Search.State() }
    #expect(failures.lines == [line])
    #expect(
      failures.messages == [
        """
        2 actions must be received before `clear` is sent:
          found(["a"])
          found(["a", "a"])
        The turn is not over, and `found(["a"])` is next: all that an action causes at once, by `.send` effects, is \
        reduced before any other action.
        """
      ])
    #expect(store.state == Search.State())
  }

  @Test("long differences of states and effects are cut, also without Equatable")
  func longDifference() {
    struct State: Sendable { var rows = Array(0..<8_000) }
    let reducer = Reduce<State, Int, Void> { state, effects, _ in
      state.rows.reverse()
      return (0..<effects).map { .cancel(id: $0) }
    }
    let store = TestStore(
      initialState: State(), reducer: reducer, dependencies: (), report: failures.report)
    store.send(1_000, effects: [])
    #expect(failures.kinds == [.unexpectedChange, .effectsDiffer])
    let texts = failures.messages.map {
      $0.split(separator: "\n", omittingEmptySubsequences: false)
    }
    #expect(texts.map(\.count) == [2 + 100, 2 + 100])
    #expect(texts[0][4] == "-     0,")
    #expect(texts[0][5] == "+     7999,")
    #expect(texts.map(\.last) == ["… and 15905 more lines", "… and 901 more lines"])
  }

  @Test("long lists are cut")
  func longList() {
    let store = searchStore(report: failures.report)
    store.send(.poll)
    store.advance(by: .seconds(23))
    store.finish()
    let lines = failures.messages.first?.split(separator: "\n") ?? []
    #expect(lines.count == 23)
    #expect(lines.dropFirst(20).first == "  tick")
    #expect(lines.dropFirst(21).first == "  … and 3 more")
  }

  @Test("what is left at the end: actions at the end, effects where they began")
  func leftovers() {
    let store = searchStore(report: failures.report)
    let poll = #line + 1
    store.send(.poll)
    store.advance(by: .seconds(1))
    let finish = #line + 1
    store.finish()
    #expect(failures.kinds == [.unreceivedActions, .effectRunning])
    #expect(failures.lines == [finish, poll])
    #expect(
      failures.messages == [
        """
        1 action came from effects and the test did not receive it:
          tick
        Receive it, or call skipReceivedActions().
        """,
        "The effect “poll” (id poll) is still running at the end of the test. It was started by `poll`, step 1. "
          + "Let it end (advance the clock, give it its answer), cancel it by an action, "
          + "or call skipInFlightEffects().",
      ])
  }

  @Test("an effect whose last action was not received is not running as well")
  func receivedIsEnded() {
    let store = searchStore(report: failures.report)
    store.send(.typed("a")) { $0.text = "a" }
    store.advance(by: .seconds(1))
    store.finish()
    #expect(failures.kinds == [.unreceivedActions])
  }

  @Test("a store that is dropped says what was left, once")
  func dropped() {
    let made = #line + 2
    do {
      let store = searchStore(report: failures.report)
      store.send(.twice("a"))
    }
    #expect(failures.kinds == [.unreceivedActions])
    #expect(failures.lines == [made])
    do {
      let store = searchStore(report: failures.report)
      store.finish()
    }
    #expect(failures.all.count == 1)
  }

  @Test("a cancelled effect that does not heed it")
  func deaf() {
    let executor = ManualExecutor()
    let gate = TestClock(executor: executor)
    let store = searchStore(
      clock: TestClock(executor: executor), report: failures.report,
      find: { text in
        // A task of its own is not cancelled with the effect.
        await Task.detached(executorPreference: executor) {
          try? await gate.sleep(for: .seconds(9))
        }
        .value
        return [text]
      })
    let line = #line + 1
    store.send(.typed("a")) { $0.text = "a" }
    store.advance(by: .milliseconds(300))
    store.send(.close)
    store.finish()
    #expect(failures.lines == [line])
    #expect(
      failures.messages == [
        "The effect “search” (id search) was cancelled and has not ended. It was started by "
          + "`typed(\"a\")`, step 1. It waits for something that does not heed cancellation."
      ])
    gate.run()
  }

  @Test("issues of the store are failures at the line that brought them up")
  func issue() {
    let store = searchStore(report: failures.report)
    let line = #line + 1
    store.send(.fail)
    store.finish()
    #expect(failures.kinds == [.issue])
    #expect(failures.lines == [line])
    let message = failures.messages.first ?? ""
    #expect(
      message.hasPrefix("The store reported an issue. SwiftBoardStoreTestingTests/Search.swift:"))
    #expect(
      message.contains("Unhandled error in the effect 'save': the disk is full."))
  }

  @Test("nothing to skip, and nothing after the end")
  func nothingToSkip() {
    let store = searchStore(report: failures.report)
    store.skipReceivedActions()
    store.skipInFlightEffects()
    store.finish()
    store.send(.clear)
    #expect(
      failures.messages == [
        "There are no received actions to skip.", "There are no effects in flight to skip.",
        "The test store has finished: finish() is the end of a test.",
      ])
  }

  @Test("the reporter of the documentation reaches the test framework, at the line")
  func framework() {
    withKnownIssue {
      let store = searchStore()
      store.send(.nothing) { _ in }
    } matching: { issue in
      issue.sourceLocation?.fileID == #fileID
        && issue.comments.first?.rawValue.contains("nothing changed") == true
    }
  }
}
