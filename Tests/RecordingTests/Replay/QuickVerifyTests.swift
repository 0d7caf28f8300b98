import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@testable import SwiftBoardRecording

/// A quick verification accepts what the long one accepts, in the same words, and nothing else.
struct QuickVerifyTests {
  private func quick(
    _ bytes: [UInt8], chunk: Int = 4096, _ replayer: Replayer<CounterReducer> = Session.replayer()
  ) -> ReplaySummary? {
    var limits = LogReader.Limits()
    limits.chunk = chunk
    return FastLogReader(BytesSource(bytes), limits: limits).flatMap {
      replayer.verifyQuickly($0, CodecPair())
    }
  }

  private func long(_ bytes: [UInt8]) throws -> ReplaySummary {
    try Session.replayer().replay(RotatedLog(LogFile(bytes: bytes)))
  }

  private func expectSame(_ bytes: [UInt8], chunk: Int = 4096) throws {
    let found = try #require(quick(bytes, chunk: chunk))
    let expected = try long(bytes)
    #expect(found.steps == expected.steps)
    #expect(found.recordedTime == expected.recordedTime)
    #expect(found.digests == expected.digests)
    #expect(found.warnings == expected.warnings)
    #expect(found.grade == expected.grade)
  }

  @Test("what agrees is accepted", arguments: [1, 2, 7, 64, 100_000])
  func whatAgreesIsAccepted(chunk: Int) throws {
    try expectSame(try Session.example(), chunk: chunk)
    try expectSame(try TravelTests.log(50).bytes, chunk: chunk)
    try expectSame(
      try TravelTests.log(50, options: .init(digestEvery: 7, snapshotEvery: 10)).bytes,
      chunk: chunk)
  }

  @Test("every cut is accepted at the end of a line only")
  func everyCutIsAcceptedAtTheEndOfALineOnly() throws {
    let log = try Session.example()
    let ends = Set(split(log).map(\.endIndex))
    for length in 0...log.count {
      let bytes = Array(log[..<length])
      if ends.contains(length) { try expectSame(bytes) } else { #expect(quick(bytes) == nil) }
    }
  }

  @Test("every changed byte is refused") func everyChangedByteIsRefused() throws {
    let log = try Session.example()
    for position in log.indices {
      for mask: UInt8 in [0x01, 0x80, log[position] ^ 0x0A] where mask != 0 {
        var bytes = log
        bytes[position] ^= mask
        #expect(quick(bytes) == nil, "byte \(position)")
      }
    }
  }

  @Test("every missing, doubled or swapped line is refused")
  func everyMissingDoubledOrSwappedLineIsRefused() throws {
    let lines = split(try Session.example())
    for index in lines.indices {
      #expect(quick(Array((lines[...index] + lines[index...]).joined())) == nil)
      guard index + 1 < lines.count else { continue }
      #expect(quick(Array((lines[..<index] + lines[(index + 1)...]).joined())) == nil)
    }
  }

  /// Sums are right, something else is not.
  @Test("what the long way refuses is refused") func whatTheLongWayRefusesIsRefused() throws {
    var generator = SeededRandom(seed: 5)
    let bodies = split(try Session.example()).map { Array($0.dropLast(HashChain.tailLength + 1)) }
    var accepted = 0
    for _ in 0..<4000 {
      var broken = bodies
      let line = Int(generator.next() % UInt64(bodies.count))
      let place = Int(generator.next() % UInt64(bodies[line].count))
      broken[line][place] = UInt8(truncatingIfNeeded: generator.next() % 96 + 32)
      let bytes = sealed(broken)
      guard let found = quick(bytes) else { continue }
      accepted += 1
      let expected = try long(bytes)
      #expect(found.steps == expected.steps)
    }
    #expect(accepted > 0, "a changed name of an origin, for one, changes nothing")
  }

  @Test("what differs is refused and said the long way")
  func whatDiffersIsRefusedAndSaidTheLongWay() throws {
    let log = try Session.example()
    #expect(quick(log, Session.replayer(ambient: { 1 })) == nil)
    try withFolder { folder in
      try write(log, to: folder + "/a")
      #expect(throws: ReplayError.self) {
        try Session.replayer(ambient: { 1 }).verify(path: folder + "/a")
      }
    }
    let other = LogSchema(program: "other 1", feature: "counter", name: "CounterAction", version: 1)
    #expect(quick(log, Session.replayer(schema: other)) == nil)
  }

  @Test("actions written by hand are read by hand") func actionsWrittenByHandAreReadByHand() throws
  {
    enum Count: Codable, Sendable, CanonicalCodable {
      case up(Int)

      func encodeCanonical(to writer: inout CanonicalWriter) throws {
        guard case .up(let number) = self else { return }
        writer.beginObject()
        writer.key("up")
        writer.beginObject()
        writer.key("_0")
        writer.int(number)
        writer.endObject()
        writer.endObject()
      }

      init(canonical reader: inout CanonicalReader) throws {
        self = .up(try reader.member("up").member("_0").int())
      }

      init(_ number: Int) { self = .up(number) }
    }
    struct Counting: Reducer {
      func reduce(_ state: inout Int, _ action: Count, _: DrawJournal) -> [Effect<Count>] {
        if case .up(let number) = action { state += number }
        return []
      }
    }
    let sink = MemorySink()
    let recorder = try Recorder<Int, Count>(
      sink: sink, info: Session.info, state: 0, journal: nil, clock: { 0 })
    let store = Store(initialState: 0, reducer: Counting(), dependencies: DrawJournal())
    store.setHooks { _, _ in recorder.hooks }
    for number in 1...5 { store.send(Count(number)) }
    recorder.stop()
    #expect(sink.text.contains(#""action":{"up":{"_0":5}}"#))
    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: Counting(), dependencies: journal, journal: journal, schema: Session.schema)
    let feed = try #require(FastLogReader(BytesSource(sink.bytes)))
    #expect(replayer.verifyQuickly(feed, CodecPair())?.steps == 5)
  }

  // MARK: Progress and sources

  private static func log(_ steps: Int) throws -> [UInt8] {
    let sink = MemorySink()
    let session = try Session(
      sink, options: RecordingOptions(durability: .none, digestEvery: 500))
    for number in 1...steps { session.send(.add(number)) }
    session.recorder.stop(state: session.state)
    return sink.bytes
  }

  @Test("progress is told every thousand steps") func progressIsToldEveryThousandSteps() throws {
    let log = try Self.log(2_500)
    var told: [Int] = []
    let summary = try Session.replayer().verify(
      LogFile(bytes: log),
      progress: { told.append($0) })
    #expect(summary.steps == 2_500)
    #expect(told == [1_000, 2_000])
  }

  @Test("progress begins anew where the short way ends")
  func progressBeginsAnewWhereTheShortWayEnds() throws {
    var log = try Self.log(2_500)
    log[log.count - 200] ^= 1
    var told: [Int] = []
    #expect(throws: ReplayError.self) {
      try Session.replayer().verify(
        LogFile(bytes: log),
        progress: { told.append($0) })
    }
    // The short way got that far; the long one reads all of it before it runs anything, and so
    // never began.
    #expect(told == [1_000, 2_000])
  }

  /// Fails in the middle, like a cancelled source.
  private final class FailingSource: LogSource {
    private let base: BytesSource
    private var left: Int

    init(_ bytes: [UInt8], after reads: Int) {
      base = BytesSource(bytes)
      left = reads
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int {
      left -= 1
      guard left >= 0 else {
        throw .io(path: "log", LogIOError(code: 125, operation: "read"))
      }
      return try base.read(into: buffer)
    }
  }

  @Test("a source that throws ends the verification", arguments: [0, 1])
  func aSourceThatThrowsEndsTheVerification(reads: Int) throws {
    let log = try Self.log(3_000)
    do {
      _ = try Session.replayer().verify(
        LogFile { _ in FailingSource(log, after: reads) })
      Issue.record("it was verified")
    } catch {
      guard case .unreadable(.io(_, let failure)) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(failure.code == 125)
    }
  }
}
