import SwiftBoardCommandLine
import Testing

struct LineParserTests {
  @Test(
    "lines become words",
    arguments: [
      ("", "empty"),
      ("  \t ", "empty"),
      ("# comment \"", "empty"),
      ("#!/usr/bin/env -S swiftboard -f", "empty"),
      ("a b", "(a) (b)"),
      ("  a\tb  ", "(a) (b)"),
      ("a ; b;c;", "(a) ; (b) ; (c)"),
      ("a # b", "(a) (#) (b)"),
      ("a; # b", "(a)"),
      ("x?a=1&b=2", "(x?a=1&b=2)"),
      ("a &", "(a) &"),
      ("a & ; b", "(a) & ; (b)"),
      ("a&", "(a&)"),
      ("a > f", "(a) > (f)"),
      ("a >f", "(a) > (f)"),
      ("a >> f", "(a) >> (f)"),
      ("a > \\&2", "(a) > (&2)"),
      ("a>b", "(a>b)"),
      ("a & > f", "(a) & > (f)"),
      ("a > f &", "(a) & > (f)"),
      ("a > \"f g\"; b", "(a) > \"(f g) ; (b)"),
      ("a >= 3", "(a) (>=) (3)"),
      ("assert n > 3 and m >> 4", "(assert) (n) (>) (3) (and) (m) (>>) (4)"),
      ("watch --count 2 1s assert n > 3", "(watch) (--count) (2) (1s) (assert) (n) (>) (3)"),
      ("watch 1s echo assert > f", "(watch) (1s) (echo) (assert) > (f)"),
      ("a < 3", "(a) (<) (3)"),
      ("a << 3", "(a) (<<) (3)"),
      ("a <<>> <<& <<| <<(b) <<->\nc", "(a) (<<>>) (<<&) (<<|) (<<(b)) (<<->) ; (c)"),
      ("a \\\n b", "(a) (b)"),
      ("a\\\nb", "(ab)"),
      ("a\nb # x\n# y\nc", "(a) ; (b) (#) (x) ; (c)"),
      ("a\r\nb", "(a) ; (b)"),
    ])
  func words(text: String, expected: String) { #expect(shape(text) == expected) }

  @Test(
    "prefixes",
    arguments: [
      ("! a b", "mustFail (a) (b)"),
      ("!a", "mustFail (a)"),
      ("-api get", "mayFail (api) (get)"),
      ("- api get", "mayFail (api) (get)"),
      ("time a", "time (a)"),
      ("timeline", "(timeline)"),
      ("time\ta; b", "time (a) ; (b)"),
      ("--help", "(--help)"),
      ("a !b -c time", "(a) (!b) (-c) (time)"),
      ("! #", "error at 0:1+1: a command is missing after '!'"),
      ("-", "error at 0:1+1: a command is missing after '-'"),
      (" time ;", "error at 0:2+4: a command is missing after 'time'"),
    ])
  func prefixes(text: String, expected: String) { #expect(shape(text) == expected) }

  @Test(
    "quotes and escapes",
    arguments: [
      (#"'a b' "c d""#, #"'(a b) "(c d)"#),
      (#"'' """#, #"'() "()"#),
      (#"a'b c'd"#, "(ab cd)"),
      (#"'a''b'"#, "(ab)"),
      (#"key="a b""#, "(key=a b)"),
      (#"'$x {{last}} \n'"#, #"'($x {{last}} \n)"#),
      (#""a\n\t\r\\\"\$x\u{e9}\{{last}}""#, "\"(a\n\t\r\\\"$xé{{last}})"),
      (#"a\ b \;\$x \{ \" \' \["#, #"(a b) (;$x) ({) (") (') ([)"#),
      (#"key\:x=1 C:\dir"#, #"(key\:x=1) (C:\dir)"#),
      (#"\\:a"#, #"(\:a)"#),
      ("\"a\nb\"", "\"(a\nb)"),
      ("\"a\\\nb\"", "\"(ab)"),
      ("\"a\u{301}\"", "\"(a\u{301})"),
      ("\"\u{301}x\"", "\"(\u{301}x)"),
      (#"a"b"c"#, "(abc)"),
    ])
  func quotes(text: String, expected: String) { #expect(shape(text) == expected) }

  @Test(
    "brackets keep JSON as typed",
    arguments: [
      (#"put c 1 {"a": [1, 2]}"#, #"(put) (c) (1) ({"a": [1, 2]})"#),
      (#"k:={"a;b": "}", "c": "\"]"} x"#, #"(k:={"a;b": "}", "c": "\"]"}) (x)"#),
      (#"p a.b[0].c a["x y"]"#, #"(p) (a.b[0].c) (a["x y"])"#),
      ("p {\n  \"a\": 1\n}", "(p) ({\n  \"a\": 1\n})"),
      ("api get http://[::1]:80/", "(api) (get) (http://[::1]:80/)"),
      (#"p {"a": {"b": 1}}"#, #"(p) ({"a": {"b": 1}})"#),
      (#"p {"a": {{last.x}}} y"#, #"(p) ({"a": <last x>}) (y)"#),
      (#"p {"a": "{{last.x}} $n", "b": $n}"#, #"(p) ({"a": "<js last x> <js $n>", "b": <$n>})"#),
      (#"p {"a": "\$n"}"#, #"(p) ({"a": "$n"})"#),
      ("p } ]", "(p) (}) (])"),
      ("p {a]}", "error at 0:5+1: ']' does not close '{'"),
    ])
  func brackets(text: String, expected: String) { #expect(shape(text) == expected) }

  @Test(
    "variables and references",
    arguments: [
      ("$a ${b}c $1 ${12}", "(<$a>) (<$b>c) (<$1>) (<$12>)"),
      ("$ a$ $- 5$", "($) (a$) ($-) (5$)"),
      (#""x $a {{last}}""#, #""(x <$a> <last >)"#),
      ("{{last}} {{last.a.b[0]}} {{last[1].x}}", "(<last >) (<last a.b[0]>) (<last [1].x>)"),
      ("bearer:{{secret:my key}} {{ secret:a }}", "(bearer:<secret my key>) (<secret a>)"),
      ("x/{{last.id}}/y", "(x/<last id>/y)"),
      ("${", "error at 0:1+2: expected ${name}"),
      ("a ${b c", "error at 0:3+4: expected ${name}"),
      ("a {{last", "error at 0:3+2: '{{' is not closed"),
      ("a {{name}}", "error at 0:3+8: unknown reference '{{name}}'"),
      ("a {{secret:}}", "error at 0:3+11: unknown reference '{{secret:}}'"),
    ])
  func references(text: String, expected: String) { #expect(shape(text) == expected) }

  @Test("a near reference is suggested")
  func referenceSuggestion() {
    guard case .invalid(let error) = LineParser.parse("a {{sercet:x}}") else {
      Issue.record("not invalid")
      return
    }
    #expect(error.help == "did you mean 'secret'?")
    guard case .invalid(let path) = LineParser.parse("a {{last..x}}") else {
      Issue.record("not invalid")
      return
    }
    #expect(path.message.hasPrefix("'.x' is not a path"))
  }

  @Test(
    "heredocs",
    arguments: [
      ("p <<END\na $x {{last.y}}\n\"b\"\nEND", "(p) \"(a <$x> <last y>\n\"b\")"),
      ("p <<'END' z\na $x {{y}}\nEND", "(p) '(a $x {{y}}) (z)"),
      ("p <<A <<B\n1\nA\n2\nB\nq", "(p) \"(1) \"(2) ; (q)"),
      ("p <<END\nEND", "(p) \"()"),
      ("p <<END\n\nEND\n", "(p) \"()"),
      ("p <<END\n\n\nEND\n", "(p) \"(\n)"),
      ("p <<END; q\nx\nEND", "(p) \"(x) ; (q)"),
      ("p <<END > f\nx\nEND", "(p) \"(x) > (f)"),
      ("p <<END\n\\$x \\{{y}} \\n\nEND", "(p) \"($x {{y}} \\n)"),
      (
        "p <<END\n{\"a\": \"{{last.b}}\", \"c\": $d}\nEND",
        "(p) \"({\"a\": \"<js last b>\", \"c\": <$d>})"
      ),
      ("p <<END", "open heredoc END at 0:3"),
      ("p <<END\nx\nEND ", "open heredoc END at 0:3"),
      ("p <<A <<B\n1\nA\n2", "open heredoc B at 0:7"),
      ("p > <<A\nx\nA", "error at 0:4+4: a heredoc is not a file name"),
      ("p <<'A\nx\nA", "error at 0:3+4: '<<' needs a tag"),
      ("p <<A-B\nx\nA-B", "error at 0:3+4: a tag is a to z, A to Z, digits and '_'"),
      ("p <<END\n{{x}}\nEND", "error at 1:1+5: unknown reference '{{x}}'"),
    ])
  func heredocs(text: String, expected: String) { #expect(shape(text) == expected) }

  @Test(
    "what is open continues",
    arguments: [
      (#"a "b"#, #"open quote " at 0:3"#),
      ("a 'b", "open quote ' at 0:3"),
      (#"a "b\"#, #"open quote " at 0:3"#),
      ("a {", "open bracket { at 0:3"),
      (#"a x[{"b"#, #"open bracket [{" at 0:4"#),
      ("a \\", "open backslash at 0:3"),
      ("a b\\", "open backslash at 0:4"),
      ("a\nb 'c", "open quote ' at 1:3"),
      ("\\", "open backslash at 0:1"),
    ])
  func continuation(text: String, expected: String) { #expect(shape(text) == expected) }

  @Test(
    "errors name their characters",
    arguments: [
      ("; a", "error at 0:1+1: a command is missing before ';'"),
      ("a ;; b", "error at 0:4+1: a command is missing before ';'"),
      ("> f", "error at 0:1+1: a command is missing before '>'"),
      ("a >", "error at 0:3+1: a file is missing after '>'"),
      ("a >> ; b", "error at 0:3+2: a file is missing after '>>'"),
      ("&", "error at 0:1+1: a command is missing before '&'"),
      ("a & bcd", "error at 0:5+3: nothing may follow '&'"),
      ("a > f g", "error at 0:7+1: nothing may follow '> FILE'"),
      ("a >&2", "error at 0:3+3: '>&' redirects to no stream here"),
      ("a >> &f; b", "error at 0:3+5: '>>&' redirects to no stream here"),
      ("a > &", "error at 0:3+3: '>&' redirects to no stream here"),
      ("a && b", "error at 0:3+2: '&&' joins no commands here"),
      ("a | b", "error at 0:3+1: '|' joins no commands here"),
      ("a << E\nx\nE", "error at 0:3+2: a tag follows '<<' without a blank or '-'"),
      ("a <<-E\nx\nE", "error at 0:3+4: a tag follows '<<' without a blank or '-'"),
      (#"a "x\q""#, #"error at 0:5+2: unknown escape '\q'"#),
      (#"a "\u{d800}""#, #"error at 0:4+8: '\u{d800}' is not a character"#),
      (#"a "\u{000}""#, #"error at 0:4+7: '\u{000}' is NUL, which a line cannot contain"#),
      (#"a "\u{}""#, #"error at 0:4+4: '\u{}' is not a character"#),
      (#"a "\u00e9""#, #"error at 0:4+2: '\u' is not a character"#),
      ("é漢👨‍👩‍👧 {{x}}", "error at 0:5+5: unknown reference '{{x}}'"),
      ("a\nbc ; ; d", "error at 1:6+1: a command is missing before ';'"),
      ("a\0b", "error at 0:2+1: a NUL character"),
    ])
  func errors(text: String, expected: String) { #expect(shape(text) == expected) }

  @Test(
    "an error does not end what is open",
    arguments: [
      ("p {{x}} <<E\na", "b", "E", "error at 0:3+5: unknown reference '{{x}}'"),
      ("p <<E\n{{x}}", "${", "E", "error at 1:1+5: unknown reference '{{x}}'"),
      ("p | c <<E", "a", "E", "error at 0:3+1: '|' joins no commands here"),
      ("p & c <<E", "a", "E", "error at 0:5+1: nothing may follow '&'"),
      ("p > <<E", "a", "E", "error at 0:4+4: a heredoc is not a file name"),
      ("; p 'a", "b", "'", "error at 0:1+1: a command is missing before ';'"),
      ("p \"\\d", "a", "b\"", "error at 0:4+2: unknown escape '\\d'"),
      ("p \"\\u{110000}", "a", "b\"", "error at 0:4+10: '\\u{110000}' is not a character"),
      ("p {\"a\": {{t}},", "\"b;", "\"}", "error at 0:9+5: unknown reference '{{t}}'"),
      ("p {\"a\": [1},", "2", "]}", "error at 0:11+1: '}' does not close '['"),
      ("p {\"a\": ${b c},", "2", "}", "error at 0:9+4: expected ${name}"),
      ("p {\"a\": {{b", "}", "}}", "error at 0:9+2: '{{' is not closed"),
      ("p\0 <<E", "a", "E", "error at 0:2+1: a NUL character"),
      ("p << E", "\tE", "E", "error at 0:3+2: a tag follows '<<' without a blank or '-'"),
      ("p <<- 'E F'", "a", "\tE F", "error at 0:3+3: a tag follows '<<' without a blank or '-'"),
      ("p <<''", "a", "", "error at 0:3+3: '<<' needs a tag"),
      ("p <<\"A", "a", "A", "error at 0:3+4: '<<' needs a tag"),
      ("p <<\\E", "a", "E", "error at 0:3+3: a tag is a to z, A to Z, digits and '_'"),
      ("p <<E>f", "a", "E", "error at 0:3+4: a tag is a to z, A to Z, digits and '_'"),
      ("p <<Eé", "a", "Eé", "error at 0:3+4: a tag is a to z, A to Z, digits and '_'"),
      ("p <<-1E", "a", "\t1E", "error at 0:3+5: a tag follows '<<' without a blank or '-'"),
      ("p <<--E", "a", "-E", "error at 0:3+5: a tag follows '<<' without a blank or '-'"),
      ("p 1 <<2", "a", "2", "error at 0:5+3: a tag begins with a to z, A to Z or '_'"),
      ("p <<Ä", "a", "Ä", "error at 0:3+3: a tag begins with a to z, A to Z or '_'"),
      ("p <<.E", "a", ".E", "error at 0:3+4: a tag begins with a to z, A to Z or '_'"),
      ("p <<+; q", "a", "+", "error at 0:3+3: a tag begins with a to z, A to Z or '_'"),
      ("p <<~E", "a", "~E", "error at 0:3+4: a tag begins with a to z, A to Z or '_'"),
      ("p <<{{x}}", "a", "{{x}}", "error at 0:3+7: a tag begins with a to z, A to Z or '_'"),
      ("p <<$E", "a", "$E", "error at 0:3+4: a tag is not a variable"),
      ("p <<${E}", "a", "${E}", "error at 0:3+6: a tag is not a variable"),
      ("p <<$1", "a", "$1", "error at 0:3+4: a tag is not a variable"),
    ])
  func errorsInOpenText(start: String, text: String, end: String, expected: String) {
    for open in [start, "\(start)\n\(text)"] {
      guard case .incomplete(let line) = LineParser.parse(open) else {
        Issue.record("\(open.debugDescription) is not open")
        continue
      }
      // The text of a heredoc is read at its end.
      #expect(line.problem == nil || shape(.invalid(line.error)) == expected)
      #expect(line.error.prefix == nil)
    }
    #expect(shape("\(start)\n\(text)\n\(end)") == expected)
    #expect(shape("!\(start)\n\(text)\n\(end)").hasPrefix("error at "))
  }

  @Test(
    "a '<<' within a word is text", arguments: ["p a<<b", "p h/?q=a<<b", "p a<<'b'", "p $x<<b"])
  func shiftWithinWord(text: String) {
    guard case .commands(let list) = LineParser.parse(text) else {
      Issue.record("no commands")
      return
    }
    #expect(list.commands[0].words.count == 2)
  }

  @Test(
    "what looks like a heredoc is advised to be quoted where that keeps its meaning",
    arguments: [
      ("p <<1E\n1E", "for example <<END; '<<1E' in quotes is the text"),
      ("p <<-1E\n1E", "for example <<END; '<<-1E' in quotes is the text"),
      ("p <<$E\n$E", "for example <<END"), ("p <<1'E'\n1E", "for example <<END"),
      ("p <<-'E'\nE", "for example <<END"),
    ])
  func adviceForTag(text: String, help: String) {
    guard case .invalid(let error) = LineParser.parse(text) else {
      Issue.record("not invalid")
      return
    }
    #expect(error.help == help)
  }

  @Test("a NUL character is malformed data, all else usage")
  func codes() {
    guard case .invalid(let zero) = LineParser.parse("a\0"),
      case .invalid(let other) = LineParser.parse("!a ;;")
    else {
      Issue.record("not invalid")
      return
    }
    #expect(zero.kind == .malformedData)
    #expect(other.kind == .usage)
    #expect(other.prefix == .mustFail)
    #expect(LineParser.parse("!a ;;").prefix == .mustFail)
  }

  @Test("a prefix without a command does not apply to its own error")
  func prefixOfNothing() {
    for text in ["!", "- ", "time", "! # a", "-; a"] {
      guard case .invalid(let error) = LineParser.parse(text) else {
        Issue.record("\(text) is not invalid")
        continue
      }
      #expect(error.message.hasPrefix("a command is missing after"))
      #expect(error.prefix == nil)
    }
  }

  @Test("words know their place in characters")
  func locations() {
    guard case .commands(let list) = LineParser.parse("é \"b c\" {\"d\":\n1} f") else {
      Issue.record("no commands")
      return
    }
    let words = list.commands[0].words
    #expect(words.map(\.column) == [1, 3, 9, 4])
    #expect(words.map(\.length) == [1, 5, 5, 1])
    #expect(words.map(\.lineOffset) == [0, 0, 0, 1])
    #expect(words.map(\.raw) == ["é", "\"b c\"", "{\"d\":\n1}", "f"])
    #expect(words.map(\.isQuoted) == [false, true, false, false])
  }

  @Test("literal words know only references")
  func literal() {
    #expect(LineParser.parse(literal: []) == .empty)
    let words = ["api", "get", "a b;$x", "{{last.id}}", "k:={\"a\":\"{{last.n}}\"}", "'q'"]
    #expect(
      shape(LineParser.parse(literal: words))
        == "(api) (get) (a b;$x) (<last id>) (k:={\"a\":\"<js last n>\"}) ('q')")
    guard case .invalid(let error) = LineParser.parse(literal: ["api", "é {{x}}"]) else {
      Issue.record("not invalid")
      return
    }
    #expect(error.column == 7)
    #expect(error.length == 5)
    #expect(error.help?.contains("give the line with -c") == true)
    for prefix in ["time", "!", "-"] {
      #expect(
        shape(LineParser.parse(literal: [prefix, "a"]))
          == "error at 0:1+\(prefix.count): '\(prefix)' is the prefix of a line, and no command")
    }
    guard case .commands(let list) = LineParser.parse(literal: ["é", "bc"]) else { return }
    #expect(list.commands[0].words.map(\.column) == [1, 3])
  }

  @Test("a line of a million brackets and a long word end in time")
  func large() {
    let deep = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
    #expect(shape("a " + deep) == "(a) (\(deep))")
    let long = String(repeating: "x", count: 1_000_000)
    guard case .commands(let list) = LineParser.parse("a \(long) é") else {
      Issue.record("no commands")
      return
    }
    #expect(list.commands[0].words[2].column == 1_000_004)
  }
}
