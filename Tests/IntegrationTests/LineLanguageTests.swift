import SwiftBoardFeatures
import SwiftBoardTestSupport
import Testing

/// Lines, aliases and words of the command line, as the program takes them.
@Suite(.timeLimit(.minutes(20)))
struct LineLanguageTests {
  @Test("after '--' no word is an option") func afterTwoHyphensNoWordIsAnOption() async throws {
    let program = try Program()
    let outcome = try await program.run("--environment", "mock", "--", "echo", "--json", "-q", "--")
    #expect(outcome.outputText == "--json -q --\n", "\(outcome.errorText)")
    let item = try await program.run(
      "--environment", "preview", "--", "api", "get", "sample/character/1", "--timeout==1s")
    #expect(item.status == .exited(0), "\(item.errorText)")
    // A secret behind it is a secret still.
    let secret = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "--", "keychain", "set", "a", "hunter2")
    #expect(secret.status == .exited(64), "\(secret.errorText)")
    #expect(try !program.text("r.jsonl").contains("hunter2"))
  }

  @Test("help shell is about the board's own commands, and about lines") func helpShell()
    async throws
  {
    let program = try Program()
    let outcome = try await program.run("--environment", "mock", "help", "shell")
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    for text in ["\nwatch ", "COMMAND > FILE", "{{last.PATH}}"] {
      #expect(outcome.outputText.contains(text), "\(text): \(outcome.outputText)")
    }
  }

  @Test("a > inside a word is text, and one at the beginning of a word redirects")
  func greaterThanInWord() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "-c", "echo a>b c==d>e", "-c", "echo f >g")
    #expect(run.status == .exited(0) && run.outputText == "a>b c==d>e\n", "\(run.errorText)")
    #expect(try program.files().sorted() == ["g", "home"])
    #expect(try program.text("g") == "f\n")
  }

  @Test("~/ begins the name of a file in the user's home, unless it is quoted")
  func userHome() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    for (name, text) in [
      ("s.sb", "echo sourced > ~/sourced\n"), ("v.json", #"{"a":1}"#), ("t.txt", "text"),
    ] {
      try program.folder.write(text, to: "home/\(name)")
    }
    let url = "\(server.origin)/echo"
    let lines = [
      "session record ~/r.jsonl", "source ~/s.sb", "echo one > ~/out", "echo two >> ~/out",
      "echo '~/x' ~/x > words", "set tilde '~/x'", "! echo x > '~/x'", "! echo x > $tilde",
      "db put c 1 @~/v.json", "api post \(url) @~/v.json --raw > ~/body",
      "api post \(url) a=@~/t.txt b:=@~/v.json c=~/x --out ~/item",
      "api post \(url) f@~/t.txt\\;type=text/x --multipart --out=~/part",
      "watch 1ms --count 1 api get \(url) --out ~/watched", "session stop",
    ]
    let run = try await program.run(
      ["--home", "h"] + lines.flatMap { ["-c", $0] })
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try program.text("home/sourced") == "sourced\n")
    #expect(try program.text("home/out") == "one\ntwo\n")
    #expect(try program.text("words") == "~/x ~/x\n")
    for name in ["body", "item", "part", "watched"] { #expect(program.exists("home/\(name)")) }
    let bodies = server.requests.map(\.bodyText)
    #expect(bodies.first == #"{"a":1}"#)
    #expect(bodies.dropFirst().first == #"{"a":"text","b":{"a":1},"c":"~/x"}"#, "\(bodies)")
    #expect(!program.exists("~"))

    // The line stays as it was typed, and replays in another home.
    #expect(try program.text("home/r.jsonl").contains(#""user":"echo one > ~/out""#))
    #expect(try await program.shell("mv home/r.jsonl . && mkdir elsewhere").status == .exited(0))
    let replay = try await program.run(
      ["session", "replay", "r.jsonl"], environment: ["HOME": program.folder.path("elsewhere")])
    #expect(replay.status == .exited(0) && replay.output == run.output, "\(replay.errorText)")
    for name in ["out", "sourced", "body"] { #expect(!program.exists("elsewhere/\(name)")) }

    // The words of a shell are as it has left them.
    let literal = try await program.run("--home", "h", "source", "~/s.sb")
    #expect(literal.status == .exited(66), "\(literal.errorText)")
  }

  @Test("session diff and action take a recording before their steps") func recordingFirst()
    async throws
  {
    let program = try Program()
    _ = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "set a 1", "-c", "set b 2")
    let named = try await program.run("session", "diff", "1", "2", "--file", "r.jsonl")
    let first = try await program.run("session", "diff", "r.jsonl", "1", "2")
    #expect(first.status == .exited(1) && first.outputText == named.outputText)
    let action = try await program.run("session", "action", "r.jsonl", "2")
    #expect(action.status == .exited(0) && action.outputText.contains("set b 2"))
    let twice = try await program.run("session", "diff", "r.jsonl", "1", "2", "--file", "r.jsonl")
    #expect(twice.status == .exited(64), "\(twice.errorText)")
  }

  // MARK: Aliases

  @Test("no alias stands for a command", arguments: BoardFeatures.all.commands.words(after: []))
  func noAliasStandsForACommand(word: String) async throws {
    let program = try Program()
    let outcome = try await program.run("--environment", "mock", "-c", "alias \(word) 'echo x'")
    #expect(outcome.status == .exited(64))
    // A word behind this one could be a secret, which is said first.
    let message = word == "keychain" ? "a secret on the command line" : "'\(word)' is a command"
    #expect(outcome.errorText.contains(message), "\(outcome.errorText)")
  }

  @Test("a value that is inserted asks for no help and is no option, also in a round of watch")
  func insertedOptions() async throws {
    let program = try Program()
    for value in ["--help", "-h", "--json", "-q"] {
      try program.folder.write(
        "db put c $1 {}\necho $1\nwatch 1ms --count 1 echo $1\ndb get c $1 --plain\n", to: "s.sb")
      let run = try await program.run("--home", "h", "-f", "s.sb", value)
      #expect(run.status == .exited(0), "\(run.errorText)")
      let lines = run.outputText.split(separator: "\n")
      #expect(lines.filter { $0 == value }.count == 2, "\(run.outputText)")
      #expect(!run.outputText.contains("Usage"), "\(run.outputText)")
    }
  }

  @Test("a word that a shell has split keeps CR LF")
  func returnsInWords() async throws {
    let program = try Program()
    let run = try await program.run("--environment", "mock", "-q", "echo", "a\r\nb\r")
    #expect(run.outputText == "a\r\nb\r\n", "\(run.errorText)")
  }

  @Test("a round of watch has the double quotes of its line")
  func doubleQuotesInWatch() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "-c", "set a 1", "-c",
      #"watch 1ms --count 1 assert shell.variables.a == "1""#, "-c", "set a '1 2'", "-c",
      #"watch 1ms --count 1 assert shell.variables.a == "1 2""#)
    #expect(run.status == .exited(0), "\(run.errorText)")
  }

  @Test("watch is refused while the board shows an earlier step")
  func watchInThePast() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "-k", "--record", "r.jsonl", "-c", "set a 1", "-c", "set a 2", "-c",
      "session goto 1", "-c", "watch 1ms --count 1 set a 3", "-c", "session live", "-c",
      #"assert shell.variables.a == "2""#)
    #expect(run.errorText.contains("you are looking at step 1"), "\(run.errorText)")
    #expect(run.errorText.contains("1 of 6 lines failed"), "\(run.errorText)")
  }

  @Test("a command of session behind watch reads the running recording")
  func watchOfTheRunningRecording() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "set a 1", "-c",
      "watch 1ms --count 2 session timeline", "-c",
      "watch 1ms --count 2 session state shell.lastStatus")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.ranges(of: "set a 1").count >= 2, "\(run.outputText)")
    #expect(run.outputText.hasSuffix("\n0\n0\n"), "\(run.outputText)")
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
  }

  @Test("watch repeats what an alias stands for") func watchOfAnAlias() async throws {
    let program = try Program()
    let outcome = try await program.run(
      "--environment", "mock", "-c", "alias hi 'echo hello'", "-c", "watch 1ms hi you --count 2",
      "-c", "watch --count 1 1ms hi")
    #expect(outcome.outputText == "hello you\nhello you\nhello\n", "\(outcome.errorText)")
  }

  @Test("a secret behind an alias of a file that the line runs is in no step")
  func secretBehindAnAliasOfAFile() async throws {
    let program = try Program()
    try program.folder.write("alias k keychain\nalias hey 'echo hey'\n", to: "a.sb")
    let outcome = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "source a.sb; hey you", "-c",
      "source a.sb; k set radarr hunter2")
    #expect(outcome.status == .exited(64), "\(outcome.errorText)")
    #expect(outcome.outputText == "hey you\n")
    #expect(!outcome.errorText.contains("hunter2"), "\(outcome.errorText)")
    #expect(try !program.text("r.jsonl").contains("hunter2"))
  }

  @Test("off a terminal, an alias of config.json is an unknown command, which says why")
  func unusedAlias() async throws {
    let program = try Program()
    try program.folder.write(#"{"aliases":{"hi":"echo hello"}}"#, to: "config.json")
    let outcome = try await program.run("--config", "config.json", "hi", "you")
    #expect(outcome.status == .exited(64), "\(outcome.errorText)")
    #expect(outcome.errorText.contains("unknown command 'hi'"), "\(outcome.errorText)")
    #expect(
      outcome.errorText.contains(
        "help: the alias 'hi' of the configuration is for lines that are typed at the prompt"),
      "\(outcome.errorText)")
    let own = try await program.run(
      "--config", "config.json", "-c", "alias hi 'echo my'", "-c", "hi you")
    #expect(own.outputText == "my you\n", "\(own.errorText)")
  }

  @Test(
    "config.json takes no alias for a command, and none with a secret",
    arguments: [
      #"{"aliases":{"db":"echo x"}}"#, #"{"aliases":{"k":"keychain set radarr hunter2"}}"#,
      #"{"aliases":{"k":"api get films/x X-Api-Key:0123456789abcdef0123456789abcdef"}}"#,
    ])
  func configuredAliases(configuration: String) async throws {
    let program = try Program()
    try program.folder.write(configuration, to: "config.json")
    let outcome = try await program.run("--config", "config.json", "echo", "x")
    #expect(outcome.status == .exited(78), "\(outcome.errorText)")
    #expect(outcome.errorText.contains("config.json:1:13: the alias '"), "\(outcome.errorText)")
    for secret in ["hunter2", "0123456789abcdef"] {
      #expect(!outcome.errorText.contains(secret), "\(outcome.errorText)")
    }
  }
}

/// What stops a user, and what is said about it.
@Suite(.timeLimit(.minutes(20)))
struct AdviceTests {
  @Test(
    "an error says what to do",
    arguments: [
      (
        "api service add x http://h --auth 'header:X-Api-Key={{secret:k}}'",
        ["in single quotes and after a backslash, {{secret:...}} is", "help: leave the quotes or"]
      ),
      (
        #"api get http://h X-A:\{{secret:k}}"#,
        ["after a backslash, {{secret:...}} is plain text", "or the backslash off"],
      ),
      (#"api post http://h/x {"a":1}"#, ["is not a header", "help: JSON as it is: --json-body"]),
      ("assert shell.lastStatus == 5", ["shell.lastStatus is 0"]),
      ("assert a.b == 5", ["there is nothing at a.b"]),
      ("nope", ["help: 'help' lists the commands"]),
      ("help api gett", ["did you mean 'api get'?"]),
    ])
  func anErrorSaysWhatToDo(line: String, texts: [String]) async throws {
    let program = try Program()
    let outcome = try await program.run("--environment", "mock", "-c", line)
    for text in texts { #expect(outcome.errorText.contains(text), "\(outcome.errorText)") }
  }

  @Test(
    "a failing status says what it means",
    arguments: [
      (304, 3, "the service says that nothing has changed"),
      (429, 4, "help: the service takes no more for now; --retry 3 tries again"),
    ])
  func aFailingStatusSaysWhatItMeans(status: Int, code: Int32, text: String) async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let outcome = try await program.run(
      "--home", "h", "api", "get", "\(server.origin)/faults/status/\(status)")
    #expect(outcome.status == .exited(code))
    #expect(outcome.errorText.contains(text), "\(outcome.errorText)")
  }

  @Test(
    "the help for 304 says what led to it",
    arguments: [
      ([], "check the service"), (["--cache", "noCache"], "check the service"),
      (["If-None-Match:\"1\"", "--cache", "noCache"], "leave out If-None-Match to get"),
      (
        ["If-None-Match:\"1\"", "if-modified-since:x"],
        "leave out If-None-Match and if-modified-since to get"
      ),
    ] as [([String], String)])
  func helpForNothingChanged(words: [String], text: String) async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let outcome = try await program.run(
      ["--home", "h", "api", "get", "\(server.origin)/faults/status/304"] + words)
    #expect(outcome.status == .exited(3))
    #expect(outcome.errorText.contains(text), "\(outcome.errorText)")
    #expect(!outcome.errorText.contains("asks for a whole one"), "\(outcome.errorText)")
  }

  @Test("a backup of what is in memory says that there is no file to copy")
  func backupInMemory() async throws {
    for environment in ["preview", "mock"] {
      let run = try await Program().run(
        "--environment", environment, "db", "backup", "monday.sqlite")
      #expect(run.status == .exited(73), "\(run.errorText)")
      #expect(run.errorText.contains("has no file to copy"), "\(run.errorText)")
      #expect(run.errorText.hasSuffix("help: 'db export FILE' writes what is there\n"))
    }
  }

  @Test("help keychain names what opens it") func helpKeychain() async throws {
    let program = try Program()
    let outcome = try await program.run("--environment", "mock", "help", "keychain")
    #expect(outcome.outputText.contains("SWIFTBOARD_PASSPHRASE_FILE"), "\(outcome.outputText)")
  }

  @Test("a refused connection is said once, with one advice") func refusedOnce() async throws {
    let program = try Program()
    let port = try ClosedPort()
    let outcome = try await program.run(
      "--home", "h", "api", "get", "http://127.0.0.1:\(port.number)/x")
    #expect(outcome.status == .exited(69))
    #expect(outcome.errorLines.first?.hasSuffix("refused the connection") == true)
    #expect(outcome.errorText.ranges(of: "service").count == 1, "\(outcome.errorText)")
  }
}
