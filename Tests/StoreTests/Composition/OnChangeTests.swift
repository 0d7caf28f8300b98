import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("onChange")
struct OnChangeTests {
  struct State: Sendable, Equatable {
    var count = 0
    var other = 0
    var text = ""
  }

  let base = Reduce<State, Int, String> { state, action, _ in
    state.count += action
    state.other -= action
    return action == 5 ? [.task(name: "base") { 0 }] : []
  }

  @Test("it gets both values and the dependencies, may change the state, and its effects come last")
  func change() {
    let reducer = base.onChange(of: \.count) { old, new, state, mark in
      state.text = "\(old)\(mark)\(new)"
      return new > 1 ? [.send(-1)] : []
    }
    let store = Store(initialState: State(), reducer: reducer, dependencies: ">")
    store.send(1)
    #expect(store.state == State(count: 1, other: -1, text: "0>1"))
    store.send(1)
    #expect(store.state == State(count: 1, other: -1, text: "2>1"))
    var state = State()
    let effects = reducer.reduce(&state, 5, ">")
    #expect(effects.descriptors().map(\.kind) == [.task, .send])
  }

  @Test("what did not change, and what others change, is not told")
  func onlyTheBase() {
    let reducer = CombineReducers {
      Reduce<State, Int, String> { state, _, _ in
        state.count += 100
        return []
      }
      base.onChange(of: \.count) { old, new, state, _ in
        state.text += "\(old)>\(new) "
        return []
      }
    }
    var state = State()
    _ = reducer.reduce(&state, 0, "")
    #expect(state.text == "")
    _ = reducer.reduce(&state, 1, "")
    #expect(state.text == "200>201 ")
  }

  @Test("a closure decides what counts as a change: tuples, ids only")
  func comparison() {
    let both = base.onChange(of: { ($0.count, $0.other) }, by: { $0 == $1 }) { _, new, state, _ in
      state.text = "\(new)"
      return []
    }
    var state = State()
    _ = both.reduce(&state, 0, "")
    #expect(state.text == "")
    _ = both.reduce(&state, 2, "")
    #expect(state.text == "(2, -2)")
  }

  @Test("chained, the inner one comes first, and its changes are the outer one's base")
  func chain() {
    let reducer =
      base
      .onChange(of: \.count) { _, _, state, _ in
        state.text += "a"
        return []
      }
      .onChange(of: \.text) { old, new, state, _ in
        state.other = new.count
        return []
      }
    var state = State()
    _ = reducer.reduce(&state, 1, "")
    #expect(state == State(count: 1, other: 1, text: "a"))
  }
}
