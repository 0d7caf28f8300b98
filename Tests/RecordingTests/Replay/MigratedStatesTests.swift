import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@testable import SwiftBoardRecording

/// States of a log whose migration adds a property that the reducer changes. They are those that
/// the reducer derives from the first state, wherever a reader begins.
struct MigratedStatesTests {
  /// Version 1.
  struct Old: Reducer {
    struct State: Codable, Sendable, Equatable { var sum = 0 }
    enum Action: Codable, Sendable { case add(Int) }

    func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
      if case .add(let number) = action { state.sum += number }
      return state.sum.isMultiple(of: 10) ? [.run(name: "ten") { _ in }] : []
    }
  }

  /// Version 2 counts the actions.
  struct New: Reducer {
    struct State: Codable, Sendable, Equatable {
      var sum = 0
      var count = 0
    }
    enum Action: Codable, Sendable { case plus(Int) }

    func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
      if case .plus(let number) = action { state.sum += number }
      state.count += 1
      return state.count.isMultiple(of: 10) ? [.run(name: "ten") { _ in }] : []
    }
  }

  /// Version 2 without effects, which depend on the first count.
  struct Quiet: Reducer {
    func reduce(
      _ state: inout New.State, _ action: New.Action, _: Void
    ) -> [Effect<New.Action>] {
      _ = New().reduce(&state, action, ())
      return []
    }
  }

  private static let migration = LogMigration(
    from: 1, editAction: { $0.rename("add", to: "plus") }, editState: { $0["count"] = 0 })

  private static func schema(_ version: Int) -> LogSchema {
    LogSchema(program: "p \(version).0", feature: "f", name: "A", version: version)
  }

  private static var replayer: Replayer<New> {
    Replayer(
      reducer: New(), dependencies: (), journal: DrawJournal(), schema: schema(2),
      migrations: [migration])
  }

  /// Records steps by version 1.
  private static func record(
    _ steps: Int, to path: String, _ options: RecordingOptions
  ) async throws {
    var info = Session.info
    info.schema = schema(1)
    let store = Store(initialState: Old.State(), reducer: Old())
    let recorder = try store.record(to: path, info: info, options: options, journal: nil)
    for step in 1...steps {
      await store.send(.add(1), origin: .user(line: "add", at: "a:\(step)")).finish()
    }
    recorder.stop(state: store.state)
    try #require(recorder.failure == nil)
  }

  private static func states(_ range: ClosedRange<Int>) -> [New.State] {
    range.map { New.State(sum: $0, count: $0) }
  }

  @Test("replay, live replay, travel and forks agree", arguments: 1...20)
  func agree(seed: UInt64) async throws {
    try await withFolder { folder in
      var random = SeededRandom(seed: seed)
      let steps = Int.random(in: 1...200, using: &random)
      let options = RecordingOptions(
        digestEvery: [1, 7, 1000].randomElement(using: &random) ?? 1,
        snapshotEvery: [nil, 1, 4, 33].randomElement(using: &random) ?? nil,
        rotation: [nil, .init(size: 1), .init(size: 3000)].randomElement(using: &random) ?? nil)
      try await Self.record(steps, to: folder + "/a", options)
      let log = try RotatedLog(path: folder + "/a")
      let states = Self.states(0...steps)

      var replayed = [states[0]]
      let summary = try Self.replayer.replay(log) { _, state, _ in replayed.append(state) }
      #expect(replayed == states)
      #expect(summary.steps == steps)
      #expect(summary.digests == 0)
      #expect(summary.warnings.contains(.digestsNotCompared))
      let until = Int.random(in: 0...steps, using: &random)
      #expect(try Self.replayer.replay(log, until: until).steps == until)

      var limits = LogNavigator<New>.Options()
      limits.snapshots = Int.random(in: 2...64, using: &random)
      let navigator = try LogNavigator(log, replayer: Self.replayer, options: limits)
      #expect(navigator.divergence == nil)
      #expect(navigator.stepCount == steps)
      for n in (0...steps).shuffled(using: &random) + Array(0...steps) {
        #expect(try navigator.state(at: n) == states[n])
      }
      #expect(try navigator.bisect { $0.count >= steps }.step == steps)
      #expect(try navigator.bisect(.linear) { $0.count >= steps }.step == steps)
      let fork = try navigator.fork(at: until, to: folder + "/fork")
      #expect(fork.state == states[until])

      let live = LiveReplay<New>(schema: Self.schema(2), migrations: [Self.migration])
      let store = Store(initialState: try live.open(log).initialState, reducer: New())
      let report = try await live.run(log, on: store)
      #expect(report.difference == nil)
      #expect(store.state == states[steps])
    }
  }

  @Test("without the oldest files, states begin with the migrated header of the first one left")
  func oldestFilesRemoved() async throws {
    try await withFolder { folder in
      try await Self.record(
        100, to: folder + "/a", RecordingOptions(rotation: .init(size: 3000, keep: 2)))
      let log = try RotatedLog(path: folder + "/a")
      let (first, last) = (log.firstStep, 100)
      try #require(first > 0 && log.segments.count > 1)
      let replayer = Replayer(
        reducer: Quiet(), dependencies: (), journal: DrawJournal(), schema: Self.schema(2),
        migrations: [Self.migration, LogMigration(from: 1, editEffects: { $1 = [] })])
      let navigator = try LogNavigator(log, replayer: replayer)
      for n in first...last {
        #expect(try navigator.state(at: n) == New.State(sum: n, count: n - first))
      }
    }
  }

  @Test("states of other actions, whose form is the same, are not taken from later files either")
  func otherStates() async throws {
    /// Version 2 adds twice.
    struct Twice: Reducer {
      func reduce(
        _ state: inout Old.State, _ action: Old.Action, _: Void
      ) -> [Effect<Old.Action>] {
        if case .add(let number) = action { state.sum += 2 * number }
        return []
      }
    }
    try await withFolder { folder in
      try await Self.record(
        100, to: folder + "/a", RecordingOptions(snapshotEvery: 4, rotation: .init(size: 3000)))
      let log = try RotatedLog(path: folder + "/a")
      let replayer = Replayer(
        reducer: Twice(), dependencies: (), journal: DrawJournal(), schema: Self.schema(2),
        migrations: [LogMigration(from: 1, editEffects: { $1 = [] }, changesState: { _ in true })])
      var sums: [Int] = []
      let summary = try replayer.replay(log) { _, state, _ in sums.append(state.sum) }
      #expect(summary.digests == 0)
      #expect(sums == (1...100).map { 2 * $0 })
      let navigator = try LogNavigator(log, replayer: replayer)
      for n in 0...100 { #expect(try navigator.state(at: n).sum == 2 * n) }
    }
  }
}
