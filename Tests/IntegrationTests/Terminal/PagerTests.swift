import SwiftBoardTestSupport
import Testing

/// Long output of the built program at a terminal, with pagers that are scripts of the shell.
@Suite(.timeLimit(.minutes(20)))
struct PagerTests {
  /// A pager that says what it gets, and ends with a line of the user.
  private static let pager = "sed 's/^/| /'; read answer < /dev/tty; echo left with $answer"

  private func start(
    _ program: Program, _ arguments: [String] = [], pager: String = PagerTests.pager
  ) throws -> PtyProcess {
    try PtyProcess(
      try Program.executable(), ["--environment", "preview", "--no-history"] + arguments,
      environment: program.environment(["TERM": "xterm-256color", "PAGER": pager]),
      folder: program.folder.path)
  }

  private func screen(
    _ terminal: PtyProcess, _ condition: @Sendable @escaping (String) -> Bool,
    location: SourceLocation = #_sourceLocation
  ) async {
    let screen = await terminal.waitForScreen { condition($0.text) }
    #expect(condition(screen.text), "\(screen.text)", sourceLocation: location)
  }

  @Test("output longer than the screen goes through it, and the prompt and its modes come back")
  func long() async throws {
    let program = try Program()
    let terminal = try start(program)
    await screen(terminal) { $0.hasSuffix("board[preview]›") }
    terminal.type("help\r")
    #expect(await terminal.waitForOutput("| "))
    // The pager has the modes from before the program.
    #expect(terminal.echoes && !terminal.isRaw)
    terminal.type("me\r")
    await screen(terminal) { $0.hasSuffix("left with me\nboard[preview]›") }
    terminal.type("echo short\r")
    await screen(terminal) { $0.hasSuffix("short\nboard[preview]›") }
    #expect(!terminal.outputText.contains("| short"))
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0))
    #expect(!terminal.isRaw && terminal.echoes)
  }

  @Test("a pager that ends early takes no more, and the session goes on")
  func early() async throws {
    let program = try Program()
    let terminal = try start(program, pager: "head -1; echo enough")
    await screen(terminal) { $0.hasSuffix("board[preview]›") }
    terminal.type("state\r")
    await screen(terminal) { $0.hasSuffix("{\nenough\nboard[preview]›") }
    terminal.type("echo on\r")
    await screen(terminal) { $0.hasSuffix("\non\nboard[preview]›") }
    terminal.type("exit\r")
    #expect(await terminal.wait() == .exited(0))
  }

  @Test("a pager that cannot run loses nothing, and a line of several commands has none")
  func notThere() async throws {
    let program = try Program()
    let terminal = try start(program, pager: "no-such-pager-here")
    await screen(terminal) { $0.hasSuffix("board[preview]›") }
    terminal.type("help\r")
    await screen(terminal) { $0.contains("help keys lists") && $0.hasSuffix("board[preview]›") }
    terminal.type("help; echo behind\r")
    await screen(terminal) { $0.hasSuffix("behind\nboard[preview]›") }
    #expect(terminal.outputText.ranges(of: "no-such-pager-here").count == 1)
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0))
  }

  @Test("Ctrl-C in the pager is the pager's")
  func interrupt() async throws {
    let program = try Program()
    let terminal = try start(
      program,
      pager:
        "trap 'echo caught' INT; cat > /dev/null; echo ready; read a < /dev/tty || read a < /dev/tty"
    )
    await screen(terminal) { $0.hasSuffix("board[preview]›") }
    terminal.type("help\r")
    #expect(await terminal.waitForOutput("ready"))
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("caught"))
    #expect(!terminal.outputText.contains("error:"))
    terminal.type("\r")
    await screen(terminal) { $0.hasSuffix("\nboard[preview]›") }
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0))
  }

  @Test(
    "no pager with --no-pager, under --json, in scripts, and with an empty PAGER",
    arguments: [
      (["--no-pager", "help"], "x"), (["help", "--no-pager"], "x"), (["--json", "help"], "x"),
      (["-c", "help"], "x"), (["-f", "script.sb"], "x"), (["help"], ""), (["echo", "a"], "x"),
    ])
  func none(arguments: [String], pager: String) async throws {
    let program = try Program()
    try program.folder.write("help\n", to: "script.sb")
    let terminal = try start(program, arguments, pager: pager.isEmpty ? "" : "echo paged")
    #expect(await terminal.wait() == .exited(0))
    #expect(!terminal.outputText.contains("paged"))
    #expect(terminal.outputText.utf8.count > 1)
  }

  @Test("a one-shot command has a pager too, and a pipe has none")
  func oneShot() async throws {
    let program = try Program()
    let terminal = try start(program, ["help"], pager: "echo paged")
    #expect(await terminal.wait() == .exited(0))
    #expect(terminal.outputText.contains("paged"))
    let outcome = try await program.run(
      ["--environment", "preview", "help"], environment: ["PAGER": "echo paged"])
    #expect(!outcome.outputText.contains("paged"))
  }
}
