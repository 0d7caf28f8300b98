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

  @Test("an effect that is skipped in an open turn has ended, and is not said to run on")
  func skipInFlight() {
    let clock = TestClock()
    let reducer = Reduce<Int, Bool, Void> { _, begins, _ in
      guard begins else { return [] }
      return [
        .send(false), .run(name: "sleep") { _ in try await clock.sleep(for: .seconds(1)) },
      ]
    }
    let store = TestStore(initialState: 0, reducer: reducer, clock: clock, report: failures.report)
    store.send(true)
    #expect(store.received == [false])
    #expect(store.skipInFlightEffects().map(\.name) == ["sleep"])
    #expect(store.inFlight.isEmpty)
    store.finish()
    #expect(!failures.kinds.contains(.effectRunning))
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

  @Test("R2 what an effect causes gets its permit, in a store and in a test store")
  func permit() async {
    let store = Store(initialState: [], reducer: Pages(), dependencies: ())
    await store.send(.load).finish()
    #expect(store.state == [0, 1, 2])
    let test = TestStore(
      initialState: [], reducer: Pages(), dependencies: (), report: { Issue.record("\($0)") })
    test.send(.load)
    for page in 0...2 { test.receive(.loaded(page)) { $0.append(page) } }
    test.finish()
  }

  @Test("R2 a cancel behind work reaches what its action causes, in a store and in a test store")
  func cancelBehindWork() async {
    let store = Store(initialState: [], reducer: Polling(), dependencies: ())
    await store.send(.go).finish()
    #expect(store.state == [1])
    let test = TestStore(
      initialState: [], reducer: Polling(), dependencies: (), report: { Issue.record("\($0)") })
    test.send(.go)
    test.receive(.add(1)) { $0 = [1] }
    test.finish()
  }

  @Test("R2 a turn whose remaining actions were cancelled is over, for the ends that wait for it")
  func cancelledRest() {
    let reducer = Reduce<[Action], Action, Void> { state, action, _ in
      state.append(action)
      switch action {
      case .go:
        return [
          .send(.first), .send(.second).cancellable(id: "x"),
          .concatenate(.run { _ in }, .task { .response }),
        ]
      case .first: return [.cancel(id: "x")]
      default: return []
      }
    }
    let test = TestStore(
      initialState: [], reducer: reducer, dependencies: (), report: failures.report)
    test.send(.go) { $0 = [.go] }
    test.receive(.first) { $0.append(.first) }
    test.receive(.response) { $0.append(.response) }
    test.finish()
    #expect(failures.messages == [])
  }

  @Test("R5 what follows an effect whose action was dropped is received")
  func afterDroppedAction() {
    let reducer = Reduce<[Action], Action, Void> { state, action, _ in
      state.append(action)
      switch action {
      case .go:
        return [
          .task { .first },
          .concatenate([
            .task { .response }.cancellable(id: "x"), .cancel(id: "y"), .send(.second),
          ]),
        ]
      case .first: return [.cancel(id: "x")]
      default: return []
      }
    }
    let test = TestStore(
      initialState: [], reducer: reducer, dependencies: (), report: failures.report)
    test.send(.go) { $0 = [.go] }
    test.receive(.first) { $0 = [.go, .first] }
    test.receive(.second) { $0 = [.go, .first, .second] }
    test.finish()
    #expect(failures.messages == [])
  }

  @Test("R2 a cancel behind a `run` waits for its actions, in a store and in a test store")
  func cancelBehindRun() async {
    let reducer = Reduce<[Action], Action, Void> { state, action, _ in
      state.append(action)
      return action == .go
        ? [.concatenate(.run { send in send(.first) }, .cancel(id: "x")).cancellable(id: "x")] : []
    }
    let store = Store(initialState: [], reducer: reducer, dependencies: ())
    await store.send(.go).finish()
    #expect(store.state == [.go, .first])
    let test = TestStore(
      initialState: [], reducer: reducer, dependencies: (), report: failures.report)
    test.send(.go) { $0 = [.go] }
    test.receive(.first) { $0 = [.go, .first] }
    test.finish()
    #expect(failures.messages == [])
  }
}

/// Loads a page after the other, never two at once.
private struct Pages: Reducer {
  enum Action: Sendable, Equatable { case load, loaded(Int) }

  func reduce(_ state: inout [Int], _ action: Action, _ dependencies: Void) -> [Effect<Action>] {
    switch action {
    case .load: return [load(0)]
    case .loaded(let page):
      state.append(page)
      return page < 2 ? [load(page + 1)] : []
    }
  }

  private func load(_ page: Int) -> Effect<Action> {
    .task { .loaded(page) }.limited(id: "load", whenFull: .drop)
  }
}

/// Cancels what the action of the work before it has started.
private struct Polling: Reducer {
  enum Action: Sendable, Equatable { case go, add(Int) }

  func reduce(_ state: inout [Int], _ action: Action, _ dependencies: Void) -> [Effect<Action>] {
    switch action {
    case .go: return [.concatenate([.task { .add(1) }, .cancel(id: "poll")])]
    case .add(let number):
      state.append(number)
      guard number == 1 else { return [] }
      return [
        .task {
          // Ends when it is cancelled.
          let (stream, continuation) = AsyncStream<Int>.makeStream()
          for await _ in stream {}
          withExtendedLifetime(continuation) {}
          return .add(2)
        }
        .cancellable(id: "poll")
      ]
    }
  }
}
