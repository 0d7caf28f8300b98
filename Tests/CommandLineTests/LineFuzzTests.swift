import SwiftBoardCommandLine
import SwiftBoardTesting
import Testing

/// Whatever comes, there is an answer, and its places lie in the text.
struct LineFuzzTests {
  static let pieces = [
    "a", "é", "漢", "👨‍👩‍👧", "\u{301}", " ", "\t", "\n", "\r\n", "\r", "'", "\"", "\\", "$", "${", "}",
    "{", "{{", "}}",
    "last", "last.a", "secret:x", "[", "]", ";", "&", ">", ">>", "<<", "<<E", "E", "<<'E'", "!",
    "-", "time ",
    "#", "\\u{e9}", "\\n", "{{last}}", "\0", "\u{202E}", "assert ", "=", ":",
  ]

  @Test("random pieces", arguments: 0..<16)
  func pieces(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    for _ in 0..<600 {
      let count = Int.random(in: 0...14, using: &generator)
      let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }
        .joined()
      check(text, LineParser.parse(text))
    }
  }

  @Test("random bytes, repaired and literal", arguments: 0..<8)
  func bytes(seed: UInt64) {
    var generator = SeededRandom(seed: seed &+ 1000)
    for _ in 0..<400 {
      let count = Int.random(in: 0...40, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let text = String(decoding: bytes, as: UTF8.self)
      check(text, LineParser.parse(text))
      check(text, LineParser.parse(literal: [text, "x"]), isLiteral: true)
    }
  }

  private func check(_ text: String, _ parsed: ParsedLine, isLiteral: Bool = false) {
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    func isInside(_ line: Int, _ column: Int) -> Bool {
      if isLiteral { return line == 0 && (1...(text.count + 4)).contains(column) }
      return lines.indices.contains(line) && (1...(lines[line].count + 1)).contains(column)
    }
    switch parsed {
    case .empty: break
    case .invalid(let error):
      #expect(isInside(error.lineOffset, error.column), "\(text.debugDescription): \(error)")
      #expect(error.length >= 1)
      #expect(!error.message.isEmpty)
    case .incomplete(let line):
      #expect(isInside(line.lineOffset, line.column), "\(text.debugDescription): \(line)")
    case .commands(let list):
      #expect(!list.commands.isEmpty)
      for command in list.commands {
        #expect(!command.words.isEmpty)
        for word in command.words {
          #expect(isInside(word.lineOffset, word.column), "\(text.debugDescription): \(word)")
        }
      }
    }
  }

  @Test("mightEnd follows what is open", arguments: 0..<16)
  func mightEnd(seed: UInt64) {
    var generator = SeededRandom(seed: seed &+ 2000)
    let few = [
      "{", "}", "[", "]", "\"", "\\", "a", "'", ",", " ", "E", "<<E", "\\\"", "#", ";", "<<<",
      "\tE", "<<-E", " <<F", "F", ">",
    ]
    let all = few + Self.pieces.filter { !$0.utf8.contains(0x0A) && $0 != "\r" }
    for count in 0..<800 {
      var text = ""
      var open: IncompleteLine?
      for _ in 0..<6 {
        let line = (0..<Int.random(in: 0...7, using: &generator))
          .map { _ in (count % 2 == 0 ? few : all).randomElement(using: &generator) ?? "" }
          .joined()
        text += text.isEmpty ? line : "\n" + line
        let parsed = LineParser.parse(text)
        if let isWorth = open?.mightEnd(with: line), !isWorth {
          guard case .incomplete(let seen) = parsed, seen.reason == open?.reason,
            seen.lineOffset == open?.lineOffset, seen.column == open?.column
          else {
            Issue.record("\(text.debugDescription) was seen as \(open as Any): \(parsed)")
            break
          }
          continue
        }
        guard case .incomplete(let line) = parsed else { break }
        open = line
      }
    }
  }

  @Test(
    "a line that ends nothing is not parsed again",
    arguments: [
      ("a \\", #"-H "x: {y}" ${b} {{last}} \"#), ("a \"", #"say \"{{x["a"]}}\" and"#),
      ("a {", #"{"k": "${v} {{last}} \"", "x": ${w}},"#), ("a <<E", "{{last}} ${v} \\"),
      ("a \\", "# b \\"), ("a \\", "x <<<y z<<w \\"), ("a <<E", "\tE"), ("a <<E <<-F", "\tF"),
    ])
  func follows(start: String, line: String) {
    guard case .incomplete(var open) = LineParser.parse(start) else {
      Issue.record("\(start) is not open")
      return
    }
    for _ in 0..<3 {
      let mightEnd = open.mightEnd(with: line)
      #expect(!mightEnd)
    }
  }

  @Test("of several heredocs, only the end of the last one is parsed again")
  func endsOfHeredocs() {
    guard case .incomplete(var open) = LineParser.parse("a <<E <<-F <<E") else {
      Issue.record("not open")
      return
    }
    for (line, mightEnd, tag) in [
      ("F", false, "E"), ("E", false, "F"), ("E", false, "F"), ("\tF", false, "E"),
      ("\tE", false, "E"), ("E", true, "E"),
    ] {
      #expect(open.mightEnd(with: line) == mightEnd)
      #expect(open.reason == .heredoc(tag))
    }
  }
}
