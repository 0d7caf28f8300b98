import SwiftBoardJSON
import Testing

@Suite struct TextTests {
  @Test("text is escaped as it must be") func escaping() {
    let value = JSON.string("\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é\u{202E}\u{2066}😀")
    #expect(
      value.text == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}é\u{202E}\u{2066}😀\"")
    #expect(
      value.text(JSONFormat(escaping: .controls))
        == #""\"\\/\b\f\n\r\t\u0000\u001f\u007fé\u202e\u2066😀""#)
    #expect(
      value.asciiText
        == #""\"\\/\b\f\n\r\t\u0000\u001f\u007f\u00e9\u202e\u2066\ud83d\ude00""#)
  }

  @Test("controls of terminals never pass") func controlsOfTerminalsNeverPass() {
    let steering =
      Array(0..<0x20) + Array(0x7F...0x9F) + Array(0x202A...0x202E) + Array(0x2066...0x2069)
    for value in steering {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      let text = JSON.object([.init(String(scalar), .string(String(scalar)))])
        .text(JSONFormat(escaping: .controls))
      #expect(!text.unicodeScalars.contains(scalar))
    }
  }

  @Test("pretty text has a line for each member") func pretty() {
    let value: JSON = ["a": [1, [], [:]], "b": ["c": nil]]
    #expect(
      value.pretty == """
        {
          "a": [
            1,
            [],
            {}
          ],
          "b": {
            "c": null
          }
        }
        """)
  }

  @Test("what is not a number becomes text") func whatIsNoNumberBecomesText() throws {
    for literal in ["nan", "", "1,2", "01", "+1", "1.", "0x1", "1\n", "--1", "-"] {
      #expect(try JSON(parsing: JSON.number(literal).text) == .string(literal))
    }
  }

  @Test(
    "paths are read",
    arguments: [
      ("", []), ("a", [.key("a")]), ("a.b[0].c", [.key("a"), .key("b"), .index(0), .key("c")]),
      ("[1].x", [.index(1), .key("x")]), ("[0][12]", [.index(0), .index(12)]),
      (#"a["odd key"].b"#, [.key("a"), .key("odd key"), .key("b")]),
      (#"["a.b"]["]\""]"#, [.key("a.b"), .key("]\"")]),
      ("größe.x y", [.key("größe"), .key("x y")]),
      ("a.0", [.key("a"), .key("0")]),
    ] as [(String, [JSONPath.Step])])
  func paths(_ text: String, _ steps: [JSONPath.Step]) throws {
    let path = try JSONPath(parsing: text)
    #expect(path.steps == steps)
    #expect(try JSONPath(parsing: path.description) == path)
  }

  @Test(
    "errors of paths name their place",
    arguments: [
      (".a", 0), ("a.", 2), ("a..b", 2), ("a[", 2), ("a[x]", 2), ("a[1", 3), ("a[-1]", 2),
      ("a[\"b", 4), ("a[\"b\"", 5), ("a]", 1), ("a[1]b", 4), ("[99999999999999999999]", 1),
      ("a[\"\\", 4), ("a[\"\\x\"]", 4),
    ])
  func pathErrors(_ text: String, _ offset: Int) {
    let error = #expect(throws: JSONPathError.self) { try JSONPath(parsing: text) }
    #expect(error?.offset == offset)
    #expect(error?.message.contains("expected") == true)
  }

  @Test("values are found at paths") func valuesAtPaths() throws {
    let value = try JSON(parsing: #"{"a":{"b":[{"c":1},2]},"odd key":3}"#)
    #expect(value.value(at: try JSONPath(parsing: "a.b[0].c")) == 1)
    #expect(value.value(at: try JSONPath(parsing: "a.b[1]")) == 2)
    #expect(value.value(at: try JSONPath(parsing: "[\"odd key\"]")) == 3)
    #expect(value.value(at: try JSONPath(parsing: "")) == value)
    #expect(value.value(at: try JSONPath(parsing: "a.b[2]")) == nil)
    #expect(value.value(at: try JSONPath(parsing: "a[0]")) == nil)
    #expect(value.value(at: try JSONPath(parsing: "a.x.y")) == nil)
  }

  @Test("values have an order") func order() throws {
    let ascending: [JSON] = [
      nil, false, true, .number("-1e400"), .number("-12345678901234567891"),
      .number("-12345678901234567890"), -2, .number("-1.5"), -1, .number("-0.1"), 0,
      .number("1e-400"), .number("0.1"), .number("0.10000000000000000000001"), 1, 2, 10,
      .number("9007199254740992"), .number("9007199254740993"), .number("1e17"),
      .number("100000000000000001"), .number("1e400"), "", "10", "9", "a", "ab", "b", "é", [], [1],
      [1, 2], [2], [:], ["a": 1], ["a": 2], ["b": 0],
    ]
    for (left, a) in ascending.enumerated() {
      for (right, b) in ascending.enumerated() {
        #expect(
          JSON.compare(a, b) == (left == right ? 0 : left < right ? -1 : 1), "\(a) against \(b)")
        #expect((a.equalityKey == b.equalityKey) == (left == right), "\(a) against \(b)")
      }
    }
    for equal in ["1", "1.0", "10e-1", "0.1e1", "1E0", "0.001e+3"] {
      #expect(JSON.compare(.number("1"), .number(equal)) == 0)
      #expect(JSON.number("1").equalityKey == JSON.number(equal).equalityKey)
    }
    for zero in ["0", "-0", "0.0", "-0e5", "0e99999999999999999999999"] {
      #expect(JSON.compare(.number("0"), .number(zero)) == 0)
    }
  }
}
