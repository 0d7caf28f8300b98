import SwiftBoardJSON
import SwiftBoardTestSupport
import Testing

/// With `--json`, each line on standard error is a JSON object.
@Suite("JSON on standard error", .timeLimit(.minutes(20)))
struct JSONErrorOutputTests {
  /// The objects on standard error.
  private func objects(_ run: ChildProcess.Outcome) throws -> [JSON] {
    try run.errorText.split(separator: "\n").map {
      let json = try? JSON(parsing: String($0))
      return try #require(json?.members != nil ? json : nil, "\(run.errorText)")
    }
  }

  @Test(
    "--json behind a command that is not understood makes its failure JSON",
    arguments: [
      ["api", "get", "--json"], ["bogus", "--json"], ["db", "list", "c", "--limit", "x", "--json"],
      ["db", "list", "c", "-o", "json", "--limit", "x"],
      ["db", "list", "--bogus", "--output=json"],
    ])
  func failures(words: [String]) async throws {
    let program = try Program()
    let line = words.joined(separator: " ")
    try program.folder.write(line + "\n", to: "x.sb")
    for (arguments, input) in [
      (words, ""), (["-c", line], ""), (["-f", "x.sb"], ""), ([], line + "\n"),
    ] {
      let run = try await program.run(["--home", "h"] + arguments, stdin: input)
      #expect(run.status == .exited(64), "\(run.errorText)")
      #expect(try objects(run).map { $0["ok"] } == [false])
      #expect(run.outputText == "")
    }
    let open = try await program.run("--home", "h", "-c", "echo \"x --json")
    #expect(try objects(open).map { $0["ok"] } == [false])
    let quoted = try await program.run("--home", "h", "-c", "bogus -- --json")
    #expect(quoted.errorText.contains("error:"))
  }

  @Test("a failure in a sourced file names the file, and one of a prefix is JSON as the line asks")
  func sourced() async throws {
    let program = try Program()
    try program.folder.write("echo a\nnope\n", to: "s.sb")
    try program.folder.write("db get c 1\n", to: "t.sb")
    for (file, line) in [("s.sb", JSON(2)), ("t.sb", JSON(1))] {
      let run = try await program.run("--home", "h", "--json", "-c", "source \(file)")
      let failures = try objects(run)
      #expect(failures.map { $0["file"] } == [.string(file)], "\(run.errorText)")
      #expect(failures.map { $0["line"] } == [line], "\(run.errorText)")
    }
    let script = try await program.run("--home", "h", "--json", "-f", "s.sb")
    #expect(try objects(script).map { $0["file"] } == [nil])
    let expected = try await program.run("--home", "h", "-c", "!echo a --json")
    #expect(expected.status == .exited(1))
    #expect(try objects(expected).map { $0["error"] } == ["expectedFailure"])
  }

  @Test("help and versions are one line of JSON, in the form of a command's")
  func help() async throws {
    let program = try Program()
    func object(_ words: [String], _ variables: [String: String] = [:]) async throws -> JSON {
      let run = try await program.run(words, environment: variables)
      #expect(run.status == .exited(0) && run.errorText == "", "\(run.errorText)")
      #expect(run.outputText.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
      return try JSON(parsing: run.outputText)
    }
    let usual = try await object(["--json", "help", "api", "get"])
    for words in [
      ["--json", "--help"], ["--help", "--json"], ["-o", "json", "-h"], ["--json", "--nope", "-h"],
    ] {
      let help = try await object(words)
      #expect(help.members?.map(\.key) == usual.members?.map(\.key), "\(words)")
      #expect(help["command"] == "help" && help["ok"] == true, "\(words)")
      guard case .array(let values) = help["value"], case .array(let others) = usual["value"] else {
        Issue.record("\(help)")
        continue
      }
      #expect(values.map { $0.members?.map(\.key) } == others.map { $0.members?.map(\.key) })
    }
    let version = try await object(["--json", "--version"])
    #expect(version["command"] == "version" && version["value"]?["swiftboard"] == "0.1.0")
    #expect(try await object(["-V"], ["SWIFTBOARD_OUTPUT": "json"]) == version)
  }

  @Test("what the program says beside failures is JSON as well")
  func notes() async throws {
    let program = try Program()
    let run = try await program.run(
      "--home", "h", "--json", "-k", "-x", "-c", "time echo hi", "-c", "bogus")
    let objects = try objects(run)
    #expect(
      objects.compactMap { $0["note"]?.stringValue } == [
        "+ time echo hi", objects[1]["note"]?.stringValue ?? "", "+ bogus", "1 of 2 lines failed",
      ], "\(run.errorText)")
    #expect(objects[1]["note"]?.stringValue?.hasPrefix("time: ") == true, "\(run.errorText)")
    #expect(objects.map { $0["line"] } == [1, 1, 2, 2, 0])

    let words = try await program.run("--home", "h", "-x", "echo", "hi")
    #expect(words.errorText == "+ echo hi\n")

    try program.folder.write("echo a\nsource in.sb\n", to: "out.sb")
    try program.folder.write("! keychain set a hunter2\necho b\n", to: "in.sb")
    let sourced = try await program.run("--home", "h", "-x", "-q", "-c", "source out.sb")
    #expect(sourced.status == .exited(0), "\(sourced.errorText)")
    #expect(
      sourced.errorLines.filter { $0.hasPrefix("+ ") } == [
        "+ source out.sb", "+ echo a", "+ source in.sb", "+ [refused: secret a]", "+ echo b",
      ], "\(sourced.errorText)")
    #expect(!sourced.errorText.contains("hunter2"), "\(sourced.errorText)")

    // The lines of a file take the format of the line that sources it, and so does their echo.
    try program.folder.write("echo c\n", to: "c.sb")
    let format = try await program.run("--home", "h", "-x", "-c", "source c.sb --json")
    #expect(
      format.errorText == "+ source c.sb --json\n{\"line\":1,\"note\":\"+ echo c\"}\n",
      "\(format.errorText)")
    let plain = try await program.run("--home", "h", "--json", "-x", "-c", "source c.sb -o plain")
    #expect(plain.errorText.hasSuffix("}\n+ echo c\n"), "\(plain.errorText)")

    let behind = try await program.run("--home", "h", "-c", "time echo hi --json")
    #expect(try self.objects(behind).count == 1)
  }

  @Test(
    "a command that the end of the lines or exit cancels is a note",
    arguments: [("", 0, "the end of the lines"), ("exit 3", 3, "'exit'")]
      as [(String, Int32, String)])
  func cancelledAtTheEnd(last: String, code: Int32, cause: String) async throws {
    let program = try Program()
    let run = try await program.run(
      ["--home", "h", "--json"], stdin: "watch 1h echo a &\n\(last)\n")
    #expect(run.status == .exited(code), "\(run.errorText)")
    let objects = try objects(run)
    #expect(objects.compactMap { $0["ok"] } == [])
    #expect(
      objects.contains(["line": 1, "note": .string("job 1: cancelled by \(cause): watch")]),
      "\(run.errorText)")
  }

  @Test("a recording that stopped is a warning in JSON")
  func warnings() async throws {
    let program = try Program()
    let child = try program.start("--home", "h", "--json", "--record", "r.jsonl")
    child.writeInput("echo one\n")
    #expect(await child.waitForOutput("one"))
    try #require(try await program.shell("rm r.jsonl").status == .exited(0))
    child.writeInput("echo two\n")
    child.closeInput()
    let objects = try objects(await child.wait())
    #expect(objects.count == 1)
    #expect(objects[0]["warning"]?.stringValue?.hasPrefix("the recording stopped") == true)
  }
}
