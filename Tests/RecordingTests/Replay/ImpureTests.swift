import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardSystem
import Synchronization
import Testing

/// A feature that does what a reducer must not do, and how a replay finds it.
struct ImpureTests {
  struct State: Codable, Sendable {
    var count = 0
    var notes = Notes()

    struct Notes: Codable, Sendable {
      var time = 0
      var names: [String] = []
      var serial = 0
    }
  }

  enum Action: Codable, Sendable {
    case pure
    /// Reads a clock that is not drawn through the journal.
    case time
    /// Lets the order of a dictionary into the state.
    case order
    /// Counts in a variable outside the state.
    case serial
  }

  struct Impure: Reducer {
    /// What a global would be; it lives as long as the process does.
    static let calls = Atomic<Int>(0)

    func reduce(
      _ state: inout State, _ action: Action, _ journal: DrawJournal
    ) -> [Effect<Action>] {
      switch action {
      case .pure: state.count += 1
      case .time:
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        state.notes.time = now.tv_sec * 1_000_000_000 + now.tv_nsec
      case .order:
        let rows = Dictionary(uniqueKeysWithValues: (0..<24).map { ("name\($0)", $0) })
        state.notes.names = Array(rows.keys)
      case .serial: state.notes.serial = Impure.calls.add(1, ordering: .relaxed).newValue
      }
      return []
    }
  }

  static let schema = LogSchema(program: "impure 1", feature: "f", name: "Action", version: 1)

  static func record(_ actions: [Action]) throws -> [UInt8] {
    let sink = MemorySink()
    var info = Session.info
    info.schema = schema
    let journal = DrawJournal()
    let store = Store(initialState: State(), reducer: Impure(), dependencies: journal)
    let recorder = try Recorder<State, Action>(
      sink: sink, info: info, state: State(), options: .init(snapshotEvery: 2), journal: journal,
      clock: { 0 })
    store.setHooks { _, _ in recorder.hooks }
    for action in actions { store.send(action) }
    recorder.stop()
    return sink.bytes
  }

  private func divergence(_ file: LogFile) throws -> Divergence {
    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: Impure(), dependencies: journal, journal: journal, schema: Self.schema)
    do throws(ReplayError) {
      _ = try replayer.replay(RotatedLog(file))
    } catch {
      guard case .diverged(let divergence) = error else { throw error }
      #expect(error.kind == "diverged")
      return divergence
    }
    Issue.record("nothing was found")
    throw CancellationError()
  }

  private func paths(_ divergence: Divergence) -> [String] {
    guard case .digest(_, _, let changes, _)? = divergence.differences.first else { return [] }
    return changes.map(\.path)
  }

  @Test("an ambient clock is caught") func anAmbientClockIsCaught() throws {
    let log = try Self.record([.pure, .pure, .pure, .time, .pure])
    let found = try divergence(LogFile(bytes: log))
    #expect(found.step == 4)
    #expect(found.line == 6)
    #expect(found.action == ["time": [:]])
    #expect(paths(found) == ["notes.time"])
    #expect(found.description.contains("notes.time"))
  }

  @Test("a counter outside the state is caught") func aCounterOutsideTheStateIsCaught() throws {
    let log = try Self.record([.pure, .serial, .pure])
    let found = try divergence(LogFile(bytes: log))
    #expect(found.step == 2)
    #expect(paths(found) == ["notes.serial"])
  }

  /// Within a process the order is the same again, so this log comes from another one.
  @Test(
    "the order of a dictionary is caught",
    .enabled(if: getenv("SWIFT_DETERMINISTIC_HASHING") == nil))
  func theOrderOfADictionaryIsCaught() throws {
    let found = try divergence(LogFile(path: Logs.path("impure-order.actions.jsonl")))
    #expect(found.step == 2)
    #expect(found.action == ["order": [:]])
    #expect(paths(found).allSatisfy { $0.hasPrefix("notes.names[") })
    #expect(!paths(found).isEmpty)
  }

  @Test("what is pure agrees") func whatIsPureAgrees() throws {
    let log = try Self.record([.pure, .pure, .pure])
    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: Impure(), dependencies: journal, journal: journal, schema: Self.schema)
    #expect(
      try replayer.replay(RotatedLog(LogFile(bytes: log))).steps == 3)
  }
}
