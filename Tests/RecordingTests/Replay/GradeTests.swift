import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import Synchronization
import Testing

/// A log of one version of a program, read by others.
struct GradeTests {
  struct State: Codable, Sendable {
    var total = 0
  }

  struct WiderState: Codable, Sendable {
    var total = 0
    var name = "new"

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      total = try container.decode(Int.self, forKey: .total)
      name = try container.decodeIfPresent(String.self, forKey: .name) ?? "new"
    }
  }

  /// Version 1.
  struct Add: Codable, Sendable {
    var by: Int
    var note: String
  }

  /// Forgets `note`, knows `times`.
  struct Later: Codable, Sendable {
    var by: Int
    var times: Int

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      by = try container.decode(Int.self, forKey: .by)
      times = try container.decodeIfPresent(Int.self, forKey: .times) ?? 1
    }
  }

  /// Wants another type.
  struct Strange: Codable, Sendable {
    var by: [Int]
  }

  struct Reduce<S: Codable & Sendable, A: Codable & Sendable>: Reducer {
    let apply: @Sendable (inout S, A) -> Void
    func reduce(_ state: inout S, _ action: A, _: DrawJournal) -> [Effect<A>] {
      apply(&state, action)
      return []
    }
  }

  private static func schema(
    _ version: Int, program: String = "p 1", feature: String = "f", name: String = "A"
  ) -> LogSchema {
    LogSchema(program: program, feature: feature, name: name, version: version)
  }

  private static func log(_ schema: LogSchema = schema(1)) throws -> [UInt8] {
    let sink = MemorySink()
    var info = Session.info
    info.schema = schema
    var state = State()
    let recorder = try Recorder<State, Add>(
      sink: sink, info: info, state: state, journal: nil, clock: { 0 })
    for number in 1...2 {
      state.total += number
      recorder.hooks.didReduce?(
        Step(
          number: number, origin: .program("t"), action: Add(by: number, note: "n"), effects: []),
        state)
    }
    recorder.stop()
    return sink.bytes
  }

  private func replay<S: Codable & Sendable, A: Codable & Sendable>(
    _ bytes: [UInt8], _ schema: LogSchema, acceptRisk: Bool = false,
    migrations: [LogMigration] = [], _ apply: @escaping @Sendable (inout S, A) -> Void
  ) throws(ReplayError) -> ReplaySummary {
    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: Reduce(apply: apply), dependencies: journal, journal: journal, schema: schema,
      migrations: migrations)
    return try replayer.replay(
      RotatedLog(LogFile(bytes: bytes)), acceptRisk: acceptRisk)
  }

  private static let same: @Sendable (inout State, Add) -> Void = { $0.total += $1.by }
  private static let later: @Sendable (inout State, Later) -> Void = { $0.total += $1.by }

  @Test("the same types are fine in any version") func theSameTypesAreFineInAnyVersion() throws {
    let log = try Self.log()
    #expect(try replay(log, Self.schema(1), Self.same).grade == .fine)
    #expect(try replay(log, Self.schema(4), Self.same).grade == .fine)
    #expect(try replay(log, Self.schema(1, program: "p 2.0"), Self.same).grade == .fine)
  }

  @Test(
    "other schemas are refused",
    arguments: [
      schema(1, program: "q 1"), schema(1, feature: "g"), schema(1, name: "B"),
    ])
  func otherSchemasAreRefused(schema: LogSchema) throws {
    let log = try Self.log()
    do {
      _ = try replay(log, schema, Self.same)
      Issue.record("it was replayed")
    } catch {
      #expect(error.kind == "foreign")
      #expect(error.description.contains("another program"))
    }
  }

  @Test("dropped and defaulted paths are a risk") func droppedAndDefaultedPathsAreARisk() throws {
    let log = try Self.log()
    do {
      _ = try replay(log, Self.schema(2), Self.later)
      Issue.record("the risk was taken")
    } catch {
      #expect(error.kind == "risky")
      guard case .risky(.risky(let risks, more: 0)) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(risks.map(\.line) == [2, 3])
      #expect(
        risks[0].changes == [
          StateDiff.Change(path: "note", old: "n", new: nil),
          StateDiff.Change(path: "times", old: nil, new: 1),
        ])
      #expect(error.description.contains("note is dropped"))
      #expect(error.description.contains("times is filled in with 1"))
    }
    let summary = try replay(log, Self.schema(2), acceptRisk: true, Self.later)
    #expect(summary.steps == 2)
    #expect(summary.digests == 2)
  }

  /// `note` got another name, without a new version: it decodes, without the note.
  struct Renamed: Codable, Sendable {
    var by: Int
    var remark: String?
  }

  @Test("a renamed optional of the program's own version is a risk", arguments: [false, true])
  func aRenamedOptionalOfTheProgramsOwnVersionIsARisk(isVerified: Bool) throws {
    let log = try Self.log()
    let apply: @Sendable (inout State, Renamed) -> Void = { $0.total += $1.by }
    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: Reduce(apply: apply), dependencies: journal, journal: journal,
      schema: Self.schema(1))
    func run(acceptRisk: Bool) throws -> ReplaySummary {
      if !isVerified { return try replay(log, Self.schema(1), acceptRisk: acceptRisk, apply) }
      return try replayer.verify(
        LogFile(bytes: log), acceptRisk: acceptRisk)
    }
    let error = #expect(throws: ReplayError.self) { try run(acceptRisk: false) }
    #expect(error?.kind == "risky")
    guard case .risky(.risky(let risks, more: 0))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(risks.map(\.step) == [1, 2])
    #expect(risks[1].changes == [StateDiff.Change(path: "note", old: "n", new: nil)])
    let summary = try run(acceptRisk: true)
    #expect(summary.steps == 2)
    #expect(summary.digests == 2)
    #expect(summary.grade != .fine)
  }

  @Test("a state of another form is not compared by digest")
  func aStateOfAnotherFormIsNotComparedByDigest() throws {
    let log = try Self.log()
    let apply: @Sendable (inout WiderState, Add) -> Void = { $0.total += $1.by }
    do {
      _ = try replay(log, Self.schema(2), apply)
      Issue.record("the risk was taken")
    } catch {
      guard case .risky(.risky(let risks, _)) = error else { throw error }
      #expect(risks.map(\.step) == [0])
      #expect(risks[0].changes == [StateDiff.Change(path: "name", old: nil, new: "new")])
    }
    let summary = try replay(log, Self.schema(2), acceptRisk: true, apply)
    #expect(summary.digests == 0)
    #expect(summary.warnings == [.digestsNotCompared])
  }

  @Test("a line that does not decode is impossible") func aLineThatDoesNotDecodeIsImpossible()
    throws
  {
    let log = try Self.log()
    let ran = Box(0)
    let apply: @Sendable (inout State, Strange) -> Void = { _, _ in
      ran.value.withLock { $0 += 1 }
    }
    do {
      _ = try replay(log, Self.schema(2), acceptRisk: true, apply)
      Issue.record("it was replayed")
    } catch {
      #expect(error.kind == "impossible")
      guard case .impossible(let obstacle) = error else { throw error }
      #expect(obstacle.line == 2)
      #expect(obstacle.step == 1)
      #expect(obstacle.reason.contains("by"))
      #expect(!obstacle.reason.contains("DecodingError"), "\(obstacle.reason)")
    }
    #expect(ran.now == 0)
  }

  @Test("migrations come before the grade") func migrationsComeBeforeTheGrade() throws {
    let log = try Self.log()
    @Sendable func change(_ action: JSON, _ body: (inout [JSON.Member]) -> Void) -> JSON {
      guard case .object(var members) = action else { return action }
      body(&members)
      return .object(members)
    }
    let migrations = [
      LogMigration(
        from: 2, action: { action in change(action) { $0.append(JSON.Member("times", 1)) } }),
      LogMigration(
        from: 1, action: { action in change(action) { $0.removeAll { $0.key == "note" } } }),
      LogMigration(
        from: 3,
        action: { _ in
          Issue.record("not on the way")
          return .null
        }),
    ]
    let summary = try replay(log, Self.schema(3), migrations: migrations, Self.later)
    #expect(summary.grade == .fine)
    #expect(summary.digests == 2)
  }

  @Test("digests are compared up to the first action that leads to another state")
  func digestsUpToAChangedState() throws {
    let log = try Self.log()
    @Sendable func isSecond(_ action: JSON) -> Bool { action["by"] == 2 }
    for (changes, digests) in [(false, 2), (true, 1)] {
      let migrations = [
        LogMigration(from: 1, changesState: { changes && isSecond($0) }), LogMigration(from: 2),
      ]
      let summary = try replay(log, Self.schema(3), migrations: migrations) {
        (state: inout State, add: Add) in
        state.total += add.by
        // The program counts the second action differently than the one that recorded.
        if changes, add.by == 2 { state.total += 1 }
      }
      #expect(summary.grade == .fine && summary.steps == 2)
      #expect(summary.digests == digests)
    }
  }

  @Test("a part counts its versions by itself") func aPartCountsItsVersionsByItself() throws {
    var schema = Self.schema(5)
    schema.parts = ["tea": 2, "\"odd\"": 7]
    let log = try Self.log(schema)
    let text = String(decoding: log, as: UTF8.self)
    #expect(
      text.contains(#""schema":{"name":"A","version":5,"parts":{"\"odd\"":7,"tea":2}}"#), "\(text)")

    func order(_ parts: [String: Int], _ version: Int) throws -> [String] {
      // Every migration leaves its name in the note.
      let migrations = [nil, "tea", "milk"].flatMap { part in
        (1...6).reversed().map { from in
          LogMigration(
            from: from, part: part,
            editAction: { action in
              guard case .string(let note)? = action["note"] else { return }
              action["note"] = .string("\(note) \(part ?? "all")\(from)")
            })
        }
      }
      let notes = Mutex<[String]>([])
      var program = Self.schema(version)
      program.parts = parts
      let summary = try replay(log, program, migrations: migrations) {
        (state: inout State, add: Add) in
        notes.withLock { $0.append(add.note) }
        state.total += add.by
      }
      #expect(summary.grade == .fine && summary.digests == 2)
      return notes.withLock { $0[0].split(separator: " ").dropFirst().map(String.init) }
    }
    #expect(try order(["tea": 2], 5) == [])
    #expect(try order(["tea": 4], 5) == ["tea2", "tea3"])
    // What changes a part comes after all that changes the whole; one without a version has 1.
    #expect(try order(["milk": 2, "tea": 3], 7) == ["all5", "all6", "milk1", "tea2"])
  }

  @Test("a migration that fails is impossible") func aMigrationThatFailsIsImpossible() throws {
    struct Refusal: Error {}
    let log = try Self.log()
    let migrations = [LogMigration(from: 1, action: { _ in throw Refusal() })]
    do {
      _ = try replay(log, Self.schema(2), migrations: migrations, Self.same)
      Issue.record("it was replayed")
    } catch {
      #expect(error.kind == "impossible")
    }
  }
}
