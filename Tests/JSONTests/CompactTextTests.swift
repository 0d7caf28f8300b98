import SwiftBoardJSON
import Testing

/// The text of a value without the value.
@Suite("compact text")
struct CompactTextTests {
  @Test(
    "it is the text that the value has",
    arguments: [
      #"{"a":1,"b":[true,false,null],"c":"x y"}"#, #"{ "a":1}"#, "{\"a\":\n1}", #"{"a":"b\"c"}"#,
      #"{"a":1,"a":2}"#, #"{"b":1,"a":2}"#, #""\u0041""#, #""tab\t""#, #"{"\u0061":1}"#, " 1", "1 ",
      "1e5", "-0", #""é ü""#, "\"\u{7F}\"", "[]", "{}", "[ ]", #"["a b", "c"]"#, #"["a b","c"]"#,
      #""""#, "null",
    ])
  func same(_ text: String) throws {
    #expect(JSON.compactText(of: text) == (try JSON(parsing: text)).text)
  }

  @Test("what is no JSON has none", arguments: ["", "{", "nul", "[1,]", "'a'", "1 2", "\u{FEFF}1"])
  func none(_ text: String) { #expect(JSON.compactText(of: text) == nil) }

  @Test(
    "strings are written with the escapes that they need, and no others",
    arguments: [
      ("plain", #""plain""#), ("a\"b", #""a\"b""#), ("a\\b", #""a\\b""#), ("\u{1}", #""\u0001""#),
      ("é", #""é""#), ("\u{7F}", "\"\u{7F}\""), ("", #""""#),
    ])
  func strings(_ value: String, _ text: String) { #expect(JSON.string(value).text == text) }
}
