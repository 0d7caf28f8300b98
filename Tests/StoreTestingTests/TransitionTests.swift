import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("State machines")
struct TransitionTests {
  enum Phase: Sendable, Hashable { case idle, loading, ready, failed }
  enum Event: Sendable, Hashable { case start, answer, stop }

  struct Loader: Reducer {
    struct State: Sendable, Equatable {
      var phase = Phase.idle
      var text = ""
    }
    enum Action: Sendable, Equatable { case start, answered(String?), stop, typed(String) }

    func reduce(_ state: inout State, _ action: Action, _ dependencies: Void) -> [Effect<Action>] {
      switch action {
      case .start: state.phase = .loading
      case .answered(let text): state.phase = text == nil ? .failed : .ready
      // A bug: stopping is not asked for while nothing is loaded.
      case .stop: state.phase = .idle
      case .typed(let text): state.text = text
      }
      return []
    }
  }

  static let table = TransitionTable<Phase, Event> {
    From(.idle, .failed).on(.start).to(.loading)
    From(.loading).on(.answer).to(.ready, .failed)
    From(.loading).on(.start).stays
    From(.loading, .ready).on(.stop).to(.idle)
  }

  let monitor = TransitionMonitor(
    TransitionTests.table, state: { (state: Loader.State) in state.phase },
    action: { (action: Loader.Action) -> Event? in
      switch action {
      case .start: .start
      case .answered: .answer
      case .stop: .stop
      case .typed: nil
      }
    })

  let failures = Failures()

  func store() -> NonExhaustiveTestStore<Loader> {
    let store = NonExhaustiveTestStore(
      initialState: Loader.State(), reducer: Loader(), dependencies: (), report: failures.report)
    store.watch(monitor)
    return store
  }

  @Test("declarations are taken apart, once each, and answer what is allowed")
  func declarations() {
    typealias T = Transition<Phase, Event>
    #expect(
      Self.table.transitions == [
        T(from: .idle, event: .start, to: .loading), T(from: .failed, event: .start, to: .loading),
        T(from: .loading, event: .answer, to: .ready),
        T(from: .loading, event: .answer, to: .failed),
        T(from: .loading, event: .start, to: .loading),
        T(from: .loading, event: .stop, to: .idle), T(from: .ready, event: .stop, to: .idle),
      ])
    #expect(Self.table.targets(from: .loading, on: .answer) == [.ready, .failed])
    #expect(Self.table.targets(from: .ready, on: .start) == [])
    let twice = TransitionTable(Self.table.transitions + Self.table.transitions)
    #expect(twice.transitions == Self.table.transitions)
    let some = TransitionTable<Phase, Event> {
      if Self.table.transitions.isEmpty { From(.idle).on(.stop).stays }
      for phase in [Phase.ready, .failed] { From(phase).on(.stop).to(.idle) }
    }
    #expect(some.transitions.map(\.from) == [.ready, .failed])
  }

  @Test("an impossible transition is a failure at the line that took it, with what is allowed")
  func impossible() {
    let store = store()
    store.send(.start)
    store.send(.start)
    store.send(.typed("a"))
    store.send(.answered("x"))
    let line = #line + 1
    store.send(.start)
    store.send(.answered(nil))
    store.send(.stop)
    #expect(failures.kinds == [.impossibleTransition, .impossibleTransition])
    #expect(failures.lines == [line, line + 2])
    #expect(
      failures.messages == [
        "Step 5 took a transition that is not declared: ready --start--> loading. "
          + "From ready these are:\n  ready --stop--> idle",
        "Step 7 took a transition that is not declared: failed --stop--> idle. "
          + "From failed these are:\n  failed --start--> loading",
      ])
  }

  @Test("coverage over several tests, and a drawing of it")
  func coverage() {
    for answer in ["x", nil] {
      let store = store()
      store.send(.start)
      store.send(.answered(answer))
    }
    let line = #line + 1
    monitor.checkCoverage(report: failures.report)
    #expect(failures.kinds == [.notCovered])
    #expect(failures.lines == [line])
    #expect(
      failures.messages == [
        """
        4 of 7 declared transitions never happened:
          failed --start--> loading
          loading --start--> loading
          loading --stop--> idle
          ready --stop--> idle
        """
      ])
    store().send(.stop)
    #expect(
      monitor.graphviz(name: "load\"er") == """
        digraph "load\\"er" {
          "idle";
          "loading";
          "failed";
          "ready";
          "idle" -> "loading" [label="start (2)"];
          "failed" -> "loading" [label="start", style=dashed];
          "loading" -> "ready" [label="answer (1)"];
          "loading" -> "failed" [label="answer (1)"];
          "loading" -> "loading" [label="start", style=dashed];
          "loading" -> "idle" [label="stop", style=dashed];
          "ready" -> "idle" [label="stop", style=dashed];
          "idle" -> "idle" [label="stop (1)", color=red];
        }

        """)
    #expect(monitor.undeclared.map(\.description) == ["idle --stop--> idle"])
    #expect(monitor.graphviz(name: "a\u{1B}b").hasPrefix("digraph \"a b\" {"))
  }

  @Test("nothing is reported where all happened")
  func covered() {
    let store = store()
    for action in [
      Loader.Action.start, .start, .stop, .start, .answered(nil), .start, .answered(""), .stop,
    ] {
      store.send(action)
    }
    monitor.checkCoverage(report: failures.report)
    #expect(failures.messages == [])
  }

  @Test("any store can be watched, from where it is")
  func running() {
    let found = Mutex<[String]>([])
    let store = Store(initialState: Loader.State(), reducer: Loader(), dependencies: ())
    store.send(.start)
    let watch = monitor.observe(store) { impossible in
      found.withLock { $0.append("\(impossible.transition)") }
    }
    store.send(.answered("a"))
    store.send(.start)
    watch.cancel()
    store.send(.answered("b"))
    store.send(.start)
    #expect(found.withLock { $0 } == ["ready --start--> loading"])
    #expect(monitor.counts.values.reduce(0, +) == 2)
  }

  @Test("after a step that was not seen only the state is noted")
  func gaps() {
    typealias S = Step<Loader.Action>
    var walk = monitor.walk(from: Loader.State())
    func step(_ number: Int, _ action: Loader.Action) -> S {
      S(number: number, origin: .program(""), action: action, effects: [])
    }
    #expect(walk.take(step(1, .start), Loader.State(phase: .loading)) == nil)
    // Steps 2 and 3 are missing, so the state before step 4 is unknown.
    #expect(walk.take(step(4, .stop), Loader.State(phase: .idle)) == nil)
    #expect(walk.take(step(5, .stop), Loader.State(phase: .idle))?.step == 5)
    #expect(monitor.counts.count == 2)
  }

  @Test("as an invariant of a model: the shortest way to an impossible transition")
  func model() throws {
    let model = ModelTest(
      initialState: Loader.State(), reducer: Loader(),
      moves: [.send(.start, .answered("x"), .answered(nil), .typed("t"))],
      invariants: [
        .transitions(monitor)
      ]
    ) { _ in }
    let found = try #require(model.check(report: failures.report).counterexample)
    #expect(found.moves.count == 1)
    #expect(found.invariant == "every transition is declared")
    #expect(
      failures.messages.first?.hasPrefix(
        "The invariant “every transition is declared” does not hold. "
          + "Step 1 took a transition that is not declared: idle --answer--> ") == true)
  }
}
