import SwiftBoardStore
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

private enum Trace {
  @TaskLocal static var id = "none"
}

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

  @Test("an effect runs on until its action is received; in a store the action may cancel it first")
  func runsOn() {
    let saves = TestClockTests.Notes()
    let reducer = Reduce<Int, Bool, Void> { _, isStart, _ in
      guard isStart else { return [.cancel(id: "save")] }
      return [
        .run { send in
          send(false)
          try Task.checkCancellation()
          saves.add("saved")
        }.cancellable(id: "save")
      ]
    }
    let executor = ManualExecutor()
    let program = Store(initialState: 0, reducer: reducer, executor: executor)
    program.send(true)
    executor.run()
    #expect(saves.all == [])
    let store = TestStore(initialState: 0, reducer: reducer, report: report)
    store.send(true)
    store.receive(false)
    store.finish()
    #expect(saves.all == ["saved"])
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

  @Test("actions that were not received are dropped with their effects, which is a failure")
  func dropped() {
    let failures = Failures()
    let store = searchStore(report: failures.report)
    store.send(.poll)
    store.advance(by: .seconds(3))
    #expect(store.received == [.tick, .tick, .tick])
    store.receive(.tick) { $0.ticks = 1 }
    store.skipInFlightEffects()
    #expect(store.received == [])
    #expect(failures.kinds == [.unreceivedActions])
    #expect(
      failures.messages[0].hasPrefix(
        "2 actions that the test had not received were dropped with their effects:"))
    let poll = store.send(.poll)
    let search = store.send(.typed("a")) { $0.text = "a" }
    store.advance(by: .seconds(1))
    #expect(store.received == [.found(["a!"]), .tick])
    poll.cancel()
    #expect(store.received == [.found(["a!"])] && !search.isFinished)
    #expect(failures.kinds == [.unreceivedActions, .unreceivedActions])
    #expect(
      failures.messages[1].hasPrefix(
        "1 action that the test had not received was dropped with its effects:"))
    store.receive(.found(["a!"])) { $0.results = ["a!"] }
    store.finish()
    #expect(failures.kinds.count == 2)
  }

  @Test("a store that checks less drops them, and tells if it is asked to")
  func droppedUnseen() {
    let (failures, skipped) = (Failures(), Failures())
    let store = looseStore(report: failures.report, reportSkipped: skipped.report)
    let poll = store.send(.poll)
    store.advance(by: .seconds(1))
    poll.cancel()
    #expect(skipped.kinds == [.unreceivedActions] && store.received == [])
    store.finish()
    #expect(failures.messages == [])
  }

  @Test("a closure that states a change sees the store as it was before the step")
  func stateInClosure() {
    let failures = Failures()
    let store = searchStore(report: failures.report)
    store.send(.twice("a"))
    store.receive(.found(["a"])) { $0 = store.state }
    #expect(failures.kinds == [.stateDiffers])
    store.receive(.found(["a", "a"])) { state in
      #expect(store.state.results == ["a"])
      state.results = store.state.results + ["a"]
    }
    #expect(store.state.results == ["a", "a"])
    store.nonExhaustively { loose in
      loose.send(.clear) { $0.results = loose.state.results }
    }
    // A closure inside of a closure ends nothing.
    store.send(.typed("b")) { state in
      store.assert { _ in }
      state = store.state
    }
    store.send(.close)
    store.finish()
    #expect(failures.kinds == [.stateDiffers, .stateDiffers, .stateDiffers])
  }

  @Test("R4 effects of received actions have the task-local values of the test")
  func taskLocalValues() {
    let seen = EventLog<String>()
    let note: @Sendable (String) -> Void = { seen.append("\($0): \(Trace.id)") }
    let reducer = Reduce<[String], String, Void> { state, action, _ in
      state.append(action)
      switch action {
      case "go":
        return [
          .run { send in
            note("run")
            send("a")
          },
          .concatenate(.task { "b" }, .run { _ in note("behind b") }, .send("c")),
        ]
      case "a", "b", "c": return [.run { _ in note("of \(action)") }]
      default: return []
      }
    }
    Trace.$id.withValue("test") {
      let store = TestStore(initialState: [], reducer: reducer, report: report)
      store.send("go") { $0 = ["go"] }
      for action in ["a", "b", "c"] { store.receive(action) { $0.append(action) } }
      store.finish()
    }
    #expect(
      seen.events.sorted()
        == ["behind b: test", "of a: test", "of b: test", "of c: test", "run: test"])
  }

  @Test("R4 subscriptions, and effects that wait for a permit, have them too")
  func taskLocalValuesOfLaterStarts() {
    let seen = EventLog<String>()
    let reducer = Limited { seen.append("\($0): \(Trace.id)") }
    Trace.$id.withValue("test") {
      let clock = TestClock()
      let store = TestStore(
        initialState: 0, reducer: reducer, clock: clock, dependencies: clock, report: report)
      store.send(3) { $0 = 3 }
      store.advance(by: .seconds(1))
      store.send(0) { $0 = 0 }
      store.finish()
    }
    #expect(seen.events.sorted() == ["first: test", "second: test", "subscribed: test"])
  }

  /// Starts two effects with one permit, and a subscription for as long as its state is not zero.
  private struct Limited: Reducer {
    let note: @Sendable (String) -> Void

    func reduce(_ state: inout Int, _ action: Int, _ clock: TestClock) -> [Effect<Int>] {
      state = action
      guard action > 0 else { return [] }
      return [
        .run { [note] _ in
          note("first")
          try await clock.sleep(for: .seconds(1))
        }.limited(id: "one", whenFull: .wait),
        .run { [note] _ in note("second") }.limited(id: "one", whenFull: .wait),
      ]
    }

    func declaresSubscriptions(in path: CompositionPath) -> Bool { true }

    func subscriptions(_ state: Int, _ clock: TestClock) -> [Effect<Int>] {
      guard state > 0 else { return [] }
      return [
        .run { [note] _ in
          note("subscribed")
          try await clock.sleep(for: .seconds(1000))
        }.cancellable(id: "subscription")
      ]
    }
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
    await store.waitForAction(patience: .seconds(3600))
    store.receive(.found(["A"])) { $0.results = ["A"] }
    store.finish()
  }

  @Test("who waits for an effect that sleeps on the clock is told so when the patience is over")
  func patience() async {
    let failures = Failures()
    let store = searchStore(report: failures.report)
    store.send(.typed("a")) { $0.text = "a" }
    let line = #line + 1
    await store.waitForAction(patience: .zero)
    #expect(failures.kinds == [.nothingReceived])
    #expect(failures.lines == [line])
    #expect(failures.messages.first?.contains("advance the clock") == true)
    store.skipInFlightEffects()
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

  @Test("send and receive by case path and value")
  func byValue() {
    let store = searchStore()
    store.send(.found, ["x"]) { $0.results = ["x"] }
    store.send(.twice("a"))
    store.receive(.found, ["a"]) { $0.results = ["a"] }
    store.receive(.found, ["a", "a"]) { $0.results = ["a", "a"] }
    store.finish()
  }

  @Test("dependencies may change between steps; running effects keep what they had")
  func dependencies() {
    let store = searchStore(find: { _ in ["old"] })
    store.send(.typed("a")) { $0.text = "a" }
    store.dependencies.find = { _ in ["new"] }
    store.advance(by: .milliseconds(300))
    store.receive(.found(["old"])) { $0.results = ["old"] }
    store.send(.typed("b")) { $0.text = "b" }
    store.advance(by: .milliseconds(300))
    store.receive(.found(["new"])) { $0.results = ["new"] }
    store.finish()
  }

  @Test("a received action is reduced with the dependencies of that moment")
  func lazyDependencies() {
    struct Reader: Reducer {
      func reduce(_ state: inout Int, _ action: Bool, _ number: Int) -> [Effect<Bool>] {
        state += number
        return action ? [.send(false)] : []
      }
    }
    let store = TestStore(
      initialState: 0, reducer: Reader(), dependencies: 1, report: report)
    store.send(true) { $0 = 1 }
    store.dependencies = 10
    store.receive(false) { $0 = 11 }
    store.finish()
  }

  @Test("a state that is not Equatable is compared by what a mirror shows")
  func mirror() {
    struct State: Sendable {
      struct Item: Sendable { var name: String; var note: String? }
      var items: [Item] = []
    }
    let failures = Failures()
    let store = TestStore(
      initialState: State(),
      reducer: Reduce<State, String, Void> { state, action, _ in
        if action != "" { state.items.append(State.Item(name: action, note: nil)) }
        return []
      }, dependencies: (), report: failures.report)
    store.send("a") { $0.items = [State.Item(name: "a", note: nil)] }
    store.send("")
    #expect(failures.messages == [])
    store.send("b")
    store.send("c") { $0.items.append(State.Item(name: "c", note: "?")) }
    store.send("") { $0.items[0].name = "a" }
    #expect(failures.kinds == [.unexpectedChange, .stateDiffers, .nothingChanged])
    #expect(
      failures.messages[1] == """
        The state after `"c"` is not the expected one (- expected, + actual):

          State(
            items: [
              … (2 unchanged)
              Item(
                … (1 unchanged)
        -       note: "?"
        +       note: nil
              )
            ]
          )
        """)
    let loose = NonExhaustiveTestStore(
      initialState: State(), reducer: EmptyReducer<State, Int, Void>(), dependencies: (),
      report: report)
    loose.send(1) { $0.items = [] }
  }

  @Test("a change that mirrors do not show is none: inside an object, and of nil in an optional")
  func unseen() {
    // Only used on the thread of this test.
    final class Counter: @unchecked Sendable { var count = 0 }
    struct State: Sendable {
      let counter = Counter()
      var choice: Int??
    }
    let store = TestStore(
      initialState: State(),
      reducer: Reduce<State, Int, Void> { state, _, _ in
        state.counter.count += 1
        state.choice = .some(nil)
        return []
      }, report: report)
    store.send(1)
    store.finish()
    #expect(store.state.counter.count == 1)
  }

  @Test("a handle that has not finished is a failure at the line that says it has")
  func unfinished() {
    let failures = Failures()
    let store = searchStore(report: failures.report)
    let poll = store.send(.poll)
    let line = #line + 1
    poll.finish()
    store.advance(by: .seconds(2))
    poll.finish()
    #expect(!poll.isCancelled)
    poll.cancel()
    #expect(poll.isCancelled)
    poll.finish()
    #expect(failures.kinds == [.effectRunning, .effectRunning, .unreceivedActions])
    #expect(failures.lines == [line, line + 2, line + 4])
    #expect(
      failures.messages.prefix(2) == [
        "What was sent has not finished. Still running: “poll” (id poll). The clock shows 0.0 seconds, "
          + "and the next sleeper wakes at 1.0 seconds: advance the clock.",
        "What was sent has not finished. 2 actions of effects wait to be received:\n  tick\n  tick",
      ])
    store.finish()
  }

  @Test("a handle waits for effects that wait for another thread")
  func finishHandle() async {
    let notes = TestClockTests.Notes()
    let store = TestStore(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { _, _, _ in
        [.run { _ in await Task.detached { notes.add("saved") }.value }]
      }, dependencies: (), report: report)
    let task = store.send(1)
    await task.finishWhenReady(patience: .seconds(3600))
    #expect(notes.all == ["saved"])
    store.send(1)
    await store.finishWhenReady(patience: .seconds(3600))
  }

  @Test("the present state can be looked at outside a step")
  func present() {
    let failures = Failures()
    let store = searchStore(report: failures.report)
    store.send(.typed("a")) { $0.text = "a" }
    store.assert { $0.text = "a" }
    let line = #line + 1
    store.assert { $0.ticks = 1 }
    store.assert { _ in throw Broken() }
    #expect(failures.lines == [line, line + 1])
    #expect(
      failures.messages == [
        """
        The state is not the expected one (- expected, + actual):

          State(
            … (2 unchanged)
        -   ticks: 1
        +   ticks: 0
          )
        """, "The closure for the state threw: the disk is full",
      ])
    store.skipInFlightEffects()
  }

  @Test("skipping gives what was skipped, and need not be strict")
  func skipping() {
    let store = searchStore()
    #expect(store.skipReceivedActions(strict: false) == [])
    #expect(store.skipInFlightEffects(strict: false) == [])
    store.send(.twice("a"))
    #expect(store.skipReceivedActions() == [.found(["a"]), .found(["a", "a"])])
    #expect(store.state.results == ["a", "a"])
    store.send(.poll)
    #expect(store.skipInFlightEffects() == [.run("poll", id: "poll")])
    store.finish()
    let failures = Failures()
    let loose = looseStore(report: failures.report)
    loose.skipReceivedActions()
    loose.skipInFlightEffects()
    #expect(failures.all == [])
    loose.skipReceivedActions(strict: true)
    loose.skipInFlightEffects(strict: true)
    #expect(failures.kinds == [.nothingToSkip, .nothingToSkip])
  }

  @Test("a part of an exhaustive test may be not exhaustive")
  func part() {
    let store = searchStore()
    store.send(.poll)
    store.advance(by: .seconds(3))
    let ticks = store.nonExhaustively { store in
      store.receive(.tick) { $0.ticks = 1 }
      store.send(.typed("a"))
      return store.state.ticks
    }
    #expect(ticks == 3)
    store.send(.close)
    store.send(.clear) { $0 = Search.State() }
    store.finish()
  }
}

@Suite("TestStore: sequences, failures and waiting")
struct TestStoreOrderTests {
  /// Sends what it is told to, and writes down what comes.
  struct Relay: Reducer {
    enum Action: Sendable, Equatable { case go, next, came(Int), other(Int) }
    typealias Make = @Sendable (TestClock) -> [Effect<Action>]
    let go: Make
    var next: Make = { _ in [] }

    func reduce(_ state: inout [Action], _ action: Action, _ clock: TestClock) -> [Effect<Action>] {
      state.append(action)
      return switch action {
      case .go: go(clock)
      case .came(1): next(clock)
      default: []
      }
    }
  }

  let failures = Failures()

  func store(next: @escaping Relay.Make = { _ in [] }, go: @escaping Relay.Make) -> TestStore<Relay>
  {
    let clock = TestClock()
    return TestStore(
      initialState: [], reducer: Relay(go: go, next: next), clock: clock, dependencies: clock,
      report: failures.report)
  }

  static func three(_: TestClock) -> [Effect<Relay.Action>] {
    [.send(.came(1)), .send(.came(2)), .send(.came(3))]
  }

  static func later(_ number: Int, _ clock: TestClock) -> Effect<Relay.Action> {
    .task(name: "\(number)") {
      try await clock.sleep(for: .seconds(1))
      return .came(number)
    }
  }

  @Test(
    "a member of a sequence starts when the one before has ended, not when its action is received")
  func sequence() {
    let store = store { [.concatenate(Self.later(1, $0), Self.later(2, $0), .send(.came(3)))] }
    store.send(.go) { $0 = [.go] }
    store.advance(by: .seconds(1))
    #expect(store.received == [.came(1)])
    #expect(store.inFlight.filter { $0.phase == .running }.map(\.descriptor.name) == ["2"])
    store.advance(by: .seconds(1))
    #expect(store.received == [.came(1), .came(2), .came(3)])
    for number in 1...3 { store.receive(.came(number)) { $0.append(.came(number)) } }
    store.finish()
    #expect(failures.messages == [])
  }

  @Test("what waits under a limit starts when the one before has ended")
  func limit() {
    let store = store { clock in
      [1, 2].map { Self.later($0, clock).limited(id: "one", whenFull: .wait) }
    }
    let task = store.send(.go) { $0 = [.go] }
    store.advance(by: .seconds(2))
    #expect(store.received == [.came(1), .came(2)])
    store.receive(.came(1)) { $0.append(.came(1)) }
    #expect(!task.isFinished, "the other action was not received yet")
    store.receive(.came(2)) { $0.append(.came(2)) }
    #expect(task.isFinished)
    store.finish()
    #expect(failures.messages == [])
  }

  @Test("cancelling an id drops the action of an effect that has ended and was not received")
  func cancelledWhileWaiting() {
    let store = store(next: { _ in [.cancel(id: "x")] }) { clock in
      [.send(.came(1)), Self.later(2, clock).cancellable(id: "x")]
    }
    store.send(.go) { $0 = [.go] }
    store.advance(by: .seconds(1))
    #expect(store.received == [.came(1), .came(2)])
    store.receive(.came(1)) { $0.append(.came(1)) }
    #expect(store.received == [])
    store.finish()
    #expect(failures.messages == [])
  }

  @Test(
    "a receive that fails reduces nothing, and the correct lines behind it do not fail: a wrong value"
  )
  func wrongValue() {
    let store = store(next: { _ in [.send(.other(1))] }, go: Self.three)
    store.send(.go) { $0 = [.go] }
    let line = #line + 1
    store.receive(.came(9)) { $0.append(.came(9)) }
    #expect(store.state == [.go])
    store.receive(.came(2)) { $0.append(.came(2)) }
    store.receive(.came(3)) { $0.append(.came(3)) }
    store.receive(.other(1)) { $0.append(.other(1)) }
    store.send(.came(7)) { $0.append(.came(7)) }
    store.finish()
    #expect(failures.lines == [line])
    #expect(store.state == [.go, .came(1), .came(2), .came(3), .other(1), .came(7)])
  }

  @Test("the correct lines behind a failure do not fail: two lines in the wrong order")
  func wrongOrder() {
    let store = store(go: Self.three)
    store.send(.go) { $0 = [.go] }
    let line = #line + 1
    store.receive(.came(2)) { $0.append(.came(2)) }
    store.receive(.came(1)) { $0.append(.came(1)) }
    store.receive(.came(3)) { $0.append(.came(3)) }
    store.finish()
    #expect(failures.lines == [line])
    #expect(failures.messages.first?.contains("further back in the queue, behind 1 other") == true)
  }

  @Test("the correct lines behind a failure do not fail: a line is missing")
  func missingLine() {
    let store = store(next: { _ in [.task { .other(1) }] }, go: Self.three)
    store.send(.go) { $0 = [.go] }
    let line = #line + 1
    store.receive(.came(2)) { $0.append(.came(2)) }
    store.receive(.came(3)) { $0.append(.came(3)) }
    store.receive(.other(1)) { $0.append(.other(1)) }
    store.finish()
    #expect(failures.lines == [line])
  }

  @Test("the correct lines behind a failure do not fail, and other wrong ones do: a line too many")
  func lineTooMany() {
    let store = store(go: Self.three)
    store.send(.go) { $0 = [.go] }
    let line = #line + 1
    store.receive(.other(1))
    store.receive(.came(1)) { $0.append(.came(1)) }
    store.receive(.came(3)) { $0.append(.came(3)) }
    store.finish()
    #expect(failures.lines == [line, line + 2], "that came(2) is missing is another failure")
    #expect(failures.kinds == [.unexpectedAction, .unexpectedAction])
  }

  @Test(
    "lines of other kinds go on from the state that the failed one should have led to",
    arguments: ["send", "assert", "advance", "finish", "handle", "drop", "skip", "wait"])
  func otherLines(kind: String) async {
    var store: TestStore<Relay>? = store(next: { [Self.later(2, $0)] }) { _ in
      [.send(.came(1))]
    }
    let task = store?.send(.go) { $0 = [.go] }
    let line = #line + 1
    store?.receive(.came(9)) { $0.append(.came(9)) }
    switch kind {
    case "send": store?.send(.came(5)) { $0.append(.came(5)) }
    case "assert": store?.assert { $0 = [.go, .came(1)] }
    case "wait": await store?.waitForAction(patience: .zero)
    default: break
    }
    if kind == "wait" {
      #expect(failures.kinds == [.unexpectedAction, .nothingReceived], "the effect sleeps")
      store?.skipInFlightEffects()
      return
    }
    store?.advance(by: .seconds(1))
    store?.advance(by: .seconds(1))
    if kind == "skip" {
      #expect(store?.skipReceivedActions() == [.came(2)])
    } else {
      store?.receive(.came(2)) { $0.append(.came(2)) }
    }
    if kind == "handle" { task?.finish() }
    if kind == "drop" { store = nil } else { store?.finish() }
    #expect(failures.lines == [line])
  }

  @Test("an action that a failed line told of is no leftover")
  func noLeftover() {
    let store = store { _ in [.send(.came(2))] }
    let task = store.send(.go) { $0 = [.go] }
    store.receive(.came(9))
    task.finish()
    store.finish()
    #expect(failures.kinds == [.unexpectedAction])
    #expect(store.state == [.go, .came(2)])
  }

  static func fromAnotherThread(_ number: Int) -> Effect<Relay.Action> {
    .task { await Task.detached { .came(number) }.value }
  }

  @Test("receive(within:) waits for effects that wait for another thread")
  func within() async {
    let store = store { _ in
      [
        .concatenate(
          Self.fromAnotherThread(1), Self.fromAnotherThread(2), Self.fromAnotherThread(3),
          .task { await Task.detached { .other(4) }.value })
      ]
    }
    store.send(.go) { $0 = [.go] }
    await store.receive(.came(1), within: .seconds(3600)) { $0.append(.came(1)) }
    let second = await store.receive(
      where: { $0 == .came(2) }, within: .seconds(3600)
    ) { $0.append(.came(2)) }
    #expect(second == .came(2))
    let came = CasePath(embed: Relay.Action.came) { if case .came(let n) = $0 { n } else { nil } }
    let other = CasePath(embed: Relay.Action.other) {
      if case .other(let n) = $0 { n } else { nil }
    }
    let third = await store.receive(came, within: .seconds(3600)) { $0.append(.came(3)) }
    #expect(third == 3)
    await store.receive(other, 4, within: .seconds(3600)) { $0.append(.other(4)) }
    store.finish()
    #expect(failures.messages == [])
  }

  @Test("receive(within:) waits while something else is unreceived, where that may be left out")
  func withinWhileUnreceived() async {
    let clock = TestClock()
    let store = NonExhaustiveTestStore(
      initialState: [],
      reducer: Relay(
        go: { _ in [.send(.came(1)), .send(.other(2))] }, next: { _ in [Self.fromAnotherThread(3)] }
      ), clock: clock, dependencies: clock, report: failures.report)
    store.send(.go)
    await store.waitForAction(patience: .seconds(3600))
    #expect(store.received == [.came(1), .other(2)], "the action that is waited for is not there")
    await store.receive(.came(3), within: .seconds(3600)) {
      $0 = [.go, .came(1), .other(2), .came(3)]
    }
    store.finish()
    #expect(failures.messages == [])
  }

  @Test(
    "receive(within:) fails when its time is over, when nothing runs, and when another action is next"
  )
  func withinInVain() async {
    let store = store { [Self.later(2, $0)] }
    store.send(.go) { $0 = [.go] }
    let line = #line + 1
    await store.receive(.came(2), within: .zero)
    store.advance(by: .seconds(1))
    let second = #line + 1
    await store.receive(.came(3), within: .seconds(3600))
    let third = #line + 1
    await store.receive(.came(4), within: .seconds(3600))
    store.finish()
    #expect(failures.lines == [line, second, third])
    #expect(failures.kinds == [.nothingReceived, .unexpectedAction, .nothingReceived])
    #expect(
      failures.messages.first
        == "Expected to receive `came(2)` within 0.0 seconds, but no effect sent an action. Still running: “2”. "
        + "The clock shows 0.0 seconds, and the next sleeper wakes at 1.0 seconds: advance the clock."
    )
    #expect(
      failures.messages.last
        == """
        Expected to receive `came(4)`, but only this came, which an earlier line reported or reduced:
          came(2)
        Received another action than expected (- expected, + received):

          came(
        -   4
        +   2
          )

        No effect is running: it never started, has ended, or was cancelled.
        """)
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

  @Test("received actions are reduced before effects are cancelled", arguments: [false, true])
  func cancelReducesReceived(byHandle: Bool) {
    let store = looseStore()
    let sent = store.send(.twice("a"))
    if byHandle { sent.cancel() } else { store.skipInFlightEffects() }
    #expect(store.state.results == ["a", "a"])
    store.finish()
    #expect(store.failures == [])
  }

  @Test("a handle finishes without a receive of what its effects have sent")
  func handleFinishes() async {
    let store = looseStore()
    store.send(.twice("a")).finish()
    #expect(store.state.results == ["a", "a"])
    await store.send(.twice("b")).finishWhenReady(patience: .seconds(3600))
    #expect(store.state.results == ["b", "b"])
    store.finish()
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

  @Test("a receive that fails passes over what comes; the correct lines behind it do not fail")
  func noCascade() {
    let failures = Failures()
    let store = looseStore(report: failures.report)
    store.send(.twice("a"))
    let line = #line + 1
    store.receive(.tick)
    store.receive(.found(["a"])) { $0.results = ["a"] }
    store.receive(.found(["a", "a"])) { $0.results = ["a", "a"] }
    #expect(failures.lines == [line])
    store.receive(.found(["a"]))
    #expect(failures.lines == [line, line + 4], "each is there once")
    store.finish()
  }

  @Test("an action that an earlier line skipped: the failure says which line, and before what")
  func skippedBefore() {
    let failures = Failures()
    let store = looseStore(report: failures.report)
    store.send(.twice("a"))
    let line = #line + 1
    store.receive(.found(["a", "a"]))
    store.receive(.found(["a"]))
    store.send(.twice("b"))
    store.send(.nothing)
    store.send(.twice("c"))
    store.receive(.found(["b"]))
    let file = "SwiftBoardStoreTestingTests/TestStoreTests.swift"
    #expect(failures.lines == [line + 1, line + 5])
    #expect(
      failures.messages == [
        """
        Expected to receive `found(["a"])`, but no effect sent another action. `found(["a"])` was reduced unseen before \
        `found(["a", "a"])`, at \(file):\(line): if that one is meant, receive it before that line. \
        No effect is running: it never started, has ended, or was cancelled.
        """,
        """
        Expected to receive `found(["b"])`, but only these came:
          found(["c"])
          found(["c", "c"])
        `found(["b"])` was reduced unseen before `nothing`, at \(file):\(line + 3): if that one is meant, receive it \
        before that line. No effect is running: it never started, has ended, or was cancelled.
        """,
      ])
  }

  @Test("what it lets pass can be shown: changes, received actions, what is left")
  func skipped() {
    let skipped = Failures()
    let first = #line + 2
    do {
      let store = looseStore(reportSkipped: skipped.report)
      store.send(.typed("a"))
      store.send(.poll)
      store.advance(by: .seconds(1))
      store.receive(.tick) { $0.ticks = 1 }
      store.advance(by: .seconds(1))
    }
    #expect(
      skipped.kinds == [
        .unexpectedChange, .unreceivedActions, .unreceivedActions, .effectRunning,
      ])
    #expect(skipped.lines == [first + 1, first + 4, first, first + 2])
    #expect(
      skipped.messages.prefix(3) == [
        """
        The test does not state all of the change after `typed("a")` (- stated, + after):

          State(
        -   text: "",
        +   text: "a",
            … (2 unchanged)
          )
        """,
        """
        1 action reduced unseen before `tick`:
          found(["a!"])
        """,
        """
        1 action came from effects and the test did not receive it:
          tick
        Receive it, or call skipReceivedActions().
        """,
      ])
    let all = Failures()
    let store = looseStore(reportSkipped: all.report)
    store.send(.twice("a"))
    store.send(.typed("b")) { $0.text = "b" }
    #expect(
      all.messages == [
        "2 actions reduced unseen before `typed(\"b\")`:\n  found([\"a\"])\n  found([\"a\", \"a\"])"
      ])
  }

  @Test("a closure that changes nothing is no failure, and is not shown")
  func unchanged() {
    let skipped = Failures()
    let store = looseStore(reportSkipped: skipped.report)
    store.send(.nothing) { $0.ticks = 0 }
    store.finish()
    #expect(skipped.all == [] && store.failures == [])
  }

  @Test("a part of an exhaustive test shows what it lets pass, and ends with it")
  func skippedPart() {
    let skipped = Failures()
    let store = searchStore()
    store.nonExhaustively(reportSkipped: skipped.report) { $0.send(.typed("a")) }
    store.nonExhaustively { $0.send(.typed("b")) }
    #expect(skipped.kinds == [.unexpectedChange])
    store.skipInFlightEffects()
    store.finish()
  }

  @Test("a store of a reducer without dependencies needs no argument for them")
  func withoutDependencies() {
    struct Opaque: Sendable { var count = 0 }
    let failures = Failures()
    let counting = Reduce<Int, Int, Void> {
      $0 += $1; return []
    }
    let hiding = Reduce<Opaque, Int, Void> {
      $0.count += $1; return []
    }

    let equatable = TestStore(initialState: 1, reducer: counting, report: failures.report)
    equatable.send(2) { $0 = 3 }
    let opaque = TestStore(initialState: Opaque(), reducer: hiding, report: failures.report)
    opaque.send(2) { $0.count = 2 }
    let loose = NonExhaustiveTestStore(
      initialState: 1, reducer: counting, report: failures.report)
    loose.send(2) { $0 = 3 }
    let looseOpaque = NonExhaustiveTestStore(
      initialState: Opaque(), reducer: hiding, report: failures.report)
    looseOpaque.send(2) { $0.count = 2 }
    #expect(failures.all.isEmpty)
  }
}
