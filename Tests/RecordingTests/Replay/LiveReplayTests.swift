import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@testable import SwiftBoardRecording

struct LiveReplayTests {
  struct State: Codable, Sendable, Equatable {
    var items: [Int] = []
  }

  enum Action: Codable, Sendable, Equatable {
    case load(Int)
    case loaded(Int)
    case note
  }

  /// Loads, and answers with what `answer` makes of it; nil never answers.
  struct Loading: Reducer {
    var answer: @Sendable (Int) -> Int? = { $0 * 10 }
    /// Whether it notes each answer.
    var notes = true

    func reduce(
      _ state: inout State, _ action: Action, _: Void
    ) -> [Effect<Action>] {
      switch action {
      case .load(let number):
        let answer = answer
        return [
          .run(name: "load") { send in
            if let found = answer(number) { send(.loaded(found)) }
          }
        ]
      case .loaded(let item):
        state.items.append(item)
        return notes ? [.send(.note)] : []
      case .note: return []
      }
    }
  }

  private static let schema = LogSchema(program: "loader 1", feature: "f", name: "A", version: 1)

  /// - Parameter program: The name of a program that sends one more note.
  private func record(noting program: String? = nil) async throws -> LogFile {
    let sink = MemorySink()
    var info = Session.info
    info.schema = Self.schema
    let store = Store(initialState: State(), reducer: Loading(), dependencies: ())
    let recorder = try Recorder<State, Action>(
      sink: sink, info: info, state: State(), journal: nil, clock: { 0 })
    store.setHooks { _, _ in recorder.hooks }
    for number in 1...3 {
      await store.send(.load(number), origin: .user(line: "load \(number)", at: "a:1")).finish()
    }
    await store.send(.note, origin: .link("x://note")).finish()
    if let program { await store.send(.note, origin: .program(program)).finish() }
    recorder.stop()
    return LogFile(bytes: sink.bytes)
  }

  private static func log(_ steps: [RecordedStep<Action>]) throws -> LogFile {
    try recording(of: steps, from: State(), schema)
  }

  private func replay(_ reducer: Loading) async throws -> LiveReplay<Loading>.Report {
    let store = Store(initialState: State(), reducer: reducer, dependencies: ())
    return try await LiveReplay<Loading>(schema: Self.schema).run(try await record(), on: store)
  }

  @Test("what people did is sent and the rest follows") func whatPeopleDidIsSentAndTheRestFollows()
    async throws
  {
    let report = try await replay(Loading())
    #expect(report == .init(sent: 4, agreed: 10, difference: nil))
    #expect(report.difference == nil)
  }

  @Test("another action is the first difference") func anotherActionIsTheFirstDifference()
    async throws
  {
    let report = try await replay(Loading(answer: { $0 == 2 ? 21 : $0 * 10 }))
    let changes = StateDiff.changes(["loaded": ["_0": 20]], ["loaded": ["_0": 21]])
    #expect(
      report.difference
        == .other(
          step: 5, expected: ["loaded": ["_0": 20]], found: ["loaded": ["_0": 21]],
          changes: changes))
    #expect(
      report.difference?.description == """
        step 5: the action is not the recorded one
          loaded._0: expected 20, found 21
        """)
    #expect(report.sent == 2)
    #expect(report.agreed == 4)
    #expect(report.difference != nil)
  }

  @Test("what is ignored may differ") func whatIsIgnoredMayDiffer() async throws {
    let store = Store(
      initialState: State(), reducer: Loading(answer: { $0 * 10 + 1 }), dependencies: ())
    let ignoring = try JSONPathPattern(parsing: "loaded.*")
    let report = try await LiveReplay<Loading>(schema: Self.schema, ignoring: [ignoring])
      .run(try await record(), on: store)
    #expect(report == .init(sent: 4, agreed: 10, difference: nil))
  }

  @Test("an action that never comes is missing") func anActionThatNeverComesIsMissing() async throws
  {
    let report = try await replay(Loading(answer: { $0 == 3 ? nil : $0 * 10 }))
    #expect(report.difference == .missing(step: 8, expected: ["loaded": ["_0": 30]]))
    #expect(report.difference?.description.contains("nothing came") == true)
  }

  struct Stuck: Reducer {
    func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
      guard case .load = action else { return [] }
      return [.run { _ in for await _ in AsyncStream<Never>.makeStream().stream {} }]
    }
  }

  /// The time of the clock does not pass, so that the other patience has no end.
  @Test("an effect has the patience of its name")
  func patienceByEffect() async throws {
    let store = Store(initialState: State(), reducer: Stuck(), dependencies: ())
    let live = LiveReplay<Stuck>(schema: Self.schema)
    let report = try await live.run(
      try live.open(RotatedLog(try await record())), on: store, patienceByEffect: ["load": .zero],
      clock: TestClock())
    #expect(report.difference == .missing(step: 2, expected: ["loaded": ["_0": 10]]))
    await store.shutdown(deadline: .zero)
  }

  @Test("an effect that never ends is waited for only so long")
  func anEffectThatNeverEndsIsWaitedForOnlySoLong() async throws {
    let store = Store(initialState: State(), reducer: Stuck(), dependencies: ())
    let report = try await LiveReplay<Stuck>(schema: Self.schema).run(
      try await record(), on: store, clock: ImmediateClock())
    #expect(report.difference == .missing(step: 2, expected: ["loaded": ["_0": 10]]))
    await store.shutdown(deadline: .zero)
  }

  /// A program whose observer answers: no effect tells of it, the state does.
  @Test("what an observer sends is awaited where the state says so")
  func whatAnObserverSendsIsAwaitedWhereTheStateSaysSo() async throws {
    let counting = Reduce<State, Action, Void> { state, action, _ in
      switch action {
      case .load(let number): state.items = [number]
      case .loaded: state.items = []
      case .note: break
      }
      return []
    }
    func store() -> Store<Reduce<State, Action, Void>> {
      let store = Store(initialState: State(), reducer: counting, dependencies: ())
      store.observe { [weak store] step, _ in
        guard case .load(let number) = step.action else { return }
        // Much later than the end of what was sent.
        Task { store?.send(.loaded(number * 10), origin: .program("answer")) }
      }
      return store
    }
    let live = LiveReplay<Reduce<State, Action, Void>>(
      schema: Self.schema, isUnderWay: { !$0.items.isEmpty })
    let log = try Self.log([
      (.user(line: "load 1", at: "a:1"), .load(1), []),
      (.program("answer"), .loaded(10), []),
      (.program("answer"), .note, []),
    ])
    // No note follows the answer, which is found at once.
    let kept = store()
    let report = try await live.run(log, on: kept)
    #expect(
      report.difference == .missing(step: 3, expected: ["note": [:]], notSent: "answer"))
    #expect(report.agreed == 2)
  }

  /// What is not compared is not sent either, and whether a store reduces it makes no difference.
  @Test("what is not compared is passed over") func whatIsNotComparedIsPassedOver() async throws {
    let log = try await record()
    let quiet = LiveReplay<Loading>(
      schema: Self.schema, isCompared: { if case .note = $0 { false } else { true } })
    for reducer in [Loading(), Loading(notes: false)] {
      let store = Store(initialState: State(), reducer: reducer, dependencies: ())
      let report = try await quiet.run(log, on: store)
      #expect(report == .init(sent: 3, agreed: 6, difference: nil))
    }
    let all = try await replay(Loading(notes: false))
    #expect(all.difference == .missing(step: 3, expected: ["note": [:]]))
  }

  @Test("what a named program sent is sent as well")
  func whatANamedProgramSentIsSentAsWell() async throws {
    let log = try await record(noting: "watch")
    for (program, agreed) in [("watch", 11), ("other", 10)] {
      let store = Store(initialState: State(), reducer: Loading(), dependencies: ())
      let live = LiveReplay<Loading>(schema: Self.schema, sending: [program])
      let report = try await live.run(log, on: store)
      #expect(report.sent == 4 && report.agreed == agreed, "\(report)")
      #expect(report.difference?.step == (program == "watch" ? nil : 11))
    }
  }

  @Test(
    "the difference for a program whose actions are not sent says how to send them",
    arguments: [
      (
        "",
        "code that passed no origin to `send`, which is recorded as the program \"\"",
        "sending: [\"\"]"
      ),
      ("watch", "the program \"watch\"", "sending: [\"watch\"]"),
    ])
  func anUnsentProgramIsNamed(program: String, sender: String, advice: String) async throws {
    let log = try await record(noting: program)
    let store = Store(initialState: State(), reducer: Loading(), dependencies: ())
    let report = try await LiveReplay<Loading>(schema: Self.schema).run(log, on: store)
    #expect(report.difference == .missing(step: 11, expected: ["note": [:]], notSent: program))
    #expect(
      report.difference?.description == """
        step 11: expected the action {"note":{}}, and nothing came
          it was sent by \(sender); only actions of `.user` and `.link` are sent again: \
        pass `\(advice)`, or an origin when recording
        """)
    let sent = Store(initialState: State(), reducer: Loading(), dependencies: ())
    let complete = try await LiveReplay<Loading>(schema: Self.schema, sending: [program])
      .run(log, on: sent)
    #expect(complete.difference == nil)
  }

  @Test("a cancelled run ends") func aCancelledRunEnds() async throws {
    let log = try await record()
    let store = Store(
      initialState: State(),
      reducer: Reduce<State, Action, Void> { _, _, _ in
        [.run { _ in for await _ in AsyncStream<Never>.makeStream().stream {} }]
      }, dependencies: ())
    let (sent, continuation) = AsyncStream.makeStream(of: Void.self)
    store.observe { _, _ in continuation.yield() }
    let run = Task {
      await #expect(throws: ReplayError.self) {
        try await LiveReplay<Reduce<State, Action, Void>>(schema: Self.schema).run(log, on: store)
      }
    }
    for await _ in sent { break }
    run.cancel()
    let error = await run.value
    #expect(error?.kind == "cancelled")
    await store.shutdown(deadline: .zero)
  }

  @Test("the state to begin with comes from the log") func theStateToBeginWithComesFromTheLog()
    async throws
  {
    let live = LiveReplay<Loading>(schema: Self.schema)
    #expect(try live.open(RotatedLog(try await record())).initialState == State())
    let foreign = RotatedLog(LogFile(bytes: try Session.example()))
    #expect(throws: ReplayError.self) { try live.open(foreign) }
    #expect(throws: ReplayError.self) { try live.open(RotatedLog(LogFile(bytes: []))) }
  }

  @Test("logs of other programs and damage are refused")
  func logsOfOtherProgramsAndDamageAreRefused() async throws {
    let store = Store(initialState: State(), reducer: Loading(), dependencies: ())
    let live = LiveReplay<Loading>(schema: Self.schema)
    let foreign = LogFile(bytes: try Session.example())
    await #expect(throws: ReplayError.self) { try await live.run(foreign, on: store) }
    await #expect(throws: ReplayError.self) { try await live.run(LogFile(bytes: [1]), on: store) }
    #expect(store.stepCount == 0)
  }
}
