import SwiftBoardJSON
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

func canonical(_ value: some Encodable) throws -> String {
  String(decoding: try CanonicalEncoder.encode(value), as: UTF8.self)
}

/// Known answers; the rules they follow stand at `CanonicalEncoder`.
@Suite struct EncodingTests {
  @Test("scalars are written as known") func scalars() throws {
    #expect(try canonical(1) == "1")
    #expect(try canonical(Int.min) == "-9223372036854775808")
    #expect(try canonical(UInt64.max) == "18446744073709551615")
    #expect(try canonical(Int8(-5)) == "-5")
    #expect(try canonical(true) == "true")
    #expect(try canonical("a\"b") == #""a\"b""#)
    #expect(try canonical(Int?.none) == "null")
    #expect(try canonical(Int??.some(.some(3))) == "3")
    #expect(try canonical([Int]()) == "[]")
    #expect(try canonical([String: Int]()) == "{}")
    #expect(try canonical([1, nil, 3] as [Int?]) == "[1,null,3]")
    #expect(try canonical([[1], []]) == "[[1],[]]")
    #expect(try canonical([UInt8](0...3)) == "[0,1,2,3]")
    #expect(try canonical(Duration.milliseconds(1500)).hasPrefix("["))
  }

  @Test(
    "doubles are written as known",
    arguments: [
      (0.0, "0"), (-0.0, "0"), (1, "1"), (-17, "-17"), (1.5, "1.5"), (0.1, "0.1"),
      (1e15, "1000000000000000"),
      (9_007_199_254_740_991, "9007199254740991"), (-9_007_199_254_740_991, "-9007199254740991"),
      (9_007_199_254_740_992, "9007199254740992.0"), (1e16, "1e+16"), (1e300, "1e+300"),
      (1e-7, "1e-07"),
      (.leastNonzeroMagnitude, "5e-324"), (0.30000000000000004, "0.30000000000000004"),
      (1.7976931348623157e308, "1.7976931348623157e+308"), (123456.789, "123456.789"),
      (.infinity, "\"inf\""), (-.infinity, "\"-inf\""), (.nan, "\"nan\""),
    ] as [(Double, String)])
  func doubles(_ value: Double, _ text: String) throws {
    #expect(try canonical(value) == text)
    let back = try CanonicalDecoder.decode(Double.self, from: Array(text.utf8))
    #expect(back == value || (back.isNaN && value.isNaN))
    if value.isFinite {
      #expect(JSON.number("\(value)").canonical == text)
    }
  }

  @Test(
    "floats are written as known",
    arguments: [
      (0.1, "0.1"), (16_777_216, "16777216"), (1e10, "10000000000"), (1e20, "1e+20"), (-0, "0"),
      (.infinity, "\"inf\""), (3.4028235e38, "3.4028235e+38"),
    ] as [(Float, String)])
  func floats(_ value: Float, _ text: String) throws {
    #expect(try canonical(value) == text)
    #expect(try CanonicalDecoder.decode(Float.self, from: Array(text.utf8)) == value)
  }

  @Test("strings are written as known") func strings() throws {
    #expect(
      try canonical("\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F} \"\\/\u{7F}é\u{2028}😀")
        == "\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f \\\"\\\\/\u{7F}é\u{2028}😀\"")
    let long = String(repeating: "0123456789é", count: 100)
    #expect(try canonical(long) == "\"\(long)\"")
  }

  @Test("keys ascend by code point") func keysAscendByCodePoint() throws {
    let value = try JSON(
      parsing: #"{"b":1,"a":[true,null,{"z":"é€","y":"\u001f/\b\f\n\r\t\"\\"}],"aa":0,"A":-1,"#
        + #""é":2,"😀":3,"\uffee":4,"":5}"#)
    let expected =
      #"{"":5,"A":-1,"a":[true,null,{"y":"\u001f/\b\f\n\r\t\"\\","z":"é€"}],"aa":0,"b":1,"é":2,"#
      + "\"\u{FFEE}\":4,\"😀\":3}"
    #expect(value.canonical == expected)
    #expect(
      try canonical(["b": 1, "a": 2, "aa": 3, "": 4, "é": 5, "Z": 6])
        == #"{"":4,"Z":6,"a":2,"aa":3,"b":1,"é":5}"#)
    // By what a key is, not by how it is escaped: a line feed, then a space, a quote, a number
    // sign.
    #expect(
      try canonical(["#": 4, "\"": 3, " ": 2, "\n": 1, "\\": 6, "[": 5, "]": 7])
        == ##"{"\n":1," ":2,"\"":3,"#":4,"[":5,"\\":6,"]":7}"##)
    #expect(try canonical([10: "a", 9: "b", -1: "c"]) == #"{"-1":"c","10":"a","9":"b"}"#)
  }

  @Test("unordered is sorted") func unorderedIsSorted() throws {
    #expect(try canonical(Set([10, 9, 1, 100])) == "[1,10,100,9]")
    #expect(try canonical(Set(["b", "a", "é", "B"])) == #"["B","a","b","é"]"#)
    #expect(try canonical(Set([Set([2, 1]), Set([0, 3])])) == "[[0,3],[1,2]]")
    #expect(try canonical([Zoo.Kind.small: 1, .large: 2]) == #"["large",2,"small",1]"#)
    #expect(
      try canonical([Zoo.Point(x: 2, y: 0): "b", Zoo.Point(x: 1, y: 5): "a"])
        == #"[{"x":1,"y":5},"a",{"x":2,"y":0},"b"]"#)
    #expect(try canonical(Zoo.Tags(rawValue: ["z", "y"])) == #"{"rawValue":["y","z"]}"#)
    #expect(try canonical(Optional(Set([2, 1]))) == "[1,2]")
    #expect(try canonical(["s": Set([2, 1])]) == #"{"s":[1,2]}"#)
    #expect(try canonical(Set<Int>()) == "[]")
    #expect(try canonical([2, 1]) == "[2,1]")
    let numbers = (0..<1000).map { $0 * 7 % 1000 }
    #expect(
      try canonical(Set(numbers))
        == "[" + numbers.map(String.init).sorted().joined(separator: ",") + "]")
  }

  /// Same content, filled in another order and into tables of another size: same bytes.
  @Test("order of filling does not show") func orderOfFillingDoesNotShow() throws {
    let points = (0..<50).map { Zoo.Point(x: Double($0 % 7), y: Double($0)) }
    var forth = Zoo()
    var back = Zoo()
    back.points.reserveCapacity(5000)
    back.byPoint.reserveCapacity(5000)
    for (index, point) in points.enumerated() {
      forth.points.insert(point)
      forth.byPoint[point] = [index]
      forth.byName["k\(index)"] = point
    }
    for (index, point) in points.enumerated().reversed() {
      back.points.insert(point)
      back.byPoint[point] = [index]
      back.byName["k\(index)"] = point
    }
    #expect(forth == back)
    #expect(try CanonicalEncoder.encode(forth) == CanonicalEncoder.encode(back))
  }

  @Test("enums and optionals are written as known") func enumsAndOptionals() throws {
    #expect(try canonical(Zoo.Action.plain) == #"{"plain":{}}"#)
    #expect(try canonical(Zoo.Action.unlabelled(1, "x")) == #"{"unlabelled":{"_0":1,"_1":"x"}}"#)
    #expect(
      try canonical(Zoo.Action.labelled(status: 200, name: nil)) == #"{"labelled":{"status":200}}"#)
    #expect(
      try canonical(Zoo.Action.labelled(status: 200, name: "n"))
        == #"{"labelled":{"name":"n","status":200}}"#)
    #expect(
      try canonical(Zoo.Action.nested(.nested(.plain)))
        == #"{"nested":{"_0":{"nested":{"_0":{"plain":{}}}}}}"#)
    #expect(try canonical(Zoo.Kind.large) == #""large""#)
    #expect(try canonical(Zoo.Options(rawValue: 6)) == "6")
  }

  @Test("Foundation's types are written as known") func foundationTypes() throws {
    let uuid = try #require(UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
    #expect(try canonical(uuid) == #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#)
    let url = try #require(URL(string: "https://example.org/a?b=c/d"))
    #expect(try canonical(url) == #""https://example.org/a?b=c/d""#)
    for (bytes, text) in [
      ([], ""), ([0x66], "Zg=="), ([0x66, 0x6F], "Zm8="), ([0x66, 0x6F, 0x6F], "Zm9v"),
      ([0xFB, 0xFF, 0xFE, 0x00], "+//+AA=="),
    ] as [([UInt8], String)] {
      #expect(try canonical(Data(bytes)) == "\"\(text)\"")
      #expect(try CanonicalDecoder.decode(Data.self, from: .string(text)) == Data(bytes))
    }
    #expect(
      try canonical(Date(timeIntervalSince1970: 1_795_214_700.250331))
        == #""2026-11-20T22:45:00.250331Z""#)
    #expect(throws: EncodingError.self) { try canonical(Date.distantPast.addingTimeInterval(-1e9)) }
  }

  @Test("classes write their superclass") func classesWithSuper() throws {
    #expect(
      try canonical(Dog(name: "Rex", tricks: ["sit", "beg"]))
        == #"{"super":{"legs":4,"name":"Rex"},"tricks":["beg","sit"]}"#)
    #expect(try canonical(Cat(name: "Tom")) == #"{"legs":4,"lives":9,"name":"Tom"}"#)
    let dog = try CanonicalDecoder.decode(
      Dog.self, from: CanonicalEncoder.encode(Dog(name: "Rex", tricks: ["sit"])))
    #expect(dog.name == "Rex" && dog.tricks == ["sit"] && dog.legs == 4)
    let cat = try CanonicalDecoder.decode(
      Cat.self, from: CanonicalEncoder.encode(Cat(name: "Tom")))
    #expect(cat.name == "Tom" && cat.lives == 9)
  }

  @Test("numbers of parsed JSON keep their text") func numbersOfParsedJSON() throws {
    for (literal, text) in [
      ("1.0", "1"), ("1e3", "1000"), ("-0", "0"), ("-0.0", "0"),
      ("12345678901234567890", "12345678901234567890"),
      ("100000000000000000000000", "100000000000000000000000"), ("1e23", "1e+23"), ("0.10", "0.1"),
      ("1e400", "1e400"), ("1e-400", "0"), ("nan", "\"nan\""), ("01", "\"01\""),
    ] {
      #expect(JSON.number(literal).canonical == text)
      #expect(try canonical(["a": JSON.number(literal)]) == "{\"a\":\(text)}")
    }
  }

  @Test("appending leaves what is there") func appending() throws {
    var bytes = Array("x".utf8)
    try CanonicalEncoder.encode([1], into: &bytes)
    #expect(bytes == Array("x[1]".utf8))
    #expect(throws: EncodingError.self) {
      try CanonicalEncoder.encode([Date(timeIntervalSince1970: .nan)], into: &bytes)
    }
    #expect(bytes == Array("x[1]".utf8))
  }

  @Test("errors know the path") func errorsKnowThePath() throws {
    let value = ["a": [["b": Date.distantFuture], ["b": Date(timeIntervalSince1970: 1e15)]]]
    let error = #expect(throws: EncodingError.self) { try canonical(value) }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1", "b"])
  }

  @Test("depth is bounded") func depthIsBounded() throws {
    func nested(_ depth: Int) -> Zoo.Action {
      (0..<depth).reduce(.plain) { action, _ in .nested(action) }
    }
    let text = try CanonicalEncoder.encode(nested(100))
    #expect(try CanonicalDecoder.decode(Zoo.Action.self, from: text) == nested(100))
    #expect(throws: EncodingError.self) { try canonical(nested(600)) }
    final class Endless: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self)
      }
    }
    #expect(throws: EncodingError.self) { try canonical(Endless()) }
  }
}
