import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("printing")
struct PrintingTests {
  struct State: Sendable {
    var count = 0
    var names: Set<String> = ["b", "a", "c"]
    var table: [String: Int] = ["x": 1, "y": 2]
  }

  enum Action: Sendable {
    case add(Int)
    case rename(name: String)
    case nothing
  }

  let base = Reduce<State, Action, Void> { state, action, _ in
    switch action {
    case .add(let amount):
      state.count += amount
      state.table["y"] = amount
      return [.send(.nothing)]
    case .rename(let name): state.names.insert(name)
    case .nothing: break
    }
    return []
  }

  @Test("action and difference, one write a step, in the order of the steps")
  func changes() {
    let written = Journal<String>()
    let store = Store(
      initialState: State(), reducer: base.printing(name: "board") { written.note($0) },
      dependencies: ())
    store.send(.add(5))
    store.send(.rename(name: "aa"))
    #expect(
      written.entries == [
        """
        board: add(5)
            State(
          -   count: 0,
          +   count: 5,
              … (1 unchanged)
              table: [
                … (1 unchanged)
          -     "y": 2
          +     "y": 5
              ]
            )
        """,
        """
        board: nothing
          (state unchanged)
        """,
        """
        board: rename(name: "aa")
            State(
              … (1 unchanged)
              names: [
                … (1 unchanged)
          +     "aa",
                … (2 unchanged)
              ],
              … (1 unchanged)
            )
        """,
      ])
  }

  @Test("labels only: nothing of what the action holds")
  func labelsOnly() {
    let written = Journal<String>()
    var state = State()
    let reducer = base.printing(.actionLabels) { written.note($0) }
    _ = reducer.reduce(&state, .rename(name: "secret"), ())
    _ = reducer.reduce(&state, .nothing, ())
    #expect(written.entries == ["rename(name:)", "nothing"])
  }

  @Test("several printers write inner first, step by step")
  func order() {
    let written = Journal<String>()
    let reducer = base.printing(.actionLabels, name: "inner") { written.note($0) }
      .printing(.actionLabels, name: "outer") { written.note($0) }
    let store = Store(initialState: State(), reducer: reducer, dependencies: ())
    store.send(.add(1))
    #expect(
      written.entries == [
        "inner: add(_:)", "outer: add(_:)", "inner: nothing", "outer: nothing",
      ])
  }

  @Test("labels of actions show cases all the way down, and no payload")
  func labels() {
    enum Row {
      case tapped
      case textChanged(query: String)
    }
    enum Screen {
      case row(index: Int, action: Row)
      case one(Row)
    }
    enum App {
      case two(Bool, label: String)
      case three(Bool, Int, String)
      case screen(Screen)
      case maybe(Int?)
    }
    #expect(actionLabel(App.two(true, label: "x")) == "two(_:, label:)")
    #expect(actionLabel(App.three(true, 1, "x")) == "three(_:, _:, _:)")
    #expect(
      actionLabel(App.screen(.row(index: 1, action: .tapped)))
        == "screen(.row(index:, action: .tapped))")
    #expect(
      actionLabel(App.screen(.row(index: 1, action: .textChanged(query: "x"))))
        == "screen(.row(index:, action: .textChanged(query:)))")
    #expect(
      actionLabel(App.screen(.one(.textChanged(query: "x"))))
        == "screen(.one(.textChanged(query:)))")
    #expect(actionLabel(App.maybe(3)) == "maybe(_:)")
    #expect(actionLabel("a plain secret") == "String")
  }

  @Test("labels do not ask an action what it says of itself")
  func customDescription() {
    enum Loud: CustomStringConvertible {
      case password(String)
      var description: String { "password secret" }
    }
    #expect(actionLabel(Loud.password("secret")) == "password(_:)")
  }
}
