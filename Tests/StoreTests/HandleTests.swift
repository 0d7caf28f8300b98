import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R10 Handles")
struct HandleTests {
  @Test("R10 a send without effects is finished")
  func nothing() {
    #expect(Stage().store.send("a").isFinished)
  }

  @Test("R10 finish waits for effects and what they cause")
  func descendants() async {
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        switch action {
        case "a": [.task { "b" }, .run { $0("x") }]
        case "b": [.send("c")]
        case "c": [.task { "d" }]
        default: []
        }
      }, dependencies: ())
    await store.send("a").finish()
    #expect(Set(store.state.seen) == ["a", "b", "c", "d", "x"])
    #expect(store.effects.isEmpty)
  }

  @Test("R10 finish of what has ended does not suspend, also on the main actor")
  @MainActor
  func ended() async {
    let store = Store(
      initialState: Script.State(), reducer: Script { $0 == "a" ? [.task { "b" }] : [] },
      dependencies: ())
    let handle = store.send("a")
    await handle.finish()
    let notes = Journal<String>()
    let other = Task { notes.note("other") }
    await handle.finish()
    #expect(notes.entries.isEmpty)
    await other.value
    #expect(notes.entries == ["other"])
  }

  @Test("R10 onFinish calls after the last descendant's step has reached the observers, once")
  func onFinish() {
    let notes = Journal<String>()
    let stage = Stage { action in
      switch action {
      case "a": [.task { "b" }]
      case "b": [.task { "c" }]
      default: []
      }
    }
    stage.store.observe { step, _ in notes.note(step.action) }
    let handle = stage.store.send("a")
    handle.onFinish {
      notes.note("finished")
      stage.store.send("after")
    }
    #expect(notes.entries == ["a"])
    stage.executor.run()
    #expect(notes.entries == ["a", "b", "c", "finished", "after"])
    handle.onFinish { notes.note("again") }
    stage.store.send("none").onFinish { notes.note("at once") }
    #expect(notes.entries.suffix(3) == ["again", "none", "at once"])
  }

  @Test("R10 onFinish calls when a handle is cancelled")
  func onFinishOfCancelled() {
    let notes = Journal<String>()
    let gate = Gate()
    let stage = Stage { _ in
      [
        .task {
          try await gate.wait()
          return "late"
        }
      ]
    }
    let handle = stage.store.send("a")
    stage.executor.run()
    handle.onFinish { notes.note("finished") }
    handle.cancel()
    stage.executor.run()
    #expect(notes.entries == ["finished"])
    #expect(stage.seen == ["a"])
  }

  @Test("R10 cancel ends the effects and their descendants, and no others")
  func cancel() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "a", "other": [.task { "\(action) child" }]
      case "a child", "other child":
        [
          .task {
            try await gate.wait()
            return "\(action) done"
          }
        ]
      default: []
      }
    }
    let handle = stage.store.send("a")
    let other = stage.store.send("other")
    stage.executor.run()
    handle.cancel()
    gate.open()
    stage.executor.run()
    #expect(stage.seen == ["a", "other", "a child", "other child", "other child done"])
    #expect(handle.isFinished && other.isFinished)
  }

  @Test("R10 a cancelled handle drops a queued action of `.send`, with and without an id")
  func queuedSend() {
    for hasID in [false, true] {
      let stage = Stage { action in
        guard action == "a" else { return [] }
        return hasID ? [.send("b").cancellable(id: "id")] : [.send("b")]
      }
      stage.store.observe { [store = stage.store.view] step, _ in
        if step.action == "poke" { store.send("a").cancel() }
      }
      stage.store.send("poke")
      #expect(stage.seen == ["poke", "a"])
    }
  }

  @Test("R10 cancelling a child's handle leaves its parent; cancelling a sibling leaves the other")
  func childHandle() {
    let handles = Journal<StoreTask>()
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "root":
        [
          .run { send in
            handles.note(send.start("one"))
            handles.note(send.start("two"))
            try await gate.wait()
            send("root done")
          }
        ]
      case "one", "two":
        [
          .task {
            try await gate.wait()
            return "\(action) done"
          }
        ]
      default: []
      }
    }
    let root = stage.store.send("root")
    stage.executor.run()
    #expect(handles.entries.count == 2)
    handles.entries[0].cancel()
    stage.executor.run()
    #expect(handles.entries[0].isFinished)
    #expect(!handles.entries[1].isFinished)
    #expect(!root.isFinished)
    gate.open()
    stage.executor.run()
    #expect(Set(stage.seen) == ["root", "one", "two", "two done", "root done"])
    #expect(root.isFinished)
  }

  @Test("R10 when an effect ends, what it caused goes on, and can still be cancelled from the root")
  func parentEnds() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "root": [.run(name: "parent") { $0("child") }]
      case "child":
        [
          .task(name: "child") {
            try await gate.wait()
            return "late"
          }
        ]
      default: []
      }
    }
    let root = stage.store.send("root")
    stage.executor.run()
    #expect(stage.store.effects.map(\.descriptor.name) == ["child"], "the parent is not kept")
    root.cancel()
    stage.executor.run()
    #expect(stage.seen == ["root", "child"])
    #expect(root.isFinished)
  }

  @Test("R10 an endless chain keeps only what runs")
  func chain() {
    let stage = Stage { action in
      guard let number = Int(action), number < 2000 else { return [] }
      return number.isMultiple(of: 2)
        ? [.task { String(number + 1) }] : [.run { $0(String(number + 1)) }]
    }
    stage.store.send("0")
    stage.executor.run()
    #expect(stage.seen.count == 2001)
    #expect(stage.store.slotCount <= 4)
  }

  @Test(
    "R10 any number of effects have their places, which are used again",
    arguments: [1, 8, 9, 63, 64, 65, 500])
  func places(count: Int) {
    let stage = Stage { action in
      action == "end" ? [] : [.task(name: action) { "end" }.cancellable(id: action)]
    }
    for _ in 0..<3 {
      let handles = (0..<count).map { stage.store.send("\($0)") }
      #expect(Set(stage.store.effects.map(\.descriptor.name)) == Set((0..<count).map { "\($0)" }))
      #expect(Set(stage.store.effects.compactMap(\.cause)) == Set((0..<count).map { "\($0)" }))
      for handle in handles.reversed().prefix(count / 2) { handle.cancel() }
      stage.executor.run()
      #expect(stage.store.effects.isEmpty)
      #expect(stage.store.slotCount == count)
    }
    #expect(stage.seen.filter { $0 == "end" }.count == 3 * (count - count / 2))
  }

  @Test("R10 a store that goes lets go of what its effects hold")
  func storeGoes() async {
    let executor = ManualExecutor()
    weak var watched: Journal<Int>?
    do {
      let held = Journal<Int>()
      watched = held
      let store = Store(
        initialState: 0,
        reducer: Reduce<Int, Journal<Int>?, Void> { state, action, _ in
          state += 1
          return action == nil ? [] : [.task { nil }]
        }, dependencies: (), executor: executor)
      for _ in 0..<100 { store.send(held) }
      #expect(store.effects.count == 100)
    }
    executor.run()
    #expect(watched == nil)
  }

  @Test("R10 cancelling who waits cancels the effects")
  func cancelledWaiter() async {
    let gate = Gate()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "a"
          ? [
            .task {
              try await gate.wait()
              return "never"
            }
          ] : []
      }, dependencies: ())
    let waiter = Task { await store.send("a").finish() }
    waiter.cancel()
    await waiter.value
    #expect(store.state.seen == ["a"])
    #expect(store.effects.isEmpty)
  }

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
}
