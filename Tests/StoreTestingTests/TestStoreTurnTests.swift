import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R2 Turns in a test store")
struct TestStoreTurnTests {
  enum Action: Sendable, Equatable { case go, first, second, third, response, tapped }

  /// `go` sends `first` and `second` at once, and starts an effect; `first` sends `third`.
  static let reducer = Reduce<[Action], Action, Void> { state, action, _ in
    state.append(action)
    switch action {
    case .go: return [.task(name: "load") { .response }, .send(.first), .send(.second)]
    case .first: return [.send(.third)]
    default: return []
    }
  }

  let failures = Failures()

  private func store() -> TestStore<Reduce<[Action], Action, Void>> {
    TestStore(
      initialState: [], reducer: Self.reducer, dependencies: (), report: failures.report)
  }

  private static let order: [Action] = [.go, .first, .second, .third, .response]

  @Test("R2 actions of the turn are received first, then those of effects, as a store reduces them")
  func order() {
    let store = store()
    store.send(.go) { $0 = [.go] }
    #expect(store.received == [.first, .second, .response])
    store.receive(.first) { $0.append(.first) }
    #expect(store.received == [.second, .third, .response])
    for action in Self.order.dropFirst(2) { store.receive(action) { $0.append(action) } }
    store.send(.tapped) { $0.append(.tapped) }
    store.finish()
    #expect(failures.messages == [])
  }

  @Test(
    "R2 a `send` in an open turn fails at its line, says what is next and why, and comes behind")
  func send() {
    let store = store()
    store.send(.go) { $0 = [.go] }
    store.receive(.first) { $0.append(.first) }
    let line = #line + 1
    store.send(.tapped) { $0 = Self.order + [.tapped] }
    #expect(failures.lines == [line])
    #expect(failures.kinds == [.unreceivedActions])
    #expect(
      failures.messages == [
        """
        3 actions must be received before `tapped` is sent:
          second
          third
          response
        The turn is not over, and `second` is next: all that an action causes at once, by `.send` effects, is reduced \
        before any other action.
        """
      ])
    store.finish()
    #expect(failures.all.count == 1)
  }

  @Test("R2 an effect's action that is received in an open turn fails, and nothing is reduced")
  func receive() {
    let store = store()
    store.send(.go) { $0 = [.go] }
    let line = #line + 1
    store.receive(.response) { $0.append(.response) }
    #expect(failures.lines == [line])
    #expect(store.state == [.go])
    #expect(
      failures.messages.first?.hasSuffix(
        """
        The expected action is further back in the queue, behind 2 others:
          first
          second
        Receive those first. The turn is not over, and `first` is next: all that an action causes at once, by `.send` \
        effects, is reduced before any other action. Nothing was reduced.
        """) == true)
  }

  @Test("once the turn is over nothing is said of it")
  func over() {
    let store = store()
    store.send(.go) { $0 = [.go] }
    for action in Self.order[1...3] { store.receive(action) { $0.append(action) } }
    store.send(.tapped) { $0 = Self.order + [.tapped] }
    #expect(
      failures.messages == ["1 action must be received before `tapped` is sent:\n  response"])
  }

  @Test("R2 a test store that is not exhaustive ends the turn before it sends")
  func nonExhaustive() {
    let store = NonExhaustiveTestStore(
      initialState: [], reducer: Self.reducer, dependencies: (), report: failures.report)
    store.send(.go)
    store.send(.tapped)
    #expect(store.state == Self.order + [.tapped])
    #expect(failures.messages == [])
  }
}
