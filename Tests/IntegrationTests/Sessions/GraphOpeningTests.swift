import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// `session graph --open`, with programs that stand in for `dot` and the browser.
@Suite(.timeLimit(.minutes(20)))
struct GraphOpeningTests {
  private let program: Program
  private let environment: [String: String?]

  init() async throws {
    program = try Program()
    try program.makeFolder("bin")
    environment = [
      "PATH": "\(program.folder.path("bin")):/usr/bin:/bin", "BROWSER": "show",
    ]
    try await script("show", "cat \"$1\" > pipe")
    let made = try await program.run("--home", "h", "--record", "old.jsonl", "echo", "x")
    try #require(made.status == .exited(0), "\(made.errorText)")
  }

  private func script(_ name: String, _ lines: String) async throws {
    try await program.folder.write(program: lines, to: "bin/\(name)")
  }

  @Test("the picture is drawn and opened once, and a replay runs nothing")
  func opens() async throws {
    try await script("dot", "echo x >> calls; cat > text; echo '<svg/>'")
    #expect(mkfifo(program.folder.path("pipe"), 0o600) == 0)
    async let shown = program.shell("cat pipe")
    let run = try await program.run(
      ["--home", "h", "--record", "r.jsonl", "session", "graph", "old.jsonl", "--open"],
      environment: environment)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.hasSuffix("/h/graph.svg\n"))
    #expect(try await shown.outputText == "<svg/>\n")
    #expect(try program.text("text").hasPrefix("digraph "))
    #expect(try program.text("h/graph.svg") == "<svg/>\n")
    let replayed = try await program.run(
      ["session", "replay", "r.jsonl"], environment: environment)
    #expect(replayed.output == run.output, "\(replayed.errorText)")
    let json = try await program.run(
      ["session", "verify", "r.jsonl"], environment: environment)
    #expect(json.status == .exited(0), "\(json.errorText)")
    #expect(try program.text("calls") == "x\n")
  }

  @Test("without Graphviz the error says what to install, and without --open nothing is needed")
  func notInstalled() async throws {
    let bare = ["PATH": program.folder.path("bin")] as [String: String?]
    let run = try await program.run(
      ["--home", "h", "session", "graph", "old.jsonl", "--causes", "--open"], environment: bare)
    #expect(run.status == .exited(69))
    #expect(run.output == [])
    #expect(run.errorText.contains("graphviz") && run.errorText.contains("'session graph' prints"))
    #expect(!program.exists("h/graph.svg"))
    let text = try await program.run(
      ["--home", "h", "session", "graph", "old.jsonl"], environment: bare)
    #expect(text.status == .exited(0) && text.outputText.hasPrefix("digraph "))
  }

  @Test("services in memory open nothing")
  func preview() async throws {
    let run = try await program.run(
      ["--environment", "preview", "session", "graph", "old.jsonl", "--open"],
      environment: ["PATH": program.folder.path("bin")])
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.errorText.contains("no picture is opened"))
  }
}
