import SwiftBoardStore
import SwiftBoardTesting
import Testing

private enum Trace {
  @TaskLocal static var id = "none"
}

/// Effects that write down the task-local value that they see.
@Suite("R4 Task-local values")
struct TaskLocalTests {
  /// Effects note `name: value`.
  private struct Scene {
    let values = Journal<String>()
    let executor: ManualExecutor?
    let store: Store<Script>

    init(
      executor: ManualExecutor? = ManualExecutor(),
      _ effects:
        @escaping @Sendable (_ action: String, _ note: @escaping @Sendable (String) -> Void)
        -> [Effect<String>]
    ) {
      let values = values
      self.executor = executor
      store = Store(
        initialState: Script.State(),
        reducer: Script { action in
          effects(action) { values.note("\($0): \(Trace.id)") }
        }, dependencies: (), executor: executor)
    }

    func send(_ action: String, as id: String) -> StoreTask {
      Trace.$id.withValue(id) { store.send(action) }
    }
  }

  @Test(
    "R4 an effect has the values of the sender, on the pool and on an executor",
    arguments: [true, false])
  func sender(isOnPool: Bool) async {
    let scene = Scene(executor: isOnPool ? nil : ManualExecutor()) { action, note in
      guard action == "go" else { return [] }
      return [
        .task {
          note("task")
          return "done"
        }, .run { _ in note("run") },
      ]
    }
    let handle = scene.send("go", as: "a")
    scene.executor?.run()
    await handle.finish()
    #expect(Set(scene.values.entries) == ["task: a", "run: a"])
  }

  @Test("an effect with a value of its own keeps its description, and hands the value on")
  func binding() async {
    let own = Effect<String>.merge([
      .task(name: "a") { Trace.id }.cancellable(id: "x"),
      .concatenate([
        .run(name: "b") { send in send(Trace.id) },
        .task { await Task { Trace.id }.value },
      ]),
    ])
    let bound = own.binding(Trace.$id, to: "step")
    #expect([bound].descriptors() == [own].descriptors())
    let scene = Scene(executor: nil) { action, note in
      guard action == "go" else {
        note(action)
        return []
      }
      return [bound]
    }
    await scene.send("go", as: "sender").finish()
    #expect(scene.values.entries.map { $0.prefix { $0 != ":" } } == ["step", "step", "step"])
  }

  @Test("R4 with observers and hooks, too")
  func watched() {
    let scene = Scene { action, note in action == "go" ? [.run { _ in note("run") }] : [] }
    scene.store.observe { _, _ in }
    scene.store.setHooks { _, _ in StepHooks(didReduce: { _, _ in }) }
    _ = scene.send("go", as: "a")
    _ = scene.send("go", as: "b")
    scene.executor?.run()
    #expect(scene.values.entries == ["run: a", "run: b"])
  }

  @Test("R4 effects of the actions that follow have them, by `.send` and by other effects")
  func followUps() {
    let scene = Scene { action, note in
      switch action {
      case "go": [.send("sent"), .merge(.send("grouped"), .send("other")).cancellable(id: 1)]
      case "sent", "grouped":
        [
          .task {
            note(action)
            return "next of \(action)"
          }
        ]
      case "next of sent": [.run { _ in note("next") }]
      default: []
      }
    }
    _ = scene.send("go", as: "a")
    scene.executor?.run()
    #expect(scene.values.entries == ["sent: a", "grouped: a", "next: a"])
  }

  @Test("R4 the members of a sequence have them, and not what the one before has bound")
  func sequence() {
    let scene = Scene { action, note in
      guard action == "go" else { return [] }
      return [
        .concatenate(
          .task {
            note("1")
            return Trace.$id.withValue("inner") { "done" }
          }, .run { _ in note("2") }, .merge(.run { _ in note("3") }, .run { _ in note("4") }))
      ]
    }
    _ = scene.send("go", as: "a")
    scene.executor?.run()
    #expect(scene.values.entries == ["1: a", "2: a", "3: a", "4: a"])
  }

  @Test("R4 what an effect sends has the values of the code that sends")
  func insideEffect() {
    let scene = Scene { action, note in
      switch action {
      case "go":
        [.run { send in Trace.$id.withValue("inner") { send("sent") } }]
      case "sent": [.run { _ in note("sent") }]
      default: []
      }
    }
    _ = scene.send("go", as: "a")
    scene.executor?.run()
    #expect(scene.values.entries == ["sent: inner"])
  }

  @Test("R4 what an observer sends is queued, and its effects have none")
  func observer() {
    let scene = Scene { action, note in [.run { _ in note(action) }] }
    scene.store.observe { [weak store = scene.store] step, _ in
      if step.action == "go" { Trace.$id.withValue("observer") { _ = store?.send("queued") } }
    }
    _ = scene.send("go", as: "a")
    scene.executor?.run()
    #expect(scene.values.entries == ["go: a", "queued: none"])
  }

  @Test("R4 what another thread queues has none, and not those of the thread that reduces it")
  func otherThread() {
    let scene = Scene { action, note in [.run { _ in note(action) }] }
    scene.store.observe { [weak store = scene.store] step, _ in
      guard step.action == "go", let store else { return }
      onAnotherThread { Trace.$id.withValue("b") { _ = store.send("queued") } }
    }
    _ = scene.send("go", as: "a")
    scene.executor?.run()
    #expect(scene.values.entries == ["go: a", "queued: none"])
  }

  @Test("R4 a sequence that goes on in the thread of another sender has none")
  func sequenceWhileTold() {
    let scene = Scene { action, note in
      guard action == "go" else { return [] }
      return [.concatenate(.task { "first" }, .run { _ in note("second") })]
    }
    let executor = scene.executor
    _ = scene.send("go", as: "a")
    // The first member ends while the other sender's thread tells.
    scene.store.observe { step, _ in if step.action == "other" { executor?.run() } }
    _ = scene.send("other", as: "b")
    executor?.run()
    #expect(scene.store.state.seen == ["go", "other", "first"])
    #expect(scene.values.entries == ["second: none"])
  }

  @Test("R4 an effect that waited for a permit has none, whichever effect gave it back")
  func limited() {
    let gate = Gate()
    let scene = Scene { action, note in
      guard action.count == 1 else { return [] }
      return [
        .run { _ in
          note(action)
          if action == "1" { try await gate.wait() }
        }.limited(id: "one", whenFull: .wait)
      ]
    }
    _ = scene.send("1", as: "a")
    scene.executor?.run()
    _ = scene.send("2", as: "b")
    gate.open()
    scene.executor?.run()
    #expect(scene.values.entries == ["1: a", "2: none"])
  }

  @Test("R4 a member that waited for a permit of its own group has those of the group")
  func limitedMembers() {
    let scene = Scene { action, note in
      guard action.count == 1 else { return [] }
      let members = (1...2).map { number -> Effect<String> in
        .run { _ in note("\(number)") }.limited(id: "one", whenFull: .wait)
      }
      return [.merge(members)]
    }
    _ = scene.send("1", as: "a")
    scene.executor?.run()
    #expect(scene.values.entries == ["1: a", "2: a"])
  }

  @Test("R4 what waited for a permit of its own list has the values of the list")
  func limitedList() {
    let scene = Scene { action, note in
      guard action.count == 1 else { return [] }
      return (1...2).map { number in
        .run { _ in note("\(number)") }.limited(id: "one", whenFull: .wait)
      }
    }
    _ = scene.send("1", as: "a")
    scene.executor?.run()
    #expect(scene.values.entries == ["1: a", "2: a"])
  }

  @Test("R4 subscriptions have none")
  func subscriptions() {
    let values = Journal<String>()
    let executor = ManualExecutor()
    let store = Trace.$id.withValue("a") {
      Store(
        initialState: 0,
        reducer: Reduce<Int, Int, Void> { state, action, _ in
          state = action
          return []
        }.subscribing { state, _ in
          [.run { _ in values.note("\(state): \(Trace.id)") }.cancellable(id: state)]
        }, dependencies: (), executor: executor)
    }
    Trace.$id.withValue("b") { _ = store.send(1) }
    executor.run()
    #expect(values.entries == ["1: none"])
  }

  @Test("R4 a failed expectation in an effect belongs to the test that sent")
  func expectation() async {
    let name = Journal<String?>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        guard action == "go" else { return [] }
        return [
          .run { _ in
            name.note(Test.current?.name)
            withKnownIssue("fails in the effect") { #expect(Bool(false)) }
          }
        ]
      }, dependencies: ())
    await store.send("go").finish()
    #expect(name.entries == ["expectation()"])
  }
}
