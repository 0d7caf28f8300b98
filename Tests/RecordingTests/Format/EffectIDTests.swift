import SwiftBoardJSON
import SwiftBoardStore
import Testing

@testable import SwiftBoardRecording

/// Effects with more than one id in recordings.
struct EffectIDTests {
  struct State: Codable, Sendable {
    var started = 0
  }

  enum Action: Codable, Sendable {
    case start(file: String)
    case both(files: [String])
    case end
    case stop(file: String)
  }

  /// Downloads of a pool, each with the name of its file as its second id.
  struct Downloads: Reducer {
    func reduce(
      _ state: inout State, _ action: Action, _ nameOf: @Sendable (String) -> String?
    ) -> [Effect<Action>] {
      func download(_ file: String) -> Effect<Action> {
        let effect = Effect<Action>.run(name: "download") { _ in }
          .limited(id: "pool", to: 2, whenFull: .wait)
        return nameOf(file).map { effect.cancellable(id: $0) } ?? effect
      }
      switch action {
      case .start(let file):
        state.started += 1
        return [download(file)]
      case .both(let files):
        state.started += files.count
        return [.merge(files.map(download))]
      case .end: return [.cancel(id: "pool")]
      case .stop(let file): return [.cancel(id: file)]
      }
    }
  }

  static let schema = LogSchema(program: "downloads 1", feature: "f", name: "Action", version: 1)
  static let same: @Sendable (String) -> String? = { $0 }

  static func record(_ nameOf: @escaping @Sendable (String) -> String? = same) throws -> [UInt8] {
    let sink = MemorySink()
    var info = Session.info
    info.schema = schema
    let store = Store(initialState: State(), reducer: Downloads(), dependencies: nameOf)
    let recorder = try Recorder<State, Action>(
      sink: sink, info: info, state: State(), options: .init(snapshotEvery: 2), journal: nil,
      clock: { 0 })
    store.setHooks { _, _ in recorder.hooks }
    store.send(.start(file: "a"))
    store.send(.both(files: ["b", "c"]))
    store.send(.stop(file: "a"))
    store.send(.end)
    recorder.stop()
    return sink.bytes
  }

  private func replayer(
    _ nameOf: @escaping @Sendable (String) -> String? = Self.same
  ) -> Replayer<Downloads> {
    Replayer(
      reducer: Downloads(), dependencies: nameOf, journal: DrawJournal(), schema: Self.schema)
  }

  /// What a verification finds, which has to be the same on both ways. Nil where all agrees.
  private func differences(
    _ bytes: [UInt8], _ nameOf: @escaping @Sendable (String) -> String? = Self.same
  ) throws -> String? {
    let feed = try #require(FastLogReader(BytesSource(bytes)))
    let quick = replayer(nameOf).verifyQuickly(feed, CodecPair())
    do throws(ReplayError) {
      let summary = try replayer(nameOf).replay(RotatedLog(LogFile(bytes: bytes)))
      #expect(quick?.steps == summary.steps)
      return nil
    } catch {
      #expect(quick == nil)
      guard case .diverged(let divergence) = error else { throw error }
      return "\(divergence.step): "
        + divergence.differences.map(\.description).joined(separator: "; ")
    }
  }

  /// The log with another header.
  private func changingHeader(
    _ bytes: [UInt8], _ change: (inout LogHeader) -> Void
  ) throws -> [UInt8] {
    var lines = read(bytes).lines
    guard case .header(var header)? = lines.first else { throw CancellationError() }
    change(&header)
    lines[0] = .header(header)
    return LogLine.encode(lines)
  }

  // MARK: Lines

  @Test("all ids are in the line, and one alone is as before")
  func theyAreAllInTheLineAndOneAloneIsAsBefore() throws {
    let log = try Self.record()
    let text = String(decoding: log, as: UTF8.self)
    #expect(
      text.contains(
        #""effects":[{"name":"download","id":"pool","ids":["pool","a"],"kind":"run"}],"digest""#))
    #expect(text.contains(#""effects":[{"name":"cancel","id":"a","kind":"cancel"}]"#))
    #expect(text.contains(#""redacted":[],"minor":1,"sum""#))
    let (lines, warnings, error) = read(log)
    #expect(error == nil && warnings == [])
    #expect(lines[1].step?.effects.map(\.ids) == [["pool", "a"]])
    #expect(lines[2].step?.effects[0].parts.map(\.ids) == [["pool", "b"], ["pool", "c"]])
    #expect(LogLine.encode(lines) == log)
    let plain = try Self.record { _ in nil }
    #expect(!String(decoding: plain, as: UTF8.self).contains("ids"))
  }

  @Test("both readers read several ids") func bothWaysReadThem() throws {
    let bodies = split(try Self.record()).map { $0.dropLast(HashChain.tailLength + 1) }
    let step = try #require(StepScanner.step(bodies[1]))
    #expect(step.effects == [LogEffect(name: "download", ids: ["pool", "a"], kind: "run")])
    var line = Array(bodies[1])
    var chain = HashChain()
    chain.appendChecksum(&line, from: 0)
    #expect(try LogLineParser.parseTree(line.dropLast()) == .step(step))
  }

  @Test(
    "other forms are damage",
    arguments: [
      #""ids":["pool","a"]"#, #""id":"pool","ids":["pool"]"#, #""id":"pool","ids":["a","pool"]"#,
      #""id":"pool","ids":["pool",1]"#, #""id":"pool","ids":[]"#, #""id":"pool","ids":"pool""#,
    ])
  func otherFormsAreDamage(ids: String) throws {
    let good = #""id":"pool","ids":["pool","a"]"#
    let bodies = split(try Self.record()).map {
      Array(
        String(decoding: $0.dropLast(HashChain.tailLength + 1), as: UTF8.self)
          .replacing(good, with: ids).utf8)
    }
    let found = try #require(damage(sealed(bodies)))
    #expect(found.line == 2)
    #expect(found.message.contains("step.effects"))
  }

  @Test("a file of a rotated recording says that it has all")
  func aFileOfARotatedRecordingSaysThatItHasAll() throws {
    try withFolder { folder in
      let rotation = FileRotation(path: folder + "/a", keep: nil, synchronizes: false)
      let session = try Session(
        FileSink(creating: folder + "/a"), rotation: rotation,
        options: RecordingOptions(rotation: .init(size: 1000)))
      for number in 1...20 { session.send(.add(number)) }
      session.recorder.stop()
      let chain = try RotatedLog(path: folder + "/a")
      #expect(chain.files.count > 1)
      for file in chain.files { #expect(try file.reader().header().minor == 1) }
      let fork = try LogFork.copy(chain, steps: 2, to: folder + "/fork")
      #expect(fork.header.minor == 1)
      #expect(try LogFile(path: folder + "/fork").reader().header().minor == 1)
    }
  }

  // MARK: Verifying

  @Test("a random second id is caught") func aRandomSecondIDIsCaught() throws {
    let next = CounterWorld.counting()
    let unsteady: @Sendable (String) -> String? = { "\($0)\(next())" }
    let log = try Self.record(unsteady)
    #expect(
      try differences(log) { $0 == "a" ? "a9" : $0 }
        == "1: effects: expected run download id pool and a1, found run download id pool and a9")
    #expect(try differences(log, unsteady)?.hasPrefix("1: effects: ") == true)
    #expect(throws: ReplayError.self) {
      try replayer(unsteady).verify(LogFile(bytes: log))
    }
  }

  @Test("a second id in a member of a group is compared")
  func aSecondIDInAMemberOfAGroupIsCompared() throws {
    #expect(
      try differences(try Self.record()) { $0 == "c" ? "other" : $0 }
        == "2: effects: expected merge (run download id pool and b, run download id pool and c), "
        + "found merge (run download id pool and b, run download id pool and other)")
  }

  @Test("a second id that comes or goes is caught") func aSecondIDThatComesOrGoesIsCaught() throws {
    #expect(try differences(try Self.record()) == nil)
    #expect(
      try differences(try Self.record()) { _ in nil }
        == "1: effects: expected run download id pool and a, found run download id pool")
    #expect(try differences(try Self.record { _ in nil }) { _ in nil } == nil)
    #expect(
      try differences(try Self.record { _ in nil })
        == "1: effects: expected run download id pool, found run download id pool and a")
  }

  /// Recorded by a program that wrote the first id alone.
  @Test("an earlier recording is compared by the first ids")
  func anEarlierRecordingIsComparedByTheFirstIDs() throws {
    let old = try contents(of: Logs.path("two-ids.actions.jsonl"))
    #expect(try differences(old) == nil)
    #expect(try differences(old) { _ in nil } == nil)
    let summary = try replayer().verify(path: Logs.path("two-ids.actions.jsonl"))
    #expect(summary.steps == 4)
    #expect(summary.grade == .fine)
    #expect(LogLine.encode(read(old).lines) == old)
    // What differs is told without what was not compared.
    let bodies = split(old).map {
      Array(
        String(decoding: $0.dropLast(HashChain.tailLength + 1), as: UTF8.self)
          .replacing(#""id":"pool""#, with: #""id":"lake""#).utf8)
    }
    #expect(
      try differences(sealed(bodies))
        == "1: effects: expected run download id lake, found run download id pool")
  }

  /// An earlier recording that this program went on with: a line with several ids has all of them.
  @Test("a line with several ids has all of them, whatever the header says")
  func aLineWithSeveralIDsHasAllWhateverTheHeaderSays() throws {
    let log = try changingHeader(try Self.record()) { $0.minor = 0 }
    #expect(try differences(log) == nil)
    #expect(
      try differences(log) { $0 == "a" ? "other" : $0 }
        == "1: effects: expected run download id pool and a, found run download id pool and other")
  }

  @Test("later additions to the format are read") func laterAdditionsToTheFormatAreRead() throws {
    let log = try changingHeader(try Self.record()) { $0.minor = 7 }
    #expect(try differences(log) == nil)
    #expect(read(log).lines.count == read(try Self.record()).lines.count)
  }

  @Test("an exported test states all or the first") func anExportedTestStatesAllOrTheFirst() throws
  {
    func problems(_ effects: [String]) throws -> [String] {
      var run = try RecordedRun(
        reducer: Downloads(), dependencies: Self.same, journal: DrawJournal(),
        state: #"{"started":0}"#)
      return try run.step(#"{"start":{"file":"a"}}"#, effects: effects)
    }
    #expect(try problems(["run download id pool and a"]) == [])
    #expect(try problems(["run download id pool"]) == [])
    #expect(try problems(["run download id pool and b"]).count == 1)
    #expect(try problems(["run download id a"]).count == 1)
  }

  // MARK: The life of an effect

  @Test("a cancel of the second id ends the effect") func aCancelOfTheSecondIDEndsTheEffect() throws
  {
    func spans(_ bytes: [UInt8]) throws -> [String] {
      let timeline = try LogTimeline(LogFile(bytes: bytes))
      var spans: [String] = []
      while let entry = try timeline.next() {
        if case .effect(let span) = entry { spans.append(span.description) }
      }
      return spans
    }
    #expect(
      try spans(try Self.record()) == [
        "run download id pool and a: steps 1 to 3, cancelled, 0 actions",
        "run download id pool and b: steps 2 to 4, cancelled, 0 actions",
        "run download id pool and c: steps 2 to 4, cancelled, 0 actions",
      ])
    #expect(
      try spans(try contents(of: Logs.path("two-ids.actions.jsonl"))) == [
        "run download id pool: steps 1 to 4, cancelled, 0 actions",
        "run download id pool: steps 2 to 4, cancelled, 0 actions",
        "run download id pool: steps 2 to 4, cancelled, 0 actions",
      ])
  }
}
