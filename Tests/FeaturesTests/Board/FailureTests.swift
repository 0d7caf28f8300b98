import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardJSON
import Testing

struct FailureTests {
  private func failure(
    _ text: String?, column: Int?, length: Int? = nil, lineOffset: Int = 0,
    location: LineLocation? = LineLocation("demo.sb", line: 7)
  ) -> FailureReport {
    FailureReport(
      Failure(
        code: 64, error: "usage", message: "no", help: "try", column: column, length: length,
        lineOffset: lineOffset), location: location, line: 7, text: text)
  }

  @Test("place, line, caret, advice")
  func text() {
    #expect(
      failure("db pot x", column: 4, length: 3).render().text == """
        demo.sb:7:4: error: no
          db pot x
             ^~~
        help: try

        """)
    #expect(failure(nil, column: nil, location: nil).render().text == "error: no\nhelp: try\n")
    #expect(failure("db", column: nil).render().text == "demo.sb:7: error: no\nhelp: try\n")
  }

  @Test(
    "the caret stands under what is blamed",
    arguments: [
      ("漢字 pot", 4, 3, "  漢字 pot\n       ^~~\n"), ("a\tb", 3, 1, "  a b\n    ^\n"),
      ("a 漢 b", 3, 1, "  a 漢 b\n    ^~\n"),
      ("\u{1B}x y", 4, 1, "  \\u{1b}x y\n          ^\n"), ("ab", 3, 1, "  ab\n    ^\n"),
      ("ab", 99, 5, "  ab\n    ^\n"),
      ("a\u{C}b \u{2028}c $x", 8, 2, "  a\\u{c}b \\u{2028}c $x\n                    ^~\n"),
      ("db\u{A0}l \u{200B}e 👨‍👩‍👧", 4, 1, "  db\\u{a0}l \\u{200b}e 👨‍👩‍👧\n          ^\n"),
      ("ab", 1, 99, "  ab\n  ^~\n"), ("ab", 0, 0, "  ab\n  ^\n"),
    ])
  func caret(text: String, column: Int, length: Int, expected: String) {
    let shown = failure(text, column: column, length: length).render().text
    #expect(shown == "demo.sb:7:\(column): error: no\n\(expected)help: try\n")
  }

  @Test("of a continued line the physical one is named")
  func continued() {
    let shown = failure("a {\n  b\n}", column: 3, lineOffset: 1).render().text
    #expect(shown == "demo.sb:8:3: error: no\n    b\n    ^\nhelp: try\n")
  }

  @Test("a long line is cut around the caret", arguments: [1, 50, 500, 999, 1000])
  func long(column: Int) {
    let text = String((0..<1000).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) })
    let lines = failure(text, column: column, length: 3).render(width: 80).text.split(
      separator: "\n")
    #expect(lines[1].count <= 80)
    let caret =
      lines[2].firstIndex(of: "^").map { lines[2].distance(from: lines[2].startIndex, to: $0) } ?? 0
    #expect(Array(lines[1])[caret] == Array(text)[column - 1])
  }

  @Test("a long line is cut by columns", arguments: 1...60)
  func wide(column: Int) {
    let text = String(repeating: "漢a字", count: 20)
    let lines = failure(text, column: column, length: 9).render(width: 40).text.split(
      separator: "\n")
    #expect(lines[1...2].allSatisfy { DisplayWidth.of($0) <= 40 }, "\(lines)")
    let before = lines[2].prefix { $0 == " " }.count
    var columns = 0
    let blamed = lines[1].first { character in
      defer { columns += DisplayWidth.of(character) }
      return columns == before
    }
    #expect(blamed == Array(text)[column - 1])
  }

  @Test("JSON has the keys in order")
  func json() {
    #expect(
      failure("x", column: 1).render(json: true).text
        == #"{"line":7,"ok":false,"code":64,"error":"usage","message":"no","hint":"try"}"# + "\n")
    var hostile = failure("x", column: 1)
    hostile.failure.message = "\u{1B}\u{202E}"
    hostile.failure.help = nil
    #expect(
      hostile.render(json: true).text
        == #"{"line":7,"ok":false,"code":64,"error":"usage","message":"\u001b\u202e","hint":null}"#
        + "\n")
    #expect(!hostile.render().text.unicodeScalars.contains("\u{1B}"))
    var answered = hostile
    answered.value = ["status": 404, "body": "a\u{1B}"]
    #expect(
      answered.render(json: true).text.hasSuffix(
        #""hint":null,"value":{"status":404,"body":"a\u001b"}}"# + "\n"))
    #expect(answered.render().text == hostile.render().text)
  }

  @Test(
    "a usage error becomes a failure of its line, with the code and name of its kind",
    arguments: [
      (.usage, 64, "usage"), (.malformedData, 65, "malformedData"),
      (.configuration, 78, "configuration"), (.missing, 66, "missing"), (.io, 74, "io"),
    ] as [(UsageError.Kind, Int, String)])
  func usage(kind: UsageError.Kind, code: Int, name: String) {
    let line = ScriptLine(text: "ab cd", location: LineLocation("s", line: 2), parsed: .empty)
    let report = FailureReport(
      Failure(UsageError("bad", column: 4, length: 2, kind: kind)), in: line)
    #expect(report.render().text == "s:2:4: error: bad\n  ab cd\n     ^~\n")
    #expect(
      OutputFormatter(format: .json).render(report).text
        == #"{"line":2,"ok":false,"code":\#(code),"error":"\#(name)","message":"bad","hint":null}"#
        + "\n")
  }

  @Test("a failure in a later row has the number of that row, in text and in JSON")
  func laterRow() {
    let line = ScriptLine(
      text: "a <<E\nb {{x}}\nE", location: LineLocation("s", line: 2), parsed: .empty)
    let report = FailureReport(
      Failure(UsageError("bad", column: 3, length: 5, lineOffset: 1)), in: line)
    #expect(report.render().text == "s:3:3: error: bad\n  b {{x}}\n    ^~~~~\n")
    #expect(report.render(json: true).text.hasPrefix(#"{"line":3,"ok":false,"#))
  }

  @Test("control characters in a file's name stay visible")
  func location() {
    let shown = failure("x", column: 1, location: LineLocation("a\u{1B}b\nc", line: 1)).render()
      .text
    #expect(shown.hasPrefix("a\\u{1b}b\\nc:1:1: error: no\n"))
  }

  @Test("the words before the message, the caret and the advice are styled, and JSON is not")
  func styles() {
    let report = FailureReport(
      Failure(code: 64, error: "usage", message: "no", help: "do", column: 1, length: 2),
      text: "xy")
    var shown = ""
    report.render().forEachToken { part, style in
      let part = String(decoding: part, as: UTF8.self)
      shown += style.map { "\($0)[\(part)]" } ?? part
    }
    #expect(shown == "error[error:] no\n  xy\n  error[^~]\nnotice[help:] do\n")
    #expect(report.render(json: true).spans == [])
  }
}
