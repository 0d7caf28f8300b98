import Dispatch
import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

/// A store whose effects wait at gates of their names, and that is shut down step by step.
private struct Draining {
  let executor = ManualExecutor()
  /// Never moves: the deadline does not pass.
  let clock = TestClock()
  let gates: [String: Gate]
  let store: Store<Script>

  init(
    _ names: [String],
    _ effects:
      @escaping @Sendable (_ action: String, _ work: (String) -> Effect<String>) ->
      [Effect<String>]
  ) {
    let gates = Dictionary(uniqueKeysWithValues: names.map { ($0, Gate()) })
    self.gates = gates
    store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        effects(action) { name in
          .run(name: name) { send in
            send("\(name) begins")
            try await gates[name]?.wait()
            send("\(name) ends")
          }
        }
      }, dependencies: (), executor: executor)
  }

  func send(_ actions: String...) {
    for action in actions {
      store.send(action)
      executor.run()
    }
  }

  /// Begins to shut down, and comes back when that waits.
  func shutDown(cancelling work: ShutdownWork) -> Task<[String], Never> {
    let (store, clock) = (store, clock)
    let task = Task(executorPreference: executor) {
      await store.shutdown(cancelling: work, deadline: .seconds(1), clock: clock)
        .map(\.descriptor.name)
    }
    executor.run()
    return task
  }

  func open(_ name: String) {
    gates[name]?.open()
    executor.run()
  }

  var seen: [String] { store.state.seen }
}

private struct DrainingSubscription: ComposedReducer {
  let begun: Journal<Int>
  let hasBegun: Gate
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
    .subscribing { [begun, hasBegun, gate] _, _ in
      [
        .run { _ in
          begun.note(1)
          hasBegun.open()
          try await withTaskCancellationHandler {
            try await Gate().wait()
          } onCancel: {
            gate.open()
          }
        }.cancellable(id: "subscription")
      ]
    }
  }
}

@Suite("R11 Shutdown")
struct ShutdownTests {
  @Test("R11 queued work does not start while the store drains, and what runs ends")
  func queued() async {
    let stage = Draining(["a", "b", "c"]) { action, work in
      action.count == 1 ? [work(action).limited(id: "one", whenFull: .wait)] : []
    }
    let queued = stage.store.send("a")
    stage.send("b", "c")
    let end = stage.shutDown(cancelling: .queued)
    #expect(stage.store.effects.map(\.descriptor.name) == ["a"])
    #expect(!queued.isFinished)
    stage.open("a")
    #expect(await end.value == [])
    #expect(stage.seen == ["a", "b", "a begins", "c", "a ends"])
  }

  @Test("R11 `.queued` is what shutdown cancels by default")
  func byDefault() async {
    let stage = Draining(["a"]) { action, work in
      action.count == 1 ? [work(action).limited(id: "one", whenFull: .wait)] : []
    }
    stage.send("a", "b")
    let (store, clock) = (stage.store, stage.clock)
    let end = Task(executorPreference: stage.executor) {
      await store.shutdown(deadline: .seconds(1), clock: clock).count
    }
    stage.executor.run()
    stage.open("a")
    #expect(await end.value == 0)
    #expect(stage.seen == ["a", "a begins", "b", "a ends"])
  }

  @Test("R11 with `.all` what runs is cancelled at once, and nothing of it is reduced")
  func all() async {
    let stage = Draining(["a", "b"]) { action, work in
      action.count == 1 ? [work(action).limited(id: "one", whenFull: .wait), work("c")] : []
    }
    stage.send("a", "b")
    let end = stage.shutDown(cancelling: .all)
    #expect(await end.value == [])
    #expect(!stage.seen.contains("a ends") && !stage.seen.contains("b begins"))
  }

  @Test("R11 effects of an action that is taken meanwhile run, unless they would wait")
  func meanwhile() async {
    let stage = Draining(["a", "d"]) { action, work in
      switch action {
      case "a", "b": [work(action).limited(id: "one", whenFull: .wait)]
      case "d": [work("d")]
      default: []
      }
    }
    stage.send("a")
    let end = stage.shutDown(cancelling: .queued)
    let waiting = stage.store.send("b")
    #expect(waiting.isFinished)
    stage.send("d")
    stage.open("a")
    stage.open("d")
    #expect(await end.value == [])
    #expect(stage.seen == ["a", "a begins", "b", "d", "d begins", "a ends", "d ends"])
  }

  @Test("R11 what an action starts as soon as the last effect has ended runs to its end")
  func startsAtTheEnd() async {
    let stage = Draining(["a", "b"]) { action, work in
      action == "a" || action == "b" ? [work(action)] : []
    }
    let handle = stage.store.send("a")
    stage.executor.run()
    let end = stage.shutDown(cancelling: .queued)
    // Called before the drain goes on.
    handle.onFinish { stage.store.send("b") }
    stage.open("a")
    stage.open("b")
    #expect(await end.value == [])
    #expect(stage.seen == ["a", "a begins", "a ends", "b", "b begins", "b ends"])
  }

  @Test("R11 a sequence that has begun goes on while the store drains")
  func sequence() async {
    let stage = Draining(["1"]) { action, work in
      action == "go" ? [.concatenate(work("1"), work("2"), .send("3"))] : []
    }
    stage.send("go")
    let end = stage.shutDown(cancelling: .queued)
    stage.open("1")
    #expect(await end.value == [])
    #expect(stage.seen == ["go", "1 begins", "1 ends", "2 begins", "2 ends", "3"])
  }

  @Test("R11 a member of a sequence that would wait for a permit meanwhile never starts")
  func waitingMember() async {
    let stage = Draining(["1", "holder"]) { action, work in
      switch action {
      case "holder": [work("holder").limited(id: "one", whenFull: .wait)]
      case "go":
        [.concatenate(work("1"), work("2").limited(id: "one", whenFull: .wait), work("3"))]
      default: []
      }
    }
    stage.send("holder", "go")
    let end = stage.shutDown(cancelling: .queued)
    stage.open("1")
    #expect(stage.store.effects.map(\.descriptor.name) == ["holder"])
    stage.open("holder")
    #expect(await end.value == [])
    #expect(!stage.seen.contains("2 begins"))
    #expect(stage.seen.contains("3 ends"))
  }

  @Test("R11 what is left at the deadline is returned and cancelled")
  func deadline() async {
    let stage = Draining(["a"]) { action, work in
      action.count == 1 ? [work(action).limited(id: "one", whenFull: .wait)] : []
    }
    stage.send("a", "b")
    let end = stage.shutDown(cancelling: .queued)
    stage.clock.advance(by: .seconds(1))
    stage.executor.run()
    #expect(await end.value == ["a"])
    stage.executor.run()
    #expect(stage.seen == ["a", "a begins", "b"])
    #expect(stage.gates["a"]?.waiters == 0)
  }

  @Test("R11 a deadline that has passed already sleeps on no clock, and ends what runs")
  func passedDeadline() async throws {
    for deadline in [Duration.zero, .seconds(-1)] {
      let begun = Journal<Int>()
      let hasBegun = Gate()
      let store = Store(
        initialState: 0,
        reducer: DrainingSubscription(begun: begun, hasBegun: hasBegun, gate: Gate()),
        dependencies: (), onIssue: { _ in })
      store.send("work")
      try await hasBegun.wait()
      let unused = UnimplementedClock { Issue.record(Comment(rawValue: $0.message)) }
      let left = await store.shutdown(deadline: deadline, clock: unused)
      #expect(left.count == 2)
      #expect(store.send("late").isFinished)
    }
  }

  @Test("R11 the deadline does not wait for an observer")
  func observerBeyondTheDeadline() async {
    let stage = Draining(["a"]) { action, work in action == "a" ? [work("a")] : [] }
    stage.send("a")
    let (isObserving, observe) = AsyncStream<Void>.makeStream()
    let released = DispatchSemaphore(value: 0)
    let store = stage.store
    store.observe { _, _ in
      observe.finish()
      released.wait()
    }
    let sender = startThread { store.send("b") }
    for await _ in isObserving {}
    let end = stage.shutDown(cancelling: .queued)
    stage.clock.advance(by: .seconds(1))
    stage.executor.run()
    #expect(await end.value == ["a"])
    released.signal()
    join(sender)
  }

  @Test("R9 the error of a subscription that has ended before the store drains is reported")
  func errorOfSubscription() {
    struct Broken: Error {}
    let executor = ManualExecutor()
    let (gate, issues, clock) = (Gate(), Journal<String>(), TestClock())
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { state, action, _ in
        state = action
        return []
      }.subscribing { _, _ in
        [
          .run(name: "listen") { _ in
            try await gate.wait()
            throw Broken()
          }.cancellable(id: "subscription")
        ]
      }, dependencies: (), executor: executor, onIssue: { issues.note($0.message) })
    executor.run()
    store.observe { [store] _, _ in
      gate.open()
      executor.run()
      Task(executorPreference: executor) {
        await store.shutdown(deadline: .seconds(1), clock: clock)
      }
      executor.run()
    }
    store.send(1)
    executor.run()
    #expect(issues.entries.count == 1)
    #expect(issues.entries.first?.contains("Broken") == true)
  }

  @Test(
    "R11 a subscription that the shutdown ended does not begin anew")
  func draining() async throws {
    let begun = Journal<Int>()
    let hasBegun = Gate()
    let gate = Gate()
    let store = Store(
      initialState: 0,
      reducer: DrainingSubscription(begun: begun, hasBegun: hasBegun, gate: gate), dependencies: (),
      onIssue: { _ in })
    store.send("work")
    try await hasBegun.wait()
    let left = await store.shutdown(deadline: .seconds(3600))
    #expect(left.isEmpty)
    #expect(begun.entries == [1])
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

  @Test("R11 what onIssue sends after the end is reported once for each line")
  func lateSendOfReport() async throws {
    let issues = Journal<String>()
    let view = Mutex<StoreView<Int, Int>?>(nil)
    let store = Store(
      initialState: 0, reducer: Reduce<Int, Int, Void> { _, _, _ in [] }, dependencies: (),
      onIssue: { issue in
        issues.note(issue.message)
        view.withLock { $0 }?.send(2)
      })
    view.withLock { $0 = store.view }
    await store.shutdown(deadline: .zero)
    for _ in 0..<3 { store.send(1) }
    #expect(issues.entries.count == 2)
    #expect(issues.entries.first?.contains("dropped: 1.") == true)
    #expect(issues.entries.last?.contains("dropped: 2.") == true)
    view.withLock { $0 = nil }
  }

  @Test("R11 after shutdown a program can wait until observers have been notified of the last step")
  func lastStep() async {
    for _ in 0..<20 {
      let order = Journal<String>()
      let (hasStarted, start) = AsyncStream<Void>.makeStream()
      let (isObserving, observe) = AsyncStream<Void>.makeStream()
      let released = DispatchSemaphore(value: 0)
      let store = Store(
        initialState: 0,
        reducer: Reduce<Int, Bool, Void> { state, isFirst, _ in
          state += 1
          guard isFirst else { return [] }
          return [
            .run { _ in
              await withTaskCancellationHandler {
                start.finish()
                try? await Gate().wait()
              } onCancel: {
                released.signal()
              }
            }
          ]
        }, dependencies: ())
      store.send(true)
      for await _ in hasStarted {}
      store.observe { _, _ in
        observe.finish()
        released.wait()
        order.note("notified")
      }
      let sender = startThread { store.send(false) }
      for await _ in isObserving {}
      await store.shutdown(deadline: .zero)
      await store.waitUntilDelivered()
      order.note("delivered")
      join(sender)
      #expect(order.entries == ["notified", "delivered"])
    }
  }
}
