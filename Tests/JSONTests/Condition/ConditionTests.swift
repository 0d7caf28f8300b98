import SwiftBoardJSON
import SwiftBoardTesting
import Testing

struct ConditionTests {
  static let state: JSON = [
    "a": ["b": 3, "n": JSON.null], "c": "xyz", "list": [1, "two", ["k": 2]], "yes": true,
    "big": .number("9007199254740993"),
    "o": ["x": 1, "y": 2], "odd key": 1, "lines": "x\r\ny", "letter": "e\u{301}",
    // A quote before or after them is one character with them.
    "mark": "\u{301}a b", "prefix": "a \u{600}", "\u{301} key": 1,
  ]

  @Test(
    "answers",
    arguments: [
      ("a.b == 3", true), ("a.b == 3.0", true), ("a.b != 3", false), ("a.b==3", true),
      ("a.b>=3", true), ("a.b < 3", false),
      ("a.b <= 3", true), ("a.b > 2.5", true), (#"c contains "y""#, true),
      (#"c contains "q""#, false),
      (#"c == "xyz""#, true), (#"c > "xya""#, true), ("c > 3", false), ("c < 3", false),
      (#"list contains "two""#, true),
      ("list contains 1.0", true), (#"list contains {"k": 2}"#, true), (#"o contains "x""#, true),
      ("o contains 1", false),
      (#"o == {"y": 2, "x": 1}"#, true), (#"o == {"y": 2}"#, false), ("list[2].k == 2", true),
      ("list[9] exists", false),
      ("a.n exists", true), ("a.n == null", true), ("nope exists", false), ("nope == null", false),
      ("nope != 1", true),
      ("nope < 1", false), ("yes == true", true), ("big == 9007199254740992", false),
      ("big > 9007199254740992", true),
      (#"["odd key"] == 1"#, true), ("a.b == 4 or c exists", true),
      ("a.b == 3 and nope exists", false),
      ("nope exists and c exists or yes == true", true),
      ("yes == true or nope exists and nope exists", true),
      (#"lines contains "\n""#, true), (#"letter contains "e""#, true),
      (#"letter contains "\u00e9""#, false), (#"letter == "\u00e9""#, false),
      (#"c == "a and b""#, false), (#"list == [1, "two", {"k": 2}]"#, true),
      ("mark == \"\u{301}a b\"", true), ("prefix == \"a \u{600}\" and yes == true", true),
      ("[\"\u{301} key\"] == 1", true),
    ] as [(String, Bool)])
  func answers(text: String, expected: Bool) throws {
    #expect(try JSONCondition(parsing: text).holds(for: Self.state) == expected)
  }

  @Test(
    "errors",
    arguments: [
      ("", 1, 1, "a path is missing"), ("a", 2, 1, "a comparison is missing after the path"),
      ("a = 3", 3, 1, "unknown comparison '='"),
      ("a contain 3", 3, 7, "unknown comparison 'contain'"),
      ("a ==", 5, 1, "a JSON value is missing after '=='"),
      ("a == Rick", 6, 4, "'Rick' is not JSON"),
      ("a == 3 adn b == 4", 8, 3, "'adn' joins no comparisons"),
      ("a == 3 and", 11, 1, "a path is missing"),
      ("a..b == 3", 1, 4, "'a..b' is not a path"), ("é == [1, }", 6, 5, "'[1, }' is not JSON"),
    ])
  func errors(text: String, column: Int, length: Int, message: String) {
    let error = #expect(throws: JSONConditionError.self) { try JSONCondition(parsing: text) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    #expect(error?.column == column)
    #expect(error?.length == length)
  }

  @Test("fuzz: an answer or an error inside the text", arguments: 0..<4)
  func fuzz(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let pieces = [
      "a", ".b", "[0]", "[", "]", "\"", "\\", " ", " == ", "!=", "<", " and ", " or ", "exists",
      "3", "{", "}", "é", "contains",
    ]
    for _ in 0..<600 {
      let text = (0..<Int.random(in: 0...9, using: &generator))
        .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      do throws(JSONConditionError) {
        _ = try JSONCondition(parsing: text).holds(for: Self.state)
      } catch {
        #expect((1...(text.count + 1)).contains(error.column), "\(text): \(error)")
      }
    }
  }
}
