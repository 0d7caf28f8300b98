import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R5 Cancel means never again")
struct CancellationTests {
  @Test("R5 an effect cancelled in the step that returned it never starts")
  func cancelledBeforeStart() {
    let began = Journal<String>()
    let stage = Stage { action in
      action == "a"
        ? [
          .task {
            began.note("began")
            return "late"
          }.cancellable(id: 1),
          .cancel(id: 1),
        ] : []
    }
    let handle = stage.store.send("a")
    stage.executor.run()
    #expect(stage.seen == ["a"])
    #expect(began.entries == [])
    #expect(handle.isFinished)
  }

  @Test("R5 a cancelled child task of an effect sends nothing, and the effect goes on")
  func cancelledChildTask() async {
    let store = Store(
      initialState: [String](),
      reducer: Reduce<[String], String, Void> { state, action, _ in
        state.append(action)
        guard action == "race" else { return [] }
        return [
          .run { send in
            await withTaskGroup(of: Void.self) { group in
              group.addTask { send("won") }
              group.addTask {
                try? await TestClock().sleep(for: .seconds(1))
                send("lost")
              }
              await group.next()
              group.cancelAll()
            }
            send("over")
          }
        ]
      }, dependencies: ())
    await store.send("race").finish()
    #expect(store.state == ["race", "won", "over"])
  }

  @Test(
    "R5 on the pool too, the body of an effect cancelled in the step that returned it never runs")
  func cancelledBeforeStartOnThePool() async {
    let began = Journal<Int>()
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { _, _, _ in
        [.run { _ in began.note(1) }.cancellable(id: 1)]
          + (0..<200).map { _ in .run { _ in } } + [.cancel(id: 1)]
      }, dependencies: ())
    for _ in 0..<100 { await store.send(1).finish() }
    #expect(began.entries == [])
  }

  @Test("R5 an effect handed over but not begun is cancelled by the next action")
  func cancelledBeforeItRuns() {
    let stage = Stage { action in
      switch action {
      case "load": [.task { "loaded" }.cancellable(id: "load")]
      case "cancel": [.cancel(id: "load")]
      default: []
      }
    }
    stage.store.send("load")
    stage.store.send("cancel")
    stage.executor.run()
    #expect(stage.seen == ["load", "cancel"])
    #expect(stage.store.effects.isEmpty)
  }

  @Test("R5 an effect that ignores its cancellation is not heard")
  func deafEffect() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "load":
        [
          .run { send in
            try? await gate.wait()
            send("one")
            send("two")
          }.cancellable(id: "load")
        ]
      case "cancel": [.cancel(id: "load")]
      default: []
      }
    }
    let handle = stage.store.send("load")
    stage.executor.run()
    stage.store.send("cancel")
    #expect(!handle.isFinished, "its task has not ended")
    #expect(stage.store.effects.map(\.phase) == [.cancelled])
    stage.executor.run()
    #expect(stage.seen == ["load", "cancel"])
    #expect(handle.isFinished)
    #expect(stage.issues.entries == [])
  }

  @Test("R5 an action that is queued already is dropped when its effect is cancelled first")
  func queuedAction() {
    let stage = Stage { action in
      switch action {
      case "a": [.send("kill"), .send("victim").cancellable(id: 7)]
      case "kill": [.cancel(id: 7)]
      default: []
      }
    }
    let handle = stage.store.send("a")
    #expect(stage.seen == ["a", "kill"])
    #expect(handle.isFinished)
  }

  @Test(
    "R5 a queued action is dropped although its effect has ended since the cancel",
    arguments: [false, true])
  func queuedActionOfEndedEffect(wantsHandle: Bool) {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "load":
        [
          .run { send in
            if wantsHandle { _ = send.start("late") } else { send("late") }
            try await gate.wait()
          }.cancellable(id: "load")
        ]
      case "cancel": [.cancel(id: "load")]
      default: []
      }
    }
    let executor = stage.executor
    let store = stage.store
    stage.store.observe { [weak store] step, _ in
      switch step.action {
      case "go":
        // The effect sends while this step is told, so that its action waits in the queue behind
        // "cancel".
        store?.send("cancel")
        executor.run()
      case "cancel":
        // The cancelled effect ends before the queue goes on.
        executor.run()
      default: break
      }
    }
    let handle = store.send("load")
    store.send("go")
    #expect(stage.seen == ["load", "go", "cancel"])
    #expect(handle.isFinished)
    #expect(store.effects.isEmpty)
  }

  @Test("R5 cancelInFlight replaces what runs, and only that")
  func cancelInFlight() {
    let gates = [Gate(), Gate(), Gate()]
    let stage = Stage { action in
      guard let index = Int(action) else { return [] }
      return [
        .task {
          try await gates[index].wait()
          return "done \(index)"
        }.cancellable(id: "search", cancelInFlight: true)
      ]
    }
    for action in ["0", "1", "2"] { stage.store.send(action) }
    stage.executor.run()
    for gate in gates { gate.open() }
    stage.executor.run()
    #expect(stage.seen == ["0", "1", "2", "done 2"])
  }

  @Test("R5 a merge whose members share the group's id does not cancel itself")
  func mergeCancelInFlight() {
    let stage = Stage { action in
      action == "a"
        ? [.merge(.task { "x" }, .task { "y" }).cancellable(id: 1, cancelInFlight: true)] : []
    }
    stage.store.send("a")
    stage.executor.run()
    #expect(stage.seen == ["a", "x", "y"])
  }

  @Test("R5 cancelling a concatenation cancels the members that have not begun")
  func concatenation() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "a":
        [
          .concatenate(
            .task {
              try await gate.wait()
              return "one"
            }, .task { "two" }, .send("three")
          ).cancellable(id: "chain")
        ]
      case "stop": [.cancel(id: "chain")]
      default: []
      }
    }
    let handle = stage.store.send("a")
    stage.executor.run()
    stage.store.send("stop")
    gate.open()
    stage.executor.run()
    #expect(stage.seen == ["a", "stop"])
    #expect(handle.isFinished)
  }

  @Test("R5 a member with an id of its own is cancelled alone; the sequence goes on")
  func oneMember() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "a":
        [
          .concatenate(
            .task {
              try await gate.wait()
              return "one"
            },
            .task { "two" }.cancellable(id: 2),
            .task { "three" })
        ]
      case "skip": [.cancel(id: 2)]
      default: []
      }
    }
    stage.store.send("a")
    stage.executor.run()
    stage.store.send("skip")
    gate.open()
    stage.executor.run()
    #expect(stage.seen == ["a", "skip", "one", "three"])
  }

  @Test("R5 an effect's own result may start its successor under the same id")
  func successor() {
    let stage = Stage { action in
      switch action {
      case "0", "1", "2":
        [
          .task { String((Int(action) ?? 0) + 1) }
            .cancellable(id: "poll", cancelInFlight: true)
        ]
      default: []
      }
    }
    stage.store.send("0")
    stage.executor.run()
    #expect(stage.seen == ["0", "1", "2", "3"])
  }

  @Test(
    "R5 an action in the queue is dropped although its effect ended before the cancel was reduced")
  func endedBeforeTheCancel() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "start":
        [
          .run { send in
            try? await gate.wait()
            send("tick")
          }.cancellable(id: "x")
        ]
      case "cancel": [.cancel(id: "x")]
      default: []
      }
    }
    stage.store.send("start")
    stage.executor.run()
    let executor = stage.executor
    stage.store.observe { [weak store = stage.store] step, _ in
      guard step.action == "poke" else { return }
      // While this step is told, the cancel is queued; then the effect sends and ends.
      store?.send("cancel")
      gate.open()
      executor.run()
    }
    stage.store.send("poke")
    #expect(stage.seen == ["start", "poke", "cancel"])
    #expect(stage.store.effects.isEmpty)
  }

  @Test("R5 under contention, nothing of an effect is reduced after its cancel")
  func contended() async {
    for _ in 0..<50 {
      let store = Store(
        initialState: Script.State(),
        reducer: Script { action in
          switch action {
          case "start":
            [
              .run { send in
                for _ in 0..<100 { send("tick") }
              }.cancellable(id: 1)
            ]
          case "cancel": [.cancel(id: 1)]
          default: []
          }
        }, dependencies: ())
      let handle = store.send("start")
      store.send("cancel")
      await handle.finish()
      let seen = store.state.seen
      let cancelled = seen.firstIndex(of: "cancel")
      #expect(cancelled == seen.count - 1)
    }
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
}
