import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import Testing

/// Logs whose sums are right and whose content is not.
struct LogValidatorTests {
  private static let digest = Digest(of: #"{"count":0}"#.utf8)
  private static let header =
    #"{"k":"log","version":1,"program":"p 1","feature":"f","schema":{"name":"A","version":1},"#
    + #""created":"2026-11-20T22:45:00.000000Z","environment":"live","locale":"C","timeZone":"UTC","#
    + #""seed":"1","state":{"count":0},"digest":"\#(digest)","redacted":[]"#

  private static func step(_ n: Int, t: Int = 0, _ more: String = "") -> String {
    #"{"k":"step","n":\#(n),"t":\#(t),"by":{"program":"p"},"action":{"a":1},"digest":"\#(digest)"\#(more)"#
  }

  private func log(_ bodies: String...) -> [UInt8] {
    sealed(bodies.map { Array($0.utf8) })
  }

  private func message(_ bodies: String...) -> String? {
    let found = damage(sealed(bodies.map { Array($0.utf8) }))
    if let found { #expect(found.line == bodies.count) }
    return found?.message
  }

  @Test("a hand written log is read") func aHandWrittenLogIsRead() {
    let end = #"{"k":"end","n":2,"digest":"\#(Self.digest)""#
    let (lines, warnings, error) = read(log(Self.header, Self.step(1), Self.step(2), end))
    #expect(error == nil)
    #expect(warnings == [])
    #expect(lines.count == 4)
  }

  @Test("unknown members are kept and unknown kinds skipped")
  func unknownMembersAreKeptAndUnknownKindsSkipped() throws {
    let (lines, warnings, error) = read(
      log(Self.header + #","later":[1]"#, #"{"k":"novel","x":1"#, Self.step(1, #","why":"so""#)))
    #expect(error == nil)
    #expect(lines.count == 2)
    #expect(warnings == [.unknownKind("novel", line: 2), .cutShort(afterStep: 1)])
    guard case .header(let header) = lines[0] else { return }
    #expect(header.extra == [JSON.Member("later", [1])])
    #expect(lines[1].step?.extra == [JSON.Member("why", "so")])
  }

  @Test("many unknown kinds are counted") func manyUnknownKindsAreCounted() {
    let bodies = [Self.header] + (0..<50).map { #"{"k":"novel\#($0)""# }
    let warnings = read(sealed(bodies.map { Array($0.utf8) })).warnings
    #expect(warnings.count == 22)
    #expect(warnings[20] == .more(30))
  }

  @Test("the header is first and once") func theHeaderIsFirstAndOnce() {
    #expect(message(Self.step(1)) == "the log does not begin with its header")
    #expect(message(#"{"k":"novel""#) == "the log does not begin with its header")
    #expect(message(Self.header, Self.header) == "the log has a second header")
    #expect(damage([])?.message == "the log is empty")
    #expect(damage(Array("\n".utf8)) != nil)
  }

  @Test("other format versions are refused") func otherFormatVersionsAreRefused() {
    let text = message(
      Self.header.replacing(#""version":1,"program""#, with: #""version":2,"program""#))
    #expect(text == "the log has format version 2; this program reads version 1")
  }

  @Test(
    "a seed is a whole number of 64 bits",
    arguments: ["-5", "+5", "", "x", "01", "00", "18446744073709551616"])
  func aSeedIsAWholeNumber(seed: String) {
    let header = Self.header.replacing(#""seed":"1""#, with: "\"seed\":\"\(seed)\"")
    #expect(message(header) == "log.seed is not a seed")
    let largest = Self.header.replacing(#""seed":"1""#, with: #""seed":"18446744073709551615""#)
    #expect(message(largest) == nil)
  }

  @Test("a key that is there twice is told once") func aKeyThatIsThereTwiceIsToldOnce() {
    let found = damage(log(Self.header, Self.step(1, #","n":1"#)))
    #expect(
      found?.description.hasSuffix(
        #"(expected one JSON object, no key twice, at most 512 levels deep, found the key "n" again)"#
      ) == true, "\(found?.description ?? "none")")
  }

  @Test("numbers have no gaps") func numbersHaveNoGaps() {
    #expect(
      message(Self.header, Self.step(1), Self.step(3))
        == "step 2 is missing: step 3 follows step 1")
    #expect(message(Self.header, Self.step(1), Self.step(1)) == "step 1 is there twice")
    #expect(
      message(Self.header, Self.step(1), Self.step(2), Self.step(1))
        == "steps are out of order: step 1 follows step 2")
    #expect(message(Self.header, Self.step(2)) == "step 1 is missing: step 2 follows step 0")
  }

  @Test("time does not decrease") func timeDoesNotDecrease() {
    #expect(
      message(Self.header, Self.step(1, t: 5), Self.step(2, t: 4))
        == "time runs backwards at step 2")
    #expect(message(Self.header, Self.step(1, t: 5), Self.step(2, t: 5)) == nil)
  }

  @Test("states match their digests") func statesMatchTheirDigests() {
    #expect(
      message(Self.header.replacing(#""count":0"#, with: #""count":1"#))
        == "the header's state does not match its digest")
    let good = #"{"k":"state","n":1,"state":{"count":0},"digest":"\#(Self.digest)""#
    #expect(message(Self.header, Self.step(1), good) == nil)
    #expect(
      message(Self.header, Self.step(1), good.replacing(#":0}"#, with: ":1}"))
        == "the snapshot of step 1 does not match its digest")
    let other = Digest(of: #"{"count":1}"#.utf8)
    #expect(
      message(
        Self.header, Self.step(1),
        #"{"k":"state","n":1,"state":{"count":1},"digest":"\#(other)""#)
        == "the snapshot of step 1 has another digest than the step")
    #expect(
      message(Self.header, Self.step(1), Self.step(2), good)
        == "a snapshot of step 1 stands behind step 2")
  }

  @Test("the end agrees and is last") func theEndAgreesAndIsLast() {
    let end = #"{"k":"end","n":1,"digest":"\#(Self.digest)""#
    #expect(
      message(Self.header, Self.step(1), end, Self.step(2))
        == "there is more behind the end line")
    #expect(message(Self.header, end) == "the end line counts 1 step, the log has 0")
    #expect(
      message(
        Self.header, Self.step(1),
        #"{"k":"end","n":1,"digest":"xxh64:0000000000000000""#)
        == "the end line has another digest than step 1")
  }

  @Test("what a crash leaves behind the end is cut off and reported", arguments: ["{", "\0\0\0"])
  func aTornTailBehindTheEnd(tail: String) throws {
    let end = #"{"k":"end","n":1,"digest":"\#(Self.digest)""#
    let whole = log(Self.header, Self.step(1), end)
    let reader = LogReader(BytesSource(whole + Array(tail.utf8)))
    while try reader.next() != nil {}
    #expect(reader.warnings == [.tornTail(offset: whole.count)])
  }

  @Test("steps have their digests") func stepsHaveTheirDigests() {
    let bare = #"{"k":"step","n":1,"t":0,"by":{"program":"p"},"action":{"a":1}"#
    #expect(message(Self.header, bare) == "step 1 has no digest")
    let every = Self.header.replacing(#","redacted""#, with: #","digestEvery":2,"redacted""#)
    #expect(message(every, bare) == nil)
    #expect(
      message(every, bare, bare.replacing(#""n":1"#, with: #""n":2"#)) == "step 2 has no digest")
    #expect(
      message(every, bare, #"{"k":"end","n":1,"digest":"\#(Self.digest)""#)
        == "step 1 is the last and has no digest")
  }

  @Test("effects come from earlier steps") func effectsComeFromEarlierSteps() {
    let late = Self.step(1).replacing(
      #"{"program":"p"}"#, with: #"{"effect":"e","step":1}"#)
    #expect(message(Self.header, late)?.contains("not before it") == true)
    let early = late.replacing(#""step":1}"#, with: #""step":0}"#)
    #expect(message(Self.header, early) == nil)
  }

  @Test(
    "bad lines are damage",
    arguments: [
      #"{"k":"mark","n":0,"name":"a","name":"b""#, #"{"k":"mark","n":0,"name":7"#,
      #"{"k":"mark","n":0"#, #"{"k":"mark","n":-1,"name":"a""#, #"{"k":"mark","n":0.5,"name":"a""#,
      #"{"k":"mark","n":1,"name":"a""#, #"{"n":0,"k":"mark","name":"a""#, #"{"k":7"#,
      #"["k""#, #"{"k":"mark","n":0,"name":"a"} "#, #"{"k":"mark","n":0,"name":"\u{FEFF}","#,
      #"{"k":"step","n":1,"t":0,"by":{},"action":1,"digest":"xxh64:0000000000000000""#,
      #"{"k":"step","n":1,"t":0,"by":{"program":"p"},"action":1,"draws":[["luck","1"]]"#,
      #"{"k":"step","n":1,"t":0,"by":{"program":"p"},"action":{"a":1,"a":1}"#,
      #"{"k":"step","n":1,"t":99999999999999999999,"by":{"program":"p"},"action":1"#,
      #"{"k":"mark","n":0,"name":"a","sum":"xxh64:0000000000000000""#,
    ])
  func badLinesAreDamage(body: String) {
    #expect(message(Self.header, body) != nil, "\(body)")
  }

  /// The form that the format states, with right sums: what was expected is said.
  @Test(
    "another form than the one that is stated is damage",
    arguments: [
      (#""draws":[]"#, #"at least one element, or no "draws""#),
      (#""effects":[]"#, #"at least one element, or no "effects""#),
      (#""effects":null"#, "an array"),
    ])
  func anotherFormIsDamage(member: String, expected: String) throws {
    let body = Self.step(1).replacing(#","digest""#, with: ",\(member),\"digest\"")
    let found = try #require(damage(log(Self.header, body)))
    #expect(found.expected == expected)
    #expect(found.line == 2 && found.offset == split(log(Self.header))[0].count)
  }

  @Test(
    "a step has one sender",
    arguments: [
      (#""user":"echo","at":"-","link":"l""#, #""user" and "link""#),
      (#""link":"l","program":"p""#, #""link" and "program""#),
      (#""program":"p","user":"echo""#, #""program" and "user""#),
      (#""effect":"e","step":0,"user":"echo","at":"-""#, #""effect" and "user""#),
    ])
  func oneSender(by: String, found: String) throws {
    let body = Self.step(1).replacing(#"{"program":"p"}"#, with: "{\(by)}")
    let error = try #require(damage(log(Self.header, body)))
    #expect(error.found == found)
    #expect(error.expected == #"one of "user", "effect", "link" and "program""#)
  }

  /// The format says only which member is first and which is last.
  @Test("spaces and another order of members between the first and the last are read")
  func spaces() {
    let end = #"{ "k" : "end", "digest":"\#(Self.digest)", "n":1 "#
    let step =
      #"{"k":"step", "t":0,"n":1, "action":{"a":1},"digest":"\#(Self.digest)","by":{ "program":"p" }"#
    let (lines, warnings, error) = read(log(Self.header, step, end))
    #expect(error == nil && warnings == [] && lines.count == 3)
  }

  @Test("nesting has a limit") func nestingHasALimit() {
    func nested(_ levels: Int) -> String {
      #"{"k":"novel","x":"# + String(repeating: "[", count: levels)
        + String(repeating: "]", count: levels)
    }
    #expect(message(Self.header, nested(511)) == nil)
    #expect(message(Self.header, nested(512)) != nil)
    #expect(message(Self.header, nested(100_000)) != nil)
  }

  @Test("other line ends and byte order marks are damage") func otherLineEndsAndMarksAreDamage() {
    let whole = log(Self.header, Self.step(1))
    #expect(damage([0xEF, 0xBB, 0xBF] + whole) != nil)
    #expect(damage(whole + [0x0A]) != nil)
    let text = String(decoding: whole, as: UTF8.self)
    #expect(damage(Array(text.replacing("\n", with: "\r\n").utf8)) != nil)
    #expect(damage(Array(text.replacing(#","sum""#, with: #", "sum""#).utf8)) != nil)
  }
}
