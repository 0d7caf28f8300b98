import SwiftBoardTestSupport
import Testing

/// When the built program uses colors, and when it writes no escape sequence.
@Suite(.timeLimit(.minutes(20)))
struct ColorTests {
  private static let escape: UInt8 = 0x1B

  /// What one line shows at a terminal.
  private func shown(
    _ arguments: [String], _ variables: [String: String?] = [:]
  ) async throws -> String {
    let program = try Program()
    let all = ["TERM": "xterm-256color"].merging(variables) { $1 }
    let terminal = try PtyProcess(
      try Program.executable(), ["--environment", "preview", "--no-pager"] + arguments,
      environment: program.environment(all), folder: program.folder.path)
    _ = await terminal.wait()
    return terminal.outputText
  }

  @Test("data and messages have colors at a terminal")
  func colors() async throws {
    let answer = try await shown(["api", "get", "films/system/status"])
    #expect(answer.contains("\u{1B}[32mHTTP 200\u{1B}[0m"))
    #expect(answer.contains("\u{1B}[34m\"appName\"\u{1B}[0m: \u{1B}[32m\"Radarr\"\u{1B}[0m"))
    #expect(try await shown(["api", "service", "list"]).contains("\u{1B}[1mname "))
    #expect(try await shown(["db", "gte", "a", "b"]).contains("\u{1B}[1;31merror:\u{1B}[0m"))
    #expect(try await shown(["help", "db", "get"]).contains("\u{1B}[1mExamples\u{1B}[0m"))
    #expect(try await shown(["--help"]).contains("\u{1B}[1mUsage\u{1B}[0m"))
    #expect(try await shown(["--nope"]).contains("\u{1B}[1;31merror:\u{1B}[0m"))
  }

  @Test(
    "NO_COLOR, a dumb terminal and --color never leave no escape sequence",
    arguments: [["NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": ""], ["SWIFTBOARD_COLOR": "never"]])
  func none(variables: [String: String]) async throws {
    for line in [["api", "get", "films/system/status"], ["db", "gte"], ["help", "db"]] {
      #expect(!(try await shown(line, variables)).utf8.contains(Self.escape))
    }
  }

  @Test("an empty NO_COLOR is none, and --color takes precedence, also behind the command")
  func precedence() async throws {
    let line = ["api", "service", "list"]
    #expect(try await shown(line, ["NO_COLOR": ""]).contains("\u{1B}[1mname"))
    #expect(try await shown(["--color", "always"] + line, ["NO_COLOR": "1"]).contains("\u{1B}[1m"))
    #expect(
      !(try await shown(line + ["--color", "never", "--no-pager"])).utf8.contains(Self.escape))
  }

  @Test("pipes, redirected files, recordings and {{last}} have no escape sequence")
  func elsewhere() async throws {
    let program = try Program()
    let lines = """
      api get films/system/status
      api service list > list.txt
      help db
      echo {{last}}
      -db gte
      """
    for variables in [[:], ["CLICOLOR_FORCE": "1"]] as [[String: String?]] {
      let isForced = !variables.isEmpty
      let name = isForced ? "forced" : "plain"
      let outcome = try await program.run(
        ["--environment", "preview", "--record", "\(name).actions.jsonl"], stdin: lines,
        environment: variables)
      #expect(outcome.status == .exited(0))
      #expect(outcome.error.contains(Self.escape) == isForced)
      #expect(!(try program.folder.read("\(name).actions.jsonl")).contains(Self.escape))
      #expect(!(try program.folder.read("list.txt")).contains(Self.escape))
      #expect(outcome.output.contains(Self.escape) == isForced)
      #expect(outcome.outputText.contains("\n[{\"name\":\"films\""))
      let replay = try await program.run("session", "verify", "\(name).actions.jsonl")
      #expect(replay.status == .exited(0))
    }
    let json = try await program.run(
      ["--environment", "preview", "--json", "api", "service", "list"],
      environment: ["CLICOLOR_FORCE": "1"])
    #expect(!json.output.contains(Self.escape))
  }
}
