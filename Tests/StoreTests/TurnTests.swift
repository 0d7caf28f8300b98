import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

/// What watches a store: none of it changes the order.
private enum StepRecipients: CaseIterable, Sendable {
  case none, observer, hooks, meter, steps, states, all
}

extension Store {
  /// Has `recipients` watch until the store ends.
  ///
  /// - Returns: The tasks that iterate, to be awaited once the store has been dropped or shut down.
  fileprivate func add(_ recipients: StepRecipients) -> [Task<Void, Never>] {
    var readers: [Task<Void, Never>] = []
    if [.observer, .all].contains(recipients) { observe { _, _ in } }
    if [.hooks, .all].contains(recipients) {
      setHooks { _, _ in StepHooks(willReduce: { _ in }, didReduce: { _, _ in }) }
    }
    if [.meter, .all].contains(recipients) { setMeter { _ in } }
    if [.steps, .all].contains(recipients) {
      let steps = steps()
      readers.append(Task { for await _ in steps {} })
    }
    if [.states, .all].contains(recipients) {
      let states = states
      readers.append(Task { for await _ in states {} })
    }
    return readers
  }
}

/// `add` causes `plus` at once, and an effect sends `double` right behind `add`.
private struct Sum: Reducer {
  enum Action: Sendable, Equatable { case go, add, plus, double }

  struct State: Sendable, Equatable {
    var value = 0
    var seen: [Action] = []
  }

  func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
    state.seen.append(action)
    switch action {
    case .go:
      return .run { send in
        send(.add)
        send(.double)
      }
    case .add:
      state.value += 1
      return .send(.plus)
    case .plus: state.value += 10
    case .double: state.value *= 2
    }
    return []
  }

  static let end = State(value: 22, seen: [.go, .add, .plus, .double])
}

/// Each `begin` causes three parts at once, the last of them by the first.
private struct Parts: Reducer {
  enum Action: Sendable, Equatable {
    case begin(Int)
    case part(Int, Int)
    /// Begins each of these from an effect.
    case effect([Int])
  }

  func reduce(_ state: inout [Action], _ action: Action, _: Void) -> [Effect<Action>] {
    switch action {
    case .begin(let id):
      state.append(action)
      return [.send(.part(id, 1)), .send(.part(id, 2))]
    case .part(let id, let number):
      state.append(action)
      return number == 1 ? .send(.part(id, 3)) : []
    case .effect(let ids):
      return .run { send in
        for id in ids { send(.begin(id)) }
      }
    }
  }

  /// The ids of the turns, if no turn has an action of another one in it.
  static func turns(_ actions: [Action]) -> [Int]? {
    var ids: [Int] = []
    for first in stride(from: 0, to: actions.count, by: 4) {
      guard case .begin(let id) = actions[first],
        Array(actions[first..<min(first + 4, actions.count)])
          == [.begin(id), .part(id, 1), .part(id, 2), .part(id, 3)]
      else { return nil }
      ids.append(id)
    }
    return ids
  }
}

/// A turn that cancels a sequence, of which the next member then sends 1, and starts a task, which
/// sends 2.
private struct Waking: Reducer {
  enum Action: Sendable, Equatable { case go, kick, more, add(Int) }

  func reduce(
    _ state: inout [Int], _ action: Action, _ clock: TestClock
  ) -> [Effect<Action>] {
    switch action {
    case .go:
      return [
        .concatenate([
          .run { _ in try await clock.sleep(for: .seconds(9)) }.cancellable(id: 1),
          .send(.add(1)),
        ])
      ]
    case .kick: return [.cancel(id: 1), .send(.more)]
    case .more: return [.task { .add(2) }]
    case .add(let number):
      state.append(number)
      return []
    }
  }
}

@Suite("R2 Turns")
struct TurnTests {
  @Test("R2 what an action causes at once comes before the next of its effect, whatever watches")
  func effect() async {
    for recipients in StepRecipients.allCases {
      for _ in 0..<20 {
        let store = Store(initialState: Sum.State(), reducer: Sum(), dependencies: ())
        let readers = store.add(recipients)
        await store.send(.go).finish()
        #expect(store.state == Sum.end, "\(recipients)")
        await store.shutdown(deadline: .zero)
        for reader in readers { await reader.value }
      }
    }
  }

  @Test("R2 a cancelled task wakes up before the next action of the turn, whatever watches")
  func wakingUp() {
    for recipients in StepRecipients.allCases {
      let clock = TestClock()
      let store = Store(
        initialState: [], reducer: Waking(), dependencies: clock, executor: clock.executor)
      let readers = store.add(recipients)
      store.send(.go)
      clock.executor.run()
      store.send(.kick)
      clock.executor.run()
      #expect(store.state == [1, 2], "\(recipients)")
      for reader in readers { reader.cancel() }
    }
    let clock = TestClock()
    let store = NonExhaustiveTestStore(
      initialState: [], reducer: Waking(), clock: clock, dependencies: clock,
      report: { Issue.record("\($0)") })
    store.send(.go)
    store.send(.kick)
    store.skipReceivedActions()
    #expect(store.state == [1, 2])
  }

  @Test("R2 a test store takes the same steps as a store")
  func testStore() {
    let store = TestStore(
      initialState: Sum.State(), reducer: Sum(), dependencies: (),
      report: { Issue.record("\($0)") })
    store.send(.go) { $0.seen = [.go] }
    #expect(store.received == [.add, .double])
    store.receive(.add) {
      $0.value = 1
      $0.seen.append(.add)
    }
    #expect(store.received == [.plus, .double])
    store.receive(.plus) {
      $0.value = 11
      $0.seen.append(.plus)
    }
    store.receive(.double) { $0 = Sum.end }
    store.finish()
  }

  @Test("R2 a test store that is not exhaustive takes the same steps as a store")
  func nonExhaustiveTestStore() {
    func store() -> NonExhaustiveTestStore<Sum> {
      NonExhaustiveTestStore(
        initialState: Sum.State(), reducer: Sum(), dependencies: (),
        report: { Issue.record("\($0)") })
    }
    let skipping = store()
    skipping.send(.go)
    #expect(skipping.skipReceivedActions() == [.add, .plus, .double])
    #expect(skipping.state == Sum.end)

    let receiving = store()
    receiving.send(.go)
    receiving.receive(.double)
    #expect(receiving.state == Sum.end)

    let sending = store()
    sending.send(.go)
    sending.send(.double)
    #expect(sending.state.seen == Sum.end.seen + [.double])
  }

  @Test("R2 what stands behind a `.send` that a cancel drops belongs to the turn")
  func behindDropped() {
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "go"
          ? [.concatenate(.send("a").cancellable(id: 1), .send("b")), .cancel(id: 1)] : []
      }, dependencies: ())
    store.observe { [weak store] step, _ in
      if step.action == "go" { store?.send("other") }
    }
    store.send("go")
    #expect(store.state.seen == ["go", "b", "other"])
  }

  @Test("R2 turns of many senders stay whole, whatever watches", .timeLimit(.minutes(20)))
  func contended() async {
    for recipients in StepRecipients.allCases {
      let store = Store(initialState: [], reducer: Parts(), dependencies: ())
      let readers = store.add(recipients)
      await withTaskGroup(of: Void.self) { group in
        for sender in 0..<4 {
          group.addTask {
            let own = sender * 1000
            var handles: [StoreTask] = []
            for id in stride(from: own, to: own + 60, by: 4) {
              handles.append(store.send(.begin(id)))
              store.send(contentsOf: [.begin(id + 1), .begin(id + 2)])
              handles.append(store.send(.effect([id + 3])))
            }
            for handle in handles { await handle.finish() }
          }
        }
      }
      let left = await store.shutdown(deadline: .seconds(600))
      for reader in readers { await reader.value }
      let turns = Parts.turns(store.state)
      #expect(turns != nil, "\(recipients)")
      #expect(left.isEmpty)
      let expected: [Int] = (0..<4).flatMap { sender in (0..<60).map { sender * 1000 + $0 } }
      #expect(turns?.sorted() == expected, "\(recipients)")
    }
  }

  @Test("R2 each action of a batch opens a turn of its own", arguments: [false, true])
  func batch(isObserved: Bool) {
    let store = Store(initialState: [], reducer: Parts(), dependencies: ())
    if isObserved { store.observe { _, _ in } }
    store.send(contentsOf: [.begin(1), .begin(2), .begin(3)])
    #expect(Parts.turns(store.state) == [1, 2, 3])
  }

  @Test("R2 a batch from an observer opens its turns behind the one that is told")
  func batchOfObserver() {
    let store = Store(initialState: [], reducer: Parts(), dependencies: ())
    store.observe { [weak store] step, _ in
      if step.action == .begin(1) { store?.send(contentsOf: [.begin(2), .begin(3)]) }
    }
    store.send(.begin(1))
    #expect(Parts.turns(store.state) == [1, 2, 3])
  }

  @Test("R2 what an observer sends opens a turn behind the one that is told")
  func observer() {
    let stage = Stage { ["a": [.send("b")], "b": [.send("c")], "x": [.send("y")]][$0] ?? [] }
    let (store, told) = (stage.store, Journal<String>())
    store.observe { [weak store] step, _ in
      told.note(step.action)
      guard step.action == "a" || step.action == "b", let store else { return }
      let handle = store.send(step.action == "a" ? "x" : "z")
      #expect(!handle.isFinished)
      #expect(store.state.seen.last == step.action, "nothing is reduced while it is told")
    }
    let handle = store.send("a")
    #expect(stage.seen == ["a", "b", "c", "x", "y", "z"])
    #expect(told.entries == stage.seen, "all has been told when send returns")
    #expect(handle.isFinished)
  }

  @Test("R2 what another thread sends while a step is told opens a turn behind")
  func otherThread() {
    let stage = Stage { ["a": [.send("b")], "b": [.send("c")], "x": [.send("y")]][$0] ?? [] }
    let handles = Journal<StoreTask>()
    stage.store.observe { [weak store = stage.store] step, _ in
      guard step.action == "a", let store else { return }
      onAnotherThread { handles.note(store.send("x")) }
      #expect(store.state.seen == ["a"], "send has only queued its action")
      #expect(handles.entries.map(\.isFinished) == [false])
    }
    stage.store.send("a")
    #expect(stage.seen == ["a", "b", "c", "x", "y"], "the thread that told has reduced it")
    #expect(handles.entries.map(\.isFinished) == [true])
  }

  @Test("R2 the members of groups of `.send` belong to the turn", arguments: [false, true])
  func groups(isObserved: Bool) {
    let stage = Stage { action in
      switch action {
      case "a":
        [
          .concatenate(.send("b"), .send("d")), .merge(.send("c")).cancellable(id: "x"), .send("e"),
        ]
      case "b", "c", "d", "e": .send("\(action)!")
      default: []
      }
    }
    stage.store.observe { [weak store = stage.store] step, _ in
      if step.action == "a", isObserved { store?.send("x") }
    }
    stage.store.send("a")
    if !isObserved { stage.store.send("x") }
    #expect(Set(stage.seen.dropLast()) == ["a", "b", "c", "d", "e", "b!", "c!", "d!", "e!"])
    #expect(stage.seen.last == "x")
    #expect(stage.seen.prefix(4) == ["a", "b", "c", "e"])
  }

  @Test("R2 a sequence of a task and a `.send` takes the same steps in a store and in a test store")
  func sequence() {
    let script = Script { action in
      switch action {
      case "go": .concatenate(.task { "1" }, .send("2"))
      case "1": .send("1a")
      case "1a": .send("1b")
      default: []
      }
    }
    func live(isObserved: Bool) -> [String] {
      let executor = ManualExecutor()
      let store = Store(
        initialState: Script.State(), reducer: script, dependencies: (), executor: executor)
      if isObserved { store.observe { _, _ in } }
      store.send("go")
      executor.run()
      return store.state.seen
    }
    let store = NonExhaustiveTestStore(
      initialState: Script.State(), reducer: script, dependencies: (),
      report: { Issue.record("\($0)") })
    store.send("go")
    store.skipReceivedActions()
    #expect(live(isObserved: false) == live(isObserved: true))
    #expect(store.state.seen == live(isObserved: false))
  }
}

/// A program that answers issues and cancellations by sending.
private final class Answering: Sendable {
  typealias Rules = Reduce<[String], String, Void>

  private let storage = Mutex<Store<Rules>?>(nil)

  func set(_ store: Store<Rules>?) { storage.withLock { $0 = store } }

  func send(_ action: String) { storage.withLock { $0 }?.send(action) }
}

@Suite("R2 What is sent from outside of the lock")
struct AnswersTests {
  private static func steps(
    isWatched: Bool, _ effects: @escaping @Sendable (String, Answering) -> [Effect<String>],
    onIssue: @escaping @Sendable (StoreIssue, Answering) -> Void = { _, _ in },
    _ send: (Store<Answering.Rules>, ManualExecutor) -> Void
  ) -> [String] {
    let (answering, executor) = (Answering(), ManualExecutor())
    let store = Store(
      initialState: [],
      reducer: Answering.Rules { state, action, _ in
        state.append(action)
        return effects(action, answering)
      }, dependencies: (), executor: executor, onIssue: { onIssue($0, answering) })
    answering.set(store)
    defer { answering.set(nil) }
    if isWatched { store.observe { _, _ in } }
    send(store, executor)
    return store.state
  }

  @Test(
    "R2 what the receiver of issues sends waits for the issues before it, whatever watches",
    arguments: [false, true])
  func issues(isWatched: Bool) {
    let steps = Self.steps(isWatched: isWatched) { action, _ in
      switch action {
      case "begin": [.issue("a"), .issue("b")]
      case "a": [.issue("c")]
      default: []
      }
    } onIssue: { issue, answering in
      answering.send(issue.message)
    } _: { store, _ in
      store.send("begin")
    }
    #expect(steps == ["begin", "a", "b", "c"])
  }

  @Test(
    "R2 what handlers of cancellation send waits for the handlers before it, whatever watches",
    arguments: [false, true])
  func cancellations(isWatched: Bool) {
    @Sendable func wait(_ name: String, _ answering: Answering) -> Effect<String> {
      .run { _ in
        await withTaskCancellationHandler {
          try? await Gate().wait()
        } onCancel: {
          answering.send("\(name) ends")
        }
      }.cancellable(id: name)
    }
    let steps = Self.steps(isWatched: isWatched) { action, answering in
      switch action {
      case "begin": ["a", "b", "c"].map { wait($0, answering) }
      case "cancel": [.cancel(id: "a"), .cancel(id: "b")]
      case "a ends": [.cancel(id: "c")]
      default: []
      }
    } _: { store, executor in
      store.send("begin")
      executor.run()
      store.send("cancel")
    }
    #expect(steps == ["begin", "cancel", "a ends", "b ends", "c ends"])
  }

  @Test(
    "R2 the end of a send comes behind what the receiver of its issues sends, whatever watches",
    arguments: [false, true])
  func end(isWatched: Bool) {
    struct Broken: Error {}
    let atEnd = Journal<[String]>()
    let steps = Self.steps(isWatched: isWatched) { action, _ in
      action == "begin" ? [.run { _ in throw Broken() }] : []
    } onIssue: { _, answering in
      answering.send("answer")
    } _: { store, executor in
      store.send("begin").onFinish { atEnd.note(store.state) }
      executor.run()
    }
    #expect(steps == ["begin", "answer"])
    #expect(atEnd.entries == [steps])
  }

  @Test("R2 a long chain of issues and their answers needs no stack", arguments: [false, true])
  func longChain(isWatched: Bool) {
    onAnotherThread {
      let steps = Self.steps(isWatched: isWatched) { action, _ in
        Int(action).map { $0 > 0 ? [.issue("\($0 - 1)")] : [] } ?? []
      } onIssue: { issue, answering in
        answering.send(issue.message)
      } _: { store, _ in
        store.send("20000")
      }
      #expect(steps.count == 20_001)
    }
  }
}
