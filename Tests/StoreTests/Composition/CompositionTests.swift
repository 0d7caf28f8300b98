import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R8 Child first")
struct ChildFirstTests {
  struct Child: Reducer {
    func reduce(_ state: inout Int, _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
      state += action
      return action == 100 ? [.task { 1 }] : []
    }
  }

  struct Parent: ComposedReducer {
    struct State: Sendable, Equatable {
      var child: Int? = 1
      var history: [Int?] = []
    }

    enum Action: Sendable {
      case child(Int), dismiss
    }

    static let child = CasePath(embed: Action.child) {
      if case .child(let a) = $0 { a } else { nil }
    }

    var body: some Reducer<State, Action, Void> {
      Reduce { state, action, _ in
        state.history.append(state.child)
        if case .dismiss = action { state.child = nil }
        return []
      }
      .ifLet(\.child, action: Self.child, fileID: "Board/Parent.swift", line: 42) { Child() }
    }
  }

  @Test("R8 the child has seen the action when what it is attached to sees it")
  func order() {
    let store = Store(initialState: Parent.State(), reducer: Parent(), dependencies: ())
    store.send(.child(5))
    #expect(store.state == Parent.State(child: 6, history: [6]))
  }

  @Test(
    "R8 an action for an absent child is an issue at the composing line; the state is unchanged")
  func absent() throws {
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Parent.State(child: nil), reducer: Parent(), dependencies: (),
      onIssue: { issues.note($0) })
    store.send(.child(5))
    #expect(store.state == Parent.State(child: nil))
    let issue = try #require(issues.entries.first)
    #expect(issues.entries.count == 1)
    #expect(issue.location.description == "Board/Parent.swift:42")
    #expect(issue.message.contains("state is nil"))
    #expect(issue.message.contains("Likely causes"))
  }

  @Test("the first likely cause is a reducer that removed the child before it, in this very step")
  func removedBefore() {
    let reducer = CombineReducers<Parent.State, Parent.Action, Void, _> {
      Reduce { state, _, _ in
        state.child = nil
        return []
      }
      EmptyReducer().ifLet(\.child, action: Parent.child) { Child() }
    }
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Parent.State(), reducer: reducer, dependencies: (),
      onIssue: { issues.note($0) })
    store.send(.child(5))
    #expect(
      issues.entries.map(\.message) == [
        """
        An action was sent to a child whose state is nil, and was dropped: 5.
        Likely causes: a reducer that runs before this line set the state to nil in this very step, it was set to nil \
        before the action arrived (by an effect that outlives its child, or by another action sent at the same time), or \
        it was never set. Remove a child only after it has reduced, and set the state before sending the action.
        """
      ])
  }

  @Test("the child's effects end in the step that removes it")
  func effectsEndWithTheChild() {
    let executor = ManualExecutor()
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Parent.State(), reducer: Parent(), dependencies: (), executor: executor,
      onIssue: { issues.note($0) })
    store.send(.child(100))
    store.send(.dismiss)
    executor.run()
    #expect(store.state.child == nil)
    #expect(store.stepCount == 2)
    #expect(issues.entries == [])
  }
}

@Suite("Composition")
struct CompositionTests {
  struct Append: Reducer {
    let mark: String

    func reduce(_ state: inout [String], _ action: String, _ dependencies: Void)
      -> [Effect<String>]
    {
      state.append(mark + action)
      return action == "go" ? [.send("from " + mark)] : []
    }
  }

  @Test("reducers in a body see each other's changes, and effects keep their order")
  func sequence() {
    let flag = true
    let reducer: some Reducer<[String], String, Void> = CombineReducers {
      Append(mark: "1")
      if flag { Append(mark: "2") }
      if !flag { Append(mark: "never") } else { EmptyReducer<[String], String, Void>() }
      for mark in ["3", "4"] { Append(mark: mark) }
    }
    var state: [String] = []
    let effects = reducer.reduce(&state, "go", ())
    #expect(state == ["1go", "2go", "3go", "4go"])
    #expect(effects.descriptors().map(\.kind) == [.send, .send, .send, .send])
  }

  struct Nested: Reducer {
    struct State: Sendable, Equatable {
      var inner: [String] = []
    }

    enum Action: Sendable, Equatable {
      case inner(String)
    }

    func reduce(_ state: inout State, _ action: Action, _ dependencies: Void)
      -> [Effect<Action>]
    {
      switch action {
      case .inner(let action):
        Append(mark: "").reduce(&state.inner, action, dependencies)
          .scoped(Action.inner, id: "inner")
      }
    }
  }

  @Test("a plain call composes like Scope")
  func plainCall() {
    let store = Store(initialState: Nested.State(), reducer: Nested(), dependencies: ())
    store.send(.inner("go"))
    #expect(store.state.inner == ["go", "from "])
  }

  @Test("ids in descriptors show the place")
  func descriptorPath() {
    let effects: [Effect<String>] = [
      .task(name: "load") { "x" }.cancellable(id: 3), .cancel(id: 4),
      .concatenate(.task(name: "one") { "1" }, .send("2")),
    ]
    let outer = effects.scoped({ $0 }, id: "rows").scoped({ $0 }, id: "board")
    #expect(
      outer.descriptors() == [
        EffectDescriptor(kind: .task, name: "load", id: "board/rows/3"),
        EffectDescriptor(kind: .cancel, id: "board/rows/4"),
        EffectDescriptor(
          kind: .concatenate,
          parts: [
            EffectDescriptor(kind: .task, name: "one"), EffectDescriptor(kind: .send),
          ]),
      ])
  }
}
