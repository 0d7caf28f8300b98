import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Behaviour of cancelling")
struct CancellationBehaviourTests {
  enum First { struct ID: Hashable {} }
  enum Second { struct ID: Hashable {} }

  /// A stream of the test's under an id, given as often as "start" is sent.
  func streaming(
    _ stream: AsyncStream<String>,
    _ register: @escaping @Sendable (Effect<String>) -> Effect<String>
  ) -> TimedStage {
    TimedStage { action, _ in
      switch action {
      case "start": [register(.stream(stream) { $0 })]
      case "cancel": [.cancel(id: "id")]
      default: []
      }
    }
  }

  @Test(
    "R5 what comes after the cancel is not reduced, under one id or the same id twice",
    arguments: [1, 2])
  func stream(times: Int) {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let stage = streaming(stream) { effect in
      (0..<times).reduce(effect) { effect, _ in effect.cancellable(id: "id") }
    }
    let handle = stage.send("start")
    for element in ["1", "2"] {
      continuation.yield(element)
      stage.executor.run()
    }
    stage.send("cancel")
    continuation.yield("3")
    stage.executor.run()
    #expect(stage.seen == ["start", "1", "2", "cancel"])
    #expect(handle.isFinished && stage.isQuiet)
  }

  @Test("R5 cancelling what has ended does nothing")
  func ended() {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let stage = streaming(stream) { $0.cancellable(id: "id") }
    stage.send("start")
    continuation.yield("1")
    continuation.finish()
    stage.executor.run()
    stage.send("cancel")
    stage.send("cancel")
    #expect(stage.seen == ["start", "1", "cancel", "cancel"])
    #expect(stage.isQuiet && stage.issues.entries == [])
  }

  @Test("R5 an id given twice, each to replace what is in flight, does not cancel its own effect")
  func replacesItselfTwice() {
    let stage = TimedStage { action, _ in
      guard action == "send" || action == "task" else { return [] }
      let effect: Effect<String> = action == "send" ? .send("sent") : .task { "done" }
      return [
        effect.cancellable(id: "id", cancelInFlight: true)
          .cancellable(id: "id", cancelInFlight: true)
      ]
    }
    stage.send("send")
    stage.send("task")
    #expect(stage.seen == ["send", "sent", "task", "done"])
  }

  @Test("R5 several effects may share an id: none cancels the other, one cancel ends all")
  func shared() {
    let stage = TimedStage { action, clock in
      switch action {
      case "go": (1...3).map { EffectBehaviourTests.seconds($0, clock).cancellable(id: "id") }
      case "cancel": [.cancel(id: "id")]
      default: []
      }
    }
    stage.send("go")
    stage.advance(2000)
    #expect(stage.timeline == ["0 go", "1000 1", "2000 2"])
    stage.send("cancel")
    #expect(stage.isQuiet)
  }

  @Test(
    "R5 a member of a merge and the merge may bear ids of their own, and either ends the member")
  func nestedIDs() {
    for id in [0, 1, 2] {
      let stage = TimedStage { action, clock in
        switch action {
        case "go":
          [
            .merge(
              EffectBehaviourTests.seconds(1, clock).cancellable(id: 1),
              EffectBehaviourTests.seconds(2, clock)
            ).cancellable(id: 2)
          ]
        case "cancel": [.cancel(id: id)]
        default: []
        }
      }
      stage.send("go")
      stage.send("cancel")
      stage.clock.run()
      #expect(stage.seen == ["go", "cancel"] + [["1", "2"], ["2"], []][id])
      #expect(stage.isQuiet)
    }
  }

  @Test("R5 an effect may have itself cancelled, and nothing of it is heard after that")
  func cancelsItself() {
    let stage = TimedStage { action, _ in
      switch action {
      case "go":
        [
          .run { send in
            send("cancel")
            send("not any more")
            try Task.checkCancellation()
            send("nor this")
          }.catch { _ in "nor its error" }.cancellable(id: 1)
        ]
      case "cancel": [.cancel(id: 1)]
      default: []
      }
    }
    let handle = stage.send("go")
    #expect(stage.seen == ["go", "cancel"])
    #expect(handle.isFinished && stage.issues.entries == [])
  }

  @Test("R5 an error with which work answers its cancelling is neither an issue nor an action")
  func errorOnCancel() {
    let stage = TimedStage { action, clock in
      switch action {
      case "go":
        ["a", "b"].map { id in
          let effect = Effect<String>.task {
            do { try await clock.sleep(for: .seconds(1)) } catch { throw Broken() }
            return "done"
          }.cancellable(id: 1)
          return id == "a" ? effect : effect.catch { _ in "failed" }
        }
      case "cancel": [.cancel(id: 1)]
      default: []
      }
    }
    stage.send("go")
    stage.send("cancel")
    #expect(stage.seen == ["go", "cancel"])
    #expect(stage.issues.entries == [] && stage.isQuiet)
  }

  @Test("R5 a cancel returned with its effect, or one step after, finds it before it has begun")
  func beforeItBegan() {
    let begun = Journal<String>()
    let stage = TimedStage { action, _ in
      let work = Effect<String>.run { send in
        begun.note("began")
        send("late")
      }
      return switch action {
      case "same step": [work.cancellable(id: 1), .cancel(id: 1)]
      case "next step": [work.cancellable(id: 1), .send("cancel")]
      case "cancel": [.cancel(id: 1)]
      case "group": [.concatenate(.merge(work, work).cancellable(id: 1)), .cancel(id: 1)]
      default: []
      }
    }
    for action in ["same step", "group"] { stage.send(action) }
    #expect(begun.entries == [])
    stage.send("next step")
    #expect(stage.seen == ["same step", "group", "next step", "cancel"])
    #expect(stage.isQuiet)
  }

  enum End: CaseIterable { case sameStep, nextStep, handle, replaced }

  @Test(
    "R5 the body of an effect that is cancelled before its task begins does not run",
    arguments: ["task", "run", "fireAndForget", "merge", "concatenate", "delay"], End.allCases)
  func bodyOfCancelled(kind: String, end: End) {
    let begun = Journal<Bool>()
    let clock = TestClock()
    let stage = Stage { action in
      let task = Effect<String>.task {
        begun.note(Task.isCancelled)
        return "late"
      }
      let effect: Effect<String> =
        switch kind {
        case "task": task
        case "run": .run { _ in begun.note(Task.isCancelled) }
        case "fireAndForget": .fireAndForget { begun.note(Task.isCancelled) }
        case "merge": .merge(task, .send("at once"))
        case "concatenate": .concatenate(task, .run { _ in })
        default: task.delay(for: .zero, clock: clock)
        }
      switch (action, end) {
      case ("go", .sameStep): return [effect.cancellable(id: 1), .cancel(id: 1)]
      case ("go", .replaced): return [effect.cancellable(id: 1, cancelInFlight: true)]
      case ("go", _): return [effect.cancellable(id: 1)]
      case ("cancel", _): return [.cancel(id: 1)]
      default: return []
      }
    }
    let handle = stage.store.send("go")
    switch end {
    case .sameStep: break
    case .nextStep: stage.store.send("cancel")
    case .handle: handle.cancel()
    case .replaced: stage.store.send("go")
    }
    stage.executor.run()
    #expect(begun.entries == (end == .replaced ? [false] : []), "that which replaces it runs")
    #expect(handle.isFinished && stage.store.effects.isEmpty)
  }

  @Test(
    "R5 the body of an effect whose task begins while the cancel is reduced runs, cancelled and unheard"
  )
  func bodyBegunMeanwhile() {
    let begun = Journal<String>()
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "go":
        [
          .run { send in
            begun.note("began, cancelled: \(Task.isCancelled)")
            try? await gate.wait()
            begun.note("went on, cancelled: \(Task.isCancelled)")
            send("late")
          }.cancellable(id: 1)
        ]
      case "cancel": [.cancel(id: 1)]
      default: []
      }
    }
    // What another thread may do at this moment: begin the task that waits.
    stage.store.setHooks { [executor = stage.executor] _, _ in
      StepHooks(didReduce: { step, _ in if step.action == "cancel" { executor.run() } })
    }
    let handle = stage.store.send("go")
    stage.store.send("cancel")
    stage.executor.run()
    #expect(begun.entries == ["began, cancelled: false", "went on, cancelled: true"])
    #expect(stage.seen == ["go", "cancel"])
    #expect(handle.isFinished && stage.issues.entries == [])
  }

  @Test(
    "R5 an effect whose action starts its successor under the same id is replaced by it")
  func successor() {
    let stage = TimedStage { action, clock in
      switch action {
      case "go", "found 1":
        [
          .run { send in
            while true {
              try await clock.sleep(for: .milliseconds(100))
              send(action == "go" ? "found 1" : "found 2")
            }
          }.cancellable(id: "poll", cancelInFlight: true)
        ]
      case "stop": [.cancel(id: "poll")]
      default: []
      }
    }
    let handle = stage.send("go")
    stage.advance(300)
    #expect(stage.timeline == ["0 go", "100 found 1", "200 found 2", "300 found 2"])
    stage.send("stop")
    #expect(stage.isQuiet && handle.isFinished)
  }

  @Test("R5 the order in one step counts: what is returned after the cancel runs")
  func afterTheCancel() {
    let stage = TimedStage { action, _ in
      action == "go" ? [.cancel(id: 1), .task { "done" }.cancellable(id: 1)] : []
    }
    stage.send("go")
    #expect(stage.seen == ["go", "done"])
  }

  @Test("R6 types without content are different ids; equal names in different places too")
  func emptyTypes() {
    let stage = TimedStage { action, clock in
      switch action {
      case "go": [EffectBehaviourTests.seconds(1, clock).cancellable(id: First.ID())]
      case "cancel": [.cancel(id: Second.ID()), .cancel(id: "ID()")]
      default: []
      }
    }
    stage.send("go")
    stage.send("cancel")
    stage.clock.run()
    #expect(stage.seen == ["go", "cancel", "1"])
  }

  @Test("R6 rows that one line composes are told apart by their ids; a cancel meets its own row")
  func rows() {
    struct Rows: Reducer {
      struct Action: Sendable, Equatable {
        var row: Int
        var text: String
      }

      func reduce(
        _ state: inout [Int: [String]], _ action: Action, _ clock: TestClock
      ) -> [Effect<Action>] {
        let row = Script { text in
          switch text {
          case "load": [EffectBehaviourTests.seconds(1, clock).cancellable(id: "load")]
          case "cancel": [.cancel(id: "load")]
          default: []
          }
        }
        var child = Script.State(seen: state[action.row] ?? [])
        defer { state[action.row] = child.seen }
        return row.reduce(&child, action.text, ())
          .scoped({ Action(row: action.row, text: $0) }, id: action.row)
      }
    }
    let clock = TestClock()
    let store = Store(
      initialState: [:], reducer: Rows(), dependencies: clock, executor: clock.executor)
    for row in 1...3 { store.send(Rows.Action(row: row, text: "load")) }
    store.send(Rows.Action(row: 2, text: "cancel"))
    clock.run()
    #expect(store.state == [1: ["load", "1"], 2: ["load", "cancel"], 3: ["load", "1"]])
  }

  // Threads meet here in streams and not in a `Gate`, whose lock the thread sanitizer does not see.
  @Test("R6 forty stores with equal ids, on real threads, cancel each its own")
  func manyStores() async {
    let streams = (0..<40).map { _ in AsyncStream.makeStream(of: Never.self) }
    let stores = streams.map { stream in
      Store(
        initialState: Script.State(),
        reducer: Script { action in
          switch action {
          case "start":
            [
              .run { send in
                send("42")
                for await _ in stream.stream {}
                send("end")
              }.cancellable(id: "long", cancelInFlight: true)
            ]
          case "stop": [.cancel(id: "long")]
          default: []
          }
        }, dependencies: ())
    }
    let handles = stores.map { $0.send("start") }
    for store in stores[..<20] { store.send("stop") }
    for stream in streams { stream.continuation.finish() }
    for handle in handles { await handle.finish() }
    for (index, store) in stores.enumerated() {
      #expect(store.state.seen.last == (index < 20 ? "stop" : "end"))
      #expect(store.effects.isEmpty)
    }
  }

  @Test(
    "R5 a thousand effects under ten ids, cancelled from many threads: none is left, none is heard")
  func concurrentCancels() async {
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        guard let id = Int(action) else { return [] }
        return id < 0
          ? [.cancel(id: -id)]
          : [
            .run { send in
              // Nothing comes from it but its end, when it is cancelled.
              for await _ in AsyncStream<Never>.makeStream().stream {}
              send("late")
            }.cancellable(id: id)
          ]
      }, dependencies: ())
    let handles = await withTaskGroup(of: [StoreTask].self) { group in
      for _ in 0..<10 {
        group.addTask { (0..<100).map { store.send("\($0 % 10 + 1)") } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    await withTaskGroup(of: Void.self) { group in
      for id in 1...10 {
        for _ in 0..<5 { group.addTask { store.send("-\(id)") } }
      }
    }
    for handle in handles { await handle.finish() }
    #expect(store.effects.isEmpty)
    #expect(!store.state.seen.contains("late"))
    #expect(store.stepCount == 1050)
  }
}
