import SwiftBoardStore
import SwiftBoardTesting
import Testing

struct Broken: Error, CustomStringConvertible {
  var description: String { "the disk is on fire" }
}

@Suite("R9 Errors are never swallowed")
struct R9Errors {
  @Test("R9 an uncaught error is an issue with effect, place and action", arguments: [true, false])
  func uncaught(isTask: Bool) throws {
    let stage = Stage { action in
      guard action == "save" else { return [] }
      return isTask
        ? [.task(name: "db.save", fileID: "Board/Db.swift", line: 7) { throw Broken() }]
        : [.run(name: "db.save", fileID: "Board/Db.swift", line: 7) { _ in throw Broken() }]
    }
    let told = Journal<StoreIssue>()
    stage.store.setHooks { _, _ in StepHooks(issue: { told.note($0) }) }
    let handle = stage.store.send("save")
    stage.executor.run()
    let issue = try #require(stage.issues.entries.first)
    #expect(stage.issues.entries.count == 1)
    #expect(told.entries == [issue])
    #expect(issue.location.description == "Board/Db.swift:7")
    #expect(issue.step == 1)
    for part in ["db.save", "the disk is on fire", "save"] {
      #expect(issue.message.contains(part))
    }
    #expect(handle.isFinished)
  }

  @Test("R9 a caught error is an action")
  func caught() {
    let stage = Stage { action in
      action == "save"
        ? [
          .concatenate(
            .task { throw Broken() },
            .run { send in
              send("half")
              throw Broken()
            }
          ).catch { "failed: \($0)" }
        ] : []
    }
    stage.store.send("save")
    stage.executor.run()
    #expect(
      stage.seen == [
        "save", "failed: the disk is on fire", "half", "failed: the disk is on fire",
      ])
    #expect(stage.issues.entries == [])
  }

  @Test("R9 cancellation is no error")
  func cancellation() {
    let stage = Stage { action in
      switch action {
      case "a": [.task { throw CancellationError() }.catch { _ in "never" }]
      case "b": [.run { _ in throw CancellationError() }]
      default: []
      }
    }
    stage.store.send("a")
    stage.store.send("b")
    stage.executor.run()
    #expect(stage.seen == ["a", "b"])
    #expect(stage.issues.entries == [])
  }

  @Test("R9 an issue that a reducer returns is told once to handler and hooks")
  func returned() {
    let stage = Stage { $0 == "a" ? [.issue("odd"), .send("b")] : [] }
    let told = Journal<StoreIssue>()
    stage.store.setHooks { _, _ in StepHooks(issue: { told.note($0) }) }
    stage.store.send("a")
    #expect(stage.issues.entries.map(\.message) == ["odd"])
    #expect(told.entries.map(\.message) == ["odd"])
  }
}

@Suite("R10 Handles")
struct R10Handles {
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
}

@Suite("R11 The end")
struct R11TheEnd {
  @Test("R11 dropping a store cancels its effects and frees it")
  func dropped() async {
    let ended = Gate()
    let gate = Gate()
    let executor = ManualExecutor()
    weak var weakStore: Store<Script>?
    do {
      let store = Store(
        initialState: Script.State(),
        reducer: Script { _ in
          [
            .run { _ in
              do { try await gate.wait() } catch { ended.open() }
            }
          ]
        }, dependencies: (), executor: executor)
      weakStore = store
      store.send("a")
      executor.run()
    }
    #expect(weakStore == nil)
    executor.run()
    try? await ended.wait()
  }

  @Test("R11 shutdown lets effects end")
  func drained() async {
    let store = Store(
      initialState: Script.State(), reducer: Script { $0 == "a" ? [.task { "b" }] : [] },
      dependencies: ())
    store.send("a")
    let left = await store.shutdown(deadline: .seconds(3600))
    #expect(left.isEmpty)
    #expect(store.state.seen == ["a", "b"])
  }

  @Test("R11 at the deadline it cancels and says what was running; later sends are issues")
  func deadline() async {
    let gate = Gate()
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "a"
          ? [
            .task(name: "slow") {
              try await gate.wait()
              return "never"
            }
          ] : []
      }, dependencies: (), onIssue: { issues.note($0) })
    let handle = store.send("a")
    let left = await store.shutdown(deadline: .zero)
    #expect(left.map(\.descriptor.name) == ["slow"])
    #expect(left.map(\.cause) == ["a"])
    await handle.finish()
    let line = #line + 1
    #expect(store.send("b").isFinished)
    store.send(contentsOf: ["c"])
    store.view.send("d")
    #expect(store.state.seen == ["a"])
    #expect(issues.entries.map(\.location.line) == (0..<3).map { UInt32(line + $0) })
    #expect(issues.entries.allSatisfy { "\($0.location.fileID)".hasSuffix("LifetimeTests.swift") })
  }
}

@Suite("R13 Effects can be looked at")
struct R13Looking {
  @Test("R13 what was returned is comparable")
  func descriptors() {
    let effects = Script { _ in
      [
        .task(name: "load", { "x" }).cancellable(id: "load"), .send("y"), .none,
        .cancel(id: "old"),
      ]
    }
    var state = Script.State()
    #expect(
      effects.reduce(&state, "a", ()).descriptors() == [
        EffectDescriptor(kind: .task, name: "load", id: "load"),
        EffectDescriptor(kind: .send), EffectDescriptor(kind: .cancel, id: "old"),
      ])
  }

  @Test("R13 what runs is listed with name, id, place, action and step")
  func running() throws {
    let gate = Gate()
    let stage = Stage { action in
      action == "b"
        ? [
          .concatenate(
            .task(name: "load", fileID: "Board/Load.swift", line: 3) {
              try await gate.wait()
              return "done"
            }.cancellable(id: 9), .task(name: "then") { "x" })
        ] : []
    }
    stage.store.send("a")
    let before = ContinuousClock.now
    stage.store.send("b")
    stage.executor.run()
    let running = stage.store.effects
    #expect(running.map(\.phase) == [.running, .pending])
    #expect(running.map(\.descriptor.name) == ["load", "then"])
    let first = try #require(running.first)
    #expect(first.descriptor.id == "9")
    #expect(first.descriptor.location.description == "Board/Load.swift:3")
    #expect(first.cause == "b" && first.step == 2)
    // The clock of effects moves in steps; how long one is, is up to the machine.
    #expect(first.since >= before - .seconds(3600) && first.since <= .now)
  }

  @Test("R13 hooks and observers see who sent what, and what was returned")
  func steps() {
    let stage = Stage { action in
      switch action {
      case "a": [.task(name: "load") { "b" }.cancellable(id: 1), .send("s")]
      default: []
      }
    }
    let steps = Journal<Step<String>>()
    let before = Journal<Int>()
    stage.store.send("unwatched")
    stage.store.setHooks { state, last in
      #expect(state.seen == ["unwatched"] && last == 1)
      return StepHooks(
        willReduce: { before.note($0) }, didReduce: { step, _ in steps.note(step) })
    }
    stage.store.send("a", origin: .user(line: "go", at: "x.sb:1"))
    stage.executor.run()
    #expect(before.entries == [2, 3, 4])
    #expect(steps.entries.map(\.number) == [2, 3, 4])
    #expect(
      steps.entries.map(\.origin) == [
        .user(line: "go", at: "x.sb:1"), .effect(name: "send", id: nil, step: 2),
        .effect(name: "load", id: "1", step: 2),
      ])
    #expect(steps.entries[0].effects.map(\.kind) == [.task, .send])
    stage.store.setHooks { _, _ in nil }
    stage.store.send("a")
    #expect(steps.entries.count == 3)
  }

  @Test("an observation ends when it is cancelled")
  func observation() {
    let stage = Stage()
    let told = Journal<String>()
    let observation = stage.store.observe { step, _ in told.note(step.action) }
    stage.store.send("a")
    observation.cancel()
    stage.store.send("b")
    #expect(told.entries == ["a"])
  }
}
