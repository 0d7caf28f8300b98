import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("ifLet")
struct IfLetTests {
  struct Parent: ComposedReducer {
    struct State: Sendable, Equatable {
      var child: Ticker.State?
      var seen = 0
    }

    enum Action: Sendable, Equatable {
      case child(Ticker.Action)
      case set(Int?)
      case restart

      static let child = CasePath(embed: Action.child) {
        if case .child(let a) = $0 { a } else { nil }
      }
    }

    var isTold = true

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      Reduce { state, action, _ in
        switch action {
        case .child(.add(99)): state.child = nil
        case .child: state.seen += 1
        case .set(let id): state.child = id.map { Ticker.State(id: $0) }
        case .restart: state.child = Ticker.State(id: state.child?.id ?? 0)
        }
        return []
      }
      .ifLet(
        \.child, action: Action.child, identity: isTold ? { @Sendable in $0.id } : nil,
        id: "child"
      ) { Ticker() }
    }
  }

  @Test("R7 the child's effects end when it is dismissed, by the parent or in answer to the child")
  func dismissal() {
    for last in [Parent.Action.set(nil), .child(.add(99))] {
      let scene = Scene(Parent.State(child: Ticker.State(id: 1)), Parent(isTold: false))
      scene.send(.child(.start))
      #expect(scene.running == ["child/tick"])
      scene.store.send(last)
      #expect(scene.running == [])
      scene.openGate()
      #expect(scene.state.child == nil)
      #expect(scene.issues.entries == [])
    }
  }

  @Test("R7 the effects of a child that another one replaces end; those of the new one do not")
  func replacement() {
    let scene = Scene(Parent.State(child: Ticker.State(id: 1)), Parent())
    scene.send(.child(.start))
    #expect(scene.running == ["child/1/tick"])
    scene.send(.set(2))
    #expect(scene.running == [])
    scene.send(.child(.start))
    #expect(scene.running == ["child/2/tick"])
    scene.openGate()
    #expect(scene.state.child == Ticker.State(id: 2, count: 1))
  }

  @Test(
    "the same child with other values goes on; without an identity every value is the same child")
  func sameChild() {
    let scene = Scene(Parent.State(child: Ticker.State(id: 1)), Parent())
    scene.send(.child(.start), .restart)
    #expect(scene.running == ["child/1/tick"])
    let other = Scene(Parent.State(child: Ticker.State(id: 1)), Parent(isTold: false))
    other.send(.child(.start), .set(2))
    #expect(other.running == ["child/tick"])
  }

  @Test(
    "R7 a child that becomes another by its own step ends what it had going, not what it starts")
  func selfReplacement() {
    let scene = Scene(Parent.State(child: Ticker.State(id: 1)), Parent())
    scene.send(.child(.start), .child(.become(2)))
    #expect(scene.running == ["became"])
    scene.openGate()
    #expect(scene.state.child == Ticker.State(id: 2, count: 1))
  }

  @Test("R8 an action for an absent child is dropped, for the parent too")
  func absent() {
    let scene = Scene(Parent.State(), Parent())
    scene.send(.child(.add(1)))
    #expect(scene.state == Parent.State())
    #expect(scene.issues.entries.count == 1)
  }

  struct Grand: ComposedReducer {
    struct State: Sendable, Equatable {
      var parent: Parent.State? = Parent.State(child: Ticker.State(id: 1))
    }

    enum Action: Sendable {
      case parent(Parent.Action), exit

      static let parent = CasePath(embed: Action.parent) {
        if case .parent(let a) = $0 { a } else { nil }
      }
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      Reduce { state, action, _ in
        if case .exit = action { state.parent = nil }
        return []
      }
      .ifLet(\.parent, action: Action.parent, id: "parent") { Parent() }
    }
  }

  @Test("R7 a grandchild's effects end with its parent")
  func grandchild() {
    let scene = Scene(Grand.State(), Grand())
    scene.send(.parent(.child(.start)))
    #expect(scene.running == ["parent/child/1/tick"])
    scene.store.send(.exit)
    #expect(scene.running == [])
  }

  @Test("R3 the child is changed in place")
  func inPlace() {
    struct Big: Sendable {
      var child: [Int]? = Array(0..<100_000)
    }
    let reducer = EmptyReducer<Big, Int, Void>()
      .ifLet(\.child, action: CasePath(embed: { $0 }, extract: { $0 })) {
        Reduce { state, action, _ in
          state[action] = -1
          return []
        }
      }
    var state = Big()
    let storage = state.child.flatMap { address($0) }
    _ = reducer.reduce(&state, 5, ())
    #expect(state.child.flatMap { address($0) } == storage)
    #expect(state.child?[5] == -1)
  }

  @Test("several children beside each other are told apart by their lines")
  func siblings() {
    struct Two: ComposedReducer {
      struct State: Sendable {
        var a: Ticker.State? = Ticker.State()
        var b: Ticker.State? = Ticker.State()
      }
      enum Action: Sendable {
        case a(Ticker.Action), b(Ticker.Action)
      }
      var body: some Reducer<State, Action, Ticker.Dependencies> {
        EmptyReducer()
          .ifLet(
            \.a, action: CasePath(embed: Action.a) { if case .a(let x) = $0 { x } else { nil } }
          ) {
            Ticker()
          }
          .ifLet(
            \.b, action: CasePath(embed: Action.b) { if case .b(let x) = $0 { x } else { nil } }
          ) {
            Ticker()
          }
      }
    }
    let scene = Scene(Two.State(), Two())
    scene.send(.a(.start), .b(.start), .a(.stop))
    scene.openGate()
    #expect(scene.state.a?.count == 0)
    #expect(scene.state.b?.count == 1)
  }
}
