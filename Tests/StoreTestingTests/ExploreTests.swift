import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Exploring orders")
struct ExploreTests {
  /// Two effects that race. The last one wins.
  struct Race: Reducer {
    func reduce(_ state: inout String, _ action: String, _ dependencies: Void) -> [Effect<String>] {
      guard action == "start" else {
        state += action
        return []
      }
      return ["a", "b", "c"].map { name in .task { name } }
    }
  }

  /// Looks up what was typed. Without cancelling, an older answer that comes late takes the place
  /// of a newer one.
  struct Lookup: Reducer {
    struct State: Sendable, Equatable {
      var text = ""
      var answer = ""
    }
    enum Action: Sendable, Equatable { case typed(String), found(String) }
    let cancels: Bool

    func reduce(_ state: inout State, _ action: Action, _ dependencies: Void) -> [Effect<Action>] {
      switch action {
      case .typed(let text):
        state.text = text
        return [.task { .found(text) }.cancellable(id: "lookup", cancelInFlight: cancels)]
      case .found(let text):
        state.answer = text
        return []
      }
    }
  }

  /// Notes in which order five effects end.
  struct Registry: Reducer {
    struct State: Sendable, Equatable {
      var value = 0
      var wins: [Int] = []
    }
    enum Action: Sendable, Equatable { case start, done(Int) }

    func reduce(_ state: inout State, _ action: Action, _ dependencies: Void) -> [Effect<Action>] {
      switch action {
      case .start: return (0..<5).map { number in .task(name: "\(number)") { .done(number) } }
      case .done(let number):
        state.wins.append(number)
        return []
      }
    }
  }

  func outcome(_ executor: ManualExecutor) -> String {
    let store = NonExhaustiveTestStore(
      initialState: "", reducer: Race(), clock: TestClock(executor: executor), dependencies: (),
      report: report)
    store.send("start")
    store.skipReceivedActions()
    return store.state
  }

  func lookUp(_ run: ExploredRun, cancels: Bool) {
    let store = Store(
      initialState: Lookup.State(), reducer: Lookup(cancels: cancels), dependencies: (),
      executor: run.executor)
    store.send(.typed("r"))
    store.send(.typed("ri"))
    run.executor.run()
    let state = store.state
    run.expect(state.answer == state.text, "the answer to \(state.answer) for \(state.text)")
  }

  @Test("without a seed it is one order, with seeds it is all there are, with one seed it is one")
  func seeds() {
    #expect(outcome(ManualExecutor()) == "abc")
    let outcomes = Set((0..<50).map { outcome(ManualExecutor(seed: $0)) })
    #expect(outcomes.count == 6)
    for seed in UInt64(0)..<50 {
      #expect(outcome(ManualExecutor(seed: seed)) == outcome(ManualExecutor(seed: seed)))
    }
  }

  /// Fails for one order in 120.
  func register(_ run: ExploredRun) {
    let store = NonExhaustiveTestStore(
      initialState: Registry.State(), reducer: Registry(), clock: run.clock, dependencies: (),
      report: run.report)
    store.send(.start)
    store.skipReceivedActions()
    run.expect(
      store.state.wins != [4, 3, 2, 1, 0], "the last was first", fileID: "Somebody/Else.swift",
      filePath: "/Somebody/Else.swift", line: 7, column: 3)
  }

  @Test("a rare order bug is found within 1...1000, told with its seed, and replays with it alone")
  func rare() throws {
    let failures = Failures()
    let exploration = explore(seeds: 1...1000, report: failures.report, register)
    let seed = try #require(exploration.failingSeeds.first)
    #expect(exploration.failingSeeds.count == 1)
    #expect(exploration.runs == Int(seed))
    #expect(seed > 1, "an order that every seed gives would prove nothing")
    #expect(
      failures.messages == [
        """
        the last was first

        Seed \(seed) fails, after \(seed - 1) \(seed == 2 ? "seed" : "seeds") that did not. To run this seed alone: \
        explore(seeds: \(seed)...\(seed)), or SWIFTBOARD_SEED=\(seed) in the environment.
        """
      ])
    #expect(failures.lines == [7])

    for _ in 0..<3 {
      let again = Failures()
      let replay = explore(seeds: seed...seed, report: again.report, register)
      #expect(replay.runs == 1)
      #expect(replay.failingSeeds == [seed])
      #expect(again.all.count == 1)
    }
    let before = Failures()
    explore(seeds: 1...(seed - 1), report: before.report, register)
    #expect(before.messages == [])
  }

  @Test("a sound feature holds under 1000 seeds, in every order there is")
  func sound() {
    let exploration = explore(seeds: 1...1000, report: report) { lookUp($0, cancels: true) }
    #expect(exploration.runs == 1000)
    #expect(exploration.failingSeeds == [])
    let orders = explore(seeds: 1...1000, report: report) { run in _ = outcome(run.executor) }
    #expect(orders.orders == 6, "three tasks have six orders")
  }

  @Test("an order bug of a feature that the usual order hides, and that its mending mends")
  func overtaken() throws {
    let executor = ManualExecutor()
    let store = Store(
      initialState: Lookup.State(), reducer: Lookup(cancels: false), dependencies: (),
      executor: executor)
    store.send(.typed("r"))
    store.send(.typed("ri"))
    executor.run()
    #expect(store.state == Lookup.State(text: "ri", answer: "ri"))

    let failures = Failures()
    let found = explore(seeds: 1...1000, report: failures.report) { lookUp($0, cancels: false) }
    let seed = try #require(found.failingSeeds.first)
    #expect(failures.messages.first?.hasPrefix("the answer to r for ri\n\nSeed \(seed)") == true)
    explore(seeds: seed...seed, report: report) { lookUp($0, cancels: true) }
  }

  @Test("all failing seeds, where all are asked for")
  func all() throws {
    let failures = Failures()
    let exploration = explore(seeds: 1...20, stopsAtFirst: false, report: failures.report) { run in
      run.expect(run.seed % 5 != 0, "five")
    }
    #expect(exploration.failingSeeds == [5, 10, 15, 20])
    #expect(exploration.runs == 20)
    #expect(
      failures.messages == [
        """
        five

        Seed 5 fails, after 4 seeds that did not. 4 of 20 fail; the others are 10, 15, 20. To run this seed alone: \
        explore(seeds: 5...5), or SWIFTBOARD_SEED=5 in the environment.
        """
      ])
  }

  @Test("what the scenario throws fails the run at the line of explore")
  func throwing() {
    let failures = Failures()
    let line = #line + 1
    explore(seeds: 3...9, report: failures.report) { _ in throw Broken() }
    #expect(failures.lines == [line])
    #expect(failures.kinds == [.closureThrew])
    #expect(
      failures.messages.first?.hasPrefix(
        "The scenario threw: the disk is full\n\nSeed 3 fails, after 0 seeds") == true)
  }

  @Test("the environment may put one seed in the place of all")
  func environment() {
    var complaints: [String] = []
    func seeds(_ text: String?) -> ClosedRange<UInt64> {
      Seeds(1...9, environment: text) { complaints.append($0) }.toRun
    }
    #expect(seeds(nil) == 1...9)
    #expect(seeds("") == 1...9)
    #expect(seeds("5") == 5...5)
    #expect(seeds("18446744073709551615") == UInt64.max...UInt64.max)
    #expect(complaints == [])
    #expect(seeds("five") == 1...9)
    #expect(
      complaints == ["The environment variable SWIFTBOARD_SEED has to be a number, and is “five”."])
  }

  @Test("the last seed there is")
  func lastSeed() {
    let failures = Failures()
    let found = explore(
      seeds: (.max - 1)...(.max), stopsAtFirst: false, report: failures.report
    ) { run in run.expect(run.seed != .max, "the last") }
    #expect(found.failingSeeds == [.max])
    #expect(failures.messages.first?.contains("after 1 seed that did not.") == true)
  }

  @Test("what a dropped test store has left fails the run too")
  func leftovers() {
    let failures = Failures()
    explore(seeds: 1...1, report: failures.report) { run in
      let store = searchStore(clock: run.clock, report: run.report)
      store.send(.twice("a"))
    }
    #expect(failures.kinds == [.unreceivedActions])
  }

  @Test("the executor runs a hundred thousand ready tasks in the order in which they came")
  func manyTasks() {
    let executor = ManualExecutor()
    let notes = TestClockTests.Notes()
    for number in 0..<100_000 {
      Task.detached(executorPreference: executor) {
        if number % 10_000 == 0 { notes.add("\(number)") }
      }
    }
    #expect(executor.readyCount == 100_000)
    #expect(executor.run() == 100_000)
    #expect(notes.all == (0..<10).map { "\($0 * 10_000)" })
  }
}
