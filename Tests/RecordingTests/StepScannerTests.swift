import Testing

@testable import SwiftBoardRecording

/// The short way may refuse, but what it accepts the long way reads as the same.
struct StepScannerTests {
  private static let body =
    #"{"k":"step","n":12,"t":1250331,"by":{"effect":"api","id":"a/3","step":6},"#
    + #""action":{"a":[1,-2.5e3,true,null],"b":{"c":"text","d":{}}},"draws":[["uuid","0F"],["random","7"]],"#
    + #""effects":[{"name":"db","id":"x","kind":"task"},{"name":"s","kind":"send"}],"#
    + #""digest":"xxh64:0123456789abcdef""#

  private func long(_ body: [UInt8]) -> LogLine? {
    var line = body
    var chain = SumChain()
    chain.seal(&line, from: 0)
    return try? LineParser.parseTree(line.dropLast())
  }

  @Test func recordedStepsGoTheShortWay() throws {
    let steps = split(try Session.example()).map { $0.dropLast(SumChain.tailLength + 1) }
      .filter { StepScanner.step($0) != nil }
    // All but the one whose line has escapes and letters beyond ASCII.
    #expect(steps.count == 6)
    for body in steps {
      #expect(long(Array(body)) == StepScanner.step(body).map(LogLine.step))
    }
  }

  @Test func whatIsAcceptedIsTheSame() throws {
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

  @Test(arguments: [
    #"{"a":1,"a":2}"#, "[1,]", "{}}", "01", "1.", "tru", #""\u0041""#, #""\n""#, " 1", "-", "1e",
  ])
  func unusualActionsAreLeftToTheLongWay(action: String) {
    let body = #"{"k":"step","n":1,"t":0,"by":{"program":"p"},"action":"# + action
    #expect(StepScanner.step(Array(body.utf8)[...]) == nil)
  }
}
