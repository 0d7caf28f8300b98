import SwiftBoardJSON
import SwiftBoardTestSupport
import Testing

/// How a recording reads: what its actions hold, and in which form.
@Suite(.timeLimit(.minutes(20)))
struct LogFormTests {
  private static func steps(_ program: Program) throws -> [JSON] {
    try program.text("r.jsonl").split(separator: "\n").map { try JSON(parsing: String($0)) }
      .filter { $0["k"] == "step" }
  }

  /// The results of the commands of `session`, in order.
  private static func results(_ program: Program) throws -> [JSON] {
    try steps(program).compactMap { $0["action"]["session"]["succeeded"]["result"] }
  }

  @Test("an answer does not repeat its request") func anAnswerDoesNotRepeatItsRequest()
    async throws
  {
    let server = try TestHTTPServer()
    defer { server.stop() }
    let program = try Program()
    let run = try await program.run(
      "--home", "h", "--record", "r.jsonl", "-c",
      "api get http://127.0.0.1:\(server.port)/api/character/1 --select name --save rick", "-c",
      "api run rick", "-c", "api run rick --json", "-c",
      "api get http://127.0.0.1:\(server.port)/api/character/1 --raw")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.hasPrefix("Rick Sanchez\nRick Sanchez\n"), "\(run.outputText)")
    let answers = try Self.steps(program).compactMap { $0["action"]["api"]["answered"] }
    try #require(answers.count == 4)
    for answer in answers { #expect(answer["request"] == nil && answer["kept"] == nil) }
    // What a kept request was stands in the step that found it.
    let found = try Self.steps(program).compactMap { $0["action"]["api"]["found"] }
    #expect(found.map { $0["request"]["select"] } == ["name", "name"])
    #expect(answers[0]["view"] == ["select": "name"])
    #expect(answers[3]["view"] == ["isPretty": false])
    let second = try await program.run("session", "replay", "r.jsonl")
    #expect(second.output == run.output)
  }

  @Test("states, actions and differences are values") func statesActionsAndDifferencesAreValues()
    async throws
  {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "set x 1", "-c",
      "session state shell.variables --at 1", "-c", "session state shell.lastStatus --at 1", "-c",
      "session action 1", "-c", "-session diff 0 1", "-c", "session goto 0", "-c", "session goto 1",
      "-c", "session live")
    let results = try Self.results(program)
    try #require(results.count == 6, "\(run.errorText)")
    #expect(results[0]["state"] == ["step": 1, "value": ["x": "1"]])
    #expect(results[1]["state"] == ["step": 1, "value": 0])
    #expect(results[2]["step"]["step"]["action"]["shell"]["run"]["command"]["set"]["value"] == "1")
    let changes = try #require(results[3]["differences"]["diff"]["changes"]?.elements)
    #expect(changes.contains(["new": "1", "path": "shell.variables.x"]), "\(changes)")
    // No action is not an action that is null.
    #expect(results[4...].allSatisfy { $0["travelled"]["step"]["action"] == nil as JSON? })
    let second = try await program.run("session", "replay", "r.jsonl")
    #expect(second.output == run.output)
  }

  /// A value of a state may be a number, and a secret may look like one.
  @Test("a secret that became known later is masked where it is a number")
  func aSecretIsMaskedWhereItIsANumber() async throws {
    let program = try Program()
    let first = try await program.run(
      "--environment", "mock", "--timeout", "7654321ms", "--record", "old.jsonl", "-c", "echo")
    #expect(first.status == .exited(0), "\(first.errorText)")
    try program.folder.write("7654321", to: "key")
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "keychain set k --from-file key", "-c",
      "session state settings --file old.jsonl --json", "-c", "session action 1 --file old.jsonl",
      "-c", "-session diff 0 1 --file old.jsonl")
    #expect(run.outputText.contains(#""timeout":"[secret:k]""#), "\(run.errorText)")
    #expect(run.outputText.contains(#""timeout": "[secret:k]""#))
    #expect(run.errorText.contains("masked"), "\(run.errorText)")
    #expect(!run.outputText.contains("7654321"))
    #expect(try !program.text("r.jsonl").contains("7654321"))
  }

  @Test("a condition has a value") func aConditionHasAValue() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", #"db put c 1 {"n":1.0,"s":"a"}"#, "-c",
      "db list c --where n=1 --where s=a -o json")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.contains(#""id":"1""#))
    let query = try #require(
      try Self.steps(program).lazy.compactMap {
        $0["action"]["db"]["run"]["command"]["list"]["query"]
      }.first)
    #expect(query["conditions"] == [["equals": 1, "path": "n"], ["equals": "a", "path": "s"]])
    // A document is data: it comes back as it was put.
    let document = try Self.steps(program)[0]["action"]["db"]["run"]["command"]["put"]["body"]
    #expect(document["json"]["text"] == .string(#"{"n":1.0,"s":"a"}"#))
  }

  /// Each answer has the one before it inside: there is a limit to the depth of a line.
  @Test("an action in an action in an action ends no recording")
  func anActionInAnActionEndsNoRecording() async throws {
    let program = try Program()
    func list(_ depth: Int) -> String {
      let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return "db list c --where 'a=\(value)'\n"
    }
    try program.folder.write(
      list(401) + list(400) + "session action 2\n"
        + String(repeating: "session action end > out.txt\n", count: 20) + "session status\n",
      to: "x.sb")
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "--keep-going", "-f", "x.sb")
    #expect(run.errorText.contains("the value for a is nested too deeply"), "\(run.errorText)")
    #expect(run.errorText.contains("nested too deeply to be shown"), "\(run.errorText)")
    #expect(!run.errorText.contains("internal"))
    #expect(run.outputText.contains("r.jsonl") && !run.outputText.contains("problem"))
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
  }
}
