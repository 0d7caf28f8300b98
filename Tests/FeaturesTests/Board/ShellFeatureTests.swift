import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardBoard

@Suite("shell")
struct ShellFeatureTests {
  let world = World()

  @Test("'?' is help")
  func questionMark() async {
    let lines = Lines()
    #expect(await lines.run("help db put") == 0)
    let help = lines.allPrinted
    #expect(await lines.run("? db put") == 0)
    #expect(lines.allPrinted == help + help)
    #expect(await lines.run("? nope") == 64)
    #expect(await lines.run("'?'") == 64)
    await lines.board.close()
  }

  @Test("'cancel' with its job, and an interrupt, end a doctor that looks for long")
  func cancelledDoctor() async throws {
    let (looks, begun) = AsyncStream.makeStream(of: Void.self)
    var dependencies = world.dependencies
    dependencies.installation = {
      begun.yield()
      await waitUntilCancelled()
      return []
    }
    let lines = Lines(world, dependencies: dependencies)
    var looking = looks.makeAsyncIterator()
    #expect(await lines.run("doctor &") == 0)
    await looking.next()
    #expect(await lines.run("cancel 1") == 0)
    #expect(lines.board.store.state.shell.running.isEmpty)
    #expect(await lines.board.wait(for: 1) == 130)
    let line = Task { await lines.run("doctor") }
    await looking.next()
    #expect(lines.session.interrupt() == .command)
    #expect(await line.value == 130)
    #expect(lines.board.store.state.shell.running.isEmpty)
    #expect(lines.board.store.effects.allSatisfy { $0.phase == .cancelled })
    await lines.board.close()
  }

  @Test("a command that ends at once begins and ends in one step")
  func oneStep() throws {
    let store = world.store()
    let set = try action("set page 2")
    let context = try #require(set.started)
    store.send(set) {
      $0.shell.variables = ["page": "2"]
      $0.shell.last = #"{"page":"2"}"#
      $0.shell.finished = FinishedJob(context: context, status: 0)
    }
    #expect(store.effects == [])
    let wrong = self.context(2)
    let failure = Failure(code: 64, error: "usage", message: "no")
    store.send(.shell(.reject(context: wrong, failure: failure))) {
      $0.shell.finished = FinishedJob(context: wrong, status: 64)
      $0.shell.lastStatus = 64
    }
    store.finish()
  }

  private func context(_ job: Int) -> CommandContext {
    CommandContext(job: job, line: job, source: "test.sb", text: "x", name: "line")
  }

  @Test(
    "a variable has a name that a line can read it by",
    arguments: ["a-b", "1", "1a", "a.b", "\u{E9}", "''", "a b"])
  func variableNames(name: String) async {
    let lines = Lines()
    #expect(await lines.run("set '\(name == "''" ? "" : name)' X") == 64)
    #expect(lines.allPrinted.contains("is not a variable name"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("help: a name has a to z, A to Z, digits and _, and begins"))
    for name in ["a", "A_1", "_"] {
      #expect(await lines.run("set \(name) X; echo ${\(name)}$\(name)") == 0)
    }
  }

  @Test("an assertion says what it found instead, each path once")
  func assertionFailures() async {
    for (condition, found) in [
      ("shell.lastStatus > 3 or shell.lastStatus < 0", "; shell.lastStatus is 0\n"),
      (
        "nothing.here == 1 and a exists",
        "; there is nothing at nothing.here; there is nothing at a\n"
      ),
    ] {
      let lines = Lines()
      #expect(await lines.run("assert '\(condition)'") == 1)
      #expect(
        lines.allPrinted.contains("assertion failed: \(condition)\(found)"), "\(lines.allPrinted)")
    }
    let lines = Lines()
    #expect(await lines.run("set x \(String(repeating: "y", count: 500))") == 0)
    #expect(await lines.run("assert 'shell.variables.x == 1'") == 1)
    #expect(lines.allPrinted.contains("yyy...\n"))
  }

  @Test("a note shows what stands for bytes that are not UTF-8 as an escape only in ASCII")
  func notUTF8() async throws {
    let folder = try TemporaryFolder()
    for name in ["s.sb", "t.sb"] {
      try folder.write(Array("echo c".utf8) + [0xFF, UInt8(ascii: "\n")], to: name)
    }
    for (isASCII, shown) in [(true, #"echo c\u{fffd}"#), (false, "echo c\u{FFFD}")] {
      var settings = BoardSettings()
      settings.isASCII = isASCII
      let lines = Lines(settings: settings)
      let line = "session verify \(folder.path("s.sb")) \(folder.path("t.sb"))"
      #expect(await lines.run(line) != 0)
      #expect(lines.allPrinted.contains(shown), "\(lines.allPrinted)")
      await lines.board.close()
    }
  }

  @Test("the prefix of a line is no alias")
  func aliasOfPrefix() async {
    let lines = Lines()
    #expect(await lines.run("alias time 'echo x'") == 64)
    #expect(
      lines.allPrinted.contains("'time' is the prefix of a line and cannot be an alias"),
      "\(lines.allPrinted)")
  }

  @Test("an alias stands for the first word of a command")
  func aliases() async {
    let lines = Lines()
    #expect(await lines.run("alias hi 'echo hello'; hi world; 'hi' x") == 64)
    #expect(lines.allPrinted.contains("hello world\n"))
    #expect(lines.allPrinted.contains("unknown command 'hi'"), "a quoted word is no alias")
    #expect(await lines.run("alias again hi there") == 0)
    #expect(await lines.run("again") == 64, "an alias does not stand for another one")
    let refusal = "the alias 'again' stands for 'hi', which is an alias too"
    #expect(lines.allPrinted.contains(refusal), "\(lines.allPrinted)")
    #expect(await lines.run("watch 1s again --count 1") == 64)
    #expect(lines.allPrinted.ranges(of: refusal).count == 2, "\(lines.allPrinted)")
    #expect(await lines.run("alias") == 0)
    #expect(lines.allPrinted.contains("again  hi there"))
    #expect(await lines.run("hi &; unalias hi; hi") == 64)
    #expect(lines.board.store.withState { $0.shell.aliases } == ["again": "hi there"])
    #expect(await lines.run("unalias again") == 0)
    #expect(lines.board.store.withState { $0.shell.aliases } == nil)
  }

  @Test(
    "behind watch, an alias is no interval and no value of an option",
    arguments: [
      "watch 1s --count 1 echo a", "watch --count 1 1s echo a", "watch 1s --count '1' echo a",
      "watch --timeout 1s 1s --count=1 echo a", "watch 1s -qo plain echo a --count 1",
      "watch -o plain 1s --count 1 hi",
    ])
  func aliasesOfValues(line: String) async {
    let lines = Lines()
    for name in ["1", "1s", "plain", "a"] {
      #expect(await lines.run("alias \(name) 'db list'") == 0, "\(lines.allPrinted)")
    }
    #expect(await lines.run("alias hi 'echo a'") == 0)
    #expect(await lines.run(line) == 0, "\(lines.allPrinted)")
    #expect(lines.allPrinted == "a\n")
    await lines.board.close()
  }

  @Test(
    "an alias of several words has these words",
    arguments: [
      ("db get 'my coll'", "db get 'my coll'"), (#"echo "it's \$5""#, #"echo "it's \$5""#),
      ("echo 'a > b' a>b \\> \\&", "echo 'a > b' a>b '>' '&'"), ("echo '' ''", "echo '' ''"),
      ("echo '-o' -", "echo '-o' -"), ("echo '$x' '{{last}}'", "echo '$x' '{{last}}'"),
      (#"echo {"a": 1} 'b'"#, #"echo {"a": 1} b"#), (#"echo "a\nb" 'a\b'"#, #"echo "a\nb" a\b"#),
      (#"assert a == "1" and b == '1'"#, #"assert a == "1" and b == 1"#),
    ])
  func aliasOfWords(words: String, line: String) async {
    let lines = Lines()
    #expect(await lines.run("alias a \(words)") == 0, "\(lines.allPrinted)")
    #expect(lines.board.store.withState { $0.shell.aliases } == ["a": line])
    await lines.board.close()
  }

  @Test(
    "an alias of several words keeps what is the user's home in them, and what is not",
    arguments: [
      ("echo ~/x b", "echo ~/x b"), ("echo '~/x' b", "echo '~/x' b"),
      ("echo ~/'a b' @~/\"c d\"", "echo ~/'a b' @~/'c d'"), ("echo $t b", "echo '~/t' b"),
      ("echo ~/\"it's\" b", "echo ~/\"it's\" b"),
    ])
  func aliasOfHome(words: String, line: String) async {
    let lines = Lines()
    let session = LineExecutor(
      board: lines.board, redirects: RedirectFiles { _ in }, scriptArguments: [],
      input: StandardInput(.free), keepsGoing: false, userHome: "/home/u")
    for text in ["set t '~/t'", "alias a \(words)"] {
      let line = ScriptLine(
        text: text, location: LineLocation(nil, line: 1),
        parsed: SwiftBoardCommandLine.LineParser.parse(text))
      #expect(await session.run(line).exitCode == 0, "\(lines.allPrinted)")
    }
    #expect(lines.board.store.withState { $0.shell.aliases } == ["a": line])
    await lines.board.close()
  }

  @Test("an alias of several words keeps the double quotes of a condition's text")
  func aliasOfCondition() async {
    let lines = Lines()
    #expect(await lines.run("set a 1; alias t assert shell.variables.a == \"1\"; t") == 0)
    #expect(await lines.run("set a 2; t") == 1)
    #expect(await lines.run("set b 'x y'; alias t assert shell.variables.b == \"x y\"; t") == 0)
    await lines.board.close()
  }

  @Test(
    "an alias stands for one whole command",
    arguments: [
      "alias a ''", "alias a 'echo x; echo y'", "alias a 'echo x > f'",
      "alias a '! echo'", "alias a 'echo \"x'", "alias 'a b' echo", "alias -- -a echo",
      "alias a 'echo &'",
    ])
  func wrongAliases(line: String) async {
    let lines = Lines()
    #expect(await lines.run(line) == 64)
    #expect(lines.board.store.withState { $0.shell.aliases } == nil)
  }

  @Test("'alias NAME' shows this one, and an alias that is not there is a failure, also of unalias")
  func oneAlias() async {
    let lines = Lines()
    #expect(await lines.run("alias hi 'echo hello'; alias ho 'echo again'; alias hi") == 0)
    #expect(lines.allPrinted.hasSuffix("alias  stands for\n-----  ----------\nhi     echo hello\n"))
    #expect(await lines.run("alias ho --json") == 0)
    #expect(lines.allPrinted.contains(#""value":{"ho":"echo again"}"#), "\(lines.allPrinted)")
    for line in ["alias hii", "unalias hii"] {
      let before = lines.allPrinted.count
      #expect(await lines.run(line) == 66)
      let printed = lines.allPrinted.dropFirst(before)
      #expect(printed.contains("error: there is no alias 'hii'\n"), "\(printed)")
      #expect(printed.contains("help: did you mean 'hi'?"), "\(printed)")
    }
    #expect(await lines.run("unalias hi; unalias hi") == 66)
    #expect(lines.board.store.withState { $0.shell.aliases } == ["ho": "echo again"])
    await lines.board.close()
  }

  @Test("the time of source is that of the lines of the file")
  func timeOfSource() async throws {
    let folder = try TemporaryFolder()
    try folder.write("watch 300ms --count 3 echo x\n", to: "x.sb")
    let now = Mutex<Int64>(0)
    var dependencies = World().dependencies
    dependencies.clock = BoardClock(
      now: { now.withLock(\.self) },
      sleep: { time in now.withLock { $0 += time.microseconds } })
    let lines = Lines(dependencies: dependencies)
    #expect(await lines.run("time source \(folder.path("x.sb"))") == 0, "\(lines.allPrinted)")
    #expect(lines.allPrinted == "x\nx\nx\ntime: 600 ms\n")
    #expect(await lines.run("time source \(folder.path("missing.sb"))") == 66)
    #expect(lines.allPrinted.hasSuffix("\ntime: 0 ms\n"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.ranges(of: "time: ").count == 2)
    await lines.board.close()
  }

  @Test("the time of wait is from its beginning to the end of the jobs")
  func timeOfWait() async {
    let now = Mutex<Int64>(5_000_000)
    let events = EventLog<String>()
    var dependencies = World().dependencies
    dependencies.clock = BoardClock(
      now: {
        let time = now.withLock(\.self)
        events.append("look")
        return time
      },
      sleep: { _ in
        events.append("sleep")
        _ = await events.first { $0.contains("wake") ? true : nil }
      })
    let lines = Lines(dependencies: dependencies)
    #expect(await lines.run("watch 300ms --count 2 echo x &") == 0)
    _ = await events.first { $0.contains("sleep") ? true : nil }
    // Steps look at the clock too. There are none until the pause ends.
    await lines.board.store.waitUntilDelivered()
    let looks = events.events.count { $0 == "look" }
    async let code = lines.run("time wait")
    _ = await events.first { events in events.count { $0 == "look" } > looks ? true : nil }
    now.withLock { $0 += 600_000 }
    events.append("wake")
    #expect(await code == 0, "\(lines.allPrinted)")
    #expect(lines.allPrinted == "x\nx\ntime: 600 ms\n")
    await lines.board.close()
  }

  @Test("the words behind the file of source are the arguments of its lines, and of those alone")
  func sourceArguments() async throws {
    let folder = try TemporaryFolder()
    try folder.write("echo $1-$2\n", to: "inner.sb")
    try folder.write(
      "echo $1\nsource \(folder.path("inner.sb"))\nsource \(folder.path("inner.sb")) 'c d' $1\n",
      to: "outer.sb")
    let lines = Lines()
    #expect(await lines.run("source \(folder.path("outer.sb")) a b") == 0, "\(lines.allPrinted)")
    #expect(lines.allPrinted == "a\na-b\nc d-a\n")
    #expect(await lines.run("echo $1") == 64)
    #expect(lines.allPrinted.contains("no variable '1'"), "\(lines.allPrinted)")
    #expect(
      lines.allPrinted.contains("help: a script gets it by '-f FILE ARG' or 'source FILE ARG'"),
      "\(lines.allPrinted)")
    #expect(await lines.run("source \(folder.path("outer.sb")) {{secret:radarr}}") == 64)
    await lines.board.close()
  }

  @Test("wait says of no job that it runs after it was cancelled")
  func waitForCancelled() async {
    let lines = Lines()
    #expect(await lines.run("log tail -f &; log tail -f &; cancel 1; wait") == 0)
    #expect(
      lines.allPrinted.contains("job 2 has no end to wait for; 'cancel 2' ends it\n"),
      "\(lines.allPrinted)")
    let before = lines.allPrinted.count
    #expect(await lines.run("cancel 2; wait") == 0)
    #expect(!lines.allPrinted.dropFirst(before).contains("has no end"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a command does not find itself when it cancels by number")
  func cancelItself() async {
    let lines = Lines()
    #expect(await lines.run("echo a; cancel 2") == 66)
    #expect(lines.allPrinted.contains("no job 2 is running"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test(
    "a secret behind an alias is in no step",
    arguments: [
      "k set a V", "echo x; k get a V", "watch 5s --count 2 k set a V", "watch --count 2 k set a V",
      "watch 5s --count k set a V", "watch 5s -o k set a V", "watch 5s ! k set a V",
      "watch --timeout k set a V", "watch k set a V",
    ])
  func secretBehindAlias(line: String) async {
    let lines = Lines()
    #expect(await lines.run("alias k keychain") == 0)
    #expect(await lines.run(line.replacing("V", with: "hunter2")) == 64)
    #expect(!lines.allSteps.contains("hunter2"), "\(lines.allSteps)")
    #expect(!lines.allPrinted.contains("hunter2"), "\(lines.allPrinted)")
  }

  @Test(
    "set and unset leave {{last}} as it was, but not in earlier recordings",
    arguments: [true, nil])
  func setKeepsLast(setKeepsLast: Bool?) async {
    var settings = BoardSettings()
    (settings.remembersNull, settings.setKeepsLast) = (true, setKeepsLast)
    let lines = Lines(settings: settings)
    #expect(await lines.run("db put c a {\"id\":7,\"t\":\"x\"}; db get c a") == 0)
    #expect(await lines.run("set id {{last.id}}; unset id") == 0)
    let last = lines.board.store.state.shell.last?.text
    #expect(last == (setKeepsLast == true ? #"{"id":7,"t":"x"}"# : #"{"id":"7"}"#))
    #expect(await lines.run("set t {{last.t}}") == (setKeepsLast == true ? 0 : 64))
  }

  @Test("help under --json is the table of commands, and leaves {{last}} as it was")
  func helpValue() async {
    let lines = Lines()
    #expect(await lines.run("set x 1; help echo --json; echo {{last.x}}") == 0)
    #expect(lines.allPrinted.contains(#""value":[{"command":"echo","summary":"print words""#))
    #expect(lines.allPrinted.hasSuffix("1\n"), "\(lines.allPrinted)")
    #expect(await lines.run("help api gett") == 64)
    #expect(lines.allPrinted.contains("did you mean 'api get'?"))
  }

  @Test("'help ?' is the help of help, as '?' is help", arguments: ["help ?", "? ?", "help ? db"])
  func helpOfHelp(line: String) async {
    let (lines, other) = (Lines(), Lines())
    #expect(await lines.run(line) == 0)
    #expect(await other.run("help help") == 0)
    #expect(lines.allPrinted == other.allPrinted)
  }

  @Test("help under --json about what is no command is the text", arguments: LineHelp.pages)
  func helpText(page: String) async throws {
    let lines = Lines()
    #expect(await lines.run("help \(page)") == 0)
    let text = lines.allPrinted
    #expect(await lines.run("set x 1; help \(page) --json; echo {{last.x}}") == 0)
    let value = String(decoding: CanonicalEncoder.encode(json: .string(text)), as: UTF8.self)
    #expect(lines.allPrinted.contains("\"value\":\(value)"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.hasSuffix("1\n"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("--help is help: in a file, in the background, in a sourced file, with options around it")
  func helpOption() async throws {
    let (folder, lines) = (try TemporaryFolder(), Lines())
    #expect(await lines.run("help db put > \(folder.path("help"))") == 0)
    let help = try folder.read("help")
    for line in ["db put --help", "db put -h --nonsense", "? db put", "db put --help -q"] {
      #expect(await lines.run("\(line) > \(folder.path("file"))") == 0, "\(line)")
      #expect(try folder.read("file") == help, "\(line)")
    }
    try folder.write("echo a\ndb put --help\necho b\n", to: "in.sb")
    let source = "source \(folder.path("in.sb")) > \(folder.path("file"))"
    #expect(await lines.run(source) == 0)
    #expect(try folder.read("file") == Array("a\n".utf8) + help + Array("b\n".utf8))
    #expect(lines.allPrinted == "")
    #expect(await lines.run("db put --help > \(folder.path("no/file"))") == 73)
    let asked = [
      "db put --help --json", "db put --json --help", "db put c -o json -h --nope",
      "? db put --json",
    ]
    for line in asked { #expect(await lines.run(line) == 0, "\(line)") }
    #expect(
      lines.allPrinted.ranges(of: #""value":[{"command":"db put""#).count == asked.count,
      "\(lines.allPrinted)")
    #expect(await lines.run("db put --help &; wait") == 0)
    #expect(lines.allPrinted.hasSuffix(String(decoding: help, as: UTF8.self)))
    await lines.board.close()
  }

  @Test("'all' names every job")
  func allJobs() async {
    let lines = Lines()
    #expect(await lines.run("cancel all; wait all") == 0)
    #expect(await lines.run("cancel some") == 64)
  }

  @Test("help explains what a line has around its commands")
  func helpOfLines() async {
    let lines = Lines()
    #expect(await lines.run("help") == 0)
    #expect(lines.allPrinted.contains("\nhelp line explains prefixes"))
    #expect(await lines.run("help line") == 0)
    for sign in [
      "! COMMAND", "- COMMAND", "time COMMAND", "{{last}}", "{{secret:NAME}}", "> FILE", ">> FILE",
      "$name", "&", "a>b  ", "~/FILE",
    ] {
      #expect(lines.allPrinted.contains(sign), "\(sign)")
    }
    // What it says of `{{last}}`.
    #expect(await lines.run("set y 1; set x kept; help; manual; completions bash") == 0)
    #expect(await lines.run("alias a echo; unset y; unalias a; wait; cancel all") == 0)
    for failing in ["tutorial", "assert no.path exists"] {
      #expect(await lines.run(failing) != 0)
    }
    #expect(await lines.run("echo {{last.x}}") == 0)
    #expect(lines.allPrinted.hasSuffix("\nkept\n"))
    #expect(await lines.run("help nosuch") == 64)
    #expect(lines.allPrinted.contains("exit, line, shell, keys"), "\(lines.allPrinted)")
    #expect(await lines.run("help kesy") == 64)
    #expect(lines.allPrinted.contains("did you mean 'keys'?"), "\(lines.allPrinted)")
  }

  @Test("the caret is under the command of the line that has failed")
  func placeOfFailure() async {
    let lines = Lines()
    #expect(await lines.run("echo x; assert 1 == 2; echo y") == 1)
    #expect(lines.allPrinted.contains("test.sb:1:9: error:"), "\(lines.allPrinted)")
    #expect(
      lines.allPrinted.contains("  echo x; assert 1 == 2; echo y\n          ^~~~~~~~~~~~~\n"),
      "\(lines.allPrinted)")
    #expect(await lines.run("echo {\n}; assert 1 == 3") == 1)
    #expect(lines.allPrinted.contains("test.sb:2:4: error:"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("  }; assert 1 == 3\n     ^~~~~~~~~~~~~\n"))
    // One of two that are called alike.
    #expect(await lines.run("assert 1 == 1; assert 1 == 2") != 0)
    #expect(lines.allPrinted.contains("test.sb:1:1: error:"), "\(lines.allPrinted)")
  }

  @Test(
    "the caret is under the command that has failed, whatever the others are",
    arguments: [
      ("set a 1; set a 2; db get a b ; echo no", 19), ("db list c; db list c;  db get a b", 24),
      ("db list c; db get c i; db get a b", 12), ("echo a; g a b; echo", 9),
      ("   db get a b", 4), ("time   db get a b", 8),
      ("assert 'shell exists'; assert 'no exists'; assert 'shell exists'", 24),
      ("source nofile; source nofile2", 1),
    ])
  func placeOfCommand(line: String, column: Int) async {
    let lines = Lines()
    #expect(await lines.run("alias g 'db get'") == 0)
    #expect(await lines.run(line) != 0)
    #expect(lines.allPrinted.contains("test.sb:1:\(column): error:"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a file that runs in the middle of a line changes no place")
  func placeBehindSource() async throws {
    let (folder, lines) = (try TemporaryFolder(), Lines())
    try folder.write("db list c\n", to: "in.sb")
    let before = "db list c; source \(folder.path("in.sb")); db list c; "
    #expect(await lines.run("\(before)db get a b; db get c d") != 0)
    #expect(
      lines.allPrinted.contains("test.sb:1:\(before.count + 1): error:"), "\(lines.allPrinted)")
    #expect(await lines.run("db get c a; db list c") != 0)
    #expect(lines.allPrinted.contains("test.sb:1:1: error:"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("an alias of assert takes no file, and the name of a file is not empty")
  func refusedFiles() async throws {
    let (folder, lines) = (try TemporaryFolder(), Lines())
    #expect(await lines.run("alias ck assert") == 0)
    #expect(await lines.run("ck shell.lastStatus > 0") == 64)
    #expect(await lines.run("ck 'shell.lastStatus == 64' > \(folder.path("out"))") == 0)
    #expect(lines.allPrinted.contains("help: quote the condition, as in 'PATH > 0'\n"))
    #expect(await lines.run("echo a > ''") == 64)
    #expect(await lines.run("source ''") == 66)
    #expect(lines.allPrinted.ranges(of: "error: the name of a file is empty\n").count == 2)
    #expect(await lines.run("db list c # x") == 64)
    #expect(lines.allPrinted.contains("help: write ';' before a comment"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("help about lines fits a narrow terminal", arguments: [30, 40, 77, 80])
  func narrowHelpOfLines(width: Int) async {
    var settings = BoardSettings()
    settings.width = width
    let lines = Lines(settings: settings)
    #expect(await lines.run("help line") == 0)
    let rows = lines.allPrinted.split(separator: "\n")
    #expect(rows.allSatisfy { $0.count <= width }, "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("\n  COMMAND >> FILE"))
    #expect(lines.allPrinted.replacing("\n", with: " ").contains("behind what the file has"))
  }

  @Test("assert and state look into the state")
  func assertions() throws {
    let printed = try run(
      [
        "set page 2", #"assert 'shell.variables.page == "2"'"#, "assert shell.lastStatus == 7",
        "state shell.lastStatus", "state nothing.here", "assert 'api.requests > 0 or db exists'",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 1, 0, 66, 0])
    #expect(
      printed[2].errors.contains(
        "error: assertion failed: shell.lastStatus == 7; shell.lastStatus is 0\n"))
    #expect(printed[3].output == "1\n")
  }

  @Test("state and assert find what was there before them, in status and in print")
  func before() throws {
    let printed = try run(
      [
        "db get a 1", "assert shell.lastStatus == 66", "state shell.lastStatus", "set x 1",
        "state shell.last", "state shell.running", "echo y", "assert 'shell.last == \"\\\"y\\\"\"'",
      ], in: world)
    #expect(printed.map(\.status) == [66, 0, 0, 0, 0, 0, 0, 0])
    #expect(printed[1].errors == "")
    #expect(printed[2].output == "0\n")
    #expect(printed[4].output == #""{\"x\":\"1\"}""# + "\n")
    #expect(printed[5].output == "[]\n")
    #expect(printed[7].errors == "")
  }

  @Test("cancel: every other job, each with 130; a job that is none is missing")
  func cancel() throws {
    world.api.answer("GET", prefix: "http://rm.test/", with: .hang)
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/1", job: 1))
    store.send(try action("api get http://rm.test/2", job: 2))
    store.skipReceivedActions()
    store.send(try action("cancel 9", job: 3)) { $0.shell.lastStatus = 66 }
    store.send(try action("cancel", job: 4))
    #expect(store.effects.map(\.kind) == [.send, .send])
    store.receive(.shell(.cancelled(job: 1))) { $0.shell.lastStatus = 130 }
    #expect(store.effects.map(\.kind) == [.cancel])
    store.receive(.shell(.cancelled(job: 2)))
    #expect(store.inFlight.isEmpty)
    #expect(store.state.shell.running.isEmpty)
  }

  @Test("exit sets the code, and echo prints its words")
  func rest() throws {
    #expect(try run("echo a 'b  c' \"d\\te\"").output == "a b  c d\te\n")
    let store = world.looseStore()
    store.send(try action("exit 3")) { $0.shell.exitCode = 3 }
  }
}
