import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Dependencies of children")
struct DependencyReducerTests {
  struct World: Sendable {
    var number = 0
    var name = "live"
  }

  struct Note: Reducer {
    func reduce(_ state: inout Int, _ action: Int, _ dependencies: Int) -> [Effect<Int>] {
      state = dependencies
      return action == 0 ? [] : [.send(action - 1)]
    }
  }

  struct Named: Reducer {
    func reduce(_ state: inout String, _ action: Int, _ dependencies: World) -> [Effect<Int>] {
      state = "\(dependencies.name) \(dependencies.number)"
      return action == 0 ? [] : [.send(action - 1)]
    }
  }

  struct State: Sendable, Equatable {
    var plain = -1
    var maybe: Int? = -1
    var list = IdentifiedArray<Int, Int>([-1], id: { _ in 0 })
    var stack = StackState([-1])
    var mode = Optional(-1)
  }

  enum Action: Sendable {
    case all(Int)
    case list(ElementAction<Int, Int>)
    case stack(StackAction<Int, Int>)

    static let all = CasePath(embed: Action.all) { if case .all(let n) = $0 { n } else { nil } }
    static let list = CasePath(embed: Action.list) { if case .list(let n) = $0 { n } else { nil } }
    static let stack = CasePath(embed: Action.stack) {
      if case .stack(let n) = $0 { n } else { nil }
    }
  }

  @Test("every operator narrows what its child sees, by key path or closure")
  func narrowing() {
    let some = CasePath<Int?, Int>(embed: { $0 }, extract: { $0 })
    let reducer: some Reducer<State, Action, World> = CombineReducers {
      Scope(state: \.plain, action: Action.all) {
        Note().dependencies { (world: World) in world.number }
      }
      EmptyReducer()
        .ifLet(\.maybe, action: Action.all) { Note().dependencies(\World.number) }
        .ifCaseLet(\.mode, is: some, action: Action.all) { Note().dependencies(\World.number) }
        .forEach(\.list, action: Action.list) { Note().dependencies(\World.number) }
        .forEach(\.stack, action: Action.stack) { Note().dependencies(\World.number) }
    }
    var state = State()
    for action in [
      Action.all(0), .list(.element(id: 0, action: 0)), .stack(.element(id: 0, action: 0)),
    ] {
      #expect(reducer.reduce(&state, action, World(number: 7)).isEmpty)
    }
    #expect(state.plain == 7 && state.maybe == 7 && state.mode == 7)
    #expect(Array(state.list) == [7] && Array(state.stack) == [7])
  }

  @Test("a replaced dependency reaches the reducer, and the steps that its effects cause")
  func replaced() {
    let store = Store(
      initialState: "", reducer: Named().dependency(\.number, 42), dependencies: World())
    store.send(2)
    #expect(store.state == "live 42")
    #expect(store.stepCount == 3)
  }

  @Test("of two, the inner one has the last word; transforms add up from outside in")
  func order() {
    var state = ""
    _ = Named().dependency(\.number, 42).dependency(\.number, 1729).reduce(&state, 0, World())
    #expect(state == "live 42")
    _ = CombineReducers { Named().dependency(\.number, 42) }.dependency(\.number, 1729)
      .reduce(&state, 0, World())
    #expect(state == "live 42")
    _ = Named()
      .transformDependencies { $0.name += " inner" }
      .transformDependencies { $0.name += " outer" }
      .reduce(&state, 0, World())
    #expect(state == "live outer inner 0")
  }

  @Test("what one child is given does not reach its sibling")
  func siblings() {
    struct Two: Sendable {
      var a = "", b = ""
    }
    let all = CasePath<Int, Int>(embed: { $0 }, extract: { $0 })
    let reducer: some Reducer<Two, Int, World> = CombineReducers {
      Scope(state: \.a, action: all) { Named().dependency(\.name, "mock") }
      Scope(state: \.b, action: all) { Named() }
    }
    var state = Two()
    _ = reducer.reduce(&state, 0, World())
    #expect(state.a == "mock 0" && state.b == "live 0")
  }
}
