import SwiftBoardJSON
import Testing

struct StringSearchTests {
  @Test(
    "the first occurrence of a text is found by its bytes",
    arguments: [
      ("http://a://b", "://", "a://b"), ("a:/://b", "://", "b"), ("://", "://", ""),
      ("grüße", "ü", "ße"), ("aaab", "ab", ""), ("text", "", "text"),
    ])
  func found(_ text: String, _ part: String, _ rest: String) throws {
    let end = try #require(text.end(ofFirst: part))
    #expect(text[end...] == rest)
  }

  @Test(
    "a text that is not there has no end", arguments: [("", "a"), ("ab", "abc"), (":/", "://")])
  func missing(_ text: String, _ part: String) {
    #expect(text.end(ofFirst: part) == nil)
  }
}
