import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// A line that fails, for a real reason, and how the program ends.
struct Cause: Sendable, CustomTestStringConvertible {
  var code: Int32
  /// For programs, in the lines of `--json`.
  var error: String?
  /// `ORIGIN` is the server's address, `REFUSED` one without a listener.
  var line: String
  /// What the message or the help says.
  var says: String?
  /// The word that the caret stands under, where one is to blame.
  var word: String?

  init(
    _ code: Int32, _ line: String, _ error: String? = nil, says: String? = nil,
    word: String? = nil
  ) {
    self.code = code
    self.error = error
    self.line = line
    self.says = says
    self.word = word
  }

  var testDescription: String { "\(code): \(line)" }

  static let all: [Cause] = [
    Cause(1, "assert api.requests > 1", says: "api.requests > 1"),
    Cause(3, "api get ORIGIN/faults/redirect", "redirect", says: "--follow"),
    Cause(3, "api get ORIGIN/faults/loop --follow 2", "redirect", says: "--follow 7"),
    Cause(4, "api get ORIGIN/api/character/99999", "httpStatus", says: "HTTP 404"),
    Cause(4, "api get ORIGIN/api/character/99999 --select name", "httpStatus", says: "HTTP 404"),
    Cause(5, "api get ORIGIN/faults/status/500", "httpStatus", says: "HTTP 500"),
    Cause(64, "aip get x", "usage", says: "did you mean 'api'?", word: "aip"),
    Cause(64, "api gte ORIGIN/x --bdoy", "usage", says: "did you mean '--body'?", word: "--bdoy"),
    Cause(64, "api service lst", "usage", says: "did you mean 'list'?", word: "lst"),
    Cause(64, "api nosuch", "usage", word: "nosuch"),
    Cause(64, "db put c", "usage", says: "is missing"),
    Cause(65, "db put c 1 {bad}", says: "JSON", word: "{bad}"),
    Cause(65, "api post ORIGIN/echo a:=nope", says: "JSON"),
    Cause(65, "db put c 1 @broken.json", says: "JSON"),
    Cause(66, "db put c 1 @missing.json", "missing", says: "missing.json"),
    Cause(66, "db get c nosuch", says: "nosuch"),
    Cause(66, "api get nosuch/x", "noSuchService", says: "api service add nosuch"),
    Cause(66, "keychain list", says: "keychain init"),
    Cause(66, "api get ORIGIN/api/character/1 --select a.b", "noSuchPath"),
    Cause(66, "source missing.sb", says: "missing.sb"),
    Cause(66, "session verify missing.jsonl", "missing"),
    Cause(69, "api get REFUSED/x", "connectionRefused"),
    Cause(73, "session record taken.jsonl", "exists"),
    Cause(73, "session record nowhere/r.jsonl", "cannotCreate"),
    // Real time: an answer that never comes reaches any limit.
    Cause(75, "api get ORIGIN/faults/hang --timeout 200ms", "timeout", says: "--timeout"),
    Cause(76, "api get ORIGIN/faults/cut", "truncated"),
    Cause(76, "api get ORIGIN/faults/garbage", "malformed"),
    Cause(76, "api get ORIGIN/faults/old", "malformed"),
  ]
}

/// Every exit code from what causes it in real life, as a one-shot command and in a script.
@Suite(.timeLimit(.minutes(20)))
struct ExitCodeTests {
  private static func program() throws -> Program {
    let program = try Program()
    try program.folder.write("{\"a\":", to: "broken.json")
    try program.folder.write("kept", to: "taken.jsonl")
    return program
  }

  @Test("each cause has its code, as one command and in a script", arguments: Cause.all)
  func asOneShotAndInAScript(cause: Cause) async throws {
    let server = try TestHTTPServer()
    let closed = try ClosedPort()
    let program = try Self.program()
    let line = cause.line.replacing("ORIGIN", with: server.origin)
      .replacing("REFUSED", with: "http://127.0.0.1:\(closed.number)")

    let words = line.split(separator: " ").map(String.init)
    let oneShot = try await program.run(["--home", "h"] + words)
    #expect(oneShot.status == .exited(cause.code), "\(oneShot.errorText)")
    expectReport(oneShot.errorText, in: nil, text: line, cause)

    try program.folder.write("# a remark\necho before\n\(line)\necho after\n", to: "x.sb")
    let script = try await program.run("--home", "h", "-f", "x.sb")
    #expect(script.status == .exited(cause.code), "\(script.errorText)")
    #expect(script.outputText.hasPrefix("before\n"))
    #expect(!script.outputText.contains("after"), "the failing line is the last")
    expectReport(script.errorText, in: "x.sb:3:", text: line, cause)

    let json = try await program.run(["--home", "h", "--json"] + words)
    #expect(json.status == .exited(cause.code), "\(json.errorText)")
    #expect(json.output == [])
    let last = try #require(json.errorLines.last { $0.hasPrefix("{") }, "\(json.errorText)")
    let report = try JSONDecoder().decode(JSONReport.self, from: Data(last.utf8))
    #expect(report.ok == false && report.code == cause.code && report.line == 1)
    if let error = cause.error { #expect(report.error == error) }
    #expect(!report.message.isEmpty)
    #expect(try program.text("taken.jsonl") == "kept")
  }

  struct JSONReport: Decodable {
    var line: Int
    var ok: Bool
    var code: Int32
    var error: String
    var message: String
    var hint: String?
  }

  @Test("the timeout of the program holds for every request")
  func theTimeoutOfTheProgramHoldsForEveryRequest() async throws {
    let server = try TestHTTPServer()
    let program = try Self.program()
    // Real time: an answer that never comes reaches any limit.
    let run = try await program.run(
      "--home", "h", "--timeout", "200ms", "api", "get", "\(server.origin)/faults/hang")
    #expect(run.status == .exited(75), "\(run.errorText)")
  }

  // MARK: The program itself

  @Test("help and version succeed", arguments: ["--help", "-h", "--version", "-V"])
  func helpAndVersionSucceed(option: String) async throws {
    let run = try await Self.program().run(option)
    #expect(run.status == .exited(0))
    #expect(run.outputText.contains("swiftboard"))
    #expect(run.error == [])
  }

  @Test("options are checked") func optionsAreChecked() async throws {
    let program = try Self.program()
    let unknown = try await program.run("--jsno", "echo", "x")
    #expect(unknown.status == .exited(64))
    #expect(unknown.errorText.contains("did you mean '--json'?"))
    let configuration = try await program.run(
      ["echo", "x"], environment: ["SWIFTBOARD_OUTPUT": "jsno"])
    #expect(configuration.status == .exited(78), "\(configuration.errorText)")
    #expect(configuration.errorText.contains("SWIFTBOARD_OUTPUT"))
    let flag = try await program.run(["echo", "x"], environment: ["SWIFTBOARD_ASCII": "perhaps"])
    #expect(flag.errorText.contains("help: correct the variable SWIFTBOARD_ASCII, or unset it"))
    try program.makeFolder("c.json")
    let unreadable = try await program.run("--config", "c.json", "echo", "x")
    #expect(unreadable.status == .exited(74), "\(unreadable.errorText)")
    #expect(unreadable.errorText.contains("help: make the file readable, or name another one"))
  }

  @Test("exit gives its number") func exitGivesItsNumber() async throws {
    let program = try Self.program()
    try program.folder.write("echo a\nexit 3\necho b\n", to: "x.sb")
    let script = try await program.run("-f", "x.sb")
    #expect(script.status == .exited(3))
    #expect(script.outputText == "a\n")
    #expect(try await program.run("exit", "3").status == .exited(3))
    #expect(try await program.run("exit").status == .exited(0))
  }

  @Test("missing files are named") func missingFilesAreNamed() async throws {
    let program = try Self.program()
    let script = try await program.run("-f", "missing.sb")
    #expect(script.status == .exited(66))
    #expect(script.errorText.contains("missing.sb"))
    let recorded = try await program.run("--record", "r.jsonl", "-f", "missing.sb")
    #expect(recorded.status == .exited(66))
    #expect(!program.exists("r.jsonl"), "the corrected line needs the name")
    let folder = try await program.run("--record", "r.jsonl", "-f", "home")
    #expect(folder.status == .exited(74), "\(folder.errorText)")
    #expect(!program.exists("r.jsonl"))
    guard geteuid() != 0 else { return }
    #expect(mkfifo(program.folder.path("pipe"), 0) == 0)
    let pipe = try await program.run("--record", "r.jsonl", "-f", "pipe")
    #expect(pipe.status == .exited(74), "\(pipe.errorText)")
    #expect(!program.exists("r.jsonl"))
  }

  @Test("a script that is not text is malformed") func aScriptThatIsNoTextIsMalformed() async throws
  {
    let program = try Self.program()
    try program.folder.write(Array("echo ok\n".utf8) + [0x65, 0x20, 0xFF, 0x0A], to: "x.sb")
    let run = try await program.run("-f", "x.sb")
    #expect(run.status == .exited(65))
    #expect(run.outputText == "ok\n", "what stands before has run")
    #expect(run.errorText.hasPrefix("x.sb:2:3: error: "), "\(run.errorText)")
    try program.folder.write("source x.sb\n", to: "y.sb")
    let sourced = try await program.run("-f", "y.sb")
    #expect(sourced.status == .exited(65))
    #expect(sourced.errorText.hasPrefix("x.sb:2:3: error: "), "\(sourced.errorText)")
  }

  @Test("a recording never goes over a file") func aRecordingNeverGoesOverAFile() async throws {
    let program = try Self.program()
    let run = try await program.run("--record", "taken.jsonl", "echo", "x")
    #expect(run.status == .exited(73))
    #expect(run.output == [], "nothing has run")
    #expect(run.errorText.contains("taken.jsonl"))
    #expect(try program.text("taken.jsonl") == "kept")
    let folder = try await program.run("--record", "nowhere/x.jsonl", "echo", "x")
    #expect(folder.status == .exited(73), "\(folder.errorText)")
    let redirect = try await program.run("-c", "echo x > nowhere/x")
    #expect(redirect.status == .exited(73), "\(redirect.errorText)")
  }

  // MARK: Standard output

  @Test(
    "a full disk is a failure", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func aFullDiskIsAFailure() async throws {
    let program = try Self.program()
    let run = try await program.shell(
      "\"$0\" -c 'echo a' -c 'set ran yes' -c 'echo b' > /dev/full")
    #expect(run.status == .exited(74), "\(run.errorText)")
    #expect(run.errorText.contains("No space left on device"))
    let redirect = try await program.run("-c", "echo a > /dev/full")
    #expect(redirect.status == .exited(74), "\(redirect.errorText)")
    let timed = try await program.run("-c", "time echo a > /dev/full")
    #expect(timed.status == .exited(74), "\(timed.errorText)")
    #expect(timed.errorText.ranges(of: "time: ").count == 1, "\(timed.errorText)")
    let secret = try await program.shell(
      "\"$0\" --environment mock keychain get radarr --reveal > /dev/full")
    #expect(secret.status == .exited(74), "\(secret.errorText)")
    for options in ["--version", "--help", "--json --version", "--json --help"] {
      let run = try await program.shell("\"$0\" \(options) > /dev/full")
      #expect(run.status == .exited(74), "\(options)")
      #expect(run.errorText.contains("No space left on device"), "\(options): \(run.errorText)")
      #expect(run.errorText.hasPrefix("{") == options.hasPrefix("--json"), "\(run.errorText)")
    }
  }

  @Test(
    "nothing begins once the disk is full, inside of a line either",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: [
      "echo a; db put c 1 {}; api post URL", "source in.sb", "source out.sb; api post URL",
      "watch 1ms --count 50 api post URL/echo a=1; api post URL",
    ])
  func nothingBeginsOnAFullDisk(line: String) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.folder.write("echo a\ndb put c 1 {}\n", to: "in.sb")
    try program.folder.write("source in.sb\napi post \(server.origin)\n", to: "out.sb")
    let run = try await program.shell(
      "\"$0\" --home h -k -q -c '\(line.replacing("URL", with: server.origin))' > /dev/full")
    #expect(run.status == .exited(74), "\(run.errorText)")
    #expect(run.errorLines.count { $0 != "" } == 1, "\(run.errorText)")
    #expect(server.requests.count == (line.hasPrefix("watch") ? 1 : 0))
    let got = try await program.run("--home", "h", "db", "get", "c", "1")
    #expect(got.status == .exited(66), "\(got.errorText)")
  }

  @Test("a reader that leaves ends the run quietly") func aReaderThatLeavesEndsTheRunQuietly()
    async throws
  {
    let program = try Self.program()
    // More than a pipe holds, so that the program is still writing when the reader goes.
    let line = "echo " + String(repeating: "x", count: 4000) + "\n"
    try program.folder.write(String(repeating: line, count: 100), to: "x.sb")
    let run = try await program.shell("{ \"$0\" -f x.sb; echo $? > status; } | head -n 1")
    #expect(run.outputText.utf8.count == 4001)
    #expect(try program.text("status") == "141\n")
    #expect(run.errorText == "")
  }

  // Real time: the rounds go on until the reader has left.
  @Test("a reader that leaves a command without an end is no error of that command")
  func aReaderThatLeavesAnEndlessCommand() async throws {
    let program = try Self.program()
    let run = try await program.shell(
      "{ \"$0\" -c 'watch 1ms echo x'; echo $? > status; } | head -n 1")
    #expect(run.outputText == "x\n")
    #expect(try program.text("status") == "141\n")
    #expect(run.errorText == "")
  }

  // MARK: Going on

  @Test("a script stops at the first failing line unless told otherwise")
  func aScriptStopsAtTheFirstFailingLineUnlessToldOtherwise() async throws {
    let program = try Self.program()
    try program.folder.write(
      "echo a\nassert 1 ==\nnope\necho b\ndb get c nosuch\necho c\n", to: "x.sb")
    let stopped = try await program.run("--environment", "mock", "-f", "x.sb")
    #expect(stopped.status == .exited(64))
    #expect(stopped.outputText == "a\n")
    let gone = try await program.run("--environment", "mock", "--keep-going", "-f", "x.sb")
    #expect(gone.status == .exited(64), "the code of the first failure")
    #expect(gone.outputText == "a\nb\nc\n")
    #expect(gone.errorText.contains("3 of 6 lines failed"))
    try program.folder.write("db get c nosuch\nnope\n", to: "y.sb")
    let other = try await program.run("--environment", "mock", "-k", "-f", "y.sb")
    #expect(other.status == .exited(66))
    let pipe = try await program.run(
      ["--environment", "mock"], stdin: "echo a\ndb get c nosuch\necho b\n")
    #expect(pipe.status == .exited(66))
    #expect(pipe.outputText == "a\n")
    #expect(pipe.errorText.contains(":2:"))
  }

  @Test("--keep-going reaches into the files that lines source")
  func keepGoingInSourcedFiles() async throws {
    let program = try Program()
    try program.folder.write("echo a\ndb get c nosuch\nsource inner.sb\necho b\n", to: "outer.sb")
    try program.folder.write("nope\necho c\n", to: "inner.sb")
    let gone = try await program.run(
      "--environment", "mock", "-k", "-c", "source outer.sb", "-c", "echo d")
    #expect(gone.outputText == "a\nc\nb\nd\n")
    #expect(gone.status == .exited(66), "the code of the first failure: \(gone.errorText)")
    let stopped = try await program.run(
      "--environment", "mock", "-c", "-source outer.sb", "-c", "echo d")
    #expect(stopped.outputText == "a\nd\n")
    try program.folder.write("echo a\nexit 3\necho b\n", to: "leaves.sb")
    let left = try await program.run(
      "--environment", "mock", "-k", "-c", "source leaves.sb", "-c", "echo d")
    #expect(left.outputText == "a\n" && left.status == .exited(3))
  }

  @Test(
    "exit in a sourced file hides no earlier failure, and its number counts",
    arguments: [
      (["source s.sb"], 66), (["nope", "source s.sb"], 64), (["source outer.sb"], 66),
      (["-source s.sb"], 0), (["!source s.sb"], 0), (["nope", "-source s.sb"], 64),
      (["source three.sb"], 3), (["nope", "source three.sb"], 3), (["source s.sb > f"], 66),
    ] as [([String], Int32)])
  func exitInSourcedFile(lines: [String], code: Int32) async throws {
    let program = try Program()
    try program.folder.write("db get x y\nexit\necho never\n", to: "s.sb")
    try program.folder.write("db get x y\nexit 3\necho never\n", to: "three.sb")
    try program.folder.write("echo a\nsource s.sb\necho never\n", to: "outer.sb")
    let script = lines + ["echo never"]
    let run = try await program.run(
      ["--environment", "mock", "-k"] + script.flatMap { ["-c", $0] })
    #expect(run.status == .exited(code), "\(run.errorText)")
    #expect(!run.outputText.contains("never"), "\(run.outputText)")
  }

  @Test("what a prefix says of a line is JSON where failures are")
  func failureOfAPrefix() async throws {
    let program = try Program()
    let json = try await program.run(
      "--environment", "mock", "--json", "-c", "echo a", "-c", "! echo x")
    #expect(json.status == .exited(1))
    #expect(
      json.errorText
        == #"{"line":2,"ok":false,"code":1,"error":"expectedFailure","message":"this line should have failed, and succeeded","hint":null}"#
        + "\n")
    let text = try await program.run("--environment", "mock", "-c", "! echo x")
    #expect(
      text.errorText == """
        -c:1:1: error: this line should have failed, and succeeded
          ! echo x
          ^

        """)
    let job = try await program.run("--environment", "mock", "--json", "-c", "! echo x &")
    #expect(job.errorText.hasPrefix(#"{"line":1,"ok":false,"code":1,"#), "\(job.errorText)")
    try program.folder.write("echo a\n  ! echo x &\n", to: "jobs.sb")
    let script = try await program.run("--environment", "mock", "-f", "jobs.sb")
    #expect(script.status == .exited(1))
    #expect(
      script.errorText == """
        jobs.sb:2:3: error: job 2: this line should have failed, and succeeded
            ! echo x &
            ^

        """)
  }

  @Test("what a prefix says of a line of a sourced file names it, also behind a failure")
  func failureOfAPrefixInASourcedFile() async throws {
    let program = try Program()
    try program.folder.write("echo 1\n! echo a\n", to: "in.sb")
    try program.folder.write("db get x y\n! echo b\nsource in.sb\n", to: "out.sb")
    let said = "error: this line should have failed, and succeeded"
    let first = try await program.run("--environment", "mock", "-c", "source in.sb")
    #expect(first.status == .exited(1))
    #expect(first.errorText == "in.sb:2:1: \(said)\n  ! echo a\n  ^\n")
    let all = try await program.run("--environment", "mock", "-k", "-c", "source out.sb")
    #expect(all.status == .exited(66))
    #expect(
      all.errorLines.filter { $0.contains(said) }
        == ["out.sb:2:1: \(said)", "in.sb:2:1: \(said)"], "\(all.errorText)")
    let json = try await program.run("--environment", "mock", "-c", "source in.sb --json")
    #expect(
      json.errorText.hasPrefix(#"{"line":2,"file":"in.sb","ok":false,"code":1,"#),
      "\(json.errorText)")
  }

  @Test("a home that is a file, or is below one, is no empty board", arguments: ["f", "f/h"])
  func homeThatIsAFile(home: String) async throws {
    let program = try Program()
    try program.folder.write("text", to: "f")
    let run = try await program.run("--home", home, "db", "stats")
    #expect(run.status == .exited(73), "\(run.errorText)")
    #expect(run.outputText == "")
    #expect(run.errorText.contains("the home '\(home)' is not a folder"), "\(run.errorText)")
    #expect(run.errorText.contains("help: --home takes a folder"))
    let named = try await program.run(["db", "stats"], environment: ["SWIFTBOARD_HOME": home])
    #expect(named.status == .exited(73), "\(named.errorText)")
    #expect(named.errorText.contains("help: SWIFTBOARD_HOME takes a folder"))
    let path = program.folder.path(home)
    try program.folder.write(
      #"{"environments": {"work": {"home": "\#(path)"}}}"#, to: "config.json")
    let configured = try await program.run(
      "--config", "config.json", "--environment", "work", "db", "stats")
    #expect(configured.status == .exited(73), "\(configured.errorText)")
    #expect(
      configured.errorText.contains("help: 'home' of config.json takes a folder"),
      "\(configured.errorText)")
    #expect(try program.text("f") == "text")
    let new = try await program.run("--home", "new/h", "db", "stats")
    #expect(new.status == .exited(0), "\(new.errorText)")
  }

  @Test(
    "a file in place of the folder of the data is no empty board",
    arguments: [
      "db list c", "db put c 1 {}", "api service list", "keychain list", "keychain status",
      "keychain init --key-file k",
    ])
  func fileInPlaceOfAFolder(line: String) async throws {
    let program = try Program()
    try program.folder.write("", to: "f")
    let run = try await program.shell(
      "$0 -c '\(line)'", environment: ["XDG_DATA_HOME": "\(program.folder.path("f"))/below"])
    #expect(run.status == .exited(73), "\(run.errorText)")
    #expect(run.errorText.contains("is a file, not a folder"), "\(run.errorText)")
    #expect(run.errorText.contains("/f'"), "\(run.errorText)")
  }

  @Test(
    "a passphrase descriptor that is closed is said, whatever the program opens itself",
    .timeLimit(.minutes(20)), arguments: 3...12)
  func closedPassphraseDescriptor(number: Int) async throws {
    let program = try Program.withKeychain()
    let run = try await program.run(
      ["--home", "h", "keychain", "unlock"],
      environment: ["SWIFTBOARD_PASSPHRASE_FD": "\(number)"])
    #expect(run.status == .exited(66), "\(run.errorText)")
    #expect(
      run.errorText.contains("descriptor \(number) is not open for reading"), "\(run.errorText)")
  }

  @Test("lines may and must fail") func linesMayAndMustFail() async throws {
    let program = try Self.program()
    try program.folder.write("-nope\n-db get c x\n!nope\n!db get c x\necho on\n", to: "x.sb")
    let run = try await program.run("--environment", "mock", "-f", "x.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "on\n")
    try program.folder.write("!echo works\necho never\n", to: "y.sb")
    let failed = try await program.run("-f", "y.sb")
    #expect(failed.status == .exited(1))
    #expect(failed.outputText == "works\n")
    #expect(failed.errorText.hasPrefix("y.sb:1:"))
  }

  // MARK: The form of a message

  /// `SOURCE:LINE:COLUMN: error: …`, the line, a caret under the word to blame. Where no word is,
  /// the place alone.
  private func expectReport(
    _ text: String, in source: String?, text typed: String, _ cause: Cause,
    _ location: Testing.SourceLocation = #_sourceLocation
  ) {
    let lines = text.split(separator: "\n").map(String.init)
    guard let index = lines.firstIndex(where: { $0.contains("error: ") }) else {
      Issue.record("no report in \(text)", sourceLocation: location)
      return
    }
    if let source {
      #expect(lines[index].hasPrefix(source), "\(text)", sourceLocation: location)
    }
    if let says = cause.says {
      #expect(
        lines[index...].contains { $0.contains(says) }, "\(text)", sourceLocation: location)
    }
    guard let word = cause.word, let range = typed.firstRange(of: word) else { return }
    let column = typed.distance(from: typed.startIndex, to: range.lowerBound)
    if let source {
      #expect(
        lines[index].hasPrefix("\(source)\(column + 1): error: "), "\(text)",
        sourceLocation: location)
    }
    guard index + 2 < lines.count else {
      Issue.record("no caret in \(text)", sourceLocation: location)
      return
    }
    let indent = lines[index + 1].prefix { $0 == " " }
    #expect(lines[index + 1] == indent + typed, "\(text)", sourceLocation: location)
    let caret = indent + String(repeating: " ", count: column) + "^"
    #expect(
      lines[index + 2] == caret + String(repeating: "~", count: word.count - 1), "\(text)",
      sourceLocation: location)
  }
}
