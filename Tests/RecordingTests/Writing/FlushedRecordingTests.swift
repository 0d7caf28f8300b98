import SwiftBoardRecording
import SwiftBoardStore
import Testing

/// When the lines of a recording are written is nothing that one can see in it.
struct FlushedRecordingTests {
  /// A recording under `.none`, flushed behind those of its lines whose bit is set.
  private func recording(flushing: Int, digestEvery: Int) throws -> [UInt8] {
    let sink = MemorySink()
    let session = try Session(
      sink, options: RecordingOptions(durability: .none, digestEvery: digestEvery))
    var line = 0
    func maybeFlush() {
      if flushing >> line & 1 == 1 { session.recorder.flush() }
      line += 1
    }
    session.send(.add(1))
    maybeFlush()
    session.send(.roll(times: 2))
    maybeFlush()
    session.recorder.mark("one")
    maybeFlush()
    session.send(.add(2))
    maybeFlush()
    session.recorder.mark("two")
    maybeFlush()
    session.fail("three")
    maybeFlush()
    session.recorder.stop(state: session.state)
    #expect(session.failures.now.isEmpty)
    return sink.bytes
  }

  @Test("the bytes are the same whenever they are written", arguments: [1, 2, 3, 4])
  func theBytesAreTheSameWheneverTheyAreWritten(digestEvery: Int)
    throws
  {
    let expected = try recording(flushing: 0, digestEvery: digestEvery)
    let summary = try Session.replayer().replay(RotatedLog(LogFile(bytes: expected)))
    #expect(summary.steps == 3)
    #expect(summary.warnings.isEmpty)
    for flushing in 1..<64 {
      #expect(try recording(flushing: flushing, digestEvery: digestEvery) == expected)
    }
  }

  @Test("more than may wait is written whole") func moreThanMayWaitIsWrittenWhole() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(durability: .none, digestEvery: .max))
    for number in 0..<20_000 { session.send(.add(number)) }
    session.recorder.stop(state: session.state)
    let bytes = sink.bytes
    #expect(bytes.count > 2 << 20)
    let summary = try Session.replayer().replay(RotatedLog(LogFile(bytes: bytes)))
    #expect(summary.steps == 20_000)
    #expect(summary.warnings.isEmpty)
  }

  /// An action whose encoding makes another step of the same recording.
  private enum Nested: Codable, Sendable {
    case inner
    case outer(Trigger)

    struct Trigger: Codable, Sendable {
      func encode(to encoder: any Encoder) throws {
        Nested.onEncode.now()
        var container = encoder.singleValueContainer()
        try container.encode(7)
      }
      init() {}
      init(from decoder: any Decoder) throws {}
    }

    static let onEncode = Box<@Sendable () -> Void>({})
  }

  @Test("a step within the encoding of another comes before it")
  func aStepWithinTheEncodingOfAnotherComesBeforeIt() throws {
    let sink = MemorySink()
    let recorder = try Recorder<Int, Nested>(
      sink: sink, info: Session.info, state: 0,
      options: RecordingOptions(durability: .flush, digestEvery: 2), journal: nil, clock: { 0 })
    let hooks = recorder.hooks
    Nested.onEncode.value.withLock { action in
      action = {
        hooks.didReduce?(
          Step(number: 1, origin: .program("inner"), action: .inner, effects: []), 5)
      }
    }
    hooks.didReduce?(
      Step(number: 2, origin: .program("outer"), action: .outer(.init()), effects: []), 6)
    let reader = LogReader(BytesSource(sink.bytes))
    var actions: [String] = []
    while let entry = try reader.next() {
      if case .step(let step) = entry.line { actions.append(step.action.canonical) }
    }
    #expect(actions == [#"{"inner":{}}"#, #"{"outer":{"_0":7}}"#])
  }
}
