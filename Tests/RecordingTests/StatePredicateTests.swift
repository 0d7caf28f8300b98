import SwiftBoardJSON
import Testing

@testable import SwiftBoardRecording

struct StatePredicateTests {
  private let state: JSON = [
    "counter": ["count": 5, "on": true, "off": false, "name": "Émile", "none": nil],
    "items": [["name": "w"], ["name": "v"], ["name": "x", "tags": ["a", "b"]]],
    "odd key": ["a.b": 1.5], "big": 9_007_199_254_740_993, "not": 1, "größe": 3,
  ]

  private func holds(_ text: String) throws -> Bool {
    try StatePredicate(parsing: text).holds(for: state)
  }

  @Test(arguments: [
    "counter.count >= 5", "counter.count>4", "counter.count == 5.0",
    "counter.count < 50e-1 or true == true",
    #"items[2].name == "x""#, "exists counter.none", "counter.on", "not counter.off",
    "!counter.off", "counter.name == \"\\u00c9mile\"", "counter.none == null",
    #"["odd key"]["a.b"] == 1.5"#, "count(items) == 3", "count(counter.name) == 5",
    "count(counter) == 5", "big == 9007199254740993", "big != 9007199254740992",
    "5 == counter.count", "counter.count == counter.count", #"items[2].tags contains "a""#,
    #"items[2].tags == ["a", "b"]"#, "items[2].tags ==\t[\"a\", \"b\"]", #"counter contains "on""#,
    #"counter.name contains "mil""#,
    "exists $", "$.counter.on", "$[\"not\"] == 1", "größe == 3", "$ != null",
    "counter.off or counter.on and counter.count == 5",
    "(counter.off or counter.on) and counter.on",
    "not (counter.off && counter.on) || counter.off", " counter.count\t>=  5 ",
    #"items contains {"name": "w"}"#, "missing != 1", "items[2].name > \"w\"", "-1 < counter.count",
    "exists items[0].name", "not exists items[9]", "not not counter.on",
  ])
  func theseHold(text: String) throws {
    #expect(try holds(text))
    #expect(try !holds("not (\(text))"))
  }

  @Test(arguments: [
    "missing == 1", "missing == null", "missing == missing", "missing < 1", "missing >= 1",
    "counter.count < \"6\"", "counter.name < 9", "counter.count", "counter.name", "missing",
    "exists missing.deeper", "exists items[3]", "counter.on and counter.off", "count(missing) == 0",
    "counter.count contains 5", "counter.none", "items[0].name == \"W\"", "null == missing",
  ])
  func theseDoNot(text: String) throws {
    #expect(try !holds(text))
  }

  @Test(arguments: [
    ("", 1, "found the end, expected a path or a value"),
    ("counter.count >=", 17, "found the end, expected a path or a value"),
    ("counter.count = 5", 15, "found '=', expected 'and', 'or' or the end"),
    ("counter. == 5", 9, "found ' ', expected a key"),
    ("größe == ", 10, "found the end, expected a path or a value"),
    ("größe == #", 10, "found '#', expected a key"),
    ("a[x] == 1", 3, "found 'x', expected an index or a key in quotes"),
    ("a[1 == 1", 5, "found '=', expected ']'"),
    ("(a and b", 9, "found the end, expected ')'"),
    ("a == 1)", 7, "found ')', expected 'and', 'or' or the end"),
    ("a == \"x", 6, "the string has no closing '\"'"),
    ("a == 01", 6, nil), ("a == {1}", 7, nil), ("a == [1", 6, "the value has no closing bracket"),
    ("5", 2, "found the end, expected a comparison such as '=='"),
    ("exists", 7, "found the end, expected a path"),
    ("count(a == 1", 9, "found '=', expected ')'"),
    ("a == or", 6, "found the word 'or', expected a path; a key of that name is [\"or\"]"),
    ("a b", 3, "found 'b', expected 'and', 'or' or the end"),
  ])
  func errorsPointAtTheColumn(text: String, column: Int, message: String?) throws {
    let error = #expect(throws: StatePredicateError.self) { try StatePredicate(parsing: text) }
    let found = try #require(error)
    if let message { #expect(found.message == message) }
    #expect(abs(found.column - column) <= (message == nil ? 1 : 0), "\(found)")
    #expect(found.exitCode == 64)
    let lines = found.description.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last?.count == found.column + 2)
  }

  @Test func nestingIsBounded() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "(", count: levels) + "a" + String(repeating: ")", count: levels)
    }
    _ = try StatePredicate(parsing: nested(60))
    #expect(throws: StatePredicateError.self) { try StatePredicate(parsing: nested(70)) }
    #expect(throws: StatePredicateError.self) { try StatePredicate(parsing: nested(100_000)) }
    #expect(throws: StatePredicateError.self) {
      try StatePredicate(parsing: String(repeating: "!", count: 100_000) + "a")
    }
  }

  @Test func anyTextGivesAConditionOrOneError() {
    var generator = SplitMix(state: 11)
    let pieces = [
      "a", "b.c", "[0]", "[\"k\"]", "$", "==", "!=", "<", "<=", ">", ">=", "contains", "exists",
      "count(", "count", "not", "!", "and", "&&", "or", "||", "(", ")", "1", "-2.5e3", "\"x\"",
      "\"", "\\",
      "{", "}", "[", "]", "{\"a\":1}", "[1]", " ", ".", "é", "\u{1F600}", "true", "null", "=", "\n",
    ]
    var fine = 0
    for _ in 0..<6_000 {
      let text = (0..<(generator.next() % 9)).map { _ in
        pieces[Int(generator.next() % UInt64(pieces.count))]
          + (generator.next() % 2 == 0 ? " " : "")
      }.joined()
      do {
        let predicate = try StatePredicate(parsing: text)
        fine += 1
        // Deterministic, and the opposite of its negation.
        let value = predicate.holds(for: state)
        let opposite = try StatePredicate(parsing: "not (\(text))")
        #expect(opposite.holds(for: state) == !value, "\(text)")
      } catch {
        #expect(error.column >= 1 && error.column <= text.count + 1, "\(text)")
        #expect(!error.message.isEmpty)
      }
    }
    #expect(fine > 200)
  }
}
