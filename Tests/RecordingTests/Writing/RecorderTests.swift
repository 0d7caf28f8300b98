import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import Testing

@testable import SwiftBoardRecording

struct RecorderTests {
  @Test("what is written is read back") func whatIsWrittenIsReadBack() throws {
    let (lines, warnings, error) = read(try Session.example())
    #expect(error == nil)
    #expect(warnings == [])
    #expect(
      lines.map(\.kind) == [
        "log", "step", "step", "mark", "step", "issue", "step", "state", "step", "step", "step",
        "end",
      ])
    guard case .header(let header) = lines[0], case .step(let first) = lines[1],
      case .step(let second) = lines[2], case .step(let fourth) = lines[6],
      case .snapshot(let snapshot) = lines[7], case .end(let end) = lines[11]
    else {
      Issue.record("other lines than expected")
      return
    }
    #expect(header.schema == Session.schema)
    #expect(header.created == Session.info.created)
    #expect(header.seed == 9_007_199_254_740_993)
    #expect(header.digestEvery == nil)
    #expect(first.n == 1)
    #expect(first.t == 250)
    #expect(first.origin == .user(line: "add \"2\"\tπ", at: "demo.sb:7"))
    #expect(second.draws == [.random(100), .random(101)])
    #expect(second.origin == .link("swiftboard://counter/roll"))
    #expect(lines[3] == .mark(LogMark(n: 2, name: "before-login")))
    #expect(
      lines[5] == .issue(LogIssue(n: 3, message: "it broke", file: "A/B.swift", line: 7)))
    #expect(fourth.origin == .effect(name: "task", id: "a/1", step: 1))
    #expect(snapshot.digest == fourth.digest)
    #expect(end.n == 7)
  }

  @Test("encoding the read lines gives the same bytes") func encodingTheReadLinesGivesTheSameBytes()
    throws
  {
    let bytes = try Session.example()
    #expect(LogLine.encode(read(bytes).lines) == bytes)
  }

  @Test("effects are written with their parts") func effectsAreWrittenWithTheirParts() throws {
    let sink = MemorySink()
    let session = try Session(sink)
    session.send(
      .add(1),
      effects: [
        EffectDescriptor(kind: .task, name: "db.save", id: "db/save/9"),
        EffectDescriptor(
          kind: .concatenate, parts: [EffectDescriptor(kind: .cancel, id: "a")]),
      ])
    #expect(
      sink.text.contains(
        #""effects":[{"name":"db.save","id":"db/save/9","kind":"task"},"#
          + #"{"name":"concatenate","kind":"concatenate","parts":[{"name":"cancel","id":"a","kind":"cancel"}]}]"#
      ))
    guard case .step(let step)? = read(sink.bytes).lines.last else {
      Issue.record("no step")
      return
    }
    #expect(step.effects[1].parts == [LogEffect(name: "cancel", id: "a", kind: "cancel")])
  }

  @Test("numbers begin at one where the recording begins")
  func numbersBeginAtOneWhereTheRecordingBegins() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(baseStep: 40))
    session.send(.add(1), by: .effect(name: "late", id: nil, step: 40))
    session.send(.add(1), by: .effect(name: "new", id: nil, step: 41))
    let steps = read(sink.bytes).lines.compactMap(\.step)
    #expect(steps.map(\.n) == [1, 2])
    #expect(
      steps.map(\.origin) == [
        .effect(name: "late", id: nil, step: 0), .effect(name: "new", id: nil, step: 1),
      ])
  }

  @Test("of a line or a link over 1 MiB, the first KiB, the length and the digest are recorded")
  func longOrigin() throws {
    let sink = MemorySink()
    let session = try Session(sink)
    let whole = String(repeating: "x", count: 1 << 20)
    // The 1024th byte is inside a character.
    let long = String(repeating: "x", count: 1023) + String(repeating: "é", count: 1 << 20)
    session.send(.add(1), by: .user(line: whole, at: "f:1"))
    session.send(.add(1), by: .user(line: long, at: "f:2"))
    session.send(.add(1), by: .link(long))
    let short =
      String(repeating: "x", count: 1023)
      + "... (2098175 bytes, \(Digest(of: Array(long.utf8))))"
    #expect(
      read(sink.bytes).lines.compactMap(\.step).map(\.origin) == [
        .user(line: whole, at: "f:1"), .user(line: short, at: "f:2"), .link(short),
      ])
  }

  @Test("every line is one write before the reduction returns")
  func everyLineIsOneWriteBeforeTheReductionReturns() throws {
    let sink = MemorySink()
    let session = try Session(sink)
    #expect(sink.now.writes == 1)
    session.send(.add(1))
    #expect(sink.now.writes == 2)
    #expect(sink.bytes.last == 0x0A)
    session.recorder.mark("m")
    #expect(sink.now.writes == 3)
    #expect(sink.now.synchronizations == 0)
    session.recorder.stop()
    #expect(sink.now.closed)
  }

  @Test("sync synchronizes every line") func syncSynchronizesEveryLine() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(durability: .sync))
    session.send(.add(1))
    session.send(.add(1))
    #expect(sink.now.synchronizations == 3)
  }

  @Test("unflushed lines are written together") func unflushedLinesAreWrittenTogether() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(durability: .none))
    for _ in 0..<100 { session.send(.add(1)) }
    session.recorder.stop()
    // How many depends on the background thread; a hundred would mean that nothing was collected.
    #expect(sink.now.writes < 50)
    #expect(read(sink.bytes).lines.count == 102)
  }

  @Test("unflushed lines are written by themselves", .timeLimit(.minutes(20)))
  func unflushedLinesAreWrittenByThemselves() async throws {
    let (writes, continuation) = AsyncStream.makeStream(of: Void.self)
    let sink = MemorySink(onWrite: { continuation.yield() })
    let session = try Session(sink, options: RecordingOptions(durability: .none))
    session.send(.add(1))
    var seen = 0
    for await _ in writes {
      seen += 1
      if seen == 2 { break }
    }
    #expect(read(sink.bytes).lines.count == 2)
  }

  @Test("nothing is recorded after stop") func nothingIsRecordedAfterStop() throws {
    let sink = MemorySink()
    let session = try Session(sink)
    session.send(.add(1))
    session.recorder.stop()
    let bytes = sink.bytes
    session.send(.add(1))
    session.recorder.mark("late")
    session.recorder.stop()
    #expect(sink.bytes == bytes)
    #expect(!session.recorder.isRecording)
    #expect(session.recorder.failure == nil)
  }

  @Test("a recording without steps is whole") func aRecordingWithoutStepsIsWhole() throws {
    let sink = MemorySink()
    try Session(sink).recorder.stop()
    let (lines, warnings, error) = read(sink.bytes)
    #expect(lines.map(\.kind) == ["log", "end"])
    #expect(warnings == [])
    #expect(error == nil)
  }

  @Test("digests every few steps and at the stop") func digestsEveryFewStepsAndAtTheStop() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(digestEvery: 3))
    for _ in 0..<4 { session.send(.add(1)) }
    session.send(.stop)
    session.recorder.stop()
    let (lines, warnings, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(warnings == [])
    #expect(lines.compactMap(\.step).map { $0.digest != nil } == [false, false, true, false, true])
    #expect(sink.text.contains(#""digestEvery":3,"#))
  }

  @Test("stopping with the state completes the last step")
  func stoppingWithTheStateCompletesTheLastStep() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(digestEvery: 3))
    session.send(.add(1))
    session.recorder.mark("a")
    session.fail("b")
    session.recorder.stop(state: session.state)
    let (lines, warnings, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(warnings == [])
    #expect(lines.map(\.kind) == ["log", "step", "mark", "issue", "end"])
    #expect(lines[1].step?.digest != nil)
    _ = try Session.replayer().replay(RotatedLog(LogFile(bytes: sink.bytes)))
  }

  @Test("stopping without the state leaves a valid log")
  func stoppingWithoutTheStateLeavesAValidLog() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(digestEvery: 3))
    session.send(.add(1))
    session.recorder.stop()
    let (lines, warnings, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(lines.count == 2)
    #expect(warnings == [.cutShort(afterStep: 1)])
  }

  @Test("a state that cannot be encoded stops the recording only")
  func aStateThatCannotBeEncodedStopsTheRecordingOnly() throws {
    struct Stubborn: Codable, Sendable {
      var fails = false
      func encode(to encoder: any Encoder) throws {
        struct Refusal: Error {}
        if fails { throw Refusal() }
        var container = encoder.singleValueContainer()
        try container.encode(1)
      }
      init() {}
      init(from decoder: any Decoder) throws {}
    }
    let sink = MemorySink()
    let issues = Box<[StoreIssue]>([])
    let recorder = try Recorder<Stubborn, Int>(
      sink: sink, info: Session.info, state: Stubborn(), journal: nil, clock: { 0 },
      onFailure: { issue in issues.value.withLock { $0.append(issue) } })
    var state = Stubborn()
    let hooks = recorder.hooks
    hooks.didReduce?(Step(number: 1, origin: .program("p"), action: 1, effects: []), state)
    state.fails = true
    hooks.didReduce?(Step(number: 2, origin: .program("p"), action: 2, effects: []), state)
    hooks.didReduce?(Step(number: 3, origin: .program("p"), action: 3, effects: []), state)
    recorder.stop()
    #expect(recorder.failure?.step == 2)
    #expect(issues.now.count == 1)
    let (lines, warnings, error) = read(sink.bytes)
    #expect(lines.count == 2)
    #expect(warnings == [.cutShort(afterStep: 1)])
    #expect(error == nil)
  }

  @Test("what could not be read again is not written", arguments: [(511, true), (512, false)])
  func whatCouldNotBeReadAgainIsNotWritten(levels: Int, fits: Bool) throws {
    let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    let action = try JSON(parsing: text)
    let sink = MemorySink()
    let recorder = try Recorder<JSON, JSON>(
      sink: sink, info: Session.info, state: .null, journal: nil, clock: { 0 })
    recorder.hooks.didReduce?(
      Step(number: 1, origin: .program("p"), action: action, effects: []), .null)
    recorder.stop()
    let (lines, _, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(lines.count == (fits ? 3 : 1))
    #expect((recorder.failure == nil) == fits)
  }

  @Test("a date that has no text is an error with its path and the years that have one")
  func dates() throws {
    struct Visit: Codable, Sendable {
      var at: [Date]
    }
    func record(_ date: Date) throws -> [LogLine] {
      let sink = MemorySink()
      let state = Visit(at: [.distantPast, date])
      _ = try Recorder<Visit, Int>(
        sink: sink, info: Session.info, state: state, journal: nil, clock: { 0 })
      return read(sink.bytes).lines
    }
    let error = #expect(throws: RecordingError.self) {
      try record(Date(timeIntervalSinceReferenceDate: .infinity))
    }
    #expect(
      error?.description
        == "the state cannot be recorded: at[1]: found a date inf seconds from 2001, "
        + "expected one in the years 0000 to 9999")
    guard case .header(let header)? = try record(.distantFuture).first else {
      Issue.record("no header")
      return
    }
    #expect(header.state["at"] == ["0000-12-30T00:00:00.000000Z", "4001-01-01T00:00:00.000000Z"])
  }

  @Test("declared redactions are a note in the header, and nothing is replaced")
  func redactions() throws {
    var info = Session.info
    info.declaredRedactions = ["token"]
    let sink = MemorySink()
    let recorder = try Recorder<Int, JSON>(
      sink: sink, info: info, state: 0, journal: nil, clock: { 0 })
    recorder.hooks.didReduce?(
      Step(number: 1, origin: .program("p"), action: ["token": "x"], effects: []), 0)
    guard case .header(let header)? = read(sink.bytes).lines.first else {
      Issue.record("no header")
      return
    }
    #expect(header.redacted == ["token"])
    #expect(read(sink.bytes).lines.last?.step?.action == ["token": "x"])
  }

  @Test("numbers keep their digests") func numbersKeepTheirDigests() throws {
    struct Numbers: Codable, Sendable {
      var doubles = [0.1, -0.0, 3.0, 9_007_199_254_740_992.0, 1e22, 1e-7, .infinity]
      var big = UInt64.max
      var set: Set<Int> = [3, 1, 2]
      var map: [Int: String] = [2: "b", 1: "\u{1}é"]
    }
    let sink = MemorySink()
    let recorder = try Recorder<Numbers, Numbers>(
      sink: sink, info: Session.info, state: Numbers(), journal: nil, clock: { 0 })
    recorder.hooks.didReduce?(
      Step(number: 1, origin: .program("p"), action: Numbers(), effects: []), Numbers())
    recorder.stop()
    #expect(read(sink.bytes).error == nil)
    #expect(LogLine.encode(read(sink.bytes).lines) == sink.bytes)
  }

  @Test("marks from many threads keep the chain") func marksFromManyThreadsKeepTheChain() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(durability: .none))
    let recorder = session.recorder
    _ = Threads.run(4) { thread in
      for index in 0..<100 { recorder.mark("\(thread)/\(index)") }
    }
    recorder.stop()
    let (lines, _, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(lines.count == 402)
  }
}

extension LogLine {
  var kind: String {
    switch self {
    case .header: "log"
    case .step: "step"
    case .issue: "issue"
    case .mark: "mark"
    case .snapshot: "state"
    case .end: "end"
    case .unknown(let kind, _): kind
    }
  }

  var step: LogStep? {
    if case .step(let step) = self { step } else { nil }
  }
}
