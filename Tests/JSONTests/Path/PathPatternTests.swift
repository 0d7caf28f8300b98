import SwiftBoardJSON
import Testing

struct PathPatternTests {
  @Test(
    "texts are read",
    arguments: [
      ("a", [.key("a")]), ("a.b[0]", [.key("a"), .key("b"), .index(0)]), ("*", [.any]),
      ("a.*.b[*].c", [.key("a"), .any, .key("b"), .any, .key("c")]),
      ("[\"*\"].x", [.key("*"), .key("x")]), ("a[\"b.]c\"]", [.key("a"), .key("b.]c")]),
      ("h[name=date]", [.key("h"), .having(key: "name", text: "date")]),
      ("h[name=\"a]b\"][1]", [.key("h"), .having(key: "name", text: "a]b"), .index(1)]),
      ("h[name=]", [.key("h"), .having(key: "name", text: "")]), ("", []),
      ("a[\"x=y\"]", [.key("a"), .key("x=y")]),
    ] as [(String, [JSONPathPattern.Step])])
  func textsAreRead(text: String, steps: [JSONPathPattern.Step]) throws {
    let pattern = try JSONPathPattern(parsing: text)
    #expect(pattern.steps == steps)
    #expect(try JSONPathPattern(parsing: pattern.description) == pattern, "\(pattern)")
  }

  @Test("an index beyond the range of integers is said to be too large")
  func tooLargeIndex() {
    let error = #expect(throws: JSONPathError.self) {
      try JSONPath(parsing: "a[99999999999999999999]")
    }
    #expect(
      error?.message
        == "found too large an index at position 3, expected at most 9223372036854775807")
    #expect(error?.offset == 2)
  }

  @Test(
    "what is none is refused",
    arguments: [
      ("a..b", 1), ("a.", 1), (".a", 0), ("a[", 1), ("a[x]", 2), ("a[0]b", 4), ("a]", 1),
      ("a\"b\"", 1),
      ("a[n=\"x]", 1), ("*b[", 2),
    ])
  func whatIsNoneIsRefused(text: String, offset: Int) {
    let error = #expect(throws: JSONPathError.self) { try JSONPathPattern(parsing: text) }
    #expect(error?.message.isEmpty == false)
    #expect(error?.offset == offset, "\(text): \(error?.message ?? "")")
  }
}
