import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Builder")
struct BuilderTests {
  typealias Word = Reduce<[String], String, Void>

  static func word(_ mark: String) -> Word {
    Word { state, action, _ in
      state.append(mark + action)
      return [.task(name: mark) { action }]
    }
  }

  @Test("optional, conditional, loop, erased and limited reducers run where they stand")
  func forms() {
    let flag = true
    let erased: any Reducer<[String], String, Void> = Self.word("any")
    let reducer: some Reducer<[String], String, Void> = CombineReducers {
      Self.word("1")
      if flag { Self.word("if") }
      if !flag { Self.word("never") } else { EmptyReducer() }
      switch flag {
      case true: Self.word("switch")
      case false: EmptyReducer()
      }
      for index in 1...2 { Self.word("loop\(index)") }
      erased as any Reducer<[String], String, Void>
      AnyReducer(erased)
      if #available(macOS 15, *) { Self.word("available") }
      EmptyReducer()
    }
    var state: [String] = []
    let effects = reducer.reduce(&state, "", ())
    let order = ["1", "if", "switch", "loop1", "loop2", "any", "any", "available"]
    #expect(state == order)
    #expect(effects.descriptors().map(\.name) == order)
  }

  @Test("a reducer keeps its type in a builder: only `any` is erased")
  func types() {
    func typeName<R>(_: R) -> String { "\(R.self)" }
    let reducer = CombineReducers<[String], String, Void, _> {
      R8ChildFirstMark()
      R8ChildFirstMark()
    }
    #expect(typeName(reducer).contains("ReducerPair<R8ChildFirstMark, R8ChildFirstMark>"))
  }

  struct R8ChildFirstMark: Reducer {
    func reduce(_ state: inout [String], _ action: String, _ dependencies: Void)
      -> [Effect<String>]
    { [] }
  }

  @Test("effects of reducers beside each other run side by side, not one after the other")
  func merged() {
    let gates = [Gate(), Gate()]
    let seen = Journal<Int>()
    func waiting(_ index: Int) -> Reduce<Int, Bool, Void> {
      Reduce { state, _, _ in
        state += 1
        return [
          .run { _ in
            try await gates[index].wait()
            seen.note(index)
          }
        ]
      }
    }
    let executor = ManualExecutor()
    let store = Store(
      initialState: 0,
      reducer: CombineReducers {
        waiting(0)
        waiting(1)
      }, dependencies: (), executor: executor)
    store.send(true)
    executor.run()
    #expect(store.state == 2)
    gates[1].open()
    executor.run()
    #expect(seen.entries == [1])
    gates[0].open()
    executor.run()
    #expect(seen.entries == [1, 0])
    #expect(store.effects.isEmpty)
  }

  @Test(
    "several reducers stand in a child's place without a wrapper; an operator applies to a group")
  func groups() {
    struct State: Sendable {
      var one: [String] = []
      var maybe: [String]? = []
      var counted = 0
    }
    let all = CasePath<String, String>(embed: { $0 }, extract: { $0 })
    let reducer: some Reducer<State, String, Void> = CombineReducers {
      Scope(state: \.one, action: all) {
        Self.word("a")
        Self.word("b")
      }
      EmptyReducer()
        .ifLet(\.maybe, action: all) {
          Self.word("c")
          Self.word("d")
        }
    }
    .onChange(of: \.one.count) { _, new, state, _ in
      state.counted = new
      return []
    }
    var state = State()
    _ = reducer.reduce(&state, "", ())
    #expect(state.one == ["a", "b"])
    #expect(state.maybe == ["c", "d"])
    #expect(state.counted == 2)
  }
}

@Suite("Recursion")
struct RecursionTests {
  struct Node: ComposedReducer {
    struct State: Sendable, Equatable, Identifiable {
      let id: Int
      var count = 0
      var children: IdentifiedArrayOf<State> = []
    }

    indirect enum Action: Sendable {
      case add(Int)
      case start
      case clear
      case child(ElementAction<Int, Action>)

      static let child = CasePath(embed: Action.child) {
        if case .child(let a) = $0 { a } else { nil }
      }
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      Reduce { state, action, dependencies in
        switch action {
        case .add(let amount): state.count += amount
        case .start:
          return [
            .task {
              try await dependencies.gate.wait()
              return .add(1)
            }
          ]
        case .clear: state.children = []
        case .child: break
        }
        return []
      }
      .forEach(\.children, action: Action.child, id: "in") { Node() }
    }
  }

  static func tree(_ depth: Int) -> Node.State {
    var node = Node.State(id: depth)
    for id in stride(from: depth - 1, through: 0, by: -1) {
      node = Node.State(id: id, children: [node])
    }
    return node
  }

  static func action(_ action: Node.Action, at depth: Int) -> Node.Action {
    var wrapped = action
    for id in stride(from: depth, to: 0, by: -1) {
      wrapped = .child(.element(id: id, action: wrapped))
    }
    return wrapped
  }

  static func count(_ node: Node.State, at depth: Int) -> Int? {
    var node = node
    for id in stride(from: 1, through: depth, by: 1) {
      guard let next = node.children[id: id] else { return nil }
      node = next
    }
    return node.count
  }

  @Test("a feature that contains itself works 200 levels down, effects included")
  func deep() {
    let scene = Scene(Self.tree(200), Node())
    scene.send(Self.action(.add(7), at: 200), Self.action(.start, at: 200))
    #expect(Self.count(scene.state, at: 200) == 7)
    scene.openGate()
    #expect(Self.count(scene.state, at: 200) == 8)
    #expect(Self.count(scene.state, at: 199) == 0)
  }

  @Test("R7 what runs 200 levels down ends when an ancestor goes")
  func cleared() {
    let scene = Scene(Self.tree(200), Node())
    scene.send(Self.action(.start, at: 200), Self.action(.start, at: 99))
    #expect(scene.running.count == 2)
    scene.store.send(Self.action(.clear, at: 100))
    #expect(scene.running.count == 1)
    scene.openGate()
    #expect(Self.count(scene.state, at: 99) == 1)
    #expect(scene.issues.entries == [])
  }
}
