import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

/// A parent with an optional child whose effects the test scripts.
private struct Family: ComposedReducer {
  struct State: Sendable {
    var child: Int? = 0
    var heard: [String] = []
  }

  enum Action: Sendable {
    case child(String), close, told(String)

    static var child: CasePath<Self, String> {
      CasePath(embed: Action.child) { if case .child(let action) = $0 { action } else { nil } }
    }
  }

  let effects: @Sendable (String) -> [Effect<String>]

  var body: some Reducer<State, Action, Void> {
    Reduce<State, Action, Void> { state, action, _ in
      switch action {
      case .child(let text): state.heard.append(text)
      case .close: state.child = nil
      case .told: break
      }
      return []
    }
    .ifLet(\.child, action: Action.child) {
      Reduce<Int, String, Void> { [effects] _, action, _ in effects(action) }
    }
  }
}

private struct Draining: ComposedReducer {
  let begun: Journal<Int>
  let gate: Gate

  var body: some Reducer<Int, String, Void> {
    Reduce<Int, String, Void> { [gate] state, action, _ in
      state += 1
      guard action == "work" else { return [] }
      return [
        .task {
          try await gate.wait()
          return "done"
        }
      ]
    }
    .subscribing { [begun, gate] _, _ in
      [
        .run { _ in
          begun.note(1)
          try await withTaskCancellationHandler {
            try await Task.sleep(for: .seconds(1000))
          } onCancel: {
            gate.open()
          }
        }.cancellable(id: "subscription")
      ]
    }
  }
}

private final class Holder<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}

@Suite("Corners")
struct CornerTests {
  @Test(
    "R10 an effect that has ended stays the owner of what its last action causes")
  func owner() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "go": [.run { send in send("x") }]
      case "x":
        [
          .merge([.cancel(id: 1), .cancel(id: 2)]),
          .task {
            try await gate.wait()
            return "late"
          },
        ]
      default: []
      }
    }
    stage.store.observe { [executor = stage.executor] step, _ in
      if step.action == "poke" { executor.run() }
    }
    let handle = stage.store.send("go")
    stage.store.send("poke")
    #expect(stage.seen == ["go", "poke", "x"])
    #expect(stage.store.effects.count == 1)
    #expect(!handle.isFinished)
    handle.cancel()
    gate.open()
    stage.executor.run()
    #expect(!stage.seen.contains("late"))
  }

  @Test(
    "R10 cancelling a later effect leaves what an ended one's last action caused")
  func stranger() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "go": [.run { send in send("x") }]
      case "x":
        [
          .merge([.cancel(id: 1), .cancel(id: 2)]), .task { "quick" },
          .task {
            try await gate.wait()
            return "late"
          },
        ]
      case "other": [.run { _ in try await gate.wait() }]
      default: []
      }
    }
    stage.store.observe { [executor = stage.executor] step, _ in
      if step.action == "poke" { executor.run() }
    }
    stage.store.send("go")
    stage.store.send("poke")
    stage.executor.run()
    let other = stage.store.send("other")
    stage.executor.run()
    other.cancel()
    gate.open()
    stage.executor.run()
    #expect(stage.seen == ["go", "poke", "x", "quick", "other", "late"])
  }

  @Test(
    "a group whose members were all cancelled before its turn ends")
  func emptied() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "go":
        [
          .concatenate([
            .run { _ in try await gate.wait() },
            .merge([
              .task { "a" }.cancellable(id: "a"), .task { "b" }.cancellable(id: "b"),
            ]),
            .task { "last" },
          ])
        ]
      case "stop": [.cancel(id: "a"), .cancel(id: "b")]
      default: []
      }
    }
    let handle = stage.store.send("go")
    stage.executor.run()
    stage.store.send("stop")
    gate.open()
    stage.executor.run()
    #expect(stage.seen == ["go", "stop", "last"])
    #expect(handle.isFinished)
  }

  @Test(
    "a group may bear an id of which a member cancels what is in flight")
  func twice() {
    let stage = Stage { action in
      action == "go"
        ? [
          .merge([
            .task { "a" }.cancellable(id: "x", cancelInFlight: true), .task { "b" },
          ]).cancellable(id: "x")
        ] : []
    }
    let handle = stage.store.send("go")
    stage.executor.run()
    #expect(stage.store.effects.isEmpty)
    #expect(handle.isFinished)
  }

  @Test(
    "R7 a member of a group that outlives the child outlives it", arguments: [false, true])
  func outlives(isThrottled: Bool) {
    let gate = Gate()
    let clock = TestClock()
    let executor = ManualExecutor()
    let store = Store(
      initialState: Family.State(),
      reducer: Family { action in
        guard action == "go" else { return [] }
        let lasting = Effect<String>.run(name: "lasting") { _ in try await gate.wait() }.outlives()
        return isThrottled
          ? [lasting.throttled(id: 1, for: .seconds(1), clock: clock)]
          : [.merge([lasting, .run(name: "mortal") { _ in try await gate.wait() }])]
      }, dependencies: (), executor: executor, onIssue: { _ in })
    store.send(.child("go"))
    executor.run()
    store.send(.close)
    executor.run()
    #expect(store.effects.map(\.descriptor.name) == ["lasting"])
  }

  @Test(
    "cancelling a group leaves what its members caused")
  func caused() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "go":
        [
          .merge([.task { "next" }, .run(name: "other") { _ in try await gate.wait() }])
            .cancellable(id: "x")
        ]
      case "next":
        [
          .task(name: "caused") {
            try await gate.wait()
            return "caused"
          }
        ]
      case "stop": [.cancel(id: "x")]
      default: []
      }
    }
    stage.store.send("go")
    stage.executor.run()
    stage.store.send("stop")
    gate.open()
    stage.executor.run()
    #expect(stage.seen == ["go", "next", "stop", "caused"])
  }

  @Test(
    "R11 a subscription that the shutdown ended does not begin anew")
  func draining() async {
    let begun = Journal<Int>()
    let gate = Gate()
    let store = Store(
      initialState: 0, reducer: Draining(begun: begun, gate: gate), dependencies: (),
      onIssue: { _ in })
    store.send("work")
    while begun.entries.isEmpty { await Task.yield() }
    let left = await store.shutdown(deadline: .seconds(3600))
    #expect(left.isEmpty)
    #expect(begun.entries == [1])
  }

  @Test(
    "a state that fulfilled the predicate is not asked again")
  func askedOnce() async throws {
    let stage = Stage()
    let asked = Journal<Int>()
    try await stage.store.wait { _ in
      asked.note(1)
      return asked.entries.count == 1
    }
    #expect(asked.entries == [1])
  }

  @Test(
    "R12 the step in which the store ends is told before the end")
  func lastStep() async {
    let executor = ManualExecutor()
    let holder = Holder<Store<Script>>()
    holder.value.withLock {
      $0 = Store(
        initialState: Script.State(),
        reducer: Script { $0 == "go" ? [.task { "last" }] : [] },
        dependencies: (), executor: executor, onIssue: { _ in })
    }
    let steps: AsyncStream<String>? = holder.value.withLock { store in
      store?.observe { step, _ in
        if step.action == "last" {
          let last = holder.value.withLock { $0.take() }
          _ = last
        }
      }
      return store?.actions()
    }
    holder.value.withLock { $0 }?.send("go")
    executor.run()
    var told: [String] = []
    if let steps { for await action in steps { told.append(action) } }
    #expect(told == ["go", "last"])
  }

  @Test(
    "a time limit on a throttled effect does not limit the interval")
  func throttleWithTimeout() {
    let clock = TestClock()
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "go"
          ? [
            .task { "done" }.throttled(id: 1, for: .seconds(10), clock: clock)
              .timeout(after: .seconds(1), clock: clock)
          ] : []
      }, dependencies: (), executor: clock.executor, onIssue: { issues.note($0) })
    store.send("go")
    clock.executor.run()
    clock.advance(by: .seconds(2))
    #expect(issues.entries.isEmpty)
  }

  @Test(
    "what starts because something was dropped is told to the meter")
  func startedByDrop() {
    let gate = Gate()
    let stage = Stage { action in
      guard action.count == 1 else { return [] }
      return [
        .concatenate([
          .run(name: action) { _ in try await gate.wait() }
            .limited(id: "x", whenFull: .wait(capacity: 1, dropsOldest: true)),
          .run(name: "after \(action)") { _ in },
        ])
      ]
    }
    let told = Journal<String>()
    stage.store.setMeter {
      switch $0 {
      case .effectStarted(let effect): told.note("started \(effect.descriptor.name)")
      case .effectFinished(let effect): told.note("finished \(effect.descriptor.name)")
      case .effectDropped(let effect): told.note("dropped \(effect.descriptor.name)")
      default: break
      }
    }
    for action in ["a", "b", "c"] {
      stage.store.send(action)
      stage.executor.run()
    }
    #expect(
      told.entries == ["started a", "dropped b", "started after b", "finished after b"])
  }

  @Test(
    "R5 what an ended effect started with a handle goes with its id", arguments: [false, true])
  func startedInQueue(byHandle: Bool) {
    let stage = Stage { action in
      switch action {
      case "go": [.run { send in _ = send.start("x") }.cancellable(id: 1)]
      case "stop": [.cancel(id: 1)]
      default: []
      }
    }
    let holder = Holder<StoreTask>()
    stage.store.observe { [executor = stage.executor, weak store = stage.store] step, _ in
      guard step.action == "poke" else { return }
      if !byHandle { store?.send("stop") }
      executor.run()
      if byHandle { holder.value.withLock { $0 }?.cancel() }
    }
    let handle = stage.store.send("go")
    holder.value.withLock { $0 = handle }
    stage.store.send("poke")
    #expect(!stage.seen.contains("x"))
  }

  @Test(
    "closing starts nothing that waited")
  func closing() {
    let told = Journal<String>()
    let gate = Gate()
    let executor = ManualExecutor()
    do {
      let store = Store(
        initialState: Script.State(),
        reducer: Script { action in
          [.run(name: action) { _ in try await gate.wait() }.limited(id: 1, whenFull: .wait)]
        }, dependencies: (), executor: executor, onIssue: { _ in })
      store.setMeter {
        if case .effectStarted(let effect) = $0 { told.note(effect.descriptor.name) }
      }
      store.send("a")
      store.send("b")
      store.send("c")
      executor.run()
    }
    executor.run()
    #expect(told.entries == ["a"])
  }

  @Test("an id that is wrapped already is the id in it")
  func wrapped() {
    #expect(CancelID(CancelID("x")) == CancelID("x"))
  }

  @Test("two subscriptions of one id are an issue")
  func sameSubscription() {
    struct Twins: ComposedReducer {
      var body: some Reducer<Int, String, Void> {
        Reduce<Int, String, Void> { _, _, _ in [] }
          .subscribing { _, _ in [.run(name: "a") { _ in }.cancellable(id: "x")] }
          .subscribing { _, _ in [.run(name: "b") { _ in }.cancellable(id: "x")] }
      }
    }
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: 0, reducer: Twins(), dependencies: (), executor: ManualExecutor(),
      onIssue: { issues.note($0) })
    #expect(issues.entries.count == 1)
    _ = store
  }

  @Test(
    "a sequence that is sent at once may be made from the store")
  func lazily() async {
    await #expect(processExitsWith: .success) {
      let store = Store(initialState: Script.State(), reducer: Script(), dependencies: ())
      store.send(contentsOf: (0..<3).lazy.map { "\($0) at \(store.stepCount)" })
    }
  }

  @Test("an error whose text asks the store is described outside the lock")
  func describedOutside() {
    struct Loss: Error, CustomStringConvertible {
      let steps: @Sendable () -> Int
      var description: String { "lost after step \(steps())" }
    }
    let box = Mutex<Store<Script>?>(nil)
    let issues = Journal<StoreIssue>()
    let executor = ManualExecutor()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "a"
          ? [.task { throw Loss { box.withLock { $0 }?.stepCount ?? -1 } }] : []
      }, dependencies: (), executor: executor, onIssue: { issues.note($0) })
    box.withLock { $0 = store }
    store.send("a")
    executor.run()
    #expect(issues.entries.count == 1)
    #expect(issues.entries.first?.message.contains("lost after step 1") == true)
    box.withLock { $0 = nil }
  }

  @Test("R5 a cancel in a sequence does not reach what stands behind it")
  func sequenceCancelsItself() {
    let executor = ManualExecutor()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "a"
          ? [
            .concatenate(
              .cancel(id: "x"), .task { "second" }.cancellable(id: "x"), .task { "third" })
          ] : []
      }, dependencies: (), executor: executor)
    let handle = store.send("a")
    executor.run()
    #expect(store.state.seen == ["a", "second", "third"])
    #expect(handle.isFinished)
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

  @Test("R4 what gets a place by a cancelling starts before the task that cancelled")
  func placeBeforeNew() {
    let executor = ManualExecutor()
    let journal = Journal<String>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        let task = Effect<String>.run { _ in journal.note(action) }
        return switch action {
        case "new": [task.cancellable(id: "first", cancelInFlight: true)]
        case "first":
          [
            .run { _ in try await Task.sleep(for: .seconds(1000)) }
              .cancellable(id: "first").limited(id: "places", to: 1, whenFull: .wait)
          ]
        default: [task.limited(id: "places", to: 1, whenFull: .wait)]
        }
      }, dependencies: (), executor: executor)
    store.send("first")
    store.send("waiting")
    store.send("new")
    executor.run()
    #expect(journal.entries == ["waiting", "new"])
  }

  @Test(
    "R4 a member's last action starts what it caused before the next member, watched or not",
    arguments: [false, true])
  func causedBeforeNext(isObserved: Bool) {
    let executor = ManualExecutor()
    let journal = Journal<String>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        switch action {
        case "a":
          [
            .concatenate(
              .task { "first" },
              .task {
                journal.note("second")
                return "end"
              })
          ]
        case "first":
          [
            .task {
              journal.note("caused")
              return "end"
            }
          ]
        default: []
        }
      }, dependencies: (), executor: executor)
    if isObserved { store.observe { _, _ in } }
    store.send("a")
    executor.run()
    #expect(journal.entries == ["caused", "second"])
  }

  @Test(
    "R11 a store that is shut down lets observers go, and describes what comes too late outside the lock"
  )
  func closedLetsGo() async {
    struct Late: Sendable, CustomStringConvertible {
      let text: @Sendable () -> String
      var description: String { text() }
    }
    final class Mark: Sendable {}
    weak var mark: Mark?
    let issues = Journal<String>()
    let store = Store(
      initialState: 0, reducer: Reduce<Int, Late, Void> { _, _, _ in [] }, dependencies: (),
      onIssue: { issues.note($0.message) })
    do {
      let kept = Mark()
      mark = kept
      store.observe { [view = store.view] _, _ in withExtendedLifetime((kept, view)) {} }
    }
    #expect(mark != nil)
    await store.shutdown(deadline: .zero)
    #expect(mark == nil)
    let view = store.view
    store.send(Late { "steps: \(view.withState { $0 })" })
    #expect(issues.entries.count == 1)
    #expect(issues.entries.first?.contains("steps: 0") == true)
  }
}
