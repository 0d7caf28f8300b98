import SwiftBoardTesting
import Testing

@testable import SwiftBoardCommandLine

@Suite("Text with styles")
struct StyledTextTests {
  /// The text with each part in brackets behind its style.
  private func parts(_ text: StyledText) -> String {
    var result = ""
    text.forEachToken { part, style in
      let part = String(decoding: part, as: UTF8.self)
      result += style.map { "\($0)[\(part)]" } ?? part
    }
    return result
  }

  @Test("parts keep their styles when texts are joined and parts replaced")
  func joins() {
    let text = "a" + StyledText("b", .error) + "c" + StyledText("d", .header)
    #expect(text.text == "abcd")
    #expect(parts(text) == "aerror[b]cheader[d]")
    let doubled = text.mapParts { Array($0 + $0) }
    #expect(doubled.text == "aabbccdd")
    #expect(parts(doubled) == "aaerror[bb]ccheader[dd]")
    #expect(text.mapParts { _ in [] } == StyledText())
    #expect(
      String(decoding: text.rendered, as: UTF8.self)
        == "a\u{1B}[1;31mb\u{1B}[0mc\u{1B}[1md\u{1B}[0m")
    #expect(StyledText("x").rendered == Array("x".utf8))
  }

  @Test("pieces are whole characters in whole styles, and together the text", arguments: 4...20)
  func pieces(size: Int) throws {
    let json = #"{"a": ["\#(String(repeating: "\u{5BB6}\u{1F511}x", count: 9))", 1], "b": null}"#
    let text = "1234" + StyledText("a long heading\n", .heading) + StyledText(json, .json) + "end\n"
    for color in [true, false] {
      var joined = ""
      text.forEachPiece(of: size, color: color) { piece in
        let piece = String(validating: piece, as: UTF8.self)
        #expect(piece != nil)
        let escapes = (piece ?? "").split(separator: "\u{1B}").dropFirst()
        #expect(escapes.isEmpty || escapes.last?.hasPrefix("[0m") == true)
        joined += piece ?? ""
      }
      #expect(joined.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == text.text)
    }
    var all: [UInt8] = []
    text.forEachPiece(of: 1000, color: true) { all += $0 }
    #expect(all == text.rendered)
  }

  @Test("no piece follows the one at which an error ends them")
  func endedPieces() {
    struct End: Error {}
    var count = 0
    #expect(throws: End.self) {
      try StyledText("[1,2,3,4,5,6]", .json).forEachPiece(of: 4, color: true) { _ in
        count += 1
        if count == 2 { throw End() }
      }
    }
    #expect(count == 2)
  }

  @Test("the label of a warning has a style")
  func warning() {
    #expect(parts(StyledText(warning: "late")) == "warning[warning:] late")
  }

  @Test(
    "messages are broken between words, and what they go on with is indented",
    arguments: [
      (10, "error: short", "error:\n  short"), (12, "error: short", "error: short"),
      (20, "help: one two three four five six", "help: one two three\n  four five six"),
      (10, "  indented lines stay as they are", "  indented lines stay as they are"),
      (10, "a longerthanthewidth b", "a longerthanthewidth\n  b"),
      (
        9, "\u{5BB6}\u{5BB6} \u{5BB6}\u{5BB6} \u{5BB6}",
        "\u{5BB6}\u{5BB6} \u{5BB6}\u{5BB6}\n  \u{5BB6}"
      ),
      (6, "a b\nlong line\n", "a b\nlong\n  line\n"), (10, "", ""),
      // A quoted command is one word: the terminal breaks what does not fit a line.
      (24, "help: run it with 'db list c', or not", "help: run it with\n  'db list c', or not"),
      (24, "help: it is (see 'a b c d e'). Yes", "help: it is (see\n  'a b c d e'). Yes"),
      (24, "help: 'a' or 'b c' and (try 'd e f')", "help: 'a' or 'b c' and\n  (try 'd e f')"),
      (16, "help: try 'a command that is long'", "help: try\n  'a command that is long'"),
      (16, "try 'a command that is long', or not", "try\n  'a command that is long',\n  or not"),
      (14, "the users' own don't 'open it", "the users' own\n  don't 'open\n  it"),
      (14, "it is '家家 家家'", "it is\n  '家家 家家'"),
    ])
  func wraps(width: Int, text: String, wrapped: String) {
    #expect(StyledText(text).wrapped(to: width).text == wrapped)
  }

  @Test("a message keeps its styles where it is broken")
  func wrapsStyles() {
    let text = StyledText("error:", .error) + " it is " + StyledText("a long", .key) + " text\n"
    #expect(parts(text.wrapped(to: 15)) == "error[error:] it is key[a]\n  key[long] text\n")
    #expect(text.wrapped(to: 80) == text)
  }

  @Test("JSON is divided into keys, strings, numbers and constants")
  func json() {
    let text = #"{"a\"" : ["b:", -1.5e+3, true, null], "c":{}}"#
    #expect(
      parts(StyledText(text, .json))
        == #"{key["a\""] : [string["b:"], number[-1.5e+3], constant[true], constant[null]], key["c"]:{}}"#
    )
    #expect(parts(StyledText(#"["open"#, .json)) == #"[string["open]"#)
    #expect(parts(StyledText(#""\"#, .json)) == #"string["\]"#)
  }

  @Test("the tokens of any bytes are the bytes", arguments: 0..<100)
  func tokens(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let alphabet = Array("{}[]\":,\\ \n-1.5eEtrufalsn\u{e9}".utf8)
    let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
      alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
    }
    var joined: [UInt8] = []
    JSONTokens.forEach(in: bytes[...]) { part, _ in joined += part }
    #expect(joined == bytes)
  }

  @Test("tables, records, JSON, failures and help have styles, and their text has none")
  func output() {
    func show(_ presentation: Presentation, _ format: OutputFormat = .table) -> StyledText {
      OutputFormatter(format: format).render(
        line: 1, command: "x", presentation: presentation, value: ["a": 1], milliseconds: 0)
    }
    let table = Presentation.table(columns: [.init("id")], rows: [["1"]])
    #expect(parts(show(table)) == "header[id]\n--\n1\n")
    #expect(parts(show(.fields([("a", "b")]))) == "name[a]  b\n")
    #expect(parts(show(.json(["a": 1]))) == "{\n  key[\"a\"]: number[1]\n}\n")
    for format in [OutputFormat.json, .plain, .csv] {
      #expect(show(table, format).spans == [])
      #expect(show(.json(["a": 1]), format).spans == [])
    }
    #expect(parts(show(.styled("a\u{1B}" + StyledText("b", .error)))) == "a\\u{1b}error[b]\n")
    #expect(
      parts(HelpText.styled("a b: c\n\nExamples\n  a b\n\nSee\n\n  x\n"))
        == "a b: c\n\nheading[Examples]\n  a b\n\nSee\n\n  x\n")
  }
}
