import SwiftBoardTestSupport
import Testing

/// `doctor` where the configuration cannot be used.
@Suite(.timeLimit(.minutes(60)))
struct ConfigurationProblemTests {
  @Test(
    "doctor runs with a configuration that is wrong, and says what and where",
    arguments: [
      ("{\n  \"outptu\": \"csv\"\n}", "config.json:2:3: unknown option 'outptu'"),
      ("{\n\"ascii\": true,\n}", "config.json:3:1: "),
      ("{\n\"timeout\": \"5s\",\n\"timeout\": \"6s\"\n}", "config.json:3:1: "),
      (#"{"aliases":{"db":"echo x"}}"#, "config.json: the alias 'db': "),
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
}
