import SwiftBoardCommandLine
import SwiftBoardJSON
import SwiftBoardTesting
import Testing

/// A table that has every shape of command, with an output that shows what was bound.
let demo = CommandTable<String>(
  [
    CommandSpec(
      ["api", "get"], "fetch a resource",
      arguments: [
        ArgumentSpec("TARGET", "SERVICE/PATH or a URL"),
        ArgumentSpec("ITEM", "part of the request", kind: .item, optional: true, repeating: true),
      ],
      options: [
        OptionSpec("timeout", short: "t", value: "DUR", "the limit", kind: .duration),
        OptionSpec(
          "cache", value: "POLICY", "cache policy",
          kind: .choice(["localFirst", "remoteFirst", "noCache"])),
        OptionSpec(flag: "headers", "show headers"),
        OptionSpec("retry", value: "N", "attempts", kind: .int),
        OptionSpec("auth", value: "AUTH", "how to sign in", repeatable: true),
      ],
      examples: ["api get rick/character/1", "api get rick/character/1 --headers"],
      build: { describe($0) }),
    CommandSpec(
      ["api", "post"], "send", arguments: [ArgumentSpec("TARGET", "where to")],
      build: { describe($0) }),
    CommandSpec(
      ["api", "service", "add"], "add a service",
      arguments: [ArgumentSpec("NAME", "its name"), ArgumentSpec("URL", "where it is")],
      examples: ["api service add rick https://example.org/api"], build: { describe($0) }),
    CommandSpec(["api", "service", "list"], "list services", build: { describe($0) }),
    CommandSpec(
      ["characters", "recent"], "recent searches", build: { describe($0) }),
    CommandSpec(
      ["characters", "recent", "remove"], "forget one",
      arguments: [ArgumentSpec("TEXT", "which")], build: { describe($0) }),
    CommandSpec(
      ["log", "level"], "set a level",
      arguments: [
        ArgumentSpec("CATEGORY", "for what", optional: true),
        ArgumentSpec("LEVEL", "how much", kind: .choice(["debug", "info"])),
      ], build: { describe($0) }),
    CommandSpec(
      ["log", "tail"], "show the end",
      options: [
        OptionSpec("count", short: "n", value: "N", "how many", kind: .int),
        OptionSpec(flag: "follow", short: "f", "go on"),
        OptionSpec(flag: "quiet", short: "q", "less"),
        OptionSpec(flag: "wrap", "wrap lines", negatable: true),
      ], build: { describe($0) }),
    CommandSpec(
      ["session", "goto"], "travel", arguments: [ArgumentSpec("N", "where to")],
      build: { describe($0) }),
    CommandSpec(
      ["session", "status"], "where we are", build: { describe($0) }),
    CommandSpec(
      ["echo"], "print words",
      arguments: [ArgumentSpec("WORD", "what", optional: true, repeating: true)],
      build: { describe($0) }),
    CommandSpec(
      ["refuse"], "always wrong",
      build: { _ throws(UsageError) in throw UsageError("refused", help: "try echo") }),
  ],
  globals: [
    OptionSpec(flag: "json", "JSON"),
    OptionSpec("timeout", short: "t", value: "DUR", "global limit", kind: .duration),
    OptionSpec("output", short: "o", value: "F", "format", kind: .choice(["table", "json"])),
  ],
  topics: [CommandTopic("api", "HTTP services"), CommandTopic("log", "what happened")])

private func describe(_ invocation: Invocation) -> String {
  let specs = ["TARGET", "ITEM", "NAME", "URL", "TEXT", "CATEGORY", "LEVEL", "N", "WORD"]
  var parts = [invocation.path.joined(separator: ".")]
  for name in specs {
    let words = invocation.arguments(name).map(\.shown)
    if !words.isEmpty { parts.append("\(name)=\(words.joined(separator: ","))") }
  }
  for name in ["timeout", "cache", "retry", "auth", "count"] {
    let values = invocation.options(name).map(\.shown)
    if !values.isEmpty { parts.append("--\(name)=\(values.joined(separator: ","))") }
  }
  for name in ["headers", "follow", "quiet", "wrap"] {
    if let flag = invocation.options.flag(name) { parts.append("\(name):\(flag)") }
  }
  return parts.joined(separator: " ")
}

private func run(_ line: String) -> String {
  do throws(UsageError) {
    let match = try demo.parse(words: try arguments(line))
    var text = match.output
    if match.globals.flag("json") == true { text += " +json" }
    if let limit = match.globals.value("timeout") { text += " +timeout=\(limit.shown)" }
    if let output = match.globals.value("output") { text += " +output=\(output.shown)" }
    return text
  } catch {
    let location = error.column.map { "\($0)+\(error.length ?? 0)" } ?? "nowhere"
    return "error at \(location): \(error.message) | \(error.help ?? "")"
  }
}

struct CommandTableTests {
  @Test(
    "commands, arguments, options",
    arguments: [
      ("api get a/b", "api.get TARGET=a/b"),
      ("api get a/b x=1 y==2", "api.get TARGET=a/b ITEM=x=1,y==2"),
      ("api get a/b --headers x=1", "api.get TARGET=a/b ITEM=x=1 headers:true"),
      ("api --headers get a/b", "api.get TARGET=a/b headers:true"),
      ("api --timeout 5s get a/b", "api.get TARGET=a/b --timeout=5s"),
      ("api get --timeout=5s a/b --retry 2", "api.get TARGET=a/b --timeout=5s --retry=2"),
      ("api get -t5s a/b", "api.get TARGET=a/b --timeout=5s"),
      ("api get a/b --timeout 1s --timeout 2s", "api.get TARGET=a/b --timeout=2s"),
      ("api get a/b --auth a --auth=b=c", "api.get TARGET=a/b --auth=a,b=c"),
      ("api get a/b --auth=bearer:{{secret:x}}", "api.get TARGET=a/b --auth=bearer:{{secret:x}}"),
      ("api get a/b --auth {{secret:x}}", "api.get TARGET=a/b --auth={{secret:x}}"),
      // A combining mark is one character with the '=' before it.
      ("api get a/b --auth=\u{301}b", "api.get TARGET=a/b --auth=\u{301}b"),
      ("api post a/b --timeout 3s", "api.post TARGET=a/b +timeout=3s"),
      ("api post a/b --json -o table", "api.post TARGET=a/b +json +output=table"),
      ("log tail -fqn 5", "log.tail --count=5 follow:true quiet:true"),
      ("log tail -n5 --no-wrap", "log.tail --count=5 wrap:false"),
      ("log tail --no-wrap --wrap", "log.tail wrap:true"),
      ("log tail -n -5", "log.tail --count=-5"),
      ("log level debug", "log.level LEVEL=debug"),
      ("log level http info", "log.level CATEGORY=http LEVEL=info"),
      ("characters recent", "characters.recent"),
      ("characters recent remove x", "characters.recent.remove TEXT=x"),
      ("session goto -1", "session.goto N=-1"),
      ("session goto -1 --json", "session.goto N=-1 +json"),
      ("echo a -- --b -c", "echo WORD=a,--b,-c"),
      ("echo '--b' \"-c\" -", "echo WORD=--b,-c,-"), ("echo '--json'", "echo WORD=--json"),
      ("api get a/b '--b=1' '--auth:x'", "api.get TARGET=a/b ITEM=--b=1,--auth:x"),
      ("api get a/b -- '--auth=x' --json=1", "api.get TARGET=a/b ITEM=--auth=x,--json=1"),
      ("echo {{secret:x}}", "echo WORD={{secret:x}}"),
      ("echo", "echo"),
      ("api service add n u", "api.service.add NAME=n URL=u"),
    ])
  func commands(line: String, expected: String) { #expect(run(line) == expected) }

  @Test(
    "errors blame a word and suggest",
    arguments: [
      ("apj get x", "error at 1+3: unknown command 'apj' | did you mean 'api'?"),
      ("banana", "error at 1+6: unknown command 'banana' | 'help' lists the commands"),
      (
        "{{secret:x}} y",
        "error at 1+12: unknown command '{{secret:x}}' | 'help' lists the commands"
      ),
      ("api gte a/b", "error at 5+3: unknown api command 'gte' | did you mean 'get'?"),
      ("api banana", "error at 5+6: unknown api command 'banana' | one of get, post, service"),
      ("api -- get a/b", "error at 8+3: unknown api command 'get' | put it before '--'"),
      ("session -- status", "error at 12+6: unknown session command 'status' | put it before '--'"),
      ("-- echo a", "error at 4+4: unknown command 'echo' | put it before '--'"),
      ("time -- echo a", "error at 9+4: unknown command 'echo' | put it before '--'"),
      (
        "! ! echo",
        "error at 3+1: '!' is the prefix of a line, and no command | a line has one prefix, before its first command"
      ),
      (
        "time !echo",
        "error at 6+5: '!' is the prefix of a line, and no command | a line has one prefix, before its first command"
      ),
      (
        "! time echo",
        "error at 3+4: 'time' is the prefix of a line, and no command | a line has one prefix, before its first command"
      ),
      (
        "time - echo",
        "error at 6+1: '-' is the prefix of a line, and no command | a line has one prefix, before its first command"
      ),
      ("'!' x", "error at 1+3: unknown command '!' | 'help' lists the commands"),
      ("api", "error at 1+3: a sub-command is missing after 'api' | one of get, post, service"),
      (
        "api --timeout 5s a/b",
        "error at 18+3: unknown api command 'a/b' | one of get, post, service"
      ),
      ("session", "error at 1+7: a sub-command is missing after 'session' | one of goto, status"),
      ("api service ad", "error at 13+2: unknown api service command 'ad' | did you mean 'add'?"),
      (
        "characters recent remvoe x",
        "error at 19+6: unknown characters recent command 'remvoe' | did you mean 'remove'?"
      ),
      (
        "api get a/b --timeot 5s",
        "error at 13+8: unknown option '--timeot' | did you mean '--timeout'?"
      ),
      (
        "api get a/b -timeout 5s",
        "error at 13+8: -t is a duration, not 'imeout' | for example 500ms, 2s, 5m or 1h"
      ),
      ("log tail -follow", "error at 10+7: unknown option '-o' | "),
      ("api get a/b --timeout", "error at 13+9: missing value for --timeout | --timeout DUR"),
      (
        "api get a/b --timeout --headers",
        "error at 13+9: missing value for --timeout | --timeout DUR"
      ),
      (
        "api get a/b --timeout 5",
        "error at 23+1: --timeout is a duration, not '5' | add a unit, for example 5s"
      ),
      (
        "api get a/b --timeout inf",
        "error at 23+3: --timeout is a duration, not 'inf' | for example 500ms, 2s, 5m or 1h"
      ),
      (
        "api get a/b --timeout 1.5",
        "error at 23+3: --timeout is a duration, not '1.5' | add a unit, for example 1.5s"
      ),
      (
        "api get a/b --retry 99999999999999999999",
        "error at 21+20: --retry is too large: '99999999999999999999' | "
      ),
      (
        "log tail -n -99999999999999999999",
        "error at 13+21: -n is too small: '-99999999999999999999' | "
      ),
      ("log tail -n x", "error at 13+1: -n is a whole number, not 'x' | "),
      ("log tail --count=x", "error at 10+9: --count is a whole number, not 'x' | "),
      ("api get a/b --retry x", "error at 21+1: --retry is a whole number, not 'x' | "),
      (
        "api get a/b --retry {{secret:x}}",
        "error at 21+12: --retry cannot hold a secret | it would be stored and shown in the clear"
      ),
      (
        "api get a/b --cache localfirst",
        "error at 21+10: --cache is one of localFirst, remoteFirst, noCache, not 'localfirst' | did you mean 'localFirst'?"
      ),
      ("api get a/b --headers=1", "error at 13+11: --headers takes no value | "),
      ("log level verbose", "error at 11+7: LEVEL is one of debug, info, not 'verbose' | "),
      ("log level", "error at 5+5: LEVEL is missing | usage: log level [CATEGORY] debug|info"),
      (
        "log level a debug b",
        "error at 19+1: unexpected argument 'b' | usage: log level [CATEGORY] debug|info"
      ),
      ("api service add n", "error at 17+1: URL is missing | usage: api service add NAME URL"),
      (
        "api get a/b \"--auth=basic:u:{{secret:x}}\"",
        "error at 13+29: '--auth' is in quotes, and a quoted word is no option | leave the quotes off --auth; behind '--' it is text"
      ),
      (
        "api get a/b x=1 '--timeout=1s' -- --auth=x",
        "error at 17+14: '--timeout' is in quotes, and a quoted word is no option | leave the quotes off --timeout; behind '--' it is text"
      ),
      (
        "api post a/b '--json'",
        "error at 14+8: '--json' is in quotes, and a quoted word is no option | leave the quotes off --json"
      ),
      (
        "api post a/b -- '--json'",
        "error at 17+8: unexpected argument '--json' | usage: api post TARGET"
      ),
      ("refuse", "error at 1+6: refused | try echo"),
      ("'--json' x", "error at 1+8: unknown command '--json' | 'help' lists the commands"),
    ])
  func errors(line: String, expected: String) {
    let shown = run(line)
    // `-o` is a global option, so that this one fails at its value instead.
    if line == "log tail -follow" {
      #expect(shown.hasPrefix("error at 10+7: "), "\(shown)")
    } else {
      #expect(shown == expected)
    }
  }

  @Test("options cannot come before the command")
  func leadingOption() {
    #expect(
      run("--json echo")
        == "error at 1+6: a command is missing before '--json' | options follow their command")
    let error = #expect(throws: UsageError.self) { try demo.parse(words: []) }
    #expect(error?.kind == .usage)
  }

  @Test("literal words have no quotes")
  func literal() throws {
    let word = Argument(parts: [.text("--json")], quoting: .single, column: 6, length: 8)
    let words = [Argument("echo"), word]
    #expect(try demo.parse(words: words).output == "echo WORD=--json")
    #expect(try demo.parse(words: words, literal: true).globals.flag("json") == true)
  }

  @Test("words of a link, and those behind the program's --, are data")
  func data() throws {
    let words = ["api", "get", "a/b", "--auth=x"].map {
      Argument(parts: [.text($0)], quoting: .data)
    }
    #expect(try demo.parse(words: words).output == "api.get TARGET=a/b ITEM=--auth=x")
  }

  @Test("an inserted value in quotes is an item, whatever it begins with")
  func insertedInQuotes() throws {
    let inserted = Argument(parts: [.text("--auth=x")], quoting: .double, typedCount: 0)
    let words = ["api", "get", "a/b"].map { Argument($0) } + [inserted]
    #expect(try demo.parse(words: words).output == "api.get TARGET=a/b ITEM=--auth=x")
  }

  @Test("tables join and map")
  func join() throws {
    let other = CommandTable<String>(
      [CommandSpec(["more"], "more") { _ in "more" }],
      globals: [OptionSpec(flag: "json", "again"), OptionSpec(flag: "new", "new")],
      topics: [CommandTopic("api", "twice"), CommandTopic("more", "more")])
    let all = CommandTable.joined([demo, other]).map { $0.count }
    #expect(try all.parse(words: [Argument("more")]).output == 4)
    #expect(
      try all.parse(words: [Argument("session"), Argument("status")]).path == ["session", "status"])
    #expect(all.globals.filter { $0.name == "json" }.count == 1)
    #expect(all.topics.map(\.name) == ["api", "log", "more"])
    #expect(all.words(after: ["api"]) == ["get", "post", "service"])
  }

  @Test("--help is found wherever it stands, but behind --")
  func helpTopic() throws {
    func topic(_ line: String) throws -> [String]? { demo.helpTopic(in: try arguments(line)) }
    #expect(try topic("api get --help --nonsense") == ["api", "get"])
    #expect(try topic("api get a/b --timeout 5s -h") == ["api", "get"])
    #expect(try topic("api get a/b --timeout -h") == nil)
    #expect(try topic("api get a/b -v -h") == ["api", "get"])
    #expect(try topic("--help") == [])
    #expect(try topic("echo -- --help") == nil)
    #expect(try topic("echo '--help'") == nil)
    #expect(try topic("echo") == nil)
    let inserted = Argument(parts: [.text("--help")], isInserted: true)
    #expect(demo.helpTopic(in: [Argument("echo"), inserted]) == nil)
  }

  @Test("fuzz: any words give a command or an error that lies in the line", arguments: 0..<8)
  func fuzz(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let pieces = [
      "api", "get", "service", "add", "log", "tail", "level", "-n", "-5", "--", "-", "--timeout",
      "--timeout=",
      "--json", "-fq", "a/b", "x=1", "'-x'", "{{secret:x}}", "--{{secret:x}}", "-n{{secret:x}}",
      "session", "echo",
      "é", "--no-wrap", "--no-", "--=", "\"\"",
    ]
    for _ in 0..<400 {
      let line = (0..<Int.random(in: 1...7, using: &generator))
        .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined(separator: " ")
      guard case .commands = LineParser.parse(line) else { continue }
      let words = try arguments(line)
      do throws(UsageError) {
        let match = try demo.parse(words: words)
        #expect(demo.specs.contains { $0.path == match.path })
      } catch {
        #expect((1...line.count).contains(error.column ?? 0), "\(line): \(error)")
        #expect(error.kind == .usage)
      }
    }
  }
}
