import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// Children that go by a reducer that does not go through the operator that composes them.
@Suite("R7 Children removed elsewhere")
struct RemovedElsewhereTests {
  /// Composes every kind of child, and removes none.
  struct Inner: ComposedReducer {
    enum Mode: Sendable, Equatable {
      case off, on(Ticker.State)
    }

    struct State: Sendable, Equatable {
      var child: Ticker.State? = Ticker.State(id: 1)
      var mode = Mode.on(Ticker.State(id: 1))
      var rows: IdentifiedArrayOf<Ticker.State> = [Ticker.State(id: 1), Ticker.State(id: 2)]
      var path = StackState([Ticker.State(), Ticker.State()])
    }

    enum Action: Sendable, Equatable {
      case child(Ticker.Action), mode(Ticker.Action)
      case rows(ElementAction<Int, Ticker.Action>)
      case path(StackAction<Ticker.State, Ticker.Action>)
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      EmptyReducer()
        .ifLet(
          \.child,
          action: CasePath(embed: Action.child) { if case .child(let a) = $0 { a } else { nil } },
          id: "child"
        ) { Ticker() }
        .ifCaseLet(
          \.mode, is: CasePath(embed: Mode.on) { if case .on(let s) = $0 { s } else { nil } },
          action: CasePath(embed: Action.mode) { if case .mode(let a) = $0 { a } else { nil } },
          identity: nil, id: "mode"
        ) { Ticker() }
        .forEach(
          \.rows,
          action: CasePath(embed: Action.rows) { if case .rows(let a) = $0 { a } else { nil } },
          id: "rows"
        ) { Ticker() }
        .forEach(
          \.path,
          action: CasePath(embed: Action.path) { if case .path(let a) = $0 { a } else { nil } },
          id: "path"
        ) { Ticker() }
    }
  }

  /// Two levels up, and beside: changes the state of `Inner` as it likes.
  struct Root: ComposedReducer {
    struct Middle: Sendable, Equatable {
      var inner = Inner.State()
    }

    struct State: Sendable, Equatable {
      var middle = Middle()
      var count = 0
    }

    enum Action: Sendable {
      case inner(Inner.Action)
      case change(@Sendable (inout Inner.State) -> Void)
      case count
      /// Changes the state and starts an effect.
      case changeAndStart(@Sendable (inout Inner.State) -> Void)
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      Scope(state: \.middle, action: CasePath(embed: { $0 }, extract: { $0 }), id: "middle") {
        Scope(
          state: \Middle.inner,
          action: CasePath(embed: Action.inner) { if case .inner(let a) = $0 { a } else { nil } },
          id: "inner"
        ) { Inner() }
      }
      Reduce { state, action, dependencies in
        switch action {
        case .inner: break
        case .change(let change): change(&state.middle.inner)
        case .count: state.count += 1
        case .changeAndStart(let change):
          change(&state.middle.inner)
          return [
            .run(name: "root's") { _ in try await dependencies.gate.wait() }
              .cancellable(id: "root")
          ]
        }
        return []
      }
    }
  }

  static let all = ["child/1", "mode", "rows/1", "rows/2", "path/#0", "path/#1"]

  /// Every child has begun.
  func scene() -> Scene<Root> {
    let scene = Scene(Root.State(), Root())
    scene.send(
      .inner(.child(.start)), .inner(.mode(.start)), .inner(.rows(.element(id: 1, action: .start))),
      .inner(.rows(.element(id: 2, action: .start))),
      .inner(.path(.element(id: 0, action: .start))),
      .inner(.path(.element(id: 1, action: .start))))
    #expect(running(scene) == Self.all)
    return scene
  }

  func running(_ scene: Scene<Root>) -> [String] {
    scene.running.map { $0.replacing("middle/inner/", with: "").replacing("/tick", with: "") }
  }

  struct Removal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let gone: [String]
    let change: @Sendable (inout Inner.State) -> Void

    init(
      _ name: String, _ gone: String..., change: @escaping @Sendable (inout Inner.State) -> Void
    ) {
      testDescription = name
      self.gone = gone
      self.change = change
    }
  }

  static let removals = [
    Removal("an optional child", "child/1") { $0.child = nil },
    Removal("an optional child that another one replaces", "child/1") { $0.child?.id = 2 },
    Removal("a case", "mode") { $0.mode = .off },
    Removal("an element", "rows/1") { $0.rows.remove(id: 1) },
    Removal("an element that another one replaces", "rows/1") {
      $0.rows.remove(id: 1)
      $0.rows.append(Ticker.State(id: 3))
    },
    Removal("all elements", "rows/1", "rows/2") { $0.rows = [] },
    Removal("what is on top of a stack", "path/#1") { $0.path.popLast() },
    Removal("a whole state", "child/1", "mode", "rows/1", "rows/2", "path/#0", "path/#1") {
      $0 = Inner.State(child: nil, mode: .off, rows: [], path: StackState())
    },
    Removal("none: only states of children change") {
      $0.child?.count = 9
      $0.mode = .on(Ticker.State(id: 7))
      $0.rows[id: 1]?.count = 9
      $0.rows.append(Ticker.State(id: 3))
    },
  ]

  @Test("R7 the effects of a child that goes elsewhere end with that step", arguments: removals)
  func removed(_ removal: Removal) {
    for isNoticed in [false, true] {
      let scene = scene()
      if isNoticed { scene.store.observe { _, _ in } }
      scene.store.send(.change(removal.change))
      #expect(running(scene) == Self.all.filter { !removal.gone.contains($0) })
      // Nothing else ends when the store looks again.
      scene.store.send(.count)
      #expect(running(scene) == Self.all.filter { !removal.gone.contains($0) })
      scene.openGate()
      #expect(scene.issues.entries == [])
    }
  }

  @Test("R7 effects that the same step returns elsewhere go on")
  func started() {
    let scene = scene()
    scene.send(.changeAndStart { $0.child = nil })
    #expect(running(scene) == Self.all.dropFirst() + ["root"])
  }

  @Test(
    "R7 steps that remove nothing leave all effects alone, and what ended by itself is forgotten")
  func untouched() {
    let scene = scene()
    for _ in 0..<5 { scene.send(.count) }
    #expect(running(scene) == Self.all)
    scene.openGate()
    #expect(running(scene) == [])
    #expect(scene.issues.entries == [])
    #expect(scene.state.middle.inner.rows[id: 2]?.count == 1)
    scene.send(.change { $0.rows = [] }, .count)
    #expect(!scene.store.hasIndexedEffects)
  }

  @Test("R7 an element that comes back has nothing of what it had going before")
  func back() {
    let scene = scene()
    scene.send(.change { $0.rows.remove(id: 1) }, .change { $0.rows.append(Ticker.State(id: 1)) })
    #expect(!running(scene).contains("rows/1"))
    scene.send(.inner(.rows(.element(id: 1, action: .start))), .count)
    #expect(running(scene).contains("rows/1"))
    scene.send(.change { $0.rows.remove(id: 1) })
    #expect(!running(scene).contains("rows/1"))
  }

  @Test("R7 hooks see no effect that no reducer returned: recordings stay what they are")
  func descriptors() {
    let scene = scene()
    let effects = Journal<Int>()
    scene.store.setHooks { _, _ in
      StepHooks(didReduce: { step, _ in effects.note(step.effects.count) })
    }
    scene.store.send(.change { $0.child = nil })
    #expect(effects.entries == [0])
    #expect(running(scene) == Array(Self.all.dropFirst()))
  }

  /// A child whose effect goes on without it, removed by a reducer beside it.
  struct Saver: Reducer {
    func reduce(_ state: inout Int, _ action: Bool, _ dependencies: Ticker.Dependencies)
      -> [Effect<Bool>]
    {
      guard action else { return [] }
      let work = Effect<Bool>.run { _ in try await dependencies.gate.wait() }
      return [work.cancellable(id: "saving").outlives(), work.cancellable(id: "shown")]
    }
  }

  @Test("R7 what outlives a child goes on when the child goes elsewhere")
  func outlives() {
    let reducer = CombineReducers<Int?, Bool?, Ticker.Dependencies, _> {
      EmptyReducer()
        .ifLet(\.self, action: CasePath(embed: { $0 }, extract: { $0 }), id: "child") { Saver() }
      Reduce { state, action, _ in
        if action == nil { state = nil }
        return []
      }
    }
    let scene = Scene(0, reducer)
    scene.send(true)
    #expect(scene.running == ["child/saving", "child/shown"])
    for _ in 0..<3 {
      scene.send(nil)
      #expect(scene.running == ["child/saving"])
    }
  }

  /// Adds an element before the operator of the list reduces, and removes it behind.
  struct Visitor: ComposedReducer {
    struct State: Sendable, Equatable {
      var rows: IdentifiedArrayOf<Ticker.State> = [Ticker.State(id: 1)]
      var isVisited = false
    }

    enum Action: Sendable, Equatable {
      case rows(ElementAction<Int, Ticker.Action>)
      case nothing
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      Reduce { state, action, _ in
        guard case .rows(.element(2, _)) = action else { return [] }
        state.rows.append(Ticker.State(id: 2))
        state.isVisited = true
        return []
      }
      EmptyReducer().forEach(
        \.rows,
        action: CasePath(embed: Action.rows) { if case .rows(let a) = $0 { a } else { nil } },
        id: "rows"
      ) { Ticker() }
      Reduce { state, _, _ in
        state.rows.remove(id: 2)
        return []
      }
    }
  }

  @Test("R7 the effects of an element that one step adds and removes end with that step")
  func addedAndRemoved() {
    let scene = Scene(Visitor.State(), Visitor())
    scene.send(.rows(.element(id: 1, action: .start)), .nothing)
    for _ in 0..<2 {
      scene.send(.rows(.element(id: 2, action: .start)))
      #expect(scene.state.isVisited)
      #expect(scene.running == ["rows/1/tick"])
    }
    scene.openGate()
    #expect(scene.running == [])
    #expect(scene.issues.entries == [])
  }

  @Test("R7 so do they while an effect that outlives an earlier element with its id runs")
  func addedAndRemovedAgain() {
    let reducer = CombineReducers<
      IdentifiedArray<Int, Int>, ElementAction<Int, Bool>?, Ticker.Dependencies, _
    > {
      Reduce { state, action, _ in
        if case .element(2, _)? = action { state.append(0, id: 2) }
        return []
      }
      EmptyReducer()
        .forEach(\.self, action: CasePath(embed: { $0 }, extract: { $0 }), id: "rows") { Saver() }
      Reduce { state, _, _ in
        state.remove(id: 2)
        return []
      }
    }
    var rows = IdentifiedArray<Int, Int>()
    rows.append(0, id: 1)
    let scene = Scene(rows, reducer)
    scene.send(.element(id: 1, action: true), nil)
    for _ in 0..<3 {
      scene.send(.element(id: 2, action: true))
      #expect(scene.running.contains("rows/2/saving"))
      #expect(!scene.running.contains("rows/2/shown"))
      scene.send(nil)
    }
    #expect(scene.running.contains("rows/1/shown"))
  }

  @Test("R7 the same in a TestStore: nothing is left running, and nothing to receive")
  func testStore() {
    let failures = Journal<String>()
    let store = TestStore(
      initialState: Root.State(), reducer: Root(), dependencies: Ticker.Dependencies(),
      report: { failures.note($0.message) })
    store.send(.inner(.rows(.element(id: 1, action: .start))))
    store.send(.change { $0.rows.remove(id: 1) }) { $0.middle.inner.rows.remove(id: 1) }
    store.finish()
    #expect(failures.entries == [])
  }
}
