import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardFeatures

@Suite("log")
struct LogFeatureTests {
  let world = World()

  @Test("notes are counted and can be looked at, by level and text")
  func notes() throws {
    let printed = try run(
      ["log note before the update", "log note after", "log tail --grep update", "log stats"],
      in: world, settings: .output(.plain))
    #expect(printed.map(\.status) == [0, 0, 0, 0])
    #expect(
      printed[2].output == "2026-01-01T00:00:00.000000Z\tnotice\tnote\tbefore the update\t\n")
    #expect(printed[3].output.contains("notice\t2\n"))
  }

  @Test("a note that the log would cut is refused with the limit")
  func longNote() throws {
    let note = String(repeating: "x", count: 16 << 10)
    _ = try action("log note \(note)")
    let error = #expect(throws: UsageError.self) { try action("log note \(note) y") }
    #expect(error?.message == "a note of 16386 bytes is too long: the log would cut it")
    #expect(error?.help == "16384 bytes (16 KiB) are the most")
  }

  @Test("log clear removes the records in the database too")
  func clear() async throws {
    let record = LogRecord(time: 0, level: .error, category: "c", message: "m", fields: [])
    try await world.persistence.appendLogRecords([record])
    world.logger.log("x", level: .error, category: "c")
    let printed = try run(["log clear", "log tail", "db stats"], in: world)
    #expect(printed.map(\.status) == [0, 0, 0])
    #expect(printed[0].errors == "log cleared\n")
    #expect(try await world.persistence.logRecords(limit: 9, atLeast: nil) == [])
    // If the database cannot be changed, the rest stays as it is.
    world.logger.log("y", level: .error, category: "c")
    world.persistence.failNext("clearLogRecords", with: .busy)
    #expect(try run("log clear", in: world).status == 74)
    #expect(world.logger.recent(limit: 9).map(\.message) == ["y"])
  }

  @Test(
    "a database that stays as it is keeps nothing else from being removed, which may make room",
    arguments: [PersistenceError.Kind.cannotOpen, .readOnly, .full])
  func clearElsewhere(kind: PersistenceError.Kind) throws {
    world.logger.log("y", level: .error, category: "c")
    world.persistence.failNext("clearLogRecords", with: kind)
    let printed = try run("log clear", in: world)
    #expect(printed.status == 74, "\(printed.errors)")
    #expect(printed.errors.contains("; the records outside it were removed"), "\(printed.errors)")
    #expect(world.logger.recent(limit: 9) == [])
  }

  @Test("log tail of a negative number shows nothing")
  func negativeLimit() throws {
    let store = world.looseStore()
    var query = LogQuery()
    query.limit = -1
    world.logger.log("x", level: .error, category: "c")
    store.send(.log(.run(context: context("log tail", "log.tail"), command: .tail(query: query))))
    store.receive(
      .log(.succeeded(job: 1, result: .records(records: []), counts: counts(["error": 1]))))
  }

  /// The numbers of records by level.
  private func counts(_ counts: [String: Int] = [:]) -> [String: Int] {
    MockLogger().statistics().counts.merging(counts) { $1 }
  }

  @Test("the state has the last list and the counts as of the last command")
  func listing() throws {
    let store = world.looseStore()
    for number in 0..<300 { world.logger.log("\(number)", level: .info, category: "c") }
    store.send(try action("log tail -n 290"))
    store.skipReceivedActions()
    #expect(store.state.log.query?.shown == 290 && store.state.log.query?.isComplete == true)
    #expect(store.state.log.counts == counts(["info": 300]))
    store.send(try action("log note x", job: 2))
    store.skipReceivedActions()
    #expect(store.state.log.counts == counts(["info": 300, "notice": 1]))
    #expect(store.state.shell.running.isEmpty)
  }

  @Test("a list that follows waits on the clock, and ends when it is cancelled")
  func follow() throws {
    let store = world.looseStore()
    store.send(try action("log tail -f"))
    world.logger.log("later", level: .info, category: "c")
    #expect(store.received.isEmpty)
    store.advance(by: .milliseconds(200))
    store.receive { action in
      guard case .listed(job: 1, let records, end: nil)? = action.action(of: BoardFeatures.log)
      else { return false }
      return records.map(\.message) == ["later"]
    }
    #expect(store.state.log.query?.shown == 1 && store.state.log.query?.isComplete == false)
    store.send(.shell(.cancelled(job: 1)))
    store.finish()
  }

  @Test("the level is part of the state where it is for all")
  func level() throws {
    let store = world.looseStore()
    store.send(try action("log level error"))
    let level = LogResult.level(level: .error, category: nil)
    store.receive(.log(.succeeded(job: 1, result: level, counts: counts()))) {
      $0.log.level = .error
      $0.log.counts = self.counts()
    }
    store.send(try action("log level api trace", job: 2))
    let trace = LogResult.level(level: .trace, category: "api")
    store.receive(.log(.succeeded(job: 2, result: trace, counts: counts()))) {
      $0.log.level = .error
      $0.log.levels = ["api": .trace]
    }
    #expect(world.logger.level(category: nil) == .error)
    #expect(world.logger.level(category: "api") == .trace)
  }

  @Test("export does not write over a file")
  func export() throws {
    let printed = try run(["log note x", "log export a.jsonl", "log export a.jsonl"], in: world)
    #expect(printed.map(\.status) == [0, 0, 73])
    let text = String(decoding: world.files.files["a.jsonl"] ?? Data(), as: UTF8.self)
    #expect(
      text.hasPrefix(#"{"time":"2026-01-01T00:00:00.000000Z","level":"notice","category":"note""#))
  }

  @Test("'-' is no file to export to")
  func dash() throws {
    let error = #expect(throws: UsageError.self) { try action("log export -") }
    #expect(error?.message == "'log export' takes the name of a file, not '-'")
    #expect(error?.help == "'./-' is a file of that name; standard output is /dev/stdout")
    #expect(throws: UsageError.self) { try action("keychain export -") }
    _ = try action("log export ./-")
  }

  @Test("a record of an export is one line, whatever its message has")
  func exportedSeparators() throws {
    world.logger.log("a\u{2028}b\u{85}c")
    #expect(try run("log export b.jsonl", in: world).status == 0)
    let text = String(decoding: world.files.files["b.jsonl"] ?? Data(), as: UTF8.self)
    #expect(text.contains(#""message":"a\u2028b\u0085c""#), "\(text)")
  }

  @Test("redact test shows what a sink would write")
  func redactTest() throws {
    let printed = try run("log redact test 'Authorization: Bearer abcdef'")
    #expect(printed.output == "Authorization: «redacted»\n")
  }
}

/// The reducer alone, with `Dependencies.mock`.
@Suite("log, its reducer")
struct LogReducerTests {
  typealias Log = AnyReducer<LogState, LogAction, Dependencies>

  /// What happens to the last list; docs/features.md has the same as a table.
  enum Event: Hashable { case tail, listed, succeeded }
  enum Stage: Hashable { case none, listing, complete }

  static let transitions = TransitionTable<Stage, Event> {
    From(.none, .listing, .complete).on(.tail).to(.listing)
    From(.listing).on(.listed).to(.listing, .complete)
    From(.listing).on(.succeeded).to(.complete)
    From(.complete).on(.succeeded).stays
  }

  private static func monitor() -> TransitionMonitor<LogState, LogAction, Stage, Event> {
    TransitionMonitor(transitions) { state in
      state.query.map { $0.isComplete ? .complete : .listing } ?? .none
    } action: { action in
      switch action {
      case .run(_, .tail): .tail
      case .listed: .listed
      case .succeeded(_, .records, _), .succeeded(_, .listed, _): .succeeded
      default: nil
      }
    }
  }

  private let logger = MockLogger()

  private func store() -> TestStore<Log> {
    var dependencies = Dependencies.mock
    dependencies.logger = logger
    return TestStore(
      initialState: LogState(), reducer: BoardFeatures.log.reducer, dependencies: dependencies,
      report: report)
  }

  private func tail(_ job: Int, limit: Int) -> LogAction {
    var query = LogQuery()
    query.limit = limit
    return .run(context: context("log tail", "log.tail", job: job), command: .tail(query: query))
  }

  @Test("a list is one action, or several of 256 records, and the next list takes its place")
  func lists() {
    let (store, monitor) = (store(), Self.monitor())
    store.watch(monitor)
    for number in 0..<300 { logger.log("\(number)", level: .info, category: "c") }
    let counts = logger.statistics().counts
    store.nonExhaustively { store in
      store.send(tail(1, limit: 2))
      #expect(store.state.query?.isComplete == false)
      store.receive(where: {
        guard case .succeeded(job: 1, .records(let records, nil), let found) = $0 else {
          return false
        }
        return records.map(\.message) == ["298", "299"] && found == counts
      })
      #expect(store.state.query?.shown == 2 && store.state.query?.isComplete == true)
      store.send(tail(2, limit: 300))
      // The end has its own action, since it is not known before whether there are more.
      for count in [256, 44, 0] {
        store.receive(where: {
          guard case .listed(job: 2, let records, let end) = $0 else { return false }
          return records.count == count && (end != nil) == (count == 0)
        })
      }
      store.receive(.succeeded(job: 2, result: .listed(count: 300), counts: counts))
      #expect(store.state.query?.shown == 300)
      store.send(tail(3, limit: 1))
      store.skipReceivedActions()
    }
    store.finish()
    // A list that has not ended when the next one begins adds nothing to that one.
    var state = LogState()
    let dependencies = Dependencies.mock
    _ = LogReducer().reduce(&state, tail(4, limit: 300), dependencies)
    let before = state
    _ = LogReducer().reduce(&state, tail(5, limit: 1), dependencies)
    let impossible = monitor.check(from: before, tail(5, limit: 1), to: state)
    #expect(impossible == nil && state.query?.job == 5)
    _ = LogReducer().reduce(&state, .listed(job: 4, records: []), dependencies)
    #expect(state.query?.job == 5 && state.query?.shown == 0)
    monitor.checkCoverage(report: report)
  }

  @Test("the level is asked for when the state is looked at, and is known afterwards")
  func bootstrap() {
    logger.setLevel(.error, category: nil)
    let store = store()
    store.send(.bootstrap)
    store.receive(.bootstrapped(level: .error)) { $0.level = .error }
    store.finish()
    #expect(BoardFeatures.log.bootstrap(store.state) == nil)
  }

  @Test("a failure ends the command")
  func failure() {
    let store = store()
    store.nonExhaustively { store in
      let line = context("log export a", "log.export")
      store.send(.run(context: line, command: .export(path: "a")))
      store.skipReceivedActions()
      // The file is there now.
      store.send(.run(context: line, command: .export(path: "a")))
      store.receive(where: { if case .failed(job: 1, _) = $0 { true } else { false } })
    }
    store.finish()
  }
}
