import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("R5 Cancel means never again")
struct R5Cancellation {
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
    "R5 a queued action is dropped although its effect has ended since", arguments: [false, true])
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
}

@Suite("R6 No globals")
struct R6NoGlobals {
  struct Child: Reducer {
    func reduce(_ state: inout [String], _ action: String, _ gate: Gate) -> [Effect<String>] {
      state.append(action)
      switch action {
      case "load":
        return [
          .task {
            try await gate.wait()
            return "loaded"
          }.cancellable(id: "load")
        ]
      case "cancel": return [.cancel(id: "load")]
      default: return []
      }
    }
  }

  struct Parent: ComposedReducer {
    struct State: Sendable {
      var left: [String] = []
      var right: [String] = []
    }

    enum Action: Sendable {
      case left(String), right(String), cancelBoth
    }

    static let left = CasePath(embed: Action.left) { if case .left(let a) = $0 { a } else { nil } }
    static let right = CasePath(embed: Action.right) {
      if case .right(let a) = $0 { a } else { nil }
    }

    var body: some Reducer<State, Action, Gate> {
      Scope(state: \.left, action: Self.left) { Child() }
      Scope(state: \.right, action: Self.right) { Child() }
      Reduce { _, action, _ in
        if case .cancelBoth = action { [.cancel(id: "load")] } else { [] }
      }
    }
  }

  @Test("R6 siblings with equal ids do not meet")
  func siblings() {
    let executor = ManualExecutor()
    let gate = Gate()
    let store = Store(
      initialState: Parent.State(), reducer: Parent(), dependencies: gate, executor: executor)
    store.send(.left("load"))
    store.send(.right("load"))
    executor.run()
    store.send(.left("cancel"))
    gate.open()
    executor.run()
    #expect(store.state.left == ["load", "cancel"])
    #expect(store.state.right == ["load", "loaded"])
  }

  @Test("R6 a parent cancels its children's by the same id")
  func parent() {
    let executor = ManualExecutor()
    let gate = Gate()
    let store = Store(
      initialState: Parent.State(), reducer: Parent(), dependencies: gate, executor: executor)
    store.send(.left("load"))
    store.send(.right("load"))
    executor.run()
    store.send(.cancelBoth)
    gate.open()
    executor.run()
    #expect(store.state.left == ["load"])
    #expect(store.state.right == ["load"])
    #expect(store.effects.isEmpty)
  }

  @Test("R6 two stores with equal ids do not meet")
  func stores() {
    let executor = ManualExecutor()
    let gate = Gate()
    let one = Store(initialState: [], reducer: Child(), dependencies: gate, executor: executor)
    let two = Store(initialState: [], reducer: Child(), dependencies: gate, executor: executor)
    one.send("load")
    two.send("load")
    executor.run()
    one.send("cancel")
    gate.open()
    executor.run()
    #expect(one.state == ["load", "cancel"])
    #expect(two.state == ["load", "loaded"])
  }

  @Test("R6 ids of equal text and different type are different ids")
  func types() {
    let stage = Stage { action in
      switch action {
      case "a": [.task { "done" }.cancellable(id: 1)]
      case "b": [.cancel(id: UInt8(1)), .cancel(id: "1")]
      default: []
      }
    }
    stage.store.send("a")
    stage.store.send("b")
    stage.executor.run()
    #expect(stage.seen == ["a", "b", "done"])
  }
}

@Suite("What the registry keeps")
struct RegistryTests {
  @Test("ids of effects that have ended are swept out, however deep their place")
  func sweeps() {
    let executor = ManualExecutor()
    struct Deep: Reducer {
      func reduce(_ state: inout Int, _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
        state += 1
        guard action > 0 else { return [] }
        var effects: [Effect<Int>] = [.task { 0 }.cancellable(id: action)]
        for level in 0..<5 {
          effects = effects.scoped({ (inner: Int) -> Int in inner }, id: level)
        }
        return effects
      }
    }
    let store = Store(
      initialState: 0, reducer: Deep(), dependencies: (), executor: executor)
    for round in 0..<100 {
      for id in 1...100 { store.send(round * 100 + id) }
      executor.run()
    }
    #expect(store.state == 20_000)
    #expect(!store.hasIndexedEffects)
    #expect(store.slotCount <= 100)
  }

  /// Whose effects end by adding their numbers to the state.
  private static func store(
    _ executor: ManualExecutor, start: @escaping @Sendable (Int) -> [Effect<Starting>],
    cancel: @escaping @Sendable (Int, Int?) -> [Effect<Starting>]
  ) -> Store<Reduce<[Int], Starting, Void>> {
    Store(
      initialState: [],
      reducer: Reduce { state, action, _ in
        switch action {
        case .start(let number): return start(number)
        case .cancel(let id, let place): return cancel(id, place)
        case .done(let number):
          state.append(number)
          return []
        }
      }, dependencies: (), executor: executor)
  }

  @Test("R5 ids of one hash are told apart")
  func clashes() {
    struct Clash: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) {}
    }
    let executor = ManualExecutor()
    let store = Self.store(executor) { number in
      [.task { .done(number) }.cancellable(id: Clash(number: number))]
    } cancel: { number, _ in
      [.cancel(id: Clash(number: number))]
    }
    for number in 0..<200 { store.send(.start(number)) }
    for number in stride(from: 0, to: 200, by: 2) { store.send(.cancel(number, place: nil)) }
    executor.run()
    #expect(store.state == Array(stride(from: 1, to: 200, by: 2)))
  }

  @Test(
    "R5 R6 an id finds its effects and no others, however many came and went",
    arguments: [1, 2, 3])
  func agreesWithModel(seed: UInt64) {
    // So few that most effects are cancelled: what is left of their ids has to be swept out again
    // and again.
    let ids = 30
    let executor = ManualExecutor()
    @Sendable func placed(_ effect: Effect<Starting>, _ place: Int?) -> [Effect<Starting>] {
      guard let place else { return [effect] }
      return [effect].scoped({ (inner: Starting) -> Starting in inner }, id: place)
    }
    // The number tells id and place.
    let store = Self.store(executor) { number in
      let effect = Effect<Starting>.task { .done(number) }.cancellable(id: number / 3 % ids)
      return placed(effect, number % 3 == 0 ? nil : number % 3)
    } cancel: { id, place in
      placed(.cancel(id: id), place)
    }
    var random = SeededRandom(seed: seed)
    var running: [Int] = []
    var done: [Int] = []
    for round in 0..<6000 {
      switch random.next() % 1000 {
      case 0:
        executor.run()
        done += running
        running = []
      case 1..<400:
        let id = Int(random.next() % UInt64(ids))
        let place = Int(random.next() % 3)
        store.send(.cancel(id, place: place == 0 ? nil : place))
        running.removeAll { $0 / 3 % ids == id && (place == 0 || $0 % 3 == place) }
      default:
        let number = (round * ids + Int(random.next() % UInt64(ids))) * 3 + Int(random.next() % 3)
        store.send(.start(number))
        running.append(number)
      }
    }
    executor.run()
    #expect(store.state == done + running)
    #expect(store.effects.isEmpty)
  }
}

private enum Starting: Sendable {
  case start(Int)
  case cancel(Int, place: Int?)
  case done(Int)
}
