import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTestSupport
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("Model tests")
struct ModelTestTests {
  /// An account whose withdrawals are looked at when asked for and paid out a second later.
  struct Account: Reducer {
    struct State: Sendable, Equatable, Codable {
      var balance = 0
      var isOpen = false
      var payouts = 0
    }
    enum Action: Sendable, Equatable, Codable {
      case open
      case deposit(Int)
      case withdraw(Int)
      case paid(Int)
    }
    /// Whether what is promised to one withdrawal is taken off at once.
    var isSound = true

    func reduce(
      _ state: inout State, _ action: Action, _ clock: TestClock
    ) -> [Effect<Action>] {
      switch action {
      case .open: state.isOpen = true
      case .deposit(let amount): if state.isOpen { state.balance += amount }
      case .withdraw(let amount):
        guard state.isOpen, state.balance >= amount else { return [] }
        if isSound { state.balance -= amount }
        return [
          .task(name: "payout") {
            try await clock.sleep(for: .seconds(1))
            return .paid(amount)
          }
        ]
      case .paid(let amount):
        if !isSound { state.balance -= amount }
        state.payouts += 1
      }
      return []
    }
  }

  func account(
    isSound: Bool, initial: Account.State = .init(),
    _ more: [Invariant<Account.State, Account.Action>] = []
  ) -> ModelTest<Account> {
    ModelTest(
      initialState: initial, reducer: Account(isSound: isSound),
      moves: [
        .send(.open),
        .send(weight: 3) { _, random in .deposit(Int.random(in: 1...9, using: &random)) },
        .send(weight: 3) { state, random in
          state.balance > 0 ? .withdraw(Int.random(in: 1...state.balance, using: &random)) : nil
        },
        .advance(by: .milliseconds(100), .seconds(1)),
      ],
      invariants: [Invariant("the balance is never negative") { $0.balance >= 0 }] + more,
      shrink: { action in
        switch action {
        case .deposit(let amount) where amount > 1: [.deposit(1), .deposit(amount - 1)]
        case .withdraw(let amount) where amount > 1: [.withdraw(1), .withdraw(amount - 1)]
        default: []
        }
      }
    ) { run in run.clock }
  }

  static let schema = LogSchema(
    program: "tests 1", feature: "account", name: "Account.Action", version: 1)

  @Test("a counterexample is found in sequences of 100 and shrunk to what is known to be minimal")
  func minimal() throws {
    let failures = Failures()
    let line = #line + 1
    let result = account(isSound: false).check(length: 100, report: failures.report)
    let found = try #require(result.counterexample)
    // One coin, promised twice, and time to pay out: no move of these can be left out.
    #expect(
      found.moves == [
        .send(.open), .send(.deposit(1)), .send(.withdraw(1)), .send(.withdraw(1)),
        .advance(.seconds(1)),
      ])
    #expect(found.isMinimal)
    #expect(found.foundIn > found.moves.count)
    #expect(failures.kinds == [.invariantBroken])
    #expect(failures.lines == [line])
    #expect(
      failures.messages == [
        """
        The invariant “the balance is never negative” does not hold.
        Seed \(found.seed) broke it within \(found.foundIn) moves; these 5 are enough:
          1. send open
          2. send deposit(1)
          3. send withdraw(1)
          4. send withdraw(1)
          5. advance the clock by 1.0 seconds
        Step 6, `paid(1)` of the effect “payout” of step 4, broke it (- before, + after):

          State(
        -   balance: 0,
        +   balance: -1,
            … (1 unchanged)
        -   payouts: 1
        +   payouts: 2
          )

        To run this seed alone: check(seeds: \(found.seed)...\(found.seed)), or SWIFTBOARD_SEED=\(found.seed) in the environment.
        """
      ])
    let again = account(isSound: false).check(
      seeds: found.seed...found.seed, report: Failures().report)
    #expect(again.counterexample?.moves == found.moves, "the same seed gives the same")
    #expect(again.counterexample?.description == found.description)
  }

  /// A switch that breaks when it is switched on, off and on again.
  struct Switch: Reducer {
    enum Action: Sendable, Equatable, CaseIterable { case on, off, look }
    struct State: Sendable, Equatable { var isOn = false; var flips = 0 }

    func reduce(_ state: inout State, _ action: Action, _ dependencies: Void) -> [Effect<Action>] {
      switch (action, state.isOn) {
      case (.on, false), (.off, true):
        state.isOn.toggle()
        state.flips += 1
      default: break
      }
      return []
    }
  }

  @Test("three actions out of a hundred, from the cases alone")
  func three() {
    let failures = Failures()
    let model = ModelTest(
      initialState: Switch.State(), reducer: Switch(), moves: [.anyCase()],
      invariants: [Invariant("it flips twice at most") { $0.flips < 3 }]
    ) { _ in }
    let result = model.check(report: failures.report)
    #expect(result.counterexample?.moves == [.send(.on), .send(.off), .send(.on)])
    #expect(failures.all.count == 1)
  }

  @Test("a sound feature holds in a thousand sequences of a hundred moves")
  func sound() {
    let result = account(isSound: true).check(seeds: 1...1000, length: 100, report: report)
    #expect(result.sequences == 1000)
    #expect(result.counterexample == nil)
    #expect(result.steps > 50_000, "\(result.steps) steps prove little")
  }

  @Test("another invariant that breaks on the way does not count while one is shrunk")
  func sameInvariant() throws {
    let model = ModelTest(
      initialState: Switch.State(), reducer: Switch(), moves: [.send(.look)],
      invariants: [
        Invariant("a") { $0.flips < 2 },
        Invariant("b", step: { before, action, _ in !(before.flips == 0 && action == .off) }),
      ]
    ) { _ in }
    #expect(model.check(report: report).counterexample == nil)
    let other = ModelTest(
      initialState: Switch.State(), reducer: Switch(),
      moves: [.send { state, _ in state.isOn ? .off : .on }],
      invariants: [
        Invariant("a") { $0.flips < 2 },
        Invariant("b", step: { before, action, _ in !(before.flips == 0 && action == .off) }),
      ]
    ) { _ in }
    let found = try #require(other.check(report: Failures().report).counterexample)
    #expect(found.invariant == "a")
    // Leaving out `on` would break b instead, and is no sequence that the generator makes.
    #expect(found.moves == [.send(.on), .send(.off)])
  }

  @Test("the minimal sequence is a recording that replays to the same steps")
  func recording() throws {
    let failures = Failures()
    let sink = BytesSink()
    let result = account(isSound: false).check(
      recording: .sink(schema: Self.schema) { sink }, report: failures.report)
    let found = try #require(result.counterexample)
    #expect(failures.messages.first?.contains("\n\nIt was recorded.\nTo run this seed") == true)

    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: Account(isSound: false), dependencies: TestClock(), journal: journal,
      schema: Self.schema)
    var states: [Account.State] = []
    var times: [Int64] = []
    let summary = try replayer.replay(RotatedLog(LogFile(bytes: sink.bytes))) {
      states.append($1)
      times.append($2)
    }
    #expect(summary.steps == 6)
    #expect(summary.digests == 6)
    #expect(summary.warnings == [])
    #expect(states.last == found.after)
    #expect(times == [0, 0, 0, 0, 1_000_000, 1_000_000])
    // The mended reducer does not go the recorded way.
    let mended = Replayer(
      reducer: Account(isSound: true), dependencies: TestClock(), journal: DrawJournal(),
      schema: Self.schema)
    #expect(throws: ReplayError.self) {
      try mended.replay(RotatedLog(LogFile(bytes: sink.bytes)))
    }
  }

  @Test("a recording in a file, beside those of earlier runs")
  func file() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/found.jsonl"
    for name in ["/found.jsonl", "/found-2.jsonl"] {
      let failures = Failures()
      account(isSound: false).check(
        recording: .file(path, schema: Self.schema), report: failures.report)
      #expect(
        failures.messages.first?.contains("\nThe recording of it: \(folder.path)\(name)\n") == true)
      let replayer = Replayer(
        reducer: Account(isSound: false), dependencies: TestClock(), journal: DrawJournal(),
        schema: Self.schema)
      #expect(try replayer.verify(path: folder.path + name).steps == 6)
    }
    let failures = Failures()
    account(isSound: false).check(
      recording: .file(folder.path + "/no/where.jsonl", schema: Self.schema),
      report: failures.report)
    #expect(failures.all.count == 1, "the counterexample is told although it was not recorded")
    #expect(
      failures.messages.first?.contains("\nIt could not be recorded: \(folder.path)/no/where")
        == true)
  }

  @Test("issues of the store count, unless they are allowed")
  func issues() throws {
    func model(allowsIssues: Bool) -> ModelTest<Search> {
      ModelTest(
        initialState: Search.State(), reducer: Search(), moves: [.send(.nothing, .fail)],
        invariants: [], allowsIssues: allowsIssues
      ) { run in Search.World(clock: run.clock) }
    }
    let found = try #require(
      model(allowsIssues: false).check(report: Failures().report).counterexample)
    #expect(found.invariant == "the store reports no issue")
    #expect(found.moves == [.send(.fail)])
    #expect(found.detail.contains("the disk is full"))
    #expect(model(allowsIssues: true).check(report: report).counterexample == nil)
  }

  /// A pile of at most three, which reports an issue where nothing is left to take or no room to
  /// put, and counts all that was asked of it.
  struct Pile: Reducer {
    enum Action: Sendable, Equatable { case put, take, save, saving }
    struct State: Sendable, Equatable { var items: [Int] = []; var asked = 0 }

    func reduce(_ state: inout State, _ action: Action, _ clock: TestClock) -> [Effect<Action>] {
      state.asked += 1
      switch action {
      case .put:
        guard state.items.count < 3 else { return [.issue("no room for item \(state.asked)")] }
        state.items.append(state.asked)
      case .take:
        guard state.items.popLast() != nil else {
          return [.issue("nothing to take, \(state.asked) times asked")]
        }
      case .save:
        return [
          .run(name: "save") { send in
            send(.saving)
            try await clock.sleep(for: .seconds(1))
            throw Broken()
          }
        ]
      case .saving: break
      }
      return []
    }
  }

  func pile(
    _ moves: [MoveGenerator<Pile.State, Pile.Action>],
    shrink: @escaping @Sendable (Pile.Action) -> [Pile.Action] = { _ in [] }
  ) -> ModelTest<Pile> {
    ModelTest(
      initialState: Pile.State(), reducer: Pile(), moves: moves, invariants: [], shrink: shrink
    ) { run in run.clock }
  }

  @Test("an issue is blamed on the step that raised it, not on the one before")
  func issueIsBlamedOnItsStep() throws {
    let failures = Failures()
    let found = try #require(
      pile([.send(.put)]).check(seeds: 7...7, report: failures.report).counterexample)
    #expect(found.moves == [.send(.put), .send(.put), .send(.put), .send(.put)])
    #expect(found.step?.number == 4)
    #expect(found.before == Pile.State(items: [1, 2, 3], asked: 3))
    #expect(found.after == Pile.State(items: [1, 2, 3], asked: 4))
    let message = failures.messages.first ?? ""
    #expect(message.contains("no room for item 4\nSeed 7 broke it within 4 moves"), "\(message)")
    #expect(message.contains("\nStep 4, `put`, broke it (- before, + after):"), "\(message)")
    #expect(message.hasSuffix("or SWIFTBOARD_SEED=7 in the environment."))

    let first = try #require(
      pile([.send(.take)]).check(seeds: 1...1, report: failures.report).counterexample)
    #expect(first.step?.number == 1, "no step before it is to blame")
    #expect(failures.messages.last?.contains("this one is enough:\n  1. send take\n") == true)
  }

  @Test("what an effect throws later is blamed on the step that returned the effect")
  func lateIssue() throws {
    let found = try #require(
      pile([.send { state, _ in state.asked < 4 ? .save : nil }, .advance(by: .seconds(1))])
        .check(report: Failures().report).counterexample)
    #expect(found.moves == [.send(.save), .advance(.seconds(1))])
    #expect(found.detail.contains("the disk is full"))
    #expect(found.step?.number == 1)
    #expect(found.step?.action == .save)
    #expect(found.before == Pile.State())
    #expect(found.after == Pile.State(asked: 1))
  }

  @Test("an issue is not shrunk into another one; the same one with other values is")
  func sameIssue() throws {
    let model = pile([.send(.put)]) { $0 == .put ? [.take] : [] }
    let found = try #require(model.check(report: Failures().report).counterexample)
    #expect(found.moves == Array(repeating: .send(.put), count: 4), "taking is another issue")
    #expect(found.detail.contains("no room for item 4"))

    // The text has another number in every sequence that is tried.
    let long = pile([.send(.put), .send { state, _ in state.items.isEmpty ? nil : .take }])
    let shorter = try #require(
      long.check(seeds: 3...30, report: Failures().report).counterexample)
    #expect(shorter.foundIn > 4)
    #expect(shorter.moves == Array(repeating: .send(.put), count: 4))
  }

  @Test(
    "generators are asked again where a move was left out: no sequence is one that they cannot make"
  )
  func redraw() throws {
    struct Bag: Reducer {
      enum Action: Sendable, Equatable { case add, remove(Int) }
      struct State: Sendable, Equatable { var items: [Int] = []; var last = 0; var removals = 0 }

      func reduce(_ state: inout State, _ action: Action, _ dependencies: Void) -> [Effect<Action>]
      {
        switch action {
        case .add:
          state.last += 1
          state.items.append(state.last)
        case .remove(let item):
          state.items.removeAll { $0 == item }
          state.removals += 1
        }
        return []
      }
    }
    let model = ModelTest(
      initialState: Bag.State(), reducer: Bag(),
      moves: [
        .send(.add),
        .send { state, random in state.items.randomElement(using: &random).map { .remove($0) } },
      ],
      invariants: [Invariant("two are removed at most") { $0.removals < 3 }]
    ) { _ in }
    let found = try #require(model.check(report: Failures().report).counterexample)
    #expect(found.moves.count == 6, "\(found.moves)")
    var items: Set<Int> = []
    var last = 0
    for case .send(let action) in found.moves {
      switch action {
      case .add:
        last += 1
        items.insert(last)
      case .remove(let item):
        #expect(items.remove(item) != nil, "\(item) is not there: \(found.moves)")
      }
    }
  }

  @Test("a first state that breaks an invariant")
  func first() {
    let failures = Failures()
    account(isSound: true, initial: Account.State(balance: -1)).check(report: failures.report)
    #expect(
      failures.messages == [
        """
        The invariant “the balance is never negative” does not hold.
        Seed 1 broke it before the first move.
        It is the first state that breaks it:
          State(balance: -1, isOpen: false, payouts: 0)

        To run this seed alone: check(seeds: 1...1), or SWIFTBOARD_SEED=1 in the environment.
        """
      ])
  }

  /// A count, to which a subscription of the first state adds 100.
  struct Subscribed: ComposedReducer {
    enum Action: Sendable, Equatable, Codable { case start, other }
    struct State: Sendable, Equatable, Codable { var number = 0 }
    typealias Dependencies = Void

    var body: some ReducerOf<Self> {
      Reduce<State, Action, Void> { state, action in
        state.number += action == .start ? 100 : 1
        return []
      }
      .subscribing { _, _ in [.send(.start).cancellable(id: 1)] }
    }

    static func model(_ invariant: Invariant<State, Action>) -> ModelTest<Subscribed> {
      ModelTest(
        initialState: State(), reducer: Subscribed(), moves: [.send(.other)],
        invariants: [invariant]
      ) { _ in }
    }
  }

  @Test("the steps of the first state's subscriptions are checked, and recorded")
  func initialSubscriptions() throws {
    let failures = Failures()
    let sink = BytesSink()
    let found = try #require(
      Subscribed.model(Invariant("nothing starts", step: { _, action, _ in action != .start }))
        .check(
          seeds: 1...1, length: 3, recording: .sink(schema: Self.schema) { sink },
          report: failures.report
        ).counterexample)
    #expect(found.moves == [])
    #expect(found.step?.number == 1)
    #expect(found.step?.action == .start)
    #expect(found.before.number == 0)
    #expect(found.after.number == 100)
    #expect(failures.messages.first?.contains("broke it before the first move.\nStep 1") == true)
    let replayer = Replayer(
      reducer: Subscribed(), dependencies: (), journal: DrawJournal(), schema: Self.schema)
    let summary = try replayer.replay(RotatedLog(LogFile(bytes: sink.bytes))) { _, _, _ in }
    #expect(summary.steps == 1)
  }

  @Test("a step after them is not blamed for what they did")
  func stepAfterInitialSubscriptions() {
    let found = Subscribed.model(
      Invariant("a move adds one", step: { $1 == .start || $2.number - $0.number == 1 })
    ).check(seeds: 1...1, length: 3, report: report).counterexample
    #expect(found == nil)
  }

  @Test("generators that have nothing to give, or no weight, are passed over")
  func generators() {
    let never = ModelTest(
      initialState: Switch.State(), reducer: Switch(),
      moves: [.send { _, _ in nil }, .send(weight: -1, .on), .send(anyOf: [])], invariants: []
    ) { _ in }
    let failures = Failures()
    let line = #line + 1
    #expect(never.check(seeds: 1...3, report: failures.report).steps == 0)
    #expect(failures.lines == [line])
    #expect(
      failures.messages == [
        "The model made no move in 3 sequences, so nothing was tested: "
          + "its generators gave none, their weights are 0, or the length is."
      ])
    let looks = ModelTest(
      initialState: Switch.State(), reducer: Switch(),
      moves: [
        .send(weight: .max) { _, _ in nil }, .send(weight: .max) { _, _ in nil }, .send(.look),
      ],
      invariants: [Invariant("it is only looked at", step: { _, action, _ in action == .look })]
    ) { _ in }
    #expect(looks.check(seeds: 1...3, length: 7, report: report).steps == 21)
  }

  @Test("shrinking stops at its limit, and says so")
  func limit() throws {
    let failures = Failures()
    let found = try #require(
      account(isSound: false).check(shrinkLimit: 3, report: failures.report).counterexample)
    #expect(!found.isMinimal)
    #expect(found.moves.count > 5)
    #expect(
      failures.messages.first?.contains("are enough (shrinking was stopped by its limit):") == true)
  }

  @Test("a seed may decide the order of ready tasks as well")
  func interleaving() throws {
    func model(interleaves: Bool) -> ModelTest<ExploreTests.Race> {
      ModelTest(
        initialState: "", reducer: ExploreTests.Race(), moves: [.send("start")],
        invariants: [Invariant("in order") { "abcabc".hasPrefix($0) }], interleaves: interleaves
      ) { _ in }
    }
    #expect(model(interleaves: false).check(length: 1, report: report).counterexample == nil)
    let found = try #require(
      model(interleaves: true).check(length: 1, report: Failures().report).counterexample)
    #expect(found.moves == [.send("start")])
  }

  @Test("mocks have chance of their own, the same in every run of a seed")
  func chance() {
    let draws = Mutex<[UInt64: Set<UInt64>]>([:])
    let model = ModelTest(
      initialState: Switch.State(), reducer: Switch(), moves: [.anyCase()],
      invariants: [Invariant("it flips twice at most") { $0.flips < 3 }]
    ) { run in
      var random = run.random
      _ = draws.withLock { $0[run.seed, default: []].insert(random.next()) }
    }
    model.check(seeds: 1...50, length: 3, report: Failures().report)
    let all = draws.withLock { $0 }
    #expect(all.count > 1)
    #expect(all.values.allSatisfy { $0.count == 1 })
    #expect(Set(all.values.flatMap { $0 }).count == all.count)
  }
}
