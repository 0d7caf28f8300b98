import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("ifCaseLet")
struct IfCaseLetTests {
  struct Mode: ComposedReducer {
    enum State: Sendable, Equatable {
      case first(Ticker.State), second(Ticker.State), off

      static let first = CasePath(embed: State.first) {
        if case .first(let s) = $0 { s } else { nil }
      }
      static let second = CasePath(embed: State.second) {
        if case .second(let s) = $0 { s } else { nil }
      }
    }

    enum Action: Sendable, Equatable {
      case first(Ticker.Action), second(Ticker.Action)
      case go(State)

      static let first = CasePath(embed: Action.first) {
        if case .first(let a) = $0 { a } else { nil }
      }
      static let second = CasePath(embed: Action.second) {
        if case .second(let a) = $0 { a } else { nil }
      }
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      Reduce { state, action, _ in
        if case .go(let new) = action { state = new }
        return []
      }
      .ifCaseLet(
        State.first, action: Action.first, id: "first", fileID: "Board/Mode.swift", line: 3
      ) { Ticker() }
      .ifCaseLet(State.second, action: Action.second, identity: nil, id: "second") { Ticker() }
    }
  }

  @Test("actions go to the child whose case the state is in")
  func actions() {
    let scene = Scene(.first(Ticker.State()), Mode())
    scene.send(.first(.add(2)))
    #expect(scene.state == .first(Ticker.State(count: 2)))
    scene.send(.go(.second(Ticker.State())), .second(.add(3)))
    #expect(scene.state == .second(Ticker.State(count: 3)))
    #expect(scene.issues.entries == [])
  }

  @Test(
    "R8 an action for another case is an issue at the composing line that says where the state is")
  func otherCase() throws {
    let scene = Scene(.off, Mode())
    scene.send(.first(.add(2)))
    #expect(scene.state == .off)
    let issue = try #require(scene.issues.entries.first)
    #expect(scene.issues.entries.count == 1)
    #expect(issue.location.description == "Board/Mode.swift:3")
    #expect(issue.message.contains("The state is now: off."))
    #expect(
      issue.message.contains("Likely causes: a reducer that runs before this line changed the case")
    )
  }

  @Test("R7 a child's effects end when the case changes")
  func caseChange() {
    let scene = Scene(.second(Ticker.State()), Mode())
    scene.send(.second(.start))
    #expect(scene.running == ["second/tick"])
    scene.store.send(.go(.first(Ticker.State())))
    #expect(scene.running == [])
    scene.send(.first(.start))
    #expect(scene.running == ["first/0/tick"])
    scene.openGate()
    #expect(scene.state == .first(Ticker.State(count: 1)))
    #expect(scene.issues.entries == [])
  }

  @Test(
    "R7 a child's effects end when another takes its place in the same case, where they are told apart"
  )
  func identity() {
    let scene = Scene(.first(Ticker.State(id: 1)), Mode())
    scene.send(.first(.start), .go(.first(Ticker.State(id: 1, count: 9))))
    #expect(scene.running == ["first/1/tick"])
    scene.send(.go(.first(Ticker.State(id: 2))), .first(.start))
    #expect(scene.running == ["first/2/tick"])
    let other = Scene(.second(Ticker.State(id: 1)), Mode())
    other.send(.second(.start), .go(.second(Ticker.State(id: 2))))
    #expect(other.running == ["second/tick"])
  }

  @Test("R7 the id of an Identifiable child is its identity, in every form of the operators")
  func identifiable() {
    struct Board: ComposedReducer {
      struct State: Sendable {
        var mode = Mode.State.first(Ticker.State(id: 1))
        var detail: Ticker.State? = Ticker.State(id: 1)
      }
      enum Action: Sendable {
        case all(Ticker.Action), replace

        static let all = CasePath(embed: Action.all) { if case .all(let a) = $0 { a } else { nil } }
      }
      enum Form: CaseIterable {
        case place, narrowedCase, detail, narrowedDetail
      }
      let form: Form

      var body: some Reducer<State, Action, Ticker.Dependencies> {
        let base = Reduce<State, Action, Ticker.Dependencies> { state, action, _ in
          if case .replace = action {
            state = State(mode: .first(Ticker.State(id: 2)), detail: Ticker.State(id: 2))
          }
          return []
        }
        switch form {
        case .place:
          base.ifCaseLet(\.mode, is: Mode.State.first, action: Action.all, id: "x") { Ticker() }
        case .narrowedCase:
          Scope(state: \.mode, action: CasePath(embed: { $0 }, extract: { $0 }), id: "x") {
            Reduce<Mode.State, Action, Ticker.Dependencies> { state, action, _ in
              if case .replace = action { state = .first(Ticker.State(id: 2)) }
              return []
            }
            .ifCaseLet(Mode.State.first, action: Action.all, id: "y") {
              Ticker().dependencies { (all: Ticker.Dependencies) in all }
            }
          }
        case .detail: base.ifLet(\.detail, action: Action.all, id: "x") { Ticker() }
        case .narrowedDetail:
          base.ifLet(\.detail, action: Action.all, id: "x") {
            Ticker().dependencies { (all: Ticker.Dependencies) in all }
          }
        }
      }
    }
    for form in Board.Form.allCases {
      let scene = Scene(Board.State(), Board(form: form))
      scene.send(.all(.start))
      #expect(scene.running == [form == .narrowedCase ? "x/y/1/tick" : "x/1/tick"])
      scene.store.send(.replace)
      #expect(scene.running == [], "\(form)")
    }
  }

  enum Loading: Sendable {
    case idle
    case loaded([Int])
    indirect case boxed([Int])

    static let loaded = CasePath(embed: Loading.loaded) {
      if case .loaded(let v) = $0 { v } else { nil }
    }
    static let boxed = CasePath(embed: Loading.boxed) {
      if case .boxed(let v) = $0 { v } else { nil }
    }
  }

  @Test("R3 what a case holds is changed in place", arguments: [false, true])
  func inPlace(isIndirect: Bool) {
    let path: CasePath<Loading, [Int]> = isIndirect ? Loading.boxed : Loading.loaded
    let reducer = EmptyReducer<Loading, Int, Void>()
      .ifCaseLet(path, action: CasePath(embed: { $0 }, extract: { $0 })) {
        Reduce { state, action, _ in
          state[action] = -1
          return []
        }
      }
    var state = path.embed(Array(0..<100_000))
    let storage = path.extract(state).flatMap { address($0) }
    for index in 0..<10 { _ = reducer.reduce(&state, index, ()) }
    #expect(path.extract(state).flatMap { address($0) } == storage)
    #expect(path.extract(state)?[9] == -1)
    state = .idle
    #expect(path.modify(&state) { $0.append(1) } == nil)
    #expect(!path.matches(state))
  }

  @Test("an enum inside the state is watched where it is")
  func place() {
    struct Board: ComposedReducer {
      struct State: Sendable {
        var mode = Mode.State.second(Ticker.State())
      }
      var body: some Reducer<State, Mode.Action, Ticker.Dependencies> {
        Reduce { state, action, _ in
          if case .go(let new) = action { state.mode = new }
          return []
        }
        .ifCaseLet(\.mode, is: Mode.State.second, action: Mode.Action.second, id: "mode") {
          Ticker()
        }
      }
    }
    let scene = Scene(Board.State(), Board())
    scene.send(.second(.start))
    #expect(scene.running == ["mode/0/tick"])
    scene.store.send(.go(.off))
    #expect(scene.running == [])
  }

  @Test("case paths lead through each other")
  func appending() {
    enum Outer: Sendable, Equatable {
      case mode(Mode.State), none
    }
    let path = CasePath(embed: Outer.mode) { if case .mode(let m) = $0 { m } else { nil } }
      .appending(Mode.State.first)
    var outer = Outer.mode(.first(Ticker.State()))
    path.modify(&outer) { $0.count = 4 }
    #expect(outer == path.embed(Ticker.State(count: 4)))
    #expect(path.extract(.mode(.off)) == nil)
  }
}
