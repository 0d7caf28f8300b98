import Testing

@testable import SwiftBoardCommandLine

@Suite struct LineCompletionTests {
  private static let table = CommandTable<Int>(
    [
      spec(
        ["api", "get"], [ArgumentSpec("target", "", kind: .entity("target")), item],
        [
          OptionSpec("cache", value: "POLICY", "", kind: .choice(["localFirst", "noCache"])),
          OptionSpec("out", short: "o", value: "FILE", "", kind: .file),
          OptionSpec(flag: "check", "", negatable: true),
          OptionSpec("header", value: "H", "", repeatable: true),
          OptionSpec("auth", value: "HOW", "", kind: .prefix(["header:", "bearer:"])),
        ]),
      spec(["api", "service", "list"]),
      spec(["api", "service", "show"], [ArgumentSpec("name", "", kind: .entity("service"))]),
      spec(["set"], [ArgumentSpec("name", "", kind: .variable), ArgumentSpec("value", "")]),
      spec(
        ["log", "level"],
        [
          ArgumentSpec("category", "", optional: true),
          ArgumentSpec("level", "", kind: .choice(["debug", "error"])),
        ]),
      spec(["help"], [ArgumentSpec("word", "", kind: .command, optional: true, repeating: true)]),
      spec(["put"], [ArgumentSpec("body", "", kind: .json, repeating: true)]),
      spec(["assert"], [ArgumentSpec("expression", "", kind: .expression, repeating: true)]),
      spec(["verify"], [ArgumentSpec("file", "", kind: .file, repeating: true)]),
      CommandSpec(
        ["watch"], "",
        arguments: [
          ArgumentSpec("interval", "", kind: .duration),
          ArgumentSpec("command", "", repeating: true),
        ], options: [OptionSpec("count", value: "N", "")], takesCommand: true
      ) { _ in 0 },
      spec(["find"], [ArgumentSpec("item", "", kind: .query(["name", "page"]), repeating: true)]),
    ], globals: [OptionSpec(flag: "json", "")])

  private static let item = ArgumentSpec("item", "", kind: .item, optional: true, repeating: true)

  private static func spec(
    _ path: [String], _ arguments: [ArgumentSpec] = [], _ options: [OptionSpec] = []
  ) -> CommandSpec<Int> {
    CommandSpec(path, "", arguments: arguments, options: options) { _ in 0 }
  }

  /// The texts that candidates put in place of the word.
  private static func candidates(_ text: String, _ values: [String] = []) -> [String]? {
    answer(text, values)?.candidates.map(\.text)
  }

  private static func answer(_ text: String, _ values: [String]) -> CompletionAnswer? {
    LineCompletion(text, in: table)?.answer(values.map { LineCompletion.Value($0) })
  }

  @Test(
    "words come from the table of commands",
    arguments: [
      ("", ["api", "set", "log", "help", "put", "assert", "verify", "watch", "find"]),
      ("ap", ["api"]),
      ("api s", ["service"]),
      ("api service ", ["list", "show"]), ("!ap", ["api"]), ("! ap", ["api"]),
      ("!log l", ["level"]), ("time ap", ["api"]), ("-ap", ["api"]), ("- ap", ["api"]),
      ("-log l", ["level"]), ("--ap", []),
      ("echo x; -ap", []), ("\"-ap", []), ("\"-ap\"", []), ("\\-ap", []), ("time\tap", ["api"]),
      ("echo x; ap", ["api"]), ("echo x & ap", ["api"]), ("echo 'x'\nap", ["api"]),
      ("log level ", ["debug", "error"]), ("log level d", ["debug"]),
      ("api get x --c", ["--cache", "--check"]), ("api get --check --c", ["--cache"]),
      ("api get --header a --h", ["--header"]), ("api get --no", ["--no-check"]),
      ("api get --cache ", ["localFirst", "noCache"]), ("api get --cache=n", ["--cache=noCache"]),
      ("api get --j", ["--json"]), ("help ap", ["api"]), ("help api ser", ["service"]),
      ("help api service ", ["list", "show"]),
      ("watch 1s ap", ["api"]), ("watch 1s api s", ["service"]),
      ("watch 1s log level d", ["debug"]), ("watch --count 3 1s lo", ["log"]),
      ("watch 1s --count 3 lo", ["log"]), ("watch 1s log l", ["level"]),
      ("watch 1s api get --cache n", ["noCache"]), ("watch 1s api get --che", ["--check"]),
      ("watch 1s --c", ["--count"]), ("watch 1s log level e --c", ["--count"]),
      ("watch 1s watch 2s ap", ["api"]),
      ("find n", ["name=="]), ("find name==x ", ["name==", "page=="]), ("find name==x", []),
      ("api get --auth ", ["header:", "bearer:"]), ("api get --auth=b", ["--auth=bearer:"]),
      ("assert a ", ["==", "!=", "'<'", "'<='", "'>'", "'>='", "contains", "exists"]),
      ("assert a c", ["contains"]), ("assert a == 1 ", ["and", "or"]),
      ("assert a exists ", ["and", "or"]), ("assert a==1 a", ["and"]),
      ("assert a == 1 and b e", ["exists"]),
    ] as [(String, [String])])
  func words(text: String, expected: [String]) {
    #expect(Self.candidates(text) == expected)
  }

  @Test(
    "the kind of value follows from the argument, the option and the sign before it",
    arguments: [
      ("api get ", ValueKind.entity("target"), "", ""), ("api get ra", .entity("target"), "", "ra"),
      ("api get x k@fi", .file, "k@", "fi"), ("api get x --out fi", .file, "", "fi"),
      ("api get x -o fi", .file, "", "fi"), ("api get --out=fi", .file, "--out=", "fi"),
      ("api service show r", .entity("service"), "", "r"), ("set na", .variable, "", "na"),
      ("echo $na", .variable, "$", "na"), ("echo ${na", .variable, "${", "na"),
      ("echo \"$na", .variable, "$", "na"), ("verify a b", .file, "", "b"),
      ("echo x$na", .variable, "x$", "na"), ("echo \"x y$na", .variable, "x y$", "na"),
      ("echo $a/${na", .variable, "$a/${", "na"), ("-set na", .variable, "", "na"),
      ("verify '$x' $na", .variable, "$", "na"), ("verify x\\$na", .file, "", "x$na"),
      ("verify '$x'$na", .file, "", "$x$na"), ("verify $x/na", .file, "", "$x/na"),
      ("put @fi", .file, "@", "fi"), ("assert api.re", .path, "", "api.re"),
      ("assert api.requests == 1 and db", .path, "", "db"),
      ("> -fi", .file, "", "-fi"), ("-> fi", .file, "", "fi"),
      ("x > fi", .file, "", "fi"), ("x >> fi", .file, "", "fi"),
      ("api get x Authorization:{{secret:na", .secret, "Authorization:{{secret:", "na"),
      ("watch 1s api get x --out fi", .file, "", "fi"), ("watch 1s set na", .variable, "", "na"),
      ("watch 1s ap", .command, "", "ap"),
      ("echo {\"a\": \"{{secret:na", .secret, "{\"a\": \"{{secret:", "na"),
    ] as [(String, ValueKind, String, String)])
  func kinds(text: String, kind: ValueKind, head: String, typed: String) {
    let completion = LineCompletion(text, in: Self.table)
    #expect(completion?.kind == kind)
    #expect(completion?.head == head)
    #expect(completion?.typed == typed)
  }

  @Test(
    "nothing is offered in comments, heredocs, values and for unknown commands",
    arguments: [
      "# a", "echo <<X\na", "set x ", "nope ", "api service list ", "api get x key=a", "put {",
      "watch ", "watch 1", "watch 1s --count ", "assert a == ", "assert a== ",
      "api get x 'X:{{secret:t", #"api get x X:\{{secret:t"#, #"api get x "X:\{{secret:t"#,
      #"api get x X:{\{secret:t"#,
    ])
  func nothing(text: String) {
    #expect(Self.candidates(text) == nil)
  }

  @Test(
    "what an alias stands for is completed",
    arguments: [
      ("level d", ["debug"]), ("get --cache n", ["noCache"]), ("other x", nil), ("ge", []),
    ])
  func alias(text: String, expected: [String]?) {
    let completion = LineCompletion(text, in: Self.table) { word in
      ["level": ["log", "level"], "get": ["api", "get", "x"]][word]
    }
    #expect(completion?.answer([]).candidates.map(\.text) == expected)
  }

  @Test(
    "a candidate is quoted as the line language reads it",
    arguments: [
      ("verify a", "a b", "'a b'"), ("verify 'a", "a b", "'a b'"),
      ("verify \"a", "a$b", #""a\$b""#),
      ("verify a", "a'b", #""a'b""#), ("verify a\\ b", "a bc", "'a bc'"),
      ("verify a", "a{b", "'a{b'"),
      ("echo $n", "name", "$name"), ("echo ${n", "name", "${name}"),
      ("echo x$n", "name", "x$name"), ("echo \"x y$n", "name", "\"x y$name\""),
      ("echo 'x y'${n", "name", "\"x y${name}\""),
      ("api get x X:{{secret:r", "radarr", "X:{{secret:radarr}}"),
      ("api get x X:{{secret:t", "two words", #""X:{{secret:two words}}""#),
      (
        #"api get x a:={\"k\":{{secret:t"#, "two words",
        #""a:={\"k\":{{secret:two words}}""#
      ),
      ("api get x X:{{secret:q", "q\"q", "\"X:{{secret:q\"q}}\""),
      ("api get x k@f", "f g", "k@'f g'"), ("api get x 'k@f", "f g", "k@'f g'"),
      ("verify 'a", "a'b", #""a'b""#), ("verify a", "a'{{last}}", #""a'\{\{last}}""#),
    ])
  func quoting(text: String, value: String, expected: String) {
    #expect(Self.candidates(text, [value]) == [expected])
    guard text.hasPrefix("verify") else { return }
    // What is put in is read back as the value.
    guard case .commands(let list) = LineParser.parse("verify \(expected)") else {
      Issue.record("\(expected)")
      return
    }
    #expect(list.commands[0].words[1].literal == value)
  }

  @Test(
    "a value behind a sign or an option is text, as a word of its own is",
    arguments: [
      ("put @", "price$v.json", "@'price$v.json'"),
      ("put @", "a{{last}}.json", "@'a{{last}}.json'"),
      ("put @", "it's $v", #"@"it's \$v""#), ("put @", "a[1]", "@'a[1]'"),
      ("api get x f@", "price$v.json", "f@'price$v.json'"),
      ("api get x f=@", "price$v.json", "f=@'price$v.json'"),
      ("api get x --out=", "price$v.json", "--out='price$v.json'"),
      ("api get x --out=", "a b", "--out='a b'"),
      ("api get x \"a $v@", "price$v.json", #""a $v@price\$v.json""#),
      ("api get x 'a $v@", "price$v.json", #""a \$v@price\$v.json""#),
    ])
  func textBehindSigns(text: String, value: String, expected: String) throws {
    #expect(Self.candidates(text, [value]) == [expected])
    guard case .commands(let list) = LineParser.parse("put \(expected)") else {
      Issue.record("\(expected)")
      return
    }
    let word = list.commands[0].words[1]
    let read = try word.expanded(variables: { _ in "of v" }, last: { _ in nil })
    #expect(read.text?.hasSuffix(value) == true)
    #expect(!text.contains("--") || !word.isQuoted)
  }

  @Test(
    "candidates agree as far as their texts do, whether or not they need quotes",
    arguments: [
      ("verify c", ["coll-a", "coll b"], "coll"), ("verify 'c", ["coll-a", "coll b"], "'coll"),
      ("verify f", ["f one", "f two"], "'f "), ("verify ", ["a", "b"], ""),
      ("api get x k@f", ["f g", "fh"], "k@f"), ("api get x k@f", ["f 1", "f 2"], "k@'f "),
    ])
  func agreement(text: String, values: [String], expected: String) throws {
    let answer = try #require(Self.answer(text, values))
    #expect(answer.candidates.count == values.count)
    #expect(answer.commonPrefix == expected)
  }

  @Test("names with control characters are no candidates")
  func controls() {
    #expect(Self.candidates("verify ", ["a\u{1B}[2J", "b"]) == ["b"])
  }
}
