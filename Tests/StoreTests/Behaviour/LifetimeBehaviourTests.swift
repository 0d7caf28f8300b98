import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Behaviour of lifetimes")
struct LifetimeBehaviourTests {
  @Test("R10 what has ended leaves nothing: at once, by its own end, by a cancel")
  func nothingLeft() {
    let stage = TimedStage { action, clock in
      switch action {
      case "send": [.send("sent").cancellable(id: 1)]
      case "task": [EffectBehaviourTests.seconds(1, clock).cancellable(id: 1)]
      case "cancel": [.cancel(id: 1)]
      default: []
      }
    }
    stage.send("nothing")
    #expect(stage.store.slotCount == 0)
    for _ in 0..<100 {
      stage.send("send")
      #expect(stage.isQuiet)
      stage.send("task")
      #expect(stage.store.effects.count == 1)
      stage.clock.run()
      #expect(stage.isQuiet)
      stage.send("task")
      stage.send("cancel")
      #expect(stage.isQuiet)
    }
    #expect(stage.store.slotCount <= 2)
  }

  @Test(
    "R10 an effect that never ends keeps nothing of the thousands that it caused",
    arguments: [false, true])
  func longLivingParent(wantsHandles: Bool) {
    let stage = TimedStage { action, clock in
      switch action {
      case "start":
        [
          .run { send in
            while true {
              if wantsHandles { _ = send.start("child") } else { send("child") }
              try await clock.sleep(for: .seconds(1))
            }
          }
        ]
      case "child": [EffectBehaviourTests.seconds(0, clock), .send("x"), .fireAndForget {}]
      default: []
      }
    }
    let handle = stage.send("start")
    for _ in 0..<2000 { stage.advance(1000) }
    #expect(stage.seen.filter { $0 == "child" }.count == 2001)
    #expect(stage.store.effects.count == 1)
    #expect(stage.store.slotCount <= 6)
    handle.cancel()
    stage.executor.run()
    #expect(stage.isQuiet && handle.isFinished)
  }

  @Test("R10 a handle that is kept keeps nothing that has ended")
  func keptHandles() {
    final class Payload: Sendable {}
    weak var payload: Payload?
    let stage = TimedStage { action, _ in
      action == "go" ? [.task { "done" }, .run { $0("more") }] : []
    }
    var handles: [StoreTask] = []
    for _ in 0..<1000 { handles.append(stage.send("go")) }
    #expect(stage.store.slotCount <= 4)
    do {
      let made = Payload()
      payload = made
      let store = Store(
        initialState: 0,
        reducer: Reduce<Int, Payload?, Void> { _, action, _ in
          action == nil ? [] : [.task { [action] in action.flatMap { _ in nil } }]
        }, dependencies: (), executor: stage.executor)
      handles.append(store.send(made))
      stage.executor.run()
    }
    #expect(payload == nil, "neither the action nor the effect that captured it is kept")
    #expect(handles.map(\.isFinished).contains(false) == false)
  }

  @Test("R10 a cascade of effects ends with the handle of its root, to the last")
  func cascade() {
    let stage = TimedStage { action, clock in
      let forever = Effect<String>.fireAndForget { try await clock.sleep(for: .seconds(1 << 40)) }
      return switch action {
      case "task": [.run { $0("response") }]
      case "response": [forever, .run { $0("response 1") }]
      case "response 1": [forever, .run { $0("response 2") }]
      case "response 2": [forever]
      default: []
      }
    }
    let handle = stage.send("task")
    #expect(stage.seen == ["task", "response", "response 1", "response 2"])
    #expect(stage.store.effects.count == 3)
    handle.cancel()
    stage.executor.run()
    #expect(handle.isFinished && stage.isQuiet)
  }

  @Test("R10 cancelling the root effect by its id leaves what it has caused")
  func rootByID() {
    let stage = TimedStage { action, clock in
      switch action {
      case "tap":
        [
          .run { send in
            send("child")
            try await clock.sleep(for: .seconds(60))
          }.cancellable(id: "root")
        ]
      case "child": [EffectBehaviourTests.seconds(1, clock)]
      case "cancel": [.cancel(id: "root")]
      default: []
      }
    }
    let handle = stage.send("tap")
    stage.send("cancel")
    #expect(stage.store.effects.count == 1)
    stage.clock.run()
    #expect(stage.timeline == ["0 tap", "0 child", "0 cancel", "1000 1"])
    #expect(handle.isFinished && stage.isQuiet)
  }

  @Test("R10 cancelling a child's handle leaves the parent that started it, and its other children")
  func childHandle() {
    let handles = Journal<StoreTask>()
    let stage = TimedStage { action, clock in
      switch action {
      case "root":
        [
          .run { send in
            handles.note(send.start("a"))
            handles.note(send.start("b"))
            try await clock.sleep(for: .seconds(2))
            send("root done")
          }
        ]
      case "a", "b": [EffectBehaviourTests.seconds(1, clock).map { action + $0 }]
      default: []
      }
    }
    stage.send("root")
    handles.entries.first?.cancel()
    stage.clock.run()
    #expect(stage.timeline == ["0 root", "0 a", "0 b", "1000 b1", "2000 root done"])
    #expect(stage.isQuiet)
  }

  /// A parent that lets its child go when that has finished, and then waits for itself.
  struct Parent: ComposedReducer {
    struct State: Sendable, Equatable {
      var child: Script.State? = Script.State()
      var count = 0
    }

    enum Action: Sendable, Equatable {
      case child(String)
      case delayed
    }

    static let child = CasePath(embed: Action.child) {
      if case .child(let a) = $0 { a } else { nil }
    }

    let clock: TestClock

    var body: some Reducer<State, Action, Void> {
      Reduce { state, action, _ in
        switch action {
        case .child("finish"):
          state.child = nil
          return [
            .task {
              try await clock.sleep(for: .seconds(1))
              return .delayed
            }
          ]
        case .child: return []
        case .delayed:
          state.count += 1
          return []
        }
      }
      .ifLet(\.child, action: Self.child) {
        Script { action in
          action == "task"
            ? [
              .run { send in
                send("finish")
                try await clock.sleep(for: .seconds(60))
                send("never")
              }
            ] : []
        }
      }
    }
  }

  @Test(
    "R7 a child's end leaves the effect that its parent returned for the child's last action")
  func parentGoesOn() {
    let clock = TestClock()
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Parent.State(), reducer: Parent(clock: clock), dependencies: (),
      executor: clock.executor, onIssue: { issues.note($0) })
    let handle = store.send(.child("task"))
    clock.executor.run()
    #expect(store.state.child == nil)
    #expect(clock.sleepers.count == 1, "the child's own effect has ended")
    clock.run()
    #expect(store.state.count == 1)
    #expect(handle.isFinished && issues.entries == [])
  }

  @Test(
    "R10 the handle of a child's action ends what its parent returned in answer, dismissed or not",
    arguments: [true, false], [true, false])
  func childHandleEndsAnswer(isDismissed: Bool, isCancelled: Bool) {
    let clock = TestClock()
    let seen = Journal<Host.Action>()
    let store = Store(
      initialState: Host.State(),
      reducer: CombineReducers {
        Host { $0 == "task" ? [.run { $0("finish") }] : [] }
        Reduce<Host.State, Host.Action, Void> { _, action, _ in
          guard action == .child("finish") else { return [] }
          let answer = Effect<Host.Action>.task {
            try await clock.sleep(for: .seconds(1))
            return .cancel
          }
          return isDismissed ? [.send(.dismiss), answer] : [answer]
        }
      }, dependencies: (), executor: clock.executor)
    store.observe { step, _ in seen.note(step.action) }
    let handle = store.send(.child("task"))
    clock.executor.run()
    #expect((store.state.child == nil) == isDismissed)
    #expect(clock.sleepers.count == 1)
    if isCancelled { handle.cancel() }
    clock.run()
    #expect(seen.entries.contains(.cancel) == !isCancelled)
    #expect(handle.isFinished && clock.sleepers.isEmpty && store.effects.isEmpty)
  }

  @Test(
    "R7 a child dismissed at the very instant at which it acts: nothing comes through, in any order"
  )
  func dismissedAtTheInstant() {
    var outcomes: Set<Int> = []
    for seed in UInt64(0)..<200 {
      let clock = TestClock(executor: ManualExecutor(seed: seed))
      let issues = Journal<StoreIssue>()
      let seen = Journal<Host.Action>()
      let store = Store(
        initialState: Host.State(),
        reducer: CombineReducers {
          Reduce<Host.State, Host.Action, Void> { _, action, _ in
            // The parent's own timer, which lets the child go when the child's fourth tick is due.
            action == .child("go")
              ? [
                .task {
                  try await clock.sleep(for: .milliseconds(400))
                  return .dismiss
                }
              ] : []
          }
          Host { action in
            switch action {
            case "go":
              [
                .timer(every: .milliseconds(100), clock: clock) { "tick \($0)" },
                .run { send in
                  while true {
                    try? await clock.sleep(for: .milliseconds(100))
                    for number in 1...3 { send("burst \(number)") }
                    if Task.isCancelled { return }
                  }
                },
              ]
            case "burst 1": [.send("echo"), .task { "answer" }]
            default: []
            }
          }
        }, dependencies: (), executor: clock.executor, onIssue: { issues.note($0) })
      store.observe { step, _ in seen.note(step.action) }
      store.send(.child("go"))
      clock.run(limit: 50)
      #expect(seen.entries.last == .dismiss, "seed \(seed)")
      #expect(issues.entries == [], "seed \(seed)")
      #expect(clock.sleepers.isEmpty && store.effects.isEmpty, "seed \(seed)")
      outcomes.insert(seen.entries.count)
    }
    #expect(outcomes.count > 3, "the orders differed")
  }

  @Test("R7 a child dismissed by one thread while it acts on others: nothing comes through")
  func dismissedOnThreads() async {
    for _ in 0..<50 {
      let issues = Journal<StoreIssue>()
      let seen = Journal<Host.Action>()
      let began = AsyncStream.makeStream(of: Void.self)
      let store = Store(
        initialState: Host.State(),
        reducer: Host { action in
          action == "go"
            ? (0..<2).map { _ in
              .run { send in
                began.continuation.yield()
                for _ in 0..<200 { send("tick") }
              }
            } : []
        }, dependencies: (), onIssue: { issues.note($0) })
      store.observe { step, _ in seen.note(step.action) }
      let handle = store.send(.child("go"))
      for await _ in began.stream { break }
      await store.send(.dismiss).finish()
      await handle.finish()
      #expect(seen.entries.last == .dismiss)
      #expect(issues.entries == [])
    }
  }

  @Test("R7 what a child had queued when it went is not reduced, and is no issue")
  func queued() {
    let clock = TestClock()
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Host.State(),
      reducer: CombineReducers {
        Reduce<Host.State, Host.Action, Void> { _, action, _ in
          action == .child("go") ? [.send(.dismiss)] : []
        }
        Host { $0 == "go" ? [.send("queued"), .concatenate(.send("one"), .send("two"))] : [] }
      }, dependencies: (), executor: clock.executor, onIssue: { issues.note($0) })
    let handle = store.send(.child("go"))
    #expect(store.stepCount == 2)
    #expect(issues.entries == [] && handle.isFinished && store.effects.isEmpty)
  }

  @Test("a child that tells its parent something before it asks to be removed is heard")
  func lastWords() {
    let heard = Journal<Parent.Action>()
    let store = Store(
      initialState: Parent.State(),
      reducer: Reduce<Parent.State, Parent.Action, Void> { state, action, _ in
        heard.note(action)
        if action == .child("close") { state.child = nil }
        return []
      }
      .ifLet(\.child, action: Parent.child) {
        Script { $0 == "tap" ? [.send("saved"), .send("close"), .send("late")] : [] }
      })
    store.send(.child("tap"))
    #expect(heard.entries == [.child("tap"), .child("saved"), .child("close")])
    #expect(store.state.child == nil && store.effects.isEmpty)
  }

  @Test("R11 a dropped store is freed at once, with a child there and effects that wait")
  func dropped() {
    let ended = Journal<Bool>()
    let executor = ManualExecutor()
    weak var weakStore: Store<Host>?
    do {
      let store = Store(
        initialState: Host.State(),
        reducer: Host { action in
          action == "go"
            ? [
              .run { send in
                do { try await Gate().wait() } catch { ended.note(true) }
                send("to nobody")
              },
              .concatenate(.task { "next" }, .fireAndForget { try await Gate().wait() }),
            ] : []
        }, dependencies: (), executor: executor)
      weakStore = store
      store.send(.child("go"))
      executor.run()
      #expect(store.state.child?.seen == ["go", "next"])
      #expect(store.effects.count == 2)
    }
    #expect(weakStore == nil)
    executor.run()
    #expect(ended.entries == [true])
    #expect(executor.readyCount == 0)
  }
}
