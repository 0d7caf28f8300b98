import SwiftBoardJSON
import SwiftBoardStore
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
        return [.send(.note)]
      case .note: return []
      }
    }
  }

  private static let schema = LogSchema(program: "loader 1", feature: "f", name: "A", version: 1)

  private func record() async throws -> LogFile {
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
    recorder.stop()
    return LogFile(bytes: sink.bytes)
  }

  private func replay(_ reducer: Loading) async throws -> LiveReplay<Loading>.Report {
    let store = Store(initialState: State(), reducer: reducer, dependencies: ())
    return try await LiveReplay<Loading>(schema: Self.schema).run(try await record(), on: store)
  }

  @Test func whatPeopleDidIsSentAndTheRestFollows() async throws {
    let report = try await replay(Loading())
    #expect(report == .init(sent: 4, agreed: 10, difference: nil))
    #expect(report.exitCode == 0)
  }

  @Test func anotherActionIsTheFirstDifference() async throws {
    let report = try await replay(Loading(answer: { $0 == 2 ? 21 : $0 * 10 }))
    #expect(
      report.difference
        == .other(step: 5, expected: ["loaded": ["_0": 20]], found: ["loaded": ["_0": 21]]))
    #expect(report.sent == 2)
    #expect(report.agreed == 4)
    #expect(report.exitCode == 1)
  }

  @Test func anActionThatNeverComesIsMissing() async throws {
    let report = try await replay(Loading(answer: { $0 == 3 ? nil : $0 * 10 }))
    #expect(report.difference == .missing(step: 8, expected: ["loaded": ["_0": 30]]))
    #expect(report.difference?.description.contains("nothing came") == true)
  }

  @Test func anEffectThatNeverEndsIsWaitedForOnlySoLong() async throws {
    struct Stuck: Reducer {
      func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
        guard case .load = action else { return [] }
        return [.run { _ in try await ContinuousClock().sleep(for: .seconds(3600)) }]
      }
    }
    let store = Store(initialState: State(), reducer: Stuck(), dependencies: ())
    let report = try await LiveReplay<Stuck>(schema: Self.schema).run(
      try await record(), on: store, clock: Immediate())
    #expect(report.difference == .missing(step: 2, expected: ["loaded": ["_0": 10]]))
    await store.shutdown(deadline: .zero)
  }

  @Test func logsOfOtherProgramsAndDamageAreRefused() async throws {
    let store = Store(initialState: State(), reducer: Loading(), dependencies: ())
    let live = LiveReplay<Loading>(schema: Self.schema)
    let foreign = LogFile(bytes: try Session.example())
    await #expect(throws: ReplayError.self) { try await live.run(foreign, on: store) }
    await #expect(throws: ReplayError.self) { try await live.run(LogFile(bytes: [1]), on: store) }
    #expect(store.stepCount == 0)
  }

  /// Sleeps for no time at all.
  private struct Immediate: Clock {
    typealias Duration = Swift.Duration
    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
  }
}
