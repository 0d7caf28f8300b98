import Testing

@testable import SwiftBoardRecording

/// The short way may refuse, but what it accepts the long way reads as the same.
struct StepScannerTests {
  private static let body =
    #"{"k":"step","n":12,"t":1250331,"by":{"effect":"api","id":"a/3","step":6},"#
    + #""action":{"a":[1,-2.5e3,true,null],"b":{"c":"text","d":{}}},"draws":[["uuid","0F"],["random","7"]],"#
    + #""effects":[{"name":"db","id":"x","ids":["x","y"],"kind":"task"},{"name":"s","kind":"send"}],"#
    + #""digest":"xxh64:0123456789abcdef""#

  private func long(_ body: [UInt8]) -> LogLine? {
    var line = body
    var chain = HashChain()
    chain.appendChecksum(&line, from: 0)
    return try? LogLineParser.parseTree(line.dropLast())
  }

  @Test("recorded steps go the short way") func recordedStepsGoTheShortWay() throws {
    let steps = split(try Session.example()).map { $0.dropLast(HashChain.tailLength + 1) }
      .filter { StepScanner.step($0) != nil }
    // All but the one whose line has escapes and letters beyond ASCII.
    #expect(steps.count == 6)
    for body in steps {
      #expect(long(Array(body)) == StepScanner.step(body).map(LogLine.step))
    }
  }

  @Test("what is accepted is the same") func whatIsAcceptedIsTheSame() throws {
    let body = Array(Self.body.utf8)
    #expect(StepScanner.step(body[...]) != nil)
    var generator = SplitMix(state: 7)
    let alphabet = Array(#"{}[]",:\0123e.-+tnu aä"#.utf8)
    var accepted = 0
    for position in body.indices {
      for _ in 0..<12 {
        var changed = body
        switch generator.next() % 3 {
        case 0: changed[position] = alphabet[Int(generator.next() % UInt64(alphabet.count))]
        case 1: changed.remove(at: position)
        default: changed.insert(contentsOf: body[position...].prefix(8), at: position)
        }
        guard let step = StepScanner.step(changed[...]) else { continue }
        accepted += 1
        #expect(long(changed) == .step(step), "\(String(decoding: changed, as: UTF8.self))")
      }
    }
    #expect(accepted > 100)
  }

  @Test(
    "unusual actions are left to the long way",
    arguments: [
      #"{"a":1,"a":2}"#, "[1,]", "{}}", "01", "1.", "tru", #""\u0041""#, #""\n""#, " 1", "-", "1e",
    ])
  func unusualActionsAreLeftToTheLongWay(action: String) {
    let body = #"{"k":"step","n":1,"t":0,"by":{"program":"p"},"action":"# + action
    #expect(StepScanner.step(Array(body.utf8)[...]) == nil)
  }

  @Test("numbers of every length are read wherever they end")
  func numbersOfEveryLengthAreReadWhereverTheyEnd() {
    func body(_ n: String, _ t: String, _ rest: String) -> [UInt8] {
      Array(#"{"k":"step","n":\#(n),"t":\#(t),"by":{"program":"p"},"action":\#(rest)"#.utf8)
    }
    func bare(_ body: [UInt8]) -> StepScanner.Bare? {
      body.withUnsafeBufferPointer { StepScanner.bare($0) }
    }
    var number = 0
    for digit in 1...18 {
      number = number * 10 + (digit * 7) % 10
      let read = bare(body("\(number)", "\(number / 3)", "1"))
      #expect(read?.n == number)
      #expect(read?.t == number / 3)
      #expect(bare(body("0\(number)", "1", "1")) == nil)
      #expect(bare(body("1", "00\(number)", "1")) == nil)
    }
    #expect(bare(body("0", "0", "1"))?.n == 0)
    for wrong in ["", "-1", "1.5", "1e3", "+1", " 1", "1234567890123456789", "12345678x", "1:"] {
      #expect(bare(body(wrong, "1", "1")) == nil)
    }
    // A number that is the last of a line, with fewer than eight bytes behind its beginning.
    for length in 1...12 {
      let cause = String(repeating: "7", count: length)
      let line = Array(
        #"{"k":"step","n":1,"t":2,"by":{"effect":"e","step":\#(cause)},"action":1"#.utf8)
      #expect(bare(line)?.cause == Int(cause))
      for cut in line.indices { #expect(bare(Array(line[..<cut])) == nil) }
    }
  }

  @Test("texts end at their quote wherever it is") func textsEndAtTheirQuoteWhereverItIs() {
    for length in 0...20 {
      for (byte, isPlain) in [
        (UInt8(ascii: "a"), true), (0x7F, true), (0x1F, false), (0x80, false),
        (UInt8(ascii: "\\"), false),
      ] {
        for position in 0..<max(1, length) {
          var name = [UInt8](repeating: UInt8(ascii: "x"), count: length)
          if length > 0 { name[position] = byte }
          let line =
            Array(#"{"k":"step","n":1,"t":2,"by":{"program":""#.utf8) + name
            + Array(#""},"action":1"#.utf8)
          let found = line.withUnsafeBufferPointer { StepScanner.bare($0) }
          #expect((found != nil) == (isPlain || length == 0))
        }
      }
    }
  }
}
