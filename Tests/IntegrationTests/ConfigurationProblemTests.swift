import SwiftBoardTestSupport
import Testing

/// `doctor` where the configuration cannot be used.
@Suite(.timeLimit(.minutes(20)))
struct ConfigurationProblemTests {
  @Test("a replay needs no configuration, and none changes it")
  func replay() async throws {
    let program = try Program()
    let recorded = try await program.run(
      "--home", "h", "--record", "r.jsonl", "-c", "db put c 1 {}", "-c", "db list c --plain")
    try #require(recorded.status == .exited(0), "\(recorded.errorText)")
    for text in [#"{"output":"json"}"#, #"{"environment":"nosuch"}"#, #"{"bad"#] {
      try program.folder.write(text, to: "h/config.json")
      for command in ["replay", "verify"] {
        let run = try await program.run("--home", "h", "session", command, "r.jsonl")
        #expect(run.status == .exited(0), "\(text): \(run.errorText)")
        let output = command == "replay" ? recorded.outputText : "r.jsonl: 5 steps agree\n"
        #expect(run.outputText == output, "\(text)")
      }
    }
    // A live replay is a run like others.
    let live = try await program.run("--home", "h", "session", "replay", "r.jsonl", "--live")
    #expect(live.status == .exited(78))
  }

  @Test(
    "doctor runs with a configuration that is wrong, and says what and where",
    arguments: [
      ("{\n  \"outptu\": \"csv\"\n}", "config.json:2:3: unknown option 'outptu'"),
      ("{\n\"ascii\": true,\n}", "config.json:3:1: "),
      (#"{"aliases":{"db":"echo x"}}"#, "config.json:1:13: the alias 'db': "),
      ("{\"aliases\": {\n  \"k\": \"echo x &\"\n}}", "config.json:2:3: the alias 'k': "),
      ("{\n\"timeout\": \"5s\",\n\"timeout\": \"6s\"\n}", "config.json:3:1: "),
      (#"{"aliases":{"a b":"echo x"}}"#, "config.json:1:13: the alias 'a b': the name of an alias"),
      (#"{"aliases":{"?":"echo x"}}"#, "config.json:1:13: the alias '?': the name of an alias"),
      (#"{"aliases":{"a/b":"echo x"}}"#, "config.json:1:13: the alias 'a/b': the name of an alias"),
      (#"{"aliases":{"-a":"echo x"}}"#, "config.json:1:13: the alias '-a': the name of an alias"),
      (
        "{\"environments\":{\"work\":{\n\"environment\":\"lvie\"}}}",
        "config.json:2:1: an environment names live, mock or preview, not another environment, "
          + "as 'lvie'"
      ),
    ])
  func wrong(configuration: String, problem: String) async throws {
    let program = try Program()
    try program.makeFolder("h")
    try program.folder.write(configuration, to: "h/config.json")
    for words in [["doctor", "--json"], ["--json", "-c", "doctor"], ["-c", " doctor --json"]] {
      let outcome = try await program.run(["--home", "h"] + words)
      #expect(outcome.status == .exited(1), "\(outcome.errorText)")
      let text = outcome.outputText + outcome.errorText
      #expect(text.contains("\"configuration\""), "\(text)")
      #expect(text.contains(problem), "\(text)")
      #expect(text.contains("\"keychain\""), "\(text)")
    }
    for words in [["echo", "x"], ["-c", "doctor", "-c", "echo x"], ["-c", "doctor; echo x"]] {
      let outcome = try await program.run(["--home", "h"] + words)
      #expect(outcome.status == .exited(78), "\(outcome.errorText)")
      #expect(outcome.errorText.contains(problem), "\(outcome.errorText)")
    }
  }

  @Test("doctor reports variables that nothing reads")
  func variables() async throws {
    let program = try Program()
    for (name, advice) in [
      ("SWIFTBOARD_OUTPTU", "did you mean 'SWIFTBOARD_OUTPUT'?"),
      ("SWIFTBOARD_PASSPHRASE", "none takes a secret"), ("SWIFTBOARD_JSON", "none takes a secret"),
    ] {
      let outcome = try await program.run(["doctor"], environment: [name: "hunter2"])
      #expect(outcome.status == .exited(1), "\(outcome.errorText)")
      #expect(outcome.outputText.contains("nothing reads \(name)"), "\(outcome.outputText)")
      #expect(outcome.errorText.contains(advice), "\(outcome.errorText)")
      #expect(!(outcome.outputText + outcome.errorText).contains("hunter2"))
    }
    let known = try await program.run(
      ["--plain", "doctor"], environment: ["SWIFTBOARD_OFFLINE": "1", "SWIFTBOARD_KEY_FILE": ""])
    #expect(known.outputText.contains("variables\tgood\tSWIFTBOARD_"), "\(known.outputText)")
  }

  @Test("an unknown environment of the file is reported with its location")
  func unknownEnvironment() async throws {
    let program = try Program()
    try program.makeFolder("h")
    try program.folder.write("{\n  \"environment\": \"wrok\"}", to: "h/config.json")
    let outcome = try await program.run("--home", "h", "echo", "x")
    #expect(outcome.status == .exited(78))
    #expect(
      outcome.errorText.contains("h/config.json:2:3: there is no environment 'wrok'"),
      "\(outcome.errorText)")
    let doctor = try await program.run("--home", "h", "doctor")
    #expect(doctor.status == .exited(1), "\(doctor.errorText)")
    #expect(doctor.outputText.contains("h/config.json:2:3: there is no environment 'wrok'"))
    try program.folder.write("{\n  \"output\": \"csv\"}", to: "h/config.json")
    let given = try await program.run("--home", "h", "--environment", "nope", "echo", "x")
    #expect(given.status == .exited(64))
    #expect(!given.errorText.contains("config.json:2"), "\(given.errorText)")
  }

  @Test("the help of a configuration that is no JSON is about the file")
  func help() async throws {
    let program = try Program()
    try program.folder.write("{", to: "config.json")
    let outcome = try await program.run("--config", "config.json", "echo", "x")
    #expect(outcome.status == .exited(78), "\(outcome.errorText)")
    #expect(
      outcome.errorText.hasSuffix("help: correct the file, or name another one with --config\n"))
  }

  @Test("an environment of a configuration that is wrong is not called unknown")
  func environment() async throws {
    let program = try Program()
    try program.folder.write("{\"environments\": {\"work\": 1}}", to: "config.json")
    let outcome = try await program.run(
      "--config", "config.json", "--environment", "work", "doctor")
    #expect(outcome.status == .exited(78), "\(outcome.errorText)")
    #expect(outcome.errorText.contains("config.json:1:"), "\(outcome.errorText)")
    #expect(!outcome.errorText.contains("there is no environment"), "\(outcome.errorText)")
  }

  @Test("a time limit of 0 is refused wherever it is given, with what to do")
  func noTime() async throws {
    let program = try Program()
    try program.folder.write(#"{"timeout":"0s"}"#, to: "c.json")
    let file = try await program.run(
      ["--home", "h", "--config", "c.json", "echo", "a"],
      environment: ["SWIFTBOARD_TIMEOUT": nil])
    #expect(file.status == .exited(78), "\(file.errorText)")
    let variable = try await program.run(
      ["--home", "h", "echo", "a"], environment: ["SWIFTBOARD_TIMEOUT": "0s"])
    #expect(variable.status == .exited(78), "\(variable.errorText)")
    let before = try await program.run("--home", "h", "--timeout", "0.9ms", "echo", "a")
    #expect(before.status == .exited(64), "\(before.errorText)")
    let behind = try await program.run("--home", "h", "db", "list", "--timeout", "0ms")
    #expect(behind.status == .exited(64), "\(behind.errorText)")
    for run in [file, variable, before, behind] {
      #expect(run.errorText.contains("is at least 1ms"), "\(run.errorText)")
      #expect(run.errorText.contains("help: 0 is not 'no limit'"), "\(run.errorText)")
    }
  }
}
