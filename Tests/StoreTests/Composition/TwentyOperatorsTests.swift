import SwiftBoardStore
import Testing

// Type-checked by itself in scripts/type-check-time: no expression and no body of it may take a
// second.

@Suite("Twenty operators")
struct TwentyOperatorsTests {
  enum Mode: Sendable, Equatable {
    case on(Int), off

    static let on = CasePath(embed: Mode.on) { if case .on(let n) = $0 { n } else { nil } }
  }

  struct State: Sendable, Equatable {
    var a: Int? = 0
    var b: Int? = 0
    var c: Int? = 0
    var d: Int? = 0
    var e: Int? = 0
    var rows = IdentifiedArray<Int, Int>([0], id: { $0 })
    var more = IdentifiedArray<Int, Int>([0], id: { $0 })
    var path = StackState([0])
    var mode = Mode.on(0)
    var base = 0
    var changes = 0

    static func areSame(_ a: (Int, Mode), _ b: (Int, Mode)) -> Bool { a == b }
  }

  enum Action: Sendable {
    case all(Int)
    case rows(ElementAction<Int, Int>)
    case pair(Int, Int)
    case path(StackAction<Int, Int>)

    static let all = CasePath(embed: Action.all) { if case .all(let n) = $0 { n } else { nil } }
    static let rows = CasePath(embed: Action.rows) { if case .rows(let n) = $0 { n } else { nil } }
    static let path = CasePath(embed: Action.path) { if case .path(let n) = $0 { n } else { nil } }
    static let pair = CasePath<Action, (Int, Int)>(embed: { .pair($0.0, $0.1) }) {
      if case .pair(let id, let n) = $0 { (id, n) } else { nil }
    }
  }

  struct World: Sendable {
    var factor = 1
  }

  struct Child: Reducer {
    func reduce(_ state: inout Int, _ action: Int, _ dependencies: World) -> [Effect<Int>] {
      state += action * dependencies.factor
      return []
    }
  }

  struct Part: Reducer {
    func reduce(_ state: inout Int, _ action: Int, _ dependencies: Int) -> [Effect<Int>] {
      state += action * dependencies
      return []
    }
  }

  struct Chained: ComposedReducer {
    var body: some Reducer<State, Action, World> {
      Reduce { state, action, _ in
        if case .all(let amount) = action { state.base += amount }
        return []
      }
      .ifLet(\.a, action: Action.all, id: "a") { Child() }
      .ifLet(\.b, action: Action.all) { Child() }
      .ifLet(\.c, action: Action.all) { Part().dependencies(\World.factor) }
      .ifLet(\.d, action: Action.all, identity: { _ in 0 }) { Child() }
      .ifLet(\.e, action: Action.all) {
        Reduce { state, action, _ in
          state += action
          return []
        }
      }
      .ifCaseLet(\.mode, is: Mode.on, action: Action.all) { Child() }
      .forEach(\.rows, action: Action.rows, id: "rows") { Child() }
      .forEach(\.more, action: Action.pair) { Child() }
      .forEach(\.path, action: Action.path) { Part().dependencies(\World.factor) }
      .forEach(\.rows, action: Action.rows) { Part().dependencies(\World.factor) }
      .onChange(of: \.base) { _, _, state, _ in
        state.changes += 1
        return []
      }
      .onChange(of: { $0.base == 3 }) { _, _, state, _ in
        state.changes += 1
        return []
      }
      .onChange(of: { ($0.base, $0.mode) }, by: State.areSame) { _, _, state, _ in
        state.changes += 1
        return []
      }
      .onChange(of: \.rows.count) { _, _, state, _ in
        state.changes += 1
        return []
      }
      .printing(.actionLabels) { _ in }
      .printing(.changes, name: "board") { _ in }
      .dependency(\.factor, 2)
      .transformDependencies { $0.factor += 0 }
      .dependencies { (world: World) in world }
      .printing(.actionLabels, name: "outer") { _ in }
    }
  }

  struct Listed: ComposedReducer {
    var body: some Reducer<State, Action, World> {
      Scope(state: \.base, action: Action.all) { Child() }
      Scope(state: \.base, action: Action.all, id: "b") { Child() }
      Scope(state: \.base, action: Action.all) {
        Part().dependencies { (world: World) in world.factor }
      }
      Scope(state: \.base, action: Action.all) { Child() }
      Scope(state: \.base, action: Action.all) { Child() }
      EmptyReducer()
        .ifLet(\.a, action: Action.all) { Child() }
      EmptyReducer()
        .forEach(\.rows, action: Action.rows) { Child() }
      EmptyReducer()
        .ifCaseLet(\.mode, is: Mode.on, action: Action.all) { Child() }
      Reduce { state, action, _ in
        if case .all(let amount) = action { state.base += amount }
        return []
      }
      Reduce { state, _, _ in
        state.changes += 1
        return []
      }
      Scope(state: \.base, action: Action.all) { Child() }
      Scope(state: \.base, action: Action.all) { Child() }
      Scope(state: \.base, action: Action.all) { Child() }
      Scope(state: \.base, action: Action.all) { Child() }
      Scope(state: \.base, action: Action.all) {
        Child()
        Child()
      }
      if Bool(true) { Scope(state: \.base, action: Action.all) { Child() } }
      EmptyReducer()
      Reduce { state, _, dependencies in
        state.changes += dependencies.factor
        return []
      }
      Scope(state: \.base, action: Action.all) { Child() }
      Scope(state: \.base, action: Action.all) { Child() }
    }
  }

  @Test("a chain of twenty runs from the inside out")
  func chain() {
    var state = State()
    let reducer = Chained()
    _ = reducer.reduce(&state, .all(3), World(factor: 100))
    #expect(state.base == 3)
    #expect([state.a, state.b, state.c, state.d, state.e] == [6, 6, 6, 6, 3])
    #expect(state.mode == .on(6))
    #expect(state.changes == 3)
    _ = reducer.reduce(&state, .rows(.element(id: 0, action: 1)), World())
    _ = reducer.reduce(&state, .pair(0, 4), World())
    _ = reducer.reduce(&state, .path(.element(id: 0, action: 5)), World())
    #expect(Array(state.rows) == [4])
    #expect(Array(state.more) == [8])
    #expect(Array(state.path) == [10])
  }

  @Test("a body of twenty runs from top to bottom")
  func list() {
    var state = State()
    _ = Listed().reduce(&state, .all(1), World(factor: 2))
    #expect(state.a == 2)
    #expect(state.mode == .on(2))
    #expect(state.base == 29)
    #expect(state.changes == 3)
  }
}
