import SwiftBoardJSON
import Testing

@Suite struct ParsingTests {
  @Test(
    "values are read",
    arguments: [
      ("null", JSON.null), (" true ", true), ("false", false), ("0", .number("0")),
      ("-0", .number("-0")), ("1.50e+07", .number("1.50e+07")),
      ("12345678901234567890", .number("12345678901234567890")),
      (#""""#, ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"),
      (#""\u00e9\u20AC\ud83d\ude00""#, "é€😀"), ("\"é€😀\"", "é€😀"), ("[]", []),
      ("[ 1 , [ ] , { } ]", [1, [], [:]]), ("{}", [:]),
      ("{\"b\":1,\"a\":[true,null]}", ["b": 1, "a": [true, nil]]),
      ("\"01234567é89abcdef\"", "01234567é89abcdef"), ("\"\u{7F}\"", "\u{7F}"),
    ] as [(String, JSON)])
  func values(_ text: String, _ value: JSON) throws {
    #expect(try JSON(parsing: text) == value)
    #expect(try JSON(parsing: Array(text.utf8)) == value)
    #expect(throws: Never.self) { try JSON.validate(text) }
    #expect(try JSON(parsing: value.text) == value)
    #expect(try JSON(parsing: value.pretty) == value)
    #expect(try JSON(parsing: value.asciiText) == value)
  }

  @Test(
    "errors name their place",
    arguments: [
      ("", 0, 1, 1, "found the end of the text, expected a value"),
      ("  ", 2, 1, 3, "found the end of the text, expected a value"),
      ("\u{FEFF}1", 0, 1, 1, "found a byte-order mark, expected a value"),
      ("[1,]", 3, 1, 4, "found ']', expected a value"),
      ("[1 2]", 3, 1, 4, "found '2', expected ',' or ']'"),
      ("{\"a\":1,}", 7, 1, 8, "found '}', expected a key in quotes"),
      ("{,}", 1, 1, 2, "found ',', expected a key in quotes or '}'"),
      ("{a:1}", 1, 1, 2, "found 'a', expected a key in quotes or '}'"),
      ("{\"a\" 1}", 5, 1, 6, "found '1', expected ':'"),
      ("{\"a\":1]", 6, 1, 7, "found ']', expected ',' or '}'"),
      ("NaN", 0, 1, 1, "found 'N', expected a value"),
      ("nul", 3, 1, 4, "found the end of the text, expected the word null"),
      ("trux", 3, 1, 4, "found 'x', expected the word true"),
      ("01", 1, 1, 2, "found a digit after a leading 0, expected '.', 'e' or the end"),
      ("1.", 2, 1, 3, "found the end of the text, expected a digit"),
      ("1e+", 3, 1, 4, "found the end of the text, expected a digit"),
      ("-", 1, 1, 2, "found the end of the text, expected a digit"),
      ("+1", 0, 1, 1, "found '+', expected a value"),
      (".5", 0, 1, 1, "found '.', expected a value"),
      ("1 1", 2, 1, 3, "found '1', expected the end of the text"),
      ("[\n\"é\", x]", 8, 2, 6, "found 'x', expected a value"),
      ("\"a", 2, 1, 3, "found the end of the text, expected a closing '\"'"),
      (
        "\"a\nb\"", 2, 1, 3,
        "found the control character 0x0A in a string, expected it escaped"
      ),
      (
        "\"\\x\"", 2, 1, 3, "found 'x', expected one of \" \\ / b f n r t u after '\\'"
      ),
      ("\"\\u12G4\"", 5, 1, 6, "found 'G', expected four hexadecimal digits after '\\u'"),
      (
        "\"\\ud800\"", 1, 1, 2, "found half of a surrogate pair, expected both halves"
      ),
      ("\"\\ud800\\u0041\"", 1, 1, 2, "found half of a surrogate pair, expected both halves"),
      ("\"\\udc00\"", 1, 1, 2, "found half of a surrogate pair, expected both halves"),
      ("// x", 0, 1, 1, "found '/', expected a value"),
      ("\u{0}", 0, 1, 1, "found the byte 0x00, expected a value"),
    ])
  func errors(_ text: String, _ offset: Int, _ line: Int, _ column: Int, _ message: String) {
    let error = JSONError(offset: offset, line: line, column: column, message: message)
    #expect(throws: error) { try JSON(parsing: text) }
    #expect(throws: error) { try JSON.validate(text) }
  }

  @Test(
    "invalid UTF-8 is refused",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func invalidUTF8(_ bytes: [UInt8]) {
    for prefix in ["", "a", "01234567", "é"] {
      let text = Array("\"\(prefix)".utf8) + bytes + Array("\"".utf8)
      let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
      #expect(error?.offset == 1 + prefix.utf8.count)
    }
  }

  @Test("scalars of every width are read") func everyScalarWidth() throws {
    for value in [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF] {
      let scalar = try #require(Unicode.Scalar(UInt32(value)))
      let text = JSON.string("x\(Character(scalar))y")
      for format in [JSONFormat.compact, JSONFormat(escaping: .ascii)] {
        #expect(try JSON(parsing: text.text(format)) == text)
      }
    }
  }

  @Test("depth is bounded") func depthIsBounded() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSON(parsing: nested(512))
    let error = #expect(throws: JSONError.self) { try JSON(parsing: nested(513)) }
    #expect(error?.offset == 512)
    #expect(throws: JSONError.self) { try JSON(parsing: String(repeating: "[", count: 1_000_000)) }
    #expect(throws: JSONError.self) {
      try JSON(parsing: String(repeating: "{\"a\":", count: 1_000_000))
    }
    _ = try JSON(parsing: "[[],{},[[]]]", limits: JSONLimits(depth: 3))
    #expect(throws: JSONError.self) {
      try JSON(parsing: "[[],{},[[]]]", limits: JSONLimits(depth: 2))
    }
  }

  @Test("of equal keys the last counts") func equalKeys() throws {
    let text = #"{"b":1,"a":2,"\u0062":3,"c":4}"#
    #expect(try JSON(parsing: text).text == #"{"b":3,"a":2,"c":4}"#)
    #expect(try JSON(parsing: text)["b"]?.intValue == 3)
    let error = #expect(throws: JSONError.self) { try JSON(parsing: text, limits: .strict) }
    #expect(error?.offset == 13)
    let refusal = #expect(throws: JSONError.self) { try JSON.validate(text, limits: .strict) }
    #expect(refusal == error)
    #expect(throws: Never.self) { try JSON.validate(text) }
    #expect(error?.message == #"found the key "b" again, expected each key once"#)
    // Composed and decomposed letters are different keys.
    let letters = "{\"e\u{301}\":1,\"\u{E9}\":2}"
    #expect(try JSON(parsing: letters, limits: .strict).members?.count == 2)
  }

  @Test("of equal keys among many the last counts") func equalKeysAmongMany() throws {
    let keys = (0..<100).map { "\"k\(($0 * 37) % 100)\":\($0)" }
    let unique = "{" + keys.joined(separator: ",") + "}"
    #expect(try JSON(parsing: unique, limits: .strict).members?.count == 100)
    let double = "{" + keys.joined(separator: ",") + ",\"k5\":-1}"
    #expect(throws: JSONError.self) { try JSON(parsing: double, limits: .strict) }
    #expect(try JSON(parsing: double)["k5"]?.intValue == -1)
    #expect(try JSON(parsing: double).members?.count == 100)
  }

  @Test("every collection of bytes is read") func everyCollectionOfBytes() throws {
    let text = #"{"a":[1,2]}"#
    let value = try JSON(parsing: text)
    #expect(try JSON(parsing: text.utf8) == value)
    #expect(try JSON(parsing: Array(text.utf8)[...]) == value)
    #expect(try JSON(parsing: Array(text.utf8).reversed().reversed() as [UInt8]) == value)
    let raw = try Array(text.utf8).withUnsafeBytes { try JSON(parsing: $0) }
    #expect(raw == value)
    let lazily = Array(text.utf8).lazy.map { $0 }
    #expect(try JSON(parsing: lazily) == value)
  }

  @Test("accessors give what is there") func accessors() throws {
    let value = try JSON(parsing: #"{"s":"t","n":7e2,"f":1.5,"big":9223372036854775808,"y":true}"#)
    #expect(value["s"]?.stringValue == "t")
    #expect(value["n"]?.intValue == 700)
    #expect(value["f"]?.intValue == nil)
    #expect(value["f"]?.doubleValue == 1.5)
    #expect(value["big"]?.intValue == nil)
    #expect(value["big"]?.doubleValue == 9_223_372_036_854_775_808)
    #expect(value["y"]?.boolValue == true)
    #expect(value["none"] == nil)
    #expect(value[0] == nil)
    #expect(JSON.array([1, 2])[1] == 2)
    #expect(JSON.array([1, 2])[2] == nil)
    #expect(JSON.array([1, 2])[-1] == nil)
    #expect(JSON.number("1e400").doubleValue == nil)
    #expect(JSON.number("1e999999999999999999999").intValue == nil)
    #expect(JSON.number("-0.0").intValue == 0)
    #expect(JSON(Int64.min).intValue == Int.min)
    #expect(JSON(.infinity as Double) == "inf")
  }
}
