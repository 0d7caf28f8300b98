import SwiftBoardStore
import SwiftBoardTesting
import Testing

// The feature of docs/coming-from-tca.md, as it stands there.

private struct Search: Reducer {
  struct State: Sendable, Equatable {
    var text = ""
    var results: [String] = []
    var failure: String?
  }

  enum Action: Sendable, Equatable {
    case typed(String)
    case found([String])
    case failed(String)
  }

  struct Dependencies: Sendable {
    var clock: any Clock<Duration>
    var find: @Sendable (String) async throws -> [String]
  }

  func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    switch action {
    case .typed(let text):
      state.text = text
      guard !text.isEmpty else {
        state.results = []
        return [.cancel(id: "search")]
      }
      return [
        .task(name: "search") { .found(try await dependencies.find(text)) }
          .timeout(after: .seconds(5), clock: dependencies.clock)
          .catch { .failed("\($0)") }
          .debounced(id: "search", for: .milliseconds(300), clock: dependencies.clock)
      ]
    case .found(let results):
      state.results = results
    case .failed(let reason):
      state.failure = reason
    }
    return []
  }
}

@Suite("The example of coming-from-tca.md")
struct ComingFromTCATests {
  private func search(
    _ clock: TestClock, find: @escaping @Sendable (String) async throws -> [String]
  ) -> TestStore<Search> {
    TestStore(
      initialState: Search.State(), reducer: Search(), clock: clock,
      dependencies: Search.Dependencies(clock: clock, find: find),
      report: { Issue.record("\($0)") })
  }

  @Test("the last of what is typed is looked up, once")
  func debounce() {
    let store = search(TestClock()) { ["\($0)!"] }
    store.send(.typed("r")) { $0.text = "r" }
    #expect(store.effects == [EffectDescriptor(kind: .task, name: "search", id: "search")])
    store.advance(by: .milliseconds(200))
    store.send(.typed("ri")) { $0.text = "ri" }
    store.advance(by: .milliseconds(300))
    store.receive(.found(["ri!"])) { $0.results = ["ri!"] }
    store.finish()
  }

  @Test("an empty text ends the search, and nothing of it comes any more")
  func empty() {
    let store = search(TestClock()) { ["\($0)!"] }
    store.send(.typed("r")) { $0.text = "r" }
    store.send(.typed("")) { $0.text = "" }
    store.advance(by: .seconds(10))
    store.finish()
  }

  @Test("a search that takes too long, and one that fails, say so")
  func failures() {
    let clock = TestClock()
    let store = search(clock) { text in
      if text == "slow" { try await clock.sleep(for: .seconds(60)) }
      throw Broken()
    }
    store.send(.typed("slow")) { $0.text = "slow" }
    store.advance(by: .milliseconds(5299))
    #expect(store.received == [])
    store.advance(by: .milliseconds(1))
    let late = "'search' took longer than 5.0 seconds"
    store.receive(.failed(late)) { $0.failure = late }
    store.send(.typed("x")) { $0.text = "x" }
    store.advance(by: .milliseconds(300))
    store.receive(.failed("the disk is on fire")) { $0.failure = "the disk is on fire" }
    store.finish()
  }
}

// The first lines of a tutorial for The Composable Architecture, with the macros left out: a
// counter, a fact about a number, a timer.

/// A counter without dependencies.
private struct Counter: ComposedReducer {
  struct State: Equatable {
    var count = 0
  }

  enum Action {
    case decrementButtonTapped
    case incrementButtonTapped
  }

  var body: some Reducer<State, Action, Void> {
    Reduce { state, action in
      switch action {
      case .decrementButtonTapped:
        state.count -= 1
        return .none
      case .incrementButtonTapped:
        state.count += 1
        return .none
      }
    }
  }
}

/// The counter with a fact about its number, and a timer.
private struct CounterFeature: ComposedReducer {
  struct State: Equatable {
    var count = 0
    var fact: String?
    var isLoading = false
    var isTimerRunning = false
  }

  enum Action: Equatable {
    case incrementButtonTapped
    case factButtonTapped
    case factResponse(String)
    case timerTick
    case toggleTimerButtonTapped
  }

  enum CancelID { case timer }

  struct Dependencies: Sendable {
    var clock: any Clock<Duration>
    var fact: @Sendable (Int) async throws -> String
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action, dependencies in
      switch action {
      case .incrementButtonTapped:
        state.count += 1
        state.fact = nil
        return .none

      case .factButtonTapped:
        state.fact = nil
        state.isLoading = true
        return .run { [count = state.count] send in
          send(.factResponse(try await dependencies.fact(count)))
        }

      case .factResponse(let fact):
        state.fact = fact
        state.isLoading = false
        return .none

      case .timerTick:
        state.count += 1
        state.fact = nil
        return .none

      case .toggleTimerButtonTapped:
        state.isTimerRunning.toggle()
        if state.isTimerRunning {
          return .run { send in
            while true {
              try await dependencies.clock.sleep(for: .seconds(1))
              send(.timerTick)
            }
          }
          .cancellable(id: CancelID.timer)
        } else {
          return .cancel(id: CancelID.timer)
        }
      }
    }
  }
}

/// A download whose result is an action, by a function that returns its effects.
private struct Download: ComposedReducer {
  struct State: Equatable {
    var number: Int?
    var failure: String?
  }

  enum Action {
    case load
    case response(Result<Int, any Error>)
  }

  struct Dependencies: Sendable {
    var fetch: @Sendable () async throws -> Int
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action, dependencies in
      switch action {
      case .load:
        return load(dependencies)
      case .response(.success(let number)):
        state.number = number
        return .none
      case .response(.failure(let error)):
        state.failure = "\(error)"
        return .none
      }
    }
  }

  private func load(_ dependencies: Dependencies) -> [Effect<Action>] {
    .task { .response(.success(try await dependencies.fetch())) }
      .catch { .response(.failure($0)) }
  }
}

/// A timer that the state declares. `Reduce` names its types, since the closures of operators can
/// only open an existential of the dependencies once these are known.
private struct DeclaredTimer: ComposedReducer {
  struct State: Equatable {
    var isRunning = false
    var ticks = 0
  }

  enum Action: Equatable { case toggle, tick }

  struct Dependencies: Sendable {
    var clock: any Clock<Duration>
  }

  var body: some ReducerOf<Self> {
    Reduce<State, Action, Dependencies> { state, action, _ in
      switch action {
      case .toggle: state.isRunning.toggle()
      case .tick: state.ticks += 1
      }
      return .none
    }
    .subscribing { state, dependencies in
      guard state.isRunning else { return [] }
      return [
        .timer(every: .seconds(1), clock: dependencies.clock) { _ in .tick }.cancellable(
          id: "timer")
      ]
    }
  }
}

/// Two counters, a list of them and a stack of them.
private struct AppFeature: ComposedReducer {
  struct Row: Reducer {
    struct State: Equatable, Identifiable {
      let id: Int
      var taps = 0
    }

    enum Action { case tapped }

    func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
      state.taps += 1
      return .none
    }
  }

  struct State: Equatable {
    var tab1 = Counter.State()
    var tab2 = Counter.State()
    var rows: IdentifiedArrayOf<Row.State> = [Row.State(id: 7)]
    var path = StackState<Row.State>()
  }

  enum Action {
    case tab1(Counter.Action)
    case tab2(Counter.Action)
    case rows(ElementActionOf<Row>)
    case path(StackActionOf<Row>)

    var tab1: Counter.Action? { if case .tab1(let action) = self { action } else { nil } }
    var rows: ElementActionOf<Row>? { if case .rows(let action) = self { action } else { nil } }
  }

  var body: some Reducer<State, Action, Void> {
    Scope(state: \.tab1, action: .case(Action.tab1, \.tab1)) { Counter() }
    Scope(
      state: \.tab2,
      action: .case(Action.tab2) { if case .tab2(let action) = $0 { action } else { nil } }
    ) { Counter() }
    Reduce { state, action in
      .none
    }
    .forEach(\.rows, action: .case(Action.rows, \.rows)) { Row() }
    .forEach(
      \.path, action: .case(Action.path) { if case .path(let action) = $0 { action } else { nil } }
    ) { Row() }
  }
}

@Suite("First lines of a TCA tutorial")
struct FirstLinesTests {
  @Test("a counter, in a store without dependencies")
  func counter() {
    let store = Store(initialState: Counter.State()) { Counter() }
    store.send(.incrementButtonTapped)
    store.send(.incrementButtonTapped)
    store.send(.decrementButtonTapped)
    #expect(store.state.count == 1)

    let same = Store(initialState: Counter.State(), reducer: Counter())
    same.send(.decrementButtonTapped)
    #expect(same.state.count == -1)

    let twice = Store(initialState: Counter.State()) {
      Counter()
      Counter()
    }
    twice.send(.incrementButtonTapped)
    #expect(twice.state.count == 2)
  }

  private func store(_ clock: TestClock) -> TestStore<CounterFeature> {
    TestStore(
      initialState: CounterFeature.State(), reducer: CounterFeature(), clock: clock,
      dependencies: CounterFeature.Dependencies(
        clock: clock, fact: { "\($0) is a good number." }),
      report: { Issue.record("\($0)") })
  }

  @Test("a fact about the number, from an effect")
  func numberFact() {
    let store = store(TestClock())
    store.send(.incrementButtonTapped) { $0.count = 1 }
    store.send(.factButtonTapped) { $0.isLoading = true }
    store.receive(.factResponse("1 is a good number.")) {
      $0.isLoading = false
      $0.fact = "1 is a good number."
    }
    store.finish()
  }

  @Test("a result as an action, from a function that returns a list of effects")
  func result() {
    for isBroken in [false, true] {
      let executor = ManualExecutor()
      let store = Store(
        initialState: Download.State(), reducer: Download(),
        dependencies: Download.Dependencies(fetch: {
          if isBroken { throw Broken() }
          return 7
        }), executor: executor)
      store.send(.load)
      executor.run()
      #expect(
        store.state
          == (isBroken
            ? Download.State(failure: "the disk is on fire") : Download.State(number: 7)))
    }
  }

  @Test("a timer that the state declares, by a clock of the dependencies")
  func declaredTimer() {
    let clock = TestClock()
    let store = TestStore(
      initialState: DeclaredTimer.State(), reducer: DeclaredTimer(), clock: clock,
      dependencies: DeclaredTimer.Dependencies(clock: clock),
      report: { Issue.record("\($0)") })
    store.send(.toggle) { $0.isRunning = true }
    store.advance(by: .seconds(1))
    store.receive(.tick) { $0.ticks = 1 }
    store.send(.toggle) { $0.isRunning = false }
    store.finish()
  }

  @Test("a timer that is cancelled")
  func timer() {
    let store = store(TestClock())
    store.send(.toggleTimerButtonTapped) { $0.isTimerRunning = true }
    store.advance(by: .seconds(1))
    store.receive(.timerTick) { $0.count = 1 }
    store.advance(by: .seconds(1))
    store.receive(.timerTick) { $0.count = 2 }
    store.send(.toggleTimerButtonTapped) { $0.isTimerRunning = false }
    store.advance(by: .seconds(10))
    store.finish()
  }

  @Test("children by case paths of one line, lists and stacks by the names of their reducers")
  func composition() {
    let store = Store(initialState: AppFeature.State()) { AppFeature() }
    store.send(.tab1(.incrementButtonTapped))
    store.send(.tab2(.decrementButtonTapped))
    store.send(.rows(.element(id: 7, action: .tapped)))
    store.send(.path(.push(AppFeature.Row.State(id: 1))))
    store.send(.path(.element(id: store.state.path.ids[0], action: .tapped)))
    #expect(store.state.tab1.count == 1)
    #expect(store.state.tab2.count == -1)
    #expect(store.state.rows[id: 7]?.taps == 1)
    #expect(store.state.path.last?.taps == 1)
  }

  @Test("a case path of one line embeds, extracts and changes in place")
  func casePath() {
    let path = CasePath.case(AppFeature.Action.tab1, \.tab1)
    #expect(path.matches(path.embed(.incrementButtonTapped)))
    #expect(!path.matches(.tab2(.incrementButtonTapped)))
    var action = AppFeature.Action.tab1(.incrementButtonTapped)
    path.modify(&action) { $0 = .decrementButtonTapped }
    #expect(path.extract(action) == .decrementButtonTapped)
  }

  @Test("the names of actions by their reducers")
  func names() {
    #expect(
      ElementActionOf<AppFeature.Row>.self == ElementAction<Int, AppFeature.Row.Action>.self)
    #expect(
      StackActionOf<AppFeature.Row>.self
        == StackAction<AppFeature.Row.State, AppFeature.Row.Action>.self)
    let store: Store<Counter> = Store(initialState: Counter.State()) { Counter() }
    #expect(store.state.count == 0)
  }
}
