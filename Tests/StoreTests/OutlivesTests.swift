import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// A parent with an optional child whose effects the test scripts.
private struct Family: ComposedReducer {
  struct State: Sendable {
    var child: Int? = 0
    var heard: [String] = []
  }

  enum Action: Sendable {
    case child(String), close, told(String)

    static var child: CasePath<Self, String> {
      CasePath(embed: Action.child) { if case .child(let action) = $0 { action } else { nil } }
    }
  }

  let effects: @Sendable (String) -> [Effect<String>]

  var body: some Reducer<State, Action, Void> {
    Reduce<State, Action, Void> { state, action, _ in
      switch action {
      case .child(let text): state.heard.append(text)
      case .close: state.child = nil
      case .told: break
      }
      return []
    }
    .ifLet(\.child, action: Action.child) {
      Reduce<Int, String, Void> { [effects] _, action, _ in effects(action) }
    }
  }
}

@Suite("R7 Outliving")
struct OutlivesTests {
  struct Child: Reducer {
    let gate: Gate
    func reduce(_ state: inout Int, _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
      guard action == 0 else {
        state = action
        return []
      }
      return [
        .run(name: "ends") { [gate] _ in try await gate.wait() },
        .merge(.run(name: "outlives") { [gate] _ in try await gate.wait() }).outlives(),
      ]
    }
  }

  @Test("R7 a child's effects end with the child, but for those that outlive it")
  func outlives() {
    let gate = Gate()
    let executor = ManualExecutor()
    enum Action: Sendable { case child(Int), close }
    let path = CasePath(embed: Action.child) { if case .child(let a) = $0 { a } else { nil } }
    let store = Store(
      initialState: Optional(0),
      reducer: Reduce<Int?, Action, Void> { state, action, _ in
        if case .close = action { state = nil }
        return []
      }.ifLet(\.self, action: path) { Child(gate: gate) },
      dependencies: (), executor: executor)
    store.send(.child(0))
    executor.run()
    #expect(store.effects.count == 2)
    store.send(.close)
    executor.run()
    #expect(store.effects.map(\.descriptor.name) == ["outlives"])
    gate.open()
    executor.run()
    #expect(store.effects.isEmpty)
  }

  @Test(
    "R7 a member of a group that outlives the child outlives it", arguments: [false, true])
  func outlivesFromGroup(isThrottled: Bool) {
    let gate = Gate()
    let clock = TestClock()
    let executor = ManualExecutor()
    let store = Store(
      initialState: Family.State(),
      reducer: Family { action in
        guard action == "go" else { return [] }
        let lasting = Effect<String>.run(name: "lasting") { _ in try await gate.wait() }.outlives()
        return isThrottled
          ? [lasting.throttled(id: 1, for: .seconds(1), clock: clock)]
          : [.merge([lasting, .run(name: "mortal") { _ in try await gate.wait() }])]
      }, dependencies: (), executor: executor, onIssue: { _ in })
    store.send(.child("go"))
    executor.run()
    store.send(.close)
    executor.run()
    #expect(store.effects.map(\.descriptor.name) == ["lasting"])
  }
}
