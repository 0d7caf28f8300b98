import SwiftBoardStore
import SwiftBoardTesting
import Testing

private struct Watching: ComposedReducer {
  struct State: Sendable, Equatable {
    var topics: [String] = []
    var heard: [String] = []
  }

  enum Action: Sendable, Equatable {
    case watch([String]), heard(String), again
  }

  /// Each topic speaks once a second; "brief" speaks once and ends.
  var body: some Reducer<State, Action, TestClock> {
    Reduce { state, action, _ in
      switch action {
      case .watch(let topics): state.topics = topics
      case .heard(let text): state.heard.append(text)
      case .again: break
      }
      return []
    }
    .subscribing { state, clock in
      state.topics.map { topic in
        .run(name: topic) { send in
          send(.heard("\(topic) on"))
          while topic != "brief" {
            try await clock.sleep(for: .seconds(1))
            send(.heard(topic))
          }
        }.cancellable(id: topic)
      }
    }
  }
}

/// Hears two messages, and saves each when it is told that no more will come.
private struct Saving: ComposedReducer {
  struct State: Sendable {
    var listens = true
    var seen: [String] = []
  }

  let gate: Gate

  var body: some Reducer<State, String, Void> {
    Reduce<State, String, Void> { [gate] state, action, _ in
      state.seen.append(action)
      switch action {
      case "message", "last":
        return [
          .task {
            try await gate.wait()
            return "\(action) saved"
          }
        ]
      case "end": state.listens = false
      default: break
      }
      return []
    }
    .subscribing { [gate] state, _ in
      guard state.listens else { return [] }
      return [
        .run { send in
          send("message")
          send("last")
          try await withTaskCancellationHandler {
            try await Gate().wait()
          } onCancel: {
            gate.open()
          }
        }.cancellable(id: "messages")
      ]
    }
  }
}

@Suite("Declared subscriptions")
struct SubscriptionTests {
  private func make(_ topics: [String]) -> (Store<Watching>, TestClock) {
    let clock = TestClock()
    let store = Store(
      initialState: Watching.State(topics: topics), reducer: Watching(), dependencies: clock,
      executor: clock.executor)
    clock.executor.run()
    return (store, clock)
  }

  @Test("the initial state's run from the beginning, and belong to no step")
  func initial() {
    let (store, clock) = make(["a"])
    #expect(store.effects.map(\.descriptor.name) == ["a"])
    #expect(store.effects.map(\.step) == [0])
    #expect(store.effects[0].cause == nil)
    clock.advance(by: .seconds(2))
    #expect(store.state.heard == ["a on", "a", "a"])
  }

  @Test("kept while declared, cancelled with the step that declares them no more")
  func kept() {
    let (store, clock) = make(["a"])
    store.send(.watch(["a", "b"]))
    clock.executor.run()
    clock.advance(by: .seconds(1))
    #expect(store.state.heard == ["a on", "b on", "a", "b"])
    store.send(.watch(["b"]))
    #expect(store.effects.filter { $0.phase == .running }.map(\.descriptor.name) == ["b"])
    clock.advance(by: .seconds(1))
    #expect(store.state.heard == ["a on", "b on", "a", "b", "b"])
    store.send(.watch([]))
    clock.executor.run()
    #expect(store.effects.isEmpty)
    #expect(clock.sleepers.isEmpty)
    store.send(.watch(["a"]))
    clock.executor.run()
    #expect(store.state.heard.last == "a on")
  }

  @Test("one that has ended is not begun anew while it stays declared")
  func ended() {
    let (store, clock) = make(["brief"])
    for _ in 0..<5 {
      store.send(.again)
      clock.executor.run()
    }
    #expect(store.state.heard == ["brief on"])
    store.send(.watch([]))
    store.send(.watch(["brief"]))
    clock.executor.run()
    #expect(store.state.heard == ["brief on", "brief on"])
    store.send(.watch([]))
    #expect(store.effects.isEmpty)
  }

  @Test("the handle of the step that began it does not wait for it")
  func handle() {
    let (store, _) = make([])
    #expect(store.send(.watch(["a"])).isFinished)
  }

  @Test("shutdown ends them and does not wait for them")
  func shutdown() async {
    let clock = TestClock()
    let store = Store(
      initialState: Watching.State(topics: ["a"]), reducer: Watching(), dependencies: clock)
    let left = await store.shutdown(deadline: .seconds(3600))
    #expect(left.map(\.descriptor.name) == [])
  }

  @Test("what its actions have caused goes on when it ends, in that step or a later one")
  func caused() {
    let executor = ManualExecutor()
    let store = Store(
      initialState: Saving.State(), reducer: Saving(gate: Gate()), dependencies: (),
      executor: executor)
    executor.run()
    store.send("end")
    executor.run()
    #expect(store.state.seen == ["message", "last", "end", "message saved", "last saved"])
    #expect(store.effects.isEmpty)
  }

  @Test(
    "R11 shutdown ends them, and lets what their actions have caused end", .timeLimit(.minutes(20)))
  func shutdownSaves() async throws {
    let store = Store(
      initialState: Saving.State(), reducer: Saving(gate: Gate()), dependencies: ())
    try await store.wait { $0.seen.contains("last") }
    // What saves waits for the end of the subscription.
    let left = await store.shutdown(deadline: .seconds(3600))
    #expect(left.map(\.descriptor.name) == [])
    #expect(Set(store.state.seen) == ["message", "last", "message saved", "last saved"])
  }

  @Test("one without an id is an issue at its line, once while it is declared, and does not run")
  func unnamed() throws {
    let issues = Journal<StoreIssue>()
    let reducer = Reduce<Int, Int, Void> { state, action, _ in
      state += action
      return []
    }.subscribing { state, _ in
      state == 2 ? [] : [.task(fileID: "Board/Feed.swift", line: 9) { 1 }]
    }
    let executor = ManualExecutor()
    let store = Store(
      initialState: 0, reducer: reducer, dependencies: (), executor: executor,
      onIssue: { issues.note($0) })
    executor.run()
    #expect(store.state == 0)
    store.send(1)
    let issue = try #require(issues.entries.first)
    #expect(issues.entries.count == 1)
    #expect(issue.location.description == "Board/Feed.swift:9")
    #expect(issue.message.contains("cancellable(id:)"))
    store.send(1)
    store.send(1)
    #expect(store.state == 3)
    #expect(
      issues.entries == [
        issue, StoreIssue(message: issue.message, location: issue.location, step: 3),
      ])
  }

  @Test("R15 a recorder's hooks see their actions as an effect's, with the step that began it")
  func origin() {
    let clock = TestClock()
    let origins = Journal<StepOrigin>()
    let store = Store(
      initialState: Watching.State(), reducer: Watching(), dependencies: clock,
      executor: clock.executor)
    store.setHooks { _, _ in StepHooks(didReduce: { step, _ in origins.note(step.origin) }) }
    store.send(.watch(["a"]))
    clock.executor.run()
    #expect(origins.entries == [.program(""), .effect(name: "a", id: "a", step: 1)])
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
}

@Suite("R7 Subscriptions of children")
struct ChildSubscriptionTests {
  struct Child: ComposedReducer {
    var body: some Reducer<Int, Int, TestClock> {
      Reduce { state, action, _ in
        state += action
        return []
      }
      .subscribing { state, clock in
        [
          .run(name: "tick") { send in
            while true {
              try await clock.sleep(for: .seconds(1))
              send(1)
            }
          }.cancellable(id: "tick")
        ]
      }
    }
  }

  struct Parent: ComposedReducer {
    struct State: Sendable, Equatable {
      var left = 0
      var right: Int?
    }

    enum Action: Sendable {
      case left(Int), right(Int), show(Int?)
    }

    static let left = CasePath(embed: Action.left) {
      if case .left(let a) = $0 { a } else { nil }
    }
    static let right = CasePath(embed: Action.right) {
      if case .right(let a) = $0 { a } else { nil }
    }

    var body: some Reducer<State, Action, TestClock> {
      Scope(state: \.left, action: Self.left, id: "left") { Child() }
      Reduce { state, action, _ in
        if case .show(let value) = action { state.right = value }
        return []
      }
      .ifLet(\.right, action: Self.right, id: "right") { Child() }
    }
  }

  @Test(
    "R7 a child's begin with the child, whoever made it, end with it, and siblings' do not meet")
  func children() {
    let clock = TestClock()
    let store = Store(
      initialState: Parent.State(), reducer: Parent(), dependencies: clock,
      executor: clock.executor)
    clock.executor.run()
    clock.advance(by: .seconds(1))
    #expect(store.state == Parent.State(left: 1, right: nil))
    store.send(.show(10))
    #expect(store.effects.map(\.descriptor.id) == ["left/tick", "right/tick"])
    clock.executor.run()
    clock.advance(by: .seconds(2))
    #expect(store.state == Parent.State(left: 3, right: 12))
    store.send(.show(nil))
    clock.executor.run()
    clock.advance(by: .seconds(1))
    #expect(store.state == Parent.State(left: 4, right: nil))
    #expect(store.effects.map(\.descriptor.id) == ["left/tick"])
  }
}

@Suite("R7 Subscriptions through every operator")
struct ComposedSubscriptionTests {
  typealias Child = ChildSubscriptionTests.Child

  struct Row: Sendable, Equatable, Identifiable {
    let id: String
    var count = 0
  }

  struct RowReducer: ComposedReducer {
    var body: some Reducer<Row, Int, TestClock> {
      Scope(state: \.count, action: CasePath(embed: { $0 }, extract: { $0 }), id: "in") { Child() }
    }
  }

  enum Mode: Sendable, Equatable {
    case off, on(Int)
  }

  struct State: Sendable, Equatable {
    var rows: IdentifiedArrayOf<Row> = []
    var mode = Mode.off
    var path = StackState<Int>()
  }

  enum Action: Sendable {
    case row(ElementAction<String, Int>), mode(Int), path(StackAction<Int, Int>)
    case set(@Sendable (inout State) -> Void)
  }

  struct Root: ComposedReducer {
    var body: some Reducer<State, Action, TestClock> {
      AnyReducer(
        CombineReducers<State, Action, TestClock, _> {
          Reduce { state, action, _ in
            if case .set(let change) = action { change(&state) }
            return []
          }
          .forEach(
            \.rows,
            action: CasePath(embed: Action.row) { if case .row(let a) = $0 { a } else { nil } },
            id: "rows"
          ) { RowReducer() }
          .ifCaseLet(
            \.mode,
            is: CasePath(embed: Mode.on) { if case .on(let n) = $0 { n } else { nil } },
            action: CasePath(embed: Action.mode) { if case .mode(let a) = $0 { a } else { nil } },
            id: "mode"
          ) { Child() }
          .forEach(
            \.path,
            action: CasePath(embed: Action.path) { if case .path(let a) = $0 { a } else { nil } },
            id: "path"
          ) { Child() }
          .onChange(of: { $0.rows.count }) { _, _, _, _ in [] }
          .dependencies { (clock: TestClock) in clock }
        })
    }
  }

  @Test("R7 rows, cases and stacks: begun and ended with what declares them")
  func all() {
    let clock = TestClock()
    let store = Store(
      initialState: State(), reducer: Root(), dependencies: clock, executor: clock.executor)
    store.send(
      .set {
        $0.rows = [Row(id: "a"), Row(id: "b")]
        $0.mode = .on(10)
        $0.path.append(100)
      })
    clock.executor.run()
    clock.advance(by: .seconds(2))
    #expect(store.state.rows.map(\.count) == [2, 2])
    #expect(store.state.mode == .on(12))
    #expect(store.state.path.first == 102)
    #expect(store.effects.count == 4)
    store.send(
      .set {
        $0.rows.remove(id: "a")
        $0.mode = .off
        $0.path.removeAll()
      })
    clock.executor.run()
    clock.advance(by: .seconds(1))
    #expect(store.state.rows.map(\.count) == [3])
    #expect(store.effects.map(\.descriptor.id) == ["rows/b/in/tick"])
  }
}

@Suite("Subscriptions of a feature that contains itself")
struct RecursiveSubscriptionTests {
  struct Node: Sendable, Equatable, Identifiable {
    let id: Int
    var heard = 0
    var children: IdentifiedArrayOf<Node> = []
  }

  indirect enum Action: Sendable {
    case heard
    case child(ElementAction<Int, Action>)
  }

  struct Tree: ComposedReducer {
    var body: some Reducer<Node, Action, TestClock> {
      Reduce { state, action, _ in
        if case .heard = action { state.heard += 1 }
        return []
      }
      .subscribing { state, clock in
        state.children.isEmpty
          ? [
            .run { send in
              try await clock.sleep(for: .seconds(1))
              send(.heard)
            }.cancellable(id: "leaf")
          ] : []
      }
      .forEach(
        \.children,
        action: CasePath(embed: Action.child) { if case .child(let a) = $0 { a } else { nil } },
        id: "children"
      ) { AnyReducer(Tree()) }
    }
  }

  @Test("every leaf of a tree has its own")
  func leaves() {
    let clock = TestClock()
    let leaf = Node(id: 1)
    let store = Store(
      initialState: Node(
        id: 0, children: [Node(id: 1, children: [leaf, Node(id: 2)]), Node(id: 2)]),
      reducer: Tree(), dependencies: clock, executor: clock.executor)
    clock.executor.run()
    #expect(store.effects.count == 3)
    clock.advance(by: .seconds(1))
    #expect(store.state.children[id: 1]?.children.map(\.heard) == [1, 1])
    #expect(store.state.children[id: 2]?.heard == 1)
  }
}
