import SwiftBoardFeatures
import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardCommandLine

@Suite("the configuration file")
struct ProgramConfigurationTests {
  private func parse(_ text: String) throws(UsageError) -> ProgramConfiguration {
    try ProgramConfiguration(parsing: Array(text.utf8), path: "config.json")
  }

  private func options(
    _ arguments: [String], _ text: String, _ variables: [String: String] = [:]
  ) throws(UsageError) -> ProgramOptions {
    try ProgramOptions.parse(arguments: arguments, environment: variables) {
      (_) throws(UsageError) in try parse(text)
    }
  }

  @Test("a flag takes precedence over a variable, a variable over the file")
  func precedence() throws {
    let text = #"{"output": "csv", "timeout": "5s", "keep-going": true, "quiet": true}"#
    var found = try options(["echo"], text)
    #expect(found.output == .csv)
    #expect(found.timeout == .seconds(5))
    #expect(found.keepGoing == true && found.isQuiet)
    #expect(found.mode == .oneShot(["echo"]))
    found = try options(
      ["--json", "echo"], text,
      ["SWIFTBOARD_TIMEOUT": "1s", "SWIFTBOARD_OUTPUT": "plain", "SWIFTBOARD_QUIET": "0"])
    #expect(found.output == .json)
    #expect(found.timeout == .seconds(1))
    #expect(!found.isQuiet)
  }

  @Test("a home that cannot be entered is named, and not a file that may not be there")
  func unreachableHome() throws {
    let folder = try TemporaryFolder()
    let loop = folder.path("loop")
    try #require(symlink("loop", loop) == 0)
    var options = ProgramOptions()
    options.givenHome = loop
    for config in [nil, loop + "/other.json"] {
      options.config = config
      let error = #expect(throws: UsageError.self) {
        try ConfigurationFile.read(for: options, [:], BoardFeatures.all)
      }
      #expect(error?.kind == .io)
      #expect(
        error?.message.hasPrefix(
          "cannot look for the configuration '\(config ?? loop + "/config.json")': "
            + "'\(loop)' cannot be examined: ") == true, "\(error?.message ?? "")")
      let option = config == nil ? "--home" : "--config"
      #expect(error?.help == "name another one with \(option)")
    }
  }

  @Test(
    "a home that its owner has closed can be opened again",
    .enabled(if: geteuid() != 0, "root may enter every folder"))
  func closedHome() throws {
    let folder = try TemporaryFolder()
    let closed = folder.path("closed")
    try FileSystem().makeFolder(closed)
    chmod(closed, 0)
    defer { chmod(closed, 0o700) }
    var options = ProgramOptions()
    options.givenHome = closed
    let error = #expect(throws: UsageError.self) {
      try ConfigurationFile.read(for: options, [:], BoardFeatures.all)
    }
    #expect(error?.help == "chmod 700 '\(closed)', or name another one with --home")
  }

  @Test("an environment has a home, services and options of its own")
  func environments() throws {
    let text = """
      {"output": "csv", "environments": {
        "work": {"home": "/srv/board", "offline": true},
        "try": {"environment": "preview", "output": "plain"}}}
      """
    let work = try options(["--environment", "work"], text)
    #expect(work.home == "/srv/board" && work.isOffline == true && work.output == .csv)
    #expect(work.environment == .live && work.namedEnvironment == "work")
    #expect(
      try options([], #"{"environment":"a","environments":{"a":{}}}"#).namedEnvironment == "a")
    #expect(try options(["--environment", "mock"], text).namedEnvironment == nil)
    let elsewhere = try options(["--environment=work", "--home", "h"], text)
    #expect(elsewhere.home == "h" && elsewhere.givenHome == "h" && work.givenHome == nil)
    let trial = try options(["--environment", "try"], text)
    #expect(trial.environment == .preview && trial.output == .plain)
    #expect(try options(["--environment", "mock"], text).environment == .mock)
    #expect(try options([], #"{"environment": "mock"}"#).environment == .mock)
    #expect(try options([], text).environment == nil)
  }

  @Test("an unknown environment is a mistake of the line, or of the variable")
  func unknownEnvironment() throws {
    let text = #"{"environments": {"work": {}}}"#
    let typed = #expect(throws: UsageError.self) { try options(["--environment", "wrk"], text) }
    #expect(typed?.kind == .usage)
    #expect(typed?.help == "did you mean 'work'?")
    let variable = #expect(throws: UsageError.self) {
      try options([], text, ["SWIFTBOARD_ENVIRONMENT": "nowhere"])
    }
    #expect(variable?.kind == .configuration)
    #expect(
      variable?.message
        == "there is no environment 'nowhere', which SWIFTBOARD_ENVIRONMENT names")
    #expect(variable?.help?.contains("live, mock, preview, work") == true)
  }

  @Test(
    "an error names line, column and what to do",
    arguments: [
      (
        "{\n  \"outptu\": \"csv\"\n}", "config.json:2:3: unknown option 'outptu'",
        "did you mean 'output'?"
      ),
      (
        "{\"output\": \"cvs\"}",
        "config.json:1:2: 'output' is one of table, json, plain, csv, not 'cvs'",
        "did you mean 'csv'?"
      ),
      ("{\"timeout\": \"0s\"}", "config.json:1:2: 'timeout' is at least 1ms", nil),
      ("{\"ascii\": 1}", "config.json:1:2: 'ascii' is true or false", nil),
      ("{\"timeout\": 5}", "config.json:1:2: 'timeout' is a string", nil),
      (
        "{\"timeout\": \"5\"}", "config.json:1:2: 'timeout' is a duration, not '5'",
        "add a unit, for example 5s"
      ),
      ("[]", "config.json:1:1: the file is an object, in braces", nil),
      ("{\"aliases\": {\n\"é\": 1}}", "config.json:2:1: the line of an alias is a string", nil),
      (
        "{\"environments\": {\"live\": {}}}",
        "config.json:1:19: 'live' is an environment of the program", nil
      ),
      (
        "{\"environments\": {\"w\": {\"home\": true}}}", "config.json:1:25: 'home' is a string", nil
      ),
      (
        "{\"environments\": {\"w\": {\"home\": \"a/b\"}}}",
        "config.json:1:25: 'home' begins with / or ~/, not 'a/b'", "a file for all runs"
      ),
      ("{\"home\": \"/x\"}", "config.json:1:2: unknown option 'home'", "known are"),
      (
        "{\"environments\": {\"w\": {\"outptu\": 1}}}",
        "config.json:1:25: unknown option 'outptu'", "did you mean 'output'?"
      ),
      (
        "{\"environments\": {\"work\": {\n\"environment\": \"work\"}}}",
        "config.json:2:1: an environment names live, mock or preview, not another environment, "
          + "as 'work'", nil
      ),
      (
        "{\"environments\": {\"work\": {}},\n\"environment\": \"wrok\"}",
        "config.json:2:1: there is no environment 'wrok'", "did you mean 'work'?"
      ),
      ("{\"a\": 1,}", "config.json:1:9: ", nil),
    ] as [(String, String, String?)])
  func errors(text: String, message: String, help: String?) {
    let error = #expect(throws: UsageError.self) { try parse(text) }
    #expect(error?.kind == .configuration)
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    if let help { #expect(error?.help?.hasPrefix(help) == true, "\(error?.help ?? "")") }
  }

  @Test("~ in the home of an environment is the user's folder")
  func homes() throws {
    var configuration = try parse(
      #"{"environments": {"a": {"home": "~/b"}, "b": {"home": "/~/c"}, "c": {}}}"#)
    configuration.expandHomes("/home/me")
    #expect(configuration.environments["a"]?["home"] == "/home/me/b")
    #expect(configuration.environments["b"]?["home"] == "/~/c")
    #expect(configuration.environments["c"]?["home"] == nil)
  }

  @Test("the page of the configuration has every key, and its example is one")
  func page() throws {
    let page = try SourceTree.text("docs/configuration.md")
    for option in ProgramOption.all where option.isConfigurable {
      #expect(page.contains("`\(option.spec.name)`"), "\(option.spec.name)")
    }
    let start = try #require(page.firstRange(of: "```json\n")?.upperBound)
    let end = try #require(page[start...].firstRange(of: "```")?.lowerBound)
    let configuration = try parse(String(page[start..<end]))
    #expect(configuration.aliases == ["tail": "log tail -n 30"])
    #expect(configuration.environments.keys.sorted() == ["try", "work"])
  }

  @Test("any bytes are a configuration or an error with its place")
  func anyBytes() {
    var random = SeededRandom(seed: 16)
    let parts = [
      "{", "}", "\"output\"", ":", "\"csv\"", ",", "true", "\"aliases\"", "[", "\\", "é", "1",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        parts.randomElement(using: &random) ?? ""
      }.joined()
      do throws(UsageError) {
        _ = try parse(text)
      } catch {
        #expect(error.kind == .configuration)
        #expect(error.message.hasPrefix("config.json:"))
      }
    }
  }
}
