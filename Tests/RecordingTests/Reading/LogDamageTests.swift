import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@testable import SwiftBoardRecording

/// Every way in which a file can be broken by accident.
struct LogDamageTests {
  /// A log with every kind of line, every member a line may have, and what only later versions
  /// have.
  static func everything() throws -> [UInt8] {
    let sink = MemorySink()
    let session = try Session(
      sink, options: RecordingOptions(digestEvery: 2, snapshotEvery: 3))
    session.send(.add(2), by: .user(line: "add \"2\"\tπ", at: "demo.sb:7"))
    session.send(
      .roll(times: 2), by: .link("swiftboard://counter/roll"),
      effects: [
        EffectDescriptor(kind: .task, name: "load", id: "a/1"),
        EffectDescriptor(kind: .task, name: "both", ids: ["pool", "x"]),
        EffectDescriptor(
          kind: .merge, parts: [EffectDescriptor(kind: .run), EffectDescriptor(kind: .cancel)]),
      ])
    session.recorder.mark("before-login")
    session.send(.stamp)
    session.fail("it broke")
    session.send(.add(-1), by: .effect(name: "load", id: "a/1", step: 2))
    session.send(.add(7), by: .effect(name: "run", id: nil, step: 2))
    session.send(.stop)
    session.recorder.stop(state: session.state)
    var bodies = split(sink.bytes).map { Array($0.dropLast(HashChain.tailLength + 1)) }
    bodies[1] += #","later":[1,null]"#.utf8
    bodies.insert(Array(#"{"k":"later","n":1,"what":{}"#.utf8), at: 2)
    let bytes = sealed(bodies)
    let kinds = Set(read(bytes).lines.map(\.kind))
    try #require(kinds == ["log", "step", "mark", "issue", "state", "end"])
    try #require(read(bytes).error == nil && read(bytes).warnings.count == 1)
    return bytes
  }

  /// A bit of each byte, another one of the byte next to it.
  @Test("a changed bit of any byte is found") func aChangedBitOfAnyByteIsFound() throws {
    let log = try Self.everything()
    for position in log.indices {
      let bit = position % 8
      var bytes = log
      bytes[position] ^= 1 << bit
      let (_, warnings, error) = read(bytes)
      if position == log.count - 1 {
        // Without its line feed the last line counts as torn.
        #expect(error == nil)
        #expect(warnings.count == 3)
      } else if error?.kind != "damage" {
        Issue.record(
          "bit \(bit) of byte \(position) changed goes unnoticed: \(String(describing: error))")
      }
    }
  }

  @Test("no changed byte is travelled") func noChangedByteIsTravelled() throws {
    let log = try Session.example()
    for position in log.indices.dropLast() {
      var bytes = log
      bytes[position] ^= 1 << (position % 8)
      let error = #expect(throws: ReplayError.self) {
        try LogNavigator(LogFile(bytes: bytes), replayer: Session.replayer())
      }
      #expect(error?.kind == "damage", "byte \(position)")
    }
  }

  @Test("every changed byte is found") func everyChangedByteIsFound() throws {
    let log = try Session.example()
    for position in log.indices {
      // Bytes that mean something to a reader of lines or of JSON.
      for mask in ([0x0A, 0x22, 0x00, 0x20, 0x7D, 0xFF].map { log[position] ^ $0 })
      where mask != 0 {
        var bytes = log
        bytes[position] ^= mask
        let (_, warnings, error) = read(bytes)
        if position == log.count - 1 {
          #expect(error == nil)
          #expect(warnings.count == 2)
        } else if error == nil {
          Issue.record("byte \(position) changed by \(mask) goes unnoticed")
        }
      }
    }
  }

  @Test("every truncation is told from damage") func everyTruncationIsToldFromDamage() throws {
    let log = try Self.everything()
    let lines = split(log)
    for length in 0..<log.count {
      let (read, warnings, error) = read(Array(log[..<length]))
      let whole = lines.filter { $0.endIndex <= length }
      if whole.isEmpty {
        #expect(error?.kind == "damage")
        continue
      }
      #expect(error == nil, "cut at \(length)")
      // The third line is of a later version, and skipped.
      #expect(read.count == whole.count - (whole.count > 2 ? 1 : 0))
      let steps = read.compactMap(\.step).count
      let torn = whole[whole.count - 1].endIndex
      #expect(
        warnings == (whole.count > 2 ? [.unknownKind("later", line: 3)] : [])
          + (torn == length ? [] : [.tornTail(offset: torn)])
          + [.cutShort(afterStep: steps)])
    }
  }

  /// A crash at any moment: what was written whole replays, and the states are those that were
  /// recorded.
  @Test("a log cut at any byte replays to its last whole step")
  func aLogCutAtAnyByteReplaysToItsLastWholeStep() throws {
    let log = try Session.example()
    let lines = split(log)
    var recorded: [CounterState] = []
    _ = try Session.replayer().replay(
      RotatedLog(LogFile(bytes: log)), onStep: { _, state, _ in recorded.append(state) })
    for length in lines[0].endIndex...log.count {
      var states: [CounterState] = []
      let bytes = Array(log[..<length])
      let summary = try Session.replayer().replay(
        RotatedLog(LogFile(bytes: bytes)), onStep: { _, state, _ in states.append(state) })
      let steps = lines.filter {
        $0.endIndex <= length && $0.starts(with: #"{"k":"step""#.utf8)
      }.count
      #expect(summary.steps == steps)
      #expect(states == Array(recorded.prefix(steps)))
      let navigator = try LogNavigator(LogFile(bytes: bytes), replayer: Session.replayer())
      #expect(navigator.stepCount == steps)
      if steps > 0 { #expect(try navigator.state(at: steps) == recorded[steps - 1]) }
    }
  }

  @Test("a missing step is named") func aMissingStepIsNamed() throws {
    let lines = split(try Session.example())
    // Lines: header, 1, 2, mark, 3, issue, 4, state, 5, 6, 7, end.
    let found = try #require(damage(Array((lines[..<9] + lines[10...]).joined())))
    #expect(found.message == "step 6 is missing: step 7 follows step 5")
    #expect(found.line == 10)
    #expect(found.offset == lines[9].startIndex)
    #expect(found.expected == "step 6")
    #expect(found.found == "step 7")
    let two = try #require(damage(Array((lines[..<8] + lines[10...]).joined())))
    #expect(two.message == "steps 5 and 6 are missing: step 7 follows step 4")
  }

  @Test("every missing line is found") func everyMissingLineIsFound() throws {
    let lines = split(try Session.example())
    for index in 0..<(lines.count - 1) {
      let found = damage(Array((lines[..<index] + lines[(index + 1)...]).joined()))
      #expect(found?.line == index + 1)
    }
  }

  @Test("every swapped pair is named") func everySwappedPairIsNamed() throws {
    var lines = split(try Session.example())
    for index in 1..<(lines.count - 1) {
      lines.swapAt(index, index + 1)
      let found = try #require(damage(Array(lines.joined())))
      #expect(found.line == index + 1)
      #expect(found.message == "lines \(index + 1) and \(index + 2) are swapped")
      lines.swapAt(index, index + 1)
    }
  }

  @Test("every doubled line is named") func everyDoubledLineIsNamed() throws {
    let lines = split(try Session.example())
    for index in lines.indices {
      let found = damage(Array((lines[...index] + lines[index...]).joined()))
      #expect(found?.line == index + 2)
      #expect(found?.message == "the line is the one before it once more")
    }
  }

  @Test("a line from elsewhere is named") func aLineFromElsewhereIsNamed() throws {
    let lines = split(try Session.example())
    let found = damage(Array((lines[..<3] + [lines[9]] + lines[3...]).joined()))
    #expect(found?.message == "the line does not belong here: line 5 follows line 3")
  }

  @Test("a changed number is no missing step") func aChangedNumberIsNoMissingStep() throws {
    let log = try Session.example()
    var text = String(decoding: log, as: UTF8.self)
    text.replace(#""k":"step","n":6"#, with: #""k":"step","n":8"#)
    let found = try #require(damage(Array(text.utf8)))
    #expect(found.line == 10)
    #expect(found.message.hasPrefix("the sum is wrong"))
  }

  @Test("a wrong sum says both sums") func aWrongSumSaysBothSums() throws {
    let log = try Session.example()
    var bytes = log
    let line = split(log)[1]
    bytes[line.startIndex + 30] ^= 1
    let found = try #require(damage(bytes))
    let stated = try #require(HashChain.split(line.dropLast()))
    #expect(found.line == 2)
    #expect(found.offset == line.startIndex)
    #expect(found.found == stated.sum.description)
    #expect(found.expected.hasPrefix("the sum xxh64:"))
  }

  @Test("chunks of any size read the same") func chunksOfAnySizeReadTheSame() throws {
    let log = try Session.example()
    let whole = read(log).lines
    for chunk in [1, 2, 3, 7, 64, 1000] { #expect(read(log, chunk: chunk).lines == whole) }
  }

  @Test("members in another order and blanks between them are read as the same log")
  func anyOrderIsRead() throws {
    let log = try Session.example()
    let bodies = try split(log).map { line -> [UInt8] in
      guard case .object(let members) = try JSON(parsing: line) else { return [] }
      let others = members.dropFirst().dropLast().reversed()
      let text = JSON.object([members[0]] + others).description
      return Array("{ ".utf8) + text.utf8.dropFirst().dropLast()
    }
    let found = read(sealed(bodies))
    #expect(found.error == nil && found.lines == read(log).lines)
  }

  @Test("an endless line is refused soon") func anEndlessLineIsRefusedSoon() {
    final class Endless: LogSource {
      var given = 0
      func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int {
        guard given < 65 << 20 else { return 0 }
        buffer.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "x"))
        given += buffer.count
        return buffer.count
      }
    }
    let source = Endless()
    let reader = LogReader(source)
    #expect(throws: LogReadError.self) { try reader.next() }
    #expect(source.given <= (64 << 20) + (512 << 10))
  }

  @Test("a line of the greatest length is read") func aLineOfTheGreatestLengthIsRead() throws {
    var limits = LogReader.Limits()
    let log = try Session.example()
    let longest = split(log).map { $0.count - 1 }.max() ?? 0
    limits.line = longest
    limits.chunk = 16
    let reader = LogReader(BytesSource(log), limits: limits)
    var count = 0
    while try reader.next() != nil { count += 1 }
    #expect(count == 12)
    limits.line = longest - 1
    let narrow = LogReader(BytesSource(log), limits: limits)
    #expect(throws: LogReadError.self) { while try narrow.next() != nil {} }
    #expect(throws: LogReadError.self) { try narrow.next() }
  }

  /// Bytes of every kind: the reader ends, with lines or with one error.
  @Test("any bytes end cleanly") func anyBytesEndCleanly() throws {
    var generator = SeededRandom(seed: 42)
    let log = try Session.example()
    let pieces = split(log).map(Array.init)
    for _ in 0..<1500 {
      var bytes: [UInt8] = []
      switch generator.next() % 3 {
      case 0:
        bytes = (0..<Int(generator.next() % 300)).map { _ in
          UInt8(truncatingIfNeeded: generator.next())
        }
      case 1:
        for _ in 0..<(generator.next() % 5) {
          bytes += pieces[Int(generator.next() % UInt64(pieces.count))]
        }
      default:
        // The form is damaged and the sums are right.
        let bodies = pieces.map { line in
          var body = Array(line.dropLast(HashChain.tailLength + 1))
          if generator.next() % 3 == 0, !body.isEmpty {
            let position = Int(generator.next() % UInt64(body.count))
            body[position] = UInt8(truncatingIfNeeded: generator.next())
          }
          return body
        }
        bytes = sealed(bodies)
      }
      let (_, _, error) = read(bytes)
      if let error { #expect(error.kind == "damage") }
    }
  }
}

/// Lines with these bodies and right sums.
func sealed(_ bodies: [[UInt8]]) -> [UInt8] {
  var bytes: [UInt8] = []
  var chain = HashChain()
  for body in bodies {
    let start = bytes.count
    bytes += body
    chain.appendChecksum(&bytes, from: start)
  }
  return bytes
}
