import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The line editor of the built program, on a terminal of its own.
@Suite(.timeLimit(.minutes(20)))
struct LineEditorProgramTests {
  private static let variables: [String: String?] = [
    "TERM": "xterm-256color", "SWIFT_BACKTRACE": "enable=no",
  ]

  /// Starts the program and waits for its prompt.
  private static func start(
    _ program: Program, _ arguments: String..., columns: Int = 80
  ) async throws -> PtyProcess {
    try quiet(program)
    let terminal = try PtyProcess(
      try Program.executable(), ["--home", "h", "--no-init"] + arguments,
      environment: program.environment(variables), folder: program.folder.path, columns: columns)
    let screen = await terminal.waitForScreen(columns: columns) { $0.text.hasSuffix("board›") }
    #expect(screen.text == "board›")
    return terminal
  }

  /// Starts the program from a shell with job control, which says when it has stopped.
  ///
  /// - Parameters:
  ///   - end: The end of the shell's line.
  ///   - term: The kind of terminal.
  private static func startFromShell(
    _ program: Program, _ end: String = "", term: String = "xterm"
  ) async throws -> PtyProcess {
    let terminal = try PtyProcess(
      "/bin/sh", ["-im"],
      environment: program.environment(["TERM": term, "PS1": "sh> ", "ENV": nil]),
      folder: program.folder.path)
    #expect(await terminal.waitForOutput("sh> "))
    terminal.type("'\(try Program.executable())' --home h --no-init \(end)\n")
    return terminal
  }

  /// Makes a home in which the program does not greet.
  private static func quiet(_ program: Program) throws {
    if !program.exists("h") { try program.makeFolder("h") }
    if !program.exists("h/init.sb") { try program.folder.write("", to: "h/init.sb") }
  }

  /// Waits for a text on the screen; the trailing prompt may have a blank behind it.
  private static func expect(
    _ text: String, on terminal: PtyProcess, columns: Int = 80, cursor: (Int, Int)? = nil,
    location: SourceLocation = #_sourceLocation
  ) async {
    let screen = await terminal.waitForScreen(columns: columns) { screen in
      screen.text == text
        && (cursor.map { $0 == screen.cursor.row && $1 == screen.cursor.column } ?? true)
    }
    #expect(screen.text == text, sourceLocation: location)
    #expect(screen.unknown == [], sourceLocation: location)
  }

  private static func leave(_ terminal: PtyProcess) async {
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
    #expect(!terminal.isRaw && terminal.echoes)
  }

  @Test("keys edit the line, and what is run is what is shown")
  func edits() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    #expect(terminal.isRaw)
    // Home, a word forward, two characters removed, and wide ones inserted.
    terminal.type("echo 1 x\u{1B}[H\u{1B}f\u{1B}[3~\u{1B}[3~ 家e\u{301}👨‍👩‍👧z\u{7F}")
    await Self.expect("board› echo 家e\u{301}👨‍👩‍👧 x", on: terminal, cursor: (0, 17))
    terminal.type("\r")
    await Self.expect(
      "board› echo 家e\u{301}👨‍👩‍👧 x\n家e\u{301}👨‍👩‍👧 x\nboard›", on: terminal)
    await Self.leave(terminal)
  }

  @Test("the history outlives the program, without secrets and lines that begin with a blank")
  func history() async throws {
    let program = try Program()
    var terminal = try await Self.start(program)
    terminal.type("echo first\r echo hidden\recho {\r1}\rkeychain set x hunter2\recho last\r")
    #expect(await terminal.waitForOutput("last\r\n"))
    await Self.leave(terminal)
    #expect(try program.text("h/history") == "echo first\necho {\n\t1}\necho last\n")
    var status = stat()
    #expect(stat(program.folder.path("h/history"), &status) == 0 && status.st_mode & 0o777 == 0o600)

    terminal = try await Self.start(program)
    // The hint needs no key.
    terminal.type("echo f")
    await Self.expect("board› echo first", on: terminal, cursor: (0, 13))
    terminal.type("\u{15}\u{10}\u{10}")
    await Self.expect("board› echo {\n… 1}", on: terminal)
    terminal.type("\u{15}\u{7F}\u{15}\u{12}fir")
    await Self.expect("(search) fir: echo first", on: terminal)
    terminal.type("\r")
    await Self.expect("board› echo first\nfirst\nboard›", on: terminal)
    terminal.type("history 2\r")
    #expect(await terminal.waitForOutput("history 2\r\n"), "\(terminal.outputText)")
    await Self.leave(terminal)

    let other = try await Self.start(program, "--no-history")
    other.type("echo secretly\r")
    #expect(await other.waitForOutput("secretly\r\n"))
    await Self.leave(other)
    #expect(try !program.text("h/history").contains("secretly"))
  }

  @Test("a line that was typed before its secret was known leaves the history")
  func secretLineInHistory() async throws {
    let program = try Program.withKeychain()
    try program.folder.write("echo 0 sk-test-123\necho 1\n", to: "h/history")
    let terminal = try await Self.start(program)
    terminal.type("echo sk-test-123\recho 2\rkeychain list\r")
    #expect(await terminal.waitForOutput("passphrase of the keychain: "))
    terminal.type(try program.text("pass"))
    #expect(await terminal.waitForOutput("left the history"), "\(terminal.outputText)")
    #expect(terminal.outputText.contains("2 lines with a value that has become a secret"))
    #expect(try program.text("h/history") == "echo 1\necho 2\nkeychain list\n")
    terminal.type("history\r")
    #expect(await terminal.waitForOutput("echo 1\r\n"), "\(terminal.outputText)")
    // Neither Up nor the search finds it.
    terminal.type("\u{10}\u{10}\u{10}\u{10}\u{10}\u{15}\u{12}sk-test\u{7}\u{15}echo e''nd\r")
    #expect(await terminal.waitForOutput("end\r\n"), "\(terminal.outputText)")
    await Self.leave(terminal)
    let shown = terminal.outputText.components(separatedBy: "left the history").last ?? ""
    #expect(!shown.contains("sk-test-123"), "\(shown)")
  }

  @Test("a refused line with a secret can be recalled until the keychain is locked")
  func refusedLineAfterLock() async throws {
    let program = try Program.withKeychain()
    let terminal = try await Self.start(program)
    terminal.type("keychain unlock\r")
    #expect(await terminal.waitForOutput("passphrase of the keychain: "))
    terminal.type(try program.text("pass"))
    #expect(await terminal.waitForOutput("keychain unlocked"))
    terminal.type("echo sk-test-123\r")
    #expect(await terminal.waitForOutput("[refused: secret"), "\(terminal.outputText)")
    terminal.type("keychain lock\r")
    #expect(await terminal.waitForOutput("keychain locked"), "\(terminal.outputText)")
    // Up finds the line before the refused one, and the search nothing.
    terminal.type("\u{10}\u{10}\u{15}\u{12}sk-test\u{7}\u{15}echo e''nd\r")
    #expect(await terminal.waitForOutput("end\r\n"), "\(terminal.outputText)")
    await Self.leave(terminal)
    let shown = terminal.outputText.components(separatedBy: "keychain locked").last ?? ""
    #expect(!shown.contains("sk-test-123"), "\(shown)")
  }

  @Test("two programs share the history")
  func sharedHistory() async throws {
    let program = try Program()
    let (one, two) = (try await Self.start(program), try await Self.start(program))
    one.type("echo from one\r")
    await Self.expect("board› echo from one\nfrom one\nboard›", on: one)
    two.type("echo from two\r")
    await Self.expect("board› echo from two\nfrom two\nboard›", on: two)
    two.type("\u{12}one")
    await Self.expect(
      "board› echo from two\nfrom two\n(search) one: echo from one", on: two)
    two.type("\u{7}\u{10}")
    await Self.expect("board› echo from two\nfrom two\nboard› echo from two", on: two)
    two.type("\u{3}")
    await Self.leave(one)
    await Self.leave(two)
    #expect(try program.text("h/history") == "echo from one\necho from two\n")
  }

  @Test("Tab completes commands and live values, and a second one lists them")
  func completion() async throws {
    let program = try Program()
    try program.folder.write("", to: "some file")
    let terminal = try await Self.start(program)
    terminal.type("api service add rm http://127.0.0.1:1/api\r")
    #expect(await terminal.waitForOutput("board", count: 2))
    terminal.type("\u{C}set one 1\rset only 2\r\u{C}")
    await Self.expect("board›", on: terminal)
    terminal.type("api service sh\tr\t")
    await Self.expect("board› api service show rm", on: terminal, cursor: (0, 27))
    terminal.type("\u{15}echo $o\t\t")
    await Self.expect("board› echo $on\none   only", on: terminal, cursor: (0, 15))
    terminal.type("e\t")
    await Self.expect("board› echo $one", on: terminal, cursor: (0, 17))
    terminal.type("\u{17}")
    await Self.expect("board› echo [TEXT...]", on: terminal, cursor: (0, 12))
    terminal.type("\u{15}source so\t")
    await Self.expect("board› source 'some file'", on: terminal)
    terminal.type("\u{3}")
    await Self.leave(terminal)
  }

  @Test("pasted lines run when Enter is pressed, as one entry of the history")
  func paste() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    let lines = (1...200).map { "echo line \($0) with some text to make it ten kilobytes" }
    terminal.type("\u{1B}[200~" + lines.joined(separator: "\r") + "\u{1B}[201~")
    let screen = await terminal.waitForScreen { $0.text.contains("echo line 200") }
    #expect(!screen.scrollback.contains { $0.hasPrefix("line") })
    terminal.type("\r")
    #expect(await terminal.waitForOutput("\nline 200 with some text to make it ten kilobytes\r\n"))
    await Self.leave(terminal)
    let history = try program.text("h/history")
    #expect(history == lines.joined(separator: "\n\t") + "\n")
  }

  @Test("output of a job appears above a wrapped line, which stays as it is")
  func outputAbove() async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let earlier = try await program.run("--home", "h", "log", "note", "note1")
    #expect(earlier.status == .exited(0), "\(earlier.errorText)")
    let terminal = try await Self.start(program, columns: 40)
    terminal.type("api get \(server.origin)/faults/hang &\r")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    terminal.type("log tail -f -n 1 --grep note &\r")
    // The row of the log as it was shows that the job follows it.
    #expect(await terminal.waitForOutput("note1"), "\(terminal.outputText)")
    terminal.type("\u{C}")
    let line = "echo 家 this line has to wrap, and the cursor stays in it"
    terminal.type(line + "\u{1}\u{1B}f")
    let before = await terminal.waitForScreen(columns: 40) { screen in
      screen.text.hasSuffix("stays in it") && screen.cursor == (0, 14)
    }
    #expect(before.text == "board 2&› echo 家 this line has to wrap,\n and the cursor stays in it")
    let noted = try await program.run("--home", "h", "log", "note", "note2")
    #expect(noted.status == .exited(0), "\(noted.errorText)")
    let after = await terminal.waitForScreen(columns: 40) { screen in
      screen.text.contains("note2") && screen.text.hasSuffix("stays in it")
    }
    #expect(after.text.hasSuffix(before.text), "\(after.text)")
    #expect(after.text.components(of: "board 2&›") == 1)
    // The prompt shows a job that ends meanwhile.
    server.stop()
    let ended = await terminal.waitForScreen(columns: 40) { $0.text.contains("board 1&› echo 家") }
    #expect(ended.text.hasSuffix("in it"))
    terminal.type("X\r")
    #expect(await terminal.waitForOutput("家 this"))
    terminal.type("exit 0\rexit 0\r")
    #expect(await terminal.wait() == .exited(0))
  }

  @Test("after a resize the line is drawn for the new width")
  func resize() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    terminal.type("echo " + String(repeating: "0123456789", count: 6))
    await Self.expect("board› echo " + String(repeating: "0123456789", count: 6), on: terminal)
    let shown = terminal.output.count
    terminal.resize(columns: 40, rows: 24)
    let screen = await terminal.waitForScreen(columns: 40, from: shown) { $0.text.hasSuffix("89") }
    #expect(
      screen.text
        == "board› echo 0123456789012345678901234567\n89012345678901234567890123456789")
    terminal.type("\u{3}")
    await Self.leave(terminal)
  }

  @Test("after a resize tables and what follows fit the new width, and the recording replays")
  func resizedOutput() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    let earlier = try await program.run("--home", "h", "log", "note", "note earlier")
    #expect(earlier.status == .exited(0), "\(earlier.errorText)")
    terminal.type("api service add one http://127.0.0.1:1/a/path/that/is/long/enough/to/be/cut\r")
    #expect(await terminal.waitForOutput("board", count: 2))
    terminal.type("session record r.jsonl\r")
    #expect(await terminal.waitForOutput("recording to r.jsonl"), "\(terminal.outputText)")
    terminal.type("log tail -f -n 1 --grep note &\r")
    // The row of the log as it was shows that the job follows it.
    #expect(await terminal.waitForOutput("note earlier"), "\(terminal.outputText)")
    terminal.type("api service list\r")
    #expect(await terminal.waitForOutput("one   http"), "\(terminal.outputText)")
    terminal.type("\u{C}")
    terminal.resize(columns: 40, rows: 24)
    // No line runs: the signal alone lets rows that come fit.
    try await program.waitForRecording(toHave: #""resized":{"width":40}"#)
    let note = String(repeating: "note ", count: 12)
    let noted = try await program.run(["--home", "h", "log", "note", note])
    #expect(noted.status == .exited(0), "\(noted.errorText)")
    #expect(await terminal.waitForOutput("note note note note\r\n"), "\(terminal.outputText)")
    let shown = terminal.output.count
    terminal.type("\u{C}api service list\r")
    let screen = await terminal.waitForScreen(columns: 40, from: shown) { screen in
      screen.text.contains("one ") && screen.text.hasSuffix("\u{203A}")
    }
    #expect(screen.text.contains("one   http"), "\(screen.text)")
    #expect(screen.screen.allSatisfy { !$0.hasSuffix("cut") }, "\(screen.text)")
    terminal.type("exit\rexit\r")
    _ = await terminal.wait()
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
  }

  @Test("leaving with jobs running asks once, by Ctrl-D and by 'exit'")
  func leavingWithJobs() async throws {
    let program = try Program()
    for first in ["\u{4}", "exit\r", "echo; leave\r"] {
      let terminal = try await Self.start(program)
      terminal.type("log tail -f -n 0 &\rlog tail -f -n 0 &\ralias leave exit\r\u{C}")
      _ = await terminal.waitForScreen { $0.text == "board 2&\u{203A}" }
      terminal.type(first)
      #expect(await terminal.waitForOutput("2 jobs are running: [1] log tail, [2] log tail"))
      // Another line takes the answer back.
      terminal.type("echo st''ays\r" + first)
      #expect(
        await terminal.waitForOutput("2 jobs are running", count: 2), "\(terminal.outputText)")
      #expect(terminal.outputText.contains("stays\r\n"))
      terminal.type("cancel 1\r" + first)
      #expect(await terminal.waitForOutput("1 job is running: [2] log tail"))
      terminal.type(first)
      #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
      #expect(terminal.outputText.contains("cancelled by"), "\(terminal.outputText)")
    }
    // Nothing is asked with --no-input.
    let terminal = try await Self.start(program, "--no-input")
    terminal.type("log tail -f -n 0 &\r\u{4}")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("the prompt after a job in the background that ends at once has no job")
  func endsBeforePrompt() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    for round in 1...6 {
      terminal.type("echo x &\r")
      _ = await terminal.waitForScreen { screen in
        screen.text.hasSuffix("\nboard\u{203A}") && screen.text.contains("[\(round)] done")
      }
      terminal.type("\u{C}")
    }
    await Self.leave(terminal)
  }

  @Test("a line behind the unfinished answer of a job is followed by its output at once")
  func unfinishedAnswer() async throws {
    let server = try TestHTTPServer { _ in .response(.init(200, json: #"{"a":1}"#)) }
    let program = try Program()
    let terminal = try await Self.start(program)
    terminal.type("\u{C}api get \(server.origin)/ --raw -q &\r")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("{\"a\":1}\nboard\u{203A}") }
    terminal.type("echo next\r")
    let screen = await terminal.waitForScreen { $0.text.hasSuffix("next\nboard\u{203A}") }
    #expect(screen.text.hasSuffix("echo next\nnext\nboard\u{203A}"), "\(screen.text)")
    await Self.leave(terminal)
  }

  @Test("watch draws each round in the place of the one before, and output of others stays")
  func watchInPlace() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    terminal.type("\u{C}watch 1ms state shell.watches --count 5\r")
    let once = await terminal.waitForScreen { $0.text.hasSuffix("]\nboard\u{203A}") }
    #expect(once.text.components(of: "\"left\":") == 1, "\(once.text)")
    #expect(once.text.contains("\"left\": 1"), "\(once.text)")
    #expect(once.unknown == [] && once.scrollback == [])
    // Rows beyond the screen are left out, so that the next round finds the first row.
    terminal.resize(columns: 80, rows: 10)
    let shown = terminal.output.count
    terminal.type("\u{C}watch 1ms help --count 3\r")
    let cut = await terminal.waitForScreen(rows: 10, from: shown) { screen in
      screen.text.hasSuffix("\nboard\u{203A}") && screen.text.contains("more row")
    }
    #expect(cut.scrollback.count <= 1, "\(cut.scrollback)")
    terminal.resize(columns: 80, rows: 24)
    terminal.type("\u{C}watch 1h echo round &\r")
    let quiet = await terminal.waitForScreen { $0.text.hasSuffix("round\nboard 1&\u{203A}") }
    // Of the watch alone it is said that it runs, not of its round.
    #expect(quiet.text.components(of: "\n[") == 1, "\(quiet.text)")
    #expect(!quiet.text.contains("done"), "\(quiet.text)")
    terminal.type("cancel\r")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("\nboard\u{203A}") }
    await Self.leave(terminal)
  }

  @Test("messages are broken between words, and those of the program too")
  func messages() async throws {
    let program = try Program()
    let terminal = try await Self.start(program, columns: 40)
    terminal.type("assert shell.lastStatus == 9\r")
    await Self.expect(
      """
      board\u{203A} assert shell.lastStatus == 9
      error: assertion failed:
        shell.lastStatus == 9;
        shell.lastStatus is 0
        assert shell.lastStatus == 9
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
      help: 'state' shows the state the paths
        lead into
      board\u{203A}
      """, on: terminal, columns: 40)
    await Self.leave(terminal)

    let refused = try PtyProcess(
      try Program.executable(), ["--frobnicate"], environment: program.environment(),
      folder: program.folder.path, columns: 30)
    _ = await refused.wait()
    #expect(
      refused.outputText
        == "swiftboard: error: unknown\r\n  option '--frobnicate'\r\nhelp: try 'swiftboard --help'\r\n"
    )
  }

  @Test("Ctrl-C discards text, says on an empty line how to leave, and never leaves")
  func interrupt() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    terminal.type("echo x\u{3}")
    await Self.expect("board› echo x^C\nboard›", on: terminal)
    terminal.type("\u{3}\u{3}")
    let hint = "leave with 'exit' or Ctrl-D"
    await Self.expect(
      "board› echo x^C\nboard›\n\(hint)\nboard›\n\(hint)\nboard›", on: terminal)
    await Self.leave(terminal)
  }

  @Test("Ctrl-Z stops the program, and it continues with the line as it was")
  func suspend() async throws {
    let program = try Program()
    let terminal = try await Self.startFromShell(program)
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    terminal.type("echo h''i\u{2}")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board› echo h''i") }
    terminal.type("\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    #expect(terminal.echoes, "the shell has the terminal as it was")
    terminal.type("fg\n")
    let again = await terminal.waitForScreen { screen in
      screen.text.components(of: "board› echo h''i") == 2
    }
    #expect(again.cursor.column == 15, "\(again.text)")
    #expect(terminal.isRaw && !terminal.echoes)
    terminal.type("x\r")
    #expect(await terminal.waitForOutput("hxi\r\n"), "\(terminal.outputText)")
    terminal.type("\u{4}")
    #expect(await terminal.waitForOutput("sh> ", count: 3))
    #expect(terminal.echoes)
    terminal.type("exit\n")
    _ = await terminal.wait()
  }

  @Test("Ctrl-Z removes the status of a command, whose row is the shell's then")
  func suspendedStatus() async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let terminal = try await Self.startFromShell(program)
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    terminal.type("api get \(server.origin)/faults/hang\r")
    _ = await terminal.waitForScreen { $0.text.components(of: "/faults/hang") == 2 }
    terminal.type("\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    var stopped = ScreenModel(columns: 80, rows: 24)
    stopped.show(terminal.output)
    #expect(stopped.text.components(of: "/faults/hang") == 1, "\(stopped.text)")
    terminal.type("fg\n")
    _ = await terminal.waitForScreen { $0.text.components(of: "/faults/hang") == 2 }
    terminal.type("\u{3}")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    terminal.type("\u{4}")
    #expect(await terminal.waitForOutput("sh> ", count: 3))
    terminal.type("exit\n")
    _ = await terminal.wait()
  }

  @Test("Ctrl-Z removes the status of a one-shot command")
  func suspendedOneShot() async throws {
    /// Whether a row has the spinner, which is a sign of Braille.
    @Sendable func spins(_ screen: ScreenModel) -> Bool {
      screen.screen.contains { row in
        row.unicodeScalars.first.map { (0x2800...0x28FF).contains($0.value) } == true
      }
    }
    let program = try Program()
    let server = try TestHTTPServer()
    let terminal = try await Self.startFromShell(program, "api get \(server.origin)/faults/hang")
    #expect(spins(await terminal.waitForScreen(spins)))
    terminal.type("\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    var stopped = ScreenModel(columns: 80, rows: 24)
    stopped.show(terminal.output)
    #expect(!spins(stopped), "\(stopped.text)")
    let offset = terminal.output.count
    terminal.type("fg\n")
    #expect(spins(await terminal.waitForScreen(from: offset, spins)))
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("sh> ", count: 3))
    terminal.type("exit\n")
    _ = await terminal.wait()
  }

  @Test("Ctrl-Z at a hidden prompt stops the program, and the prompt is shown again")
  func suspendHiddenPrompt() async throws {
    let program = try Program()
    let terminal = try await Self.startFromShell(program)
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    terminal.type("keychain init\r")
    #expect(await terminal.waitForOutput("new passphrase: "))
    terminal.type("abc\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    #expect(terminal.echoes)
    terminal.type("fg\n")
    #expect(await terminal.waitForOutput("new passphrase: ", count: 2), "\(terminal.outputText)")
    #expect(!terminal.echoes)
    terminal.type("\u{3}")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    terminal.type("\u{4}")
    #expect(await terminal.waitForOutput("sh> ", count: 3))
    terminal.type("exit\n")
    _ = await terminal.wait()
  }

  @Test("a program that is continued in the background waits for the foreground, with its line")
  func background() async throws {
    let program = try Program()
    let terminal = try await Self.startFromShell(program)
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    terminal.type("echo h''i\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    terminal.type("bg\n")
    #expect(await terminal.waitForOutput("sh> ", count: 3), "\(terminal.outputText)")
    terminal.type("echo sh''ell\n")
    #expect(await terminal.waitForOutput("shell\r\n"), "\(terminal.outputText)")
    #expect(terminal.echoes, "the shell has the terminal as it was")
    terminal.type("fg\n")
    let again = await terminal.waitForScreen { $0.text.hasSuffix("board› echo h''i") }
    #expect(again.cursor.column == 16, "\(again.text)")
    terminal.type("x\r")
    #expect(await terminal.waitForOutput("hix\r\n"), "\(terminal.outputText)")
    terminal.type("\u{4}")
    #expect(await terminal.waitForOutput("sh> ", count: 5))
    terminal.type("exit\n")
    _ = await terminal.wait()
  }

  @Test(
    "a program that is ended while it is stopped or in the background leaves the terminal alone",
    arguments: [
      ("kill %1; bg", 128 + SIGTERM), ("bg; kill %1", 128 + SIGTERM),
      ("kill -HUP %1; bg", 128 + SIGHUP),
    ])
  func endedWhileStopped(line: String, code: Int32) async throws {
    let program = try Program()
    let terminal = try await Self.startFromShell(program, "--record r.jsonl")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board ●›") }
    // Real time: none, since only the first round comes.
    terminal.type("watch 60s echo ti''ck &\r")
    _ = await terminal.waitForScreen {
      $0.text.contains("tick") && $0.text.hasSuffix("board ● 1&›")
    }
    terminal.type("echo h''i\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    let stopped = terminal.output.count
    terminal.type("\(line); wait %1; echo en''ded $?\n")
    #expect(await terminal.waitForOutput("ended \(code)\r\n"), "\(terminal.outputText)")
    #expect(!terminal.isRaw && terminal.echoes, "the shell has the terminal as it was")
    let text = String(decoding: terminal.output.dropFirst(stopped), as: UTF8.self)
    #expect(!text.contains("›"), "\(text)")
    try await program.expectWholeRecording()
    #expect(try !program.text("r.jsonl").contains("the end of input"), "the signal ends the watch")
    terminal.type("exit\n")
    _ = await terminal.wait()
  }

  @Test("a prompt for a secret that is ended while it is stopped leaves the terminal alone")
  func endedHiddenPrompt() async throws {
    let program = try Program()
    let terminal = try await Self.startFromShell(program, "keychain init")
    #expect(await terminal.waitForOutput("new passphrase: "))
    terminal.type("\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    terminal.type("kill %1; bg; wait %1; echo en''ded $?\n")
    #expect(await terminal.waitForOutput("ended \(128 + SIGTERM)\r\n"), "\(terminal.outputText)")
    #expect(!terminal.isRaw && terminal.echoes, "the shell has the terminal as it was")
    terminal.type("exit\n")
    _ = await terminal.wait()
  }

  @Test("a program that is stopped from outside leaves its rows to the shell in the background")
  func stoppedFromOutside() async throws {
    let program = try Program()
    let terminal = try await Self.startFromShell(program, "& echo p''id $!; fg")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    let line = terminal.outputText.split(whereSeparator: \.isNewline).first { $0.hasPrefix("pid ") }
    let processID = try #require(line.flatMap { Int32($0.dropFirst(4)) })
    // Real time: the rounds come by themselves; the test waits for each of them.
    terminal.type("watch 20ms echo ti''ck &\recho hal")
    _ = await terminal.waitForScreen {
      $0.text.contains("tick") && $0.text.hasSuffix("board 1&› echo hal")
    }
    let prompts = terminal.outputText.ranges(of: "sh> ").count
    kill(processID, SIGSTOP)
    #expect(await terminal.waitForOutput("sh> ", count: prompts + 1), "\(terminal.outputText)")
    let stopped = terminal.output.count
    let rounds = terminal.outputText.ranges(of: "tick").count
    terminal.type("bg\n")
    #expect(await terminal.waitForOutput("tick", count: rounds + 4), "\(terminal.outputText)")
    let text = String(decoding: terminal.output.dropFirst(stopped), as: UTF8.self)
    // What it was writing when it was stopped comes before the second round.
    let start = try #require(text.ranges(of: "tick").dropFirst().first?.upperBound)
    #expect(!text[start...].contains("›"), "\(text)")
    let continued = terminal.output.count
    terminal.type("fg\n")
    let again = await terminal.waitForScreen(from: continued) {
      $0.text.hasSuffix("board 1&› echo hal")
    }
    #expect(again.text.hasSuffix("board 1&› echo hal"), "\(again.text)")
    terminal.type("\u{15}exit\rexit\r")
    #expect(await terminal.waitForOutput("sh> ", count: prompts + 3), "\(terminal.outputText)")
    terminal.type("exit\n")
    _ = await terminal.wait()
  }

  @Test("a plain prompt is not shown again in the background")
  func plainPromptInTheBackground() async throws {
    let program = try Program()
    try Self.quiet(program)
    let terminal = try await Self.startFromShell(program, term: "dumb")
    #expect(await terminal.waitForOutput("board›"))
    terminal.type("\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    let stopped = terminal.output.count
    terminal.type("bg\necho sh''ell\n")
    #expect(await terminal.waitForOutput("shell\r\n"), "\(terminal.outputText)")
    terminal.type("kill %1; bg; wait; exit\n")
    _ = await terminal.wait()
    let text = String(decoding: terminal.output.dropFirst(stopped), as: UTF8.self)
    #expect(!text.contains("›"), "\(text)")
  }

  @Test("a program that is started in the background begins when it is in the foreground")
  func startedInTheBackground() async throws {
    let program = try Program()
    let terminal = try await Self.startFromShell(program, "&")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    terminal.type("fg\n")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    terminal.type("echo h''i\r")
    #expect(await terminal.waitForOutput("hi\r\n"), "\(terminal.outputText)")
    terminal.type("\u{4}")
    #expect(await terminal.waitForOutput("sh> ", count: 3))
    #expect(terminal.echoes, "the modes are those from before")
    terminal.type("exit\n")
    _ = await terminal.wait()
  }

  @Test("a job in the background takes no keys of the next line for a passphrase")
  func backgroundPassphrase() async throws {
    let program = try Program.withKeychain()
    let terminal = try await Self.start(program)
    // The job may be faster than the prompt of the next line.
    for round in 1...10 {
      terminal.type("api get http://127.0.0.1:1/ X-K:{{secret:k}} &\recho ne''xt\(round)\r")
      #expect(await terminal.waitForOutput("next\(round)\r\n"), "\(terminal.outputText)")
    }
    terminal.type("wait\r")
    #expect(await terminal.waitForOutput("'keychain unlock'", count: 10))
    #expect(!terminal.outputText.contains("passphrase of the keychain"))
    terminal.type("exit 0\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("a wrong passphrase is asked for again at the terminal")
  func passphraseAgain() async throws {
    let program = try Program.withKeychain()
    let terminal = try await Self.start(program)
    terminal.type("keychain list\r")
    #expect(await terminal.waitForOutput("passphrase of the keychain: "))
    terminal.type("wrong\r")
    #expect(await terminal.waitForOutput("wrong passphrase; once more: "))
    #expect(!terminal.echoes)
    terminal.type(try program.text("pass"))
    #expect(await terminal.waitForOutput("api.openai.token"), "\(terminal.outputText)")
    await Self.leave(terminal)
  }

  @Test("the first start greets in three rows", arguments: ["live", "preview"])
  func greeting(environment: String) async throws {
    let program = try Program()
    let terminal = try PtyProcess(
      try Program.executable(), ["--home", "h", "--no-init", "--environment", environment],
      environment: program.environment(Self.variables), folder: program.folder.path)
    let screen = await terminal.waitForScreen { $0.text.hasSuffix("›") }
    let rows = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(rows.count == 4 && rows.allSatisfy { !$0.isEmpty }, "\(screen.text)")
    await Self.leave(terminal)
  }

  @Test("a signal at a hidden prompt restores the terminal", arguments: [SIGTERM, SIGHUP, SIGQUIT])
  func hiddenPrompt(signal: Int32) async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    terminal.type("keychain init\r")
    #expect(await terminal.waitForOutput("new passphrase: "))
    terminal.signal(signal)
    #expect(await terminal.wait().code == 128 + signal, "\(terminal.outputText)")
    #expect(terminal.echoes && !terminal.isRaw)
  }

  @Test("an interrupt from outside ends a hidden prompt, and the next line is a line")
  func interruptedPrompt() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    terminal.type("keychain init\r")
    #expect(await terminal.waitForOutput("new passphrase: "))
    terminal.type("ha''lf")
    terminal.signal(SIGINT)
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    terminal.type("echo h''i\r")
    #expect(await terminal.waitForOutput("hi\r\n"), "\(terminal.outputText)")
    #expect(!terminal.outputText.contains("ha''lf"), "what was typed at the prompt is not shown")
    await Self.leave(terminal)
  }

  @Test("Ctrl-\\ in a command ends the program")
  func quit() async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let terminal = try await Self.start(program)
    terminal.type("api get \(server.origin)/faults/hang\r")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    terminal.type("\u{1C}")
    #expect(await terminal.wait().code == 128 + SIGQUIT, "\(terminal.outputText)")
    #expect(terminal.echoes && !terminal.isRaw)
  }

  @Test("Ctrl-C ends a wait and not its jobs")
  func interruptedWait() async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let terminal = try await Self.start(program)
    terminal.type("api get \(server.origin)/faults/hang &\r")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    terminal.type("echo wai''ts; wait\r")
    #expect(await terminal.waitForOutput("waits\r\n"), "\(terminal.outputText)")
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("cancelled"), "\(terminal.outputText)")
    terminal.type("assert shell.lastStatus == 130 and shell.running[0].job == 1; echo o''k\r")
    #expect(await terminal.waitForOutput("ok\r\n"), "\(terminal.outputText)")
    terminal.type("cancel all\r")
    #expect(await terminal.waitForOutput("cancelled", count: 2), "\(terminal.outputText)")
    await Self.leave(terminal)
  }

  @Test(
    "Ctrl-C ends what a command prints, and no more of its line runs; a replay prints all of it",
    arguments: ["LINE; echo ne''xt", "LINE", "source s.sb"])
  func interruptedOutput(line: String) async throws {
    let program = try Program()
    let elements = (0..<60_000).map { #"{"id":\#($0),"more":[1,"家"]}"# }
    let body = "[" + elements.joined(separator: ",") + #","the last"]"#
    let server = try TestHTTPServer { _ in .response(.init(json: body)) }
    try program.folder.write("api get \(server.origin)/long\necho ne''xt\n", to: "s.sb")
    let terminal = try await Self.start(program, "--no-pager")
    terminal.type("session record r.jsonl\r")
    #expect(await terminal.waitForOutput("recording to r.jsonl"))
    terminal.pauseOutput(at: "more")
    terminal.type("\(line.replacing("LINE", with: "api get \(server.origin)/long"))\r")
    #expect(await terminal.waitForOutput("more"))
    // Real time: a terminal tells nobody that it is full.
    while terminal.takesOutput { try await Task.sleep(for: .milliseconds(10)) }
    let shown = terminal.output.count
    terminal.type("\u{3}")
    // Real time: nor does a mode of it, which the prompt changes. It needs no more to be read.
    while !terminal.isRaw { try await Task.sleep(for: .milliseconds(10)) }
    terminal.resumeOutput()
    // The system drops what the terminal has not taken at Ctrl-C, also a part of an escape
    // sequence.
    _ = await terminal.waitForScreen { $0.text.hasSuffix("\nboard ●›") }
    #expect(terminal.output.count - shown < body.utf8.count / 2)
    #expect(!terminal.outputText.contains("the last"))
    #expect(terminal.outputText.contains("cancelled"))
    terminal.type("echo o''k\r")
    #expect(await terminal.waitForOutput("ok\r\n"))
    #expect(!terminal.outputText.contains("next\r\n"))
    await Self.leave(terminal)
    try await program.expectWholeRecording()
    let replay = try await program.run("session", "replay", "r.jsonl")
    #expect(replay.outputText.contains("the last"))
  }

  /// While a line is edited, Ctrl-C is a key and no signal.
  @Test(
    "Ctrl-C ends what a background command prints, and a note says so", arguments: [false, true])
  func interruptedJobOutput(isRunning: Bool) async throws {
    let program = try Program()
    let elements = (0..<60_000).map { #"{"id":\#($0),"more":[1,"家"]}"# }
    let body = "[" + elements.joined(separator: ",") + #","the last"]"#
    let server = try TestHTTPServer()
    try program.folder.write(body, to: "long.json")
    let terminal = try await Self.start(program, "--no-pager")
    terminal.type("db put films long @long.json\r")
    #expect(await terminal.waitForOutput("films/long"))
    terminal.pauseOutput(at: "more")
    let next = isRunning ? "; api get \(server.origin)/faults/hang" : ""
    terminal.type("db get films long &\(next)\r")
    #expect(await terminal.waitForOutput("more"))
    if isRunning { try #require(await server.waitForRequest(path: "/faults/hang") != nil) }
    // Real time: a terminal tells nobody that it is full.
    while terminal.takesOutput { try await Task.sleep(for: .milliseconds(10)) }
    let shown = terminal.output.count
    terminal.type("\u{3}")
    if isRunning { #expect(await server.waitForClose(path: "/faults/hang")) }
    terminal.resumeOutput()
    #expect(await terminal.waitForOutput("the rest of the output was left out"))
    _ = await terminal.waitForScreen { $0.text.hasSuffix("\nboard›") }
    #expect(terminal.output.count - shown < body.utf8.count / 2)
    #expect(!terminal.outputText.contains("the last"))
    #expect(terminal.outputText.contains("cancelled") == isRunning)
    terminal.type("echo o''k\r")
    #expect(await terminal.waitForOutput("ok\r\n"))
    await Self.leave(terminal)
  }

  /// Its rows are printed in many parts.
  @Test("Ctrl-C ends the rows of a background command once", arguments: [false, true])
  func interruptedJobRows(isJSON: Bool) async throws {
    let program = try Program()
    let text = String(repeating: "more ", count: 100)
    let lines = (0..<2000).map { #"db put rows r\#($0) {"text":"\#(text)"}"# }
    try program.folder.write(lines.joined(separator: "\n"), to: "put.sb")
    #expect(try await program.run("--home", "h", "-q", "-f", "put.sb").status == .exited(0))
    let terminal = try await Self.start(program, "--no-pager")
    terminal.pauseOutput(at: "more")
    terminal.type("db list rows \(isJSON ? "--json" : "--plain") &\r")
    #expect(await terminal.waitForOutput("more"))
    // Real time: a terminal tells nobody that it is full.
    while terminal.takesOutput { try await Task.sleep(for: .milliseconds(10)) }
    let shown = terminal.output.count
    terminal.type("\u{3}")
    terminal.resumeOutput()
    let note = "the rest of the output was left out"
    #expect(
      await terminal.waitForOutput(isJSON ? #""note":"job 1: \#(note)"# : "[1] \(note)"))
    _ = await terminal.waitForScreen { $0.text.hasSuffix("\nboard›") }
    terminal.type("wait; echo o''k\r")
    #expect(await terminal.waitForOutput("ok\r\n"))
    #expect(terminal.output.count - shown < 2000 * text.utf8.count / 2)
    #expect(terminal.outputText.ranges(of: note).count == 1)
    await Self.leave(terminal)
  }

  /// With the end of a row, which only the system has dropped.
  @Test("what follows output that Ctrl-C has cut begins a row")
  func rowBehindCut() async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let terminal = try await Self.start(program, "--no-pager")
    terminal.type("set much \(String(repeating: "y", count: 3000))\r")
    terminal.pauseOutput(at: "begins yyy")
    terminal.type(
      "echo begins \(String(repeating: "$much ", count: 3)); "
        + "api get \(server.origin)/faults/hang\r")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    terminal.type("\u{3}")
    // The interrupt has ended the request.
    #expect(await server.waitForClose(path: "/faults/hang"))
    terminal.resumeOutput()
    let screen = await terminal.waitForScreen { $0.text.hasSuffix("board›") }
    let rows = screen.text.split(separator: "\n")
    #expect(rows.contains { $0.hasPrefix("yyy") }, "\(screen.text)")
    #expect(rows.contains { $0.hasPrefix("error: cancelled") }, "\(screen.text)")
    await Self.leave(terminal)
  }

  /// The system drops the output that waits, and wakes no thread that waits for room for more.
  @Test("after Ctrl-C in much output the next line runs, however often")
  func interruptedOften() async throws {
    let program = try Program()
    let terminal = try await Self.start(program, "--no-pager")
    terminal.type("set much \(String(repeating: "y", count: 3000))\r")
    let line = "echo begins " + String(repeating: "$much ", count: 40)
    for round in 1...6 {
      terminal.type(line + "\r")
      #expect(await terminal.waitForOutput("begins yyy", count: round))
      let prompts = terminal.output.ranges(of: Array("board› ".utf8)).count
      terminal.type("\u{3}")
      #expect(await terminal.waitForOutput("board› ", count: prompts + 1))
      terminal.type("echo ro''und \(round)\r")
      #expect(await terminal.waitForOutput("round \(round)\r\n"))
    }
    await Self.leave(terminal)
  }

  @Test("Ctrl-C drops the lines that arrived with the one that it interrupts")
  func interruptedLines() async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let terminal = try await Self.start(program)
    terminal.type("api get \(server.origin)/faults/hang\recho o''ne\recho t''wo\r")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("cancelled"), "\(terminal.outputText)")
    terminal.type("echo th''ree\r")
    #expect(await terminal.waitForOutput("three\r\n"), "\(terminal.outputText)")
    #expect(!terminal.outputText.contains("one\r\n"), "\(terminal.outputText)")
    await Self.leave(terminal)
  }

  @Test(
    "a signal that ends the program at the prompt or in a command restores the terminal",
    arguments: [SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGQUIT])
  func restored(signal: Int32) async throws {
    let program = try Program()
    for isRunning in [false, true] {
      let server = try TestHTTPServer()
      let terminal = try await Self.start(program)
      terminal.type("text that is not run")
      if isRunning {
        terminal.type("\u{15}api get \(server.origin)/faults/hang\r")
        try #require(await server.waitForRequest(path: "/faults/hang") != nil)
      } else {
        _ = await terminal.waitForScreen { $0.text.hasSuffix("not run") }
        #expect(terminal.isRaw)
      }
      terminal.signal(signal)
      #expect(await terminal.wait().code == 128 + signal, "\(terminal.outputText)")
      #expect(terminal.echoes && !terminal.isRaw)
      var screen = ScreenModel(columns: 80, rows: 24)
      screen.show(terminal.output)
      #expect(!screen.marksPaste)
    }
  }

  @Test("keys that are typed while a command runs belong to the next line")
  func typedAhead() async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let terminal = try await Self.start(program)
    terminal.type("api get \(server.origin)/faults/hang\r")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    terminal.type("echo ahe\u{7F}ead\r")
    // A request of another program shows nothing here: the end of this one does.
    server.stop()
    #expect(await terminal.waitForOutput("ahead\r\n"), "\(terminal.outputText)")
    await Self.leave(terminal)
  }

  @Test("a dumb terminal gets plain prompts and no escape sequence")
  func dumb() async throws {
    let program = try Program()
    let terminal = try program.startOnTerminal("--home", "h", "--no-init")
    #expect(await terminal.waitForOutput("board› "))
    terminal.type("echo h''i\r")
    #expect(await terminal.waitForOutput("hi\r\n"))
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0))
    #expect(!terminal.output.contains(0x1B))
  }

  @Test("without colour there are no hints, and --ascii has only ASCII of its own")
  func withoutColor() async throws {
    let program = try Program()
    try Self.quiet(program)
    try program.folder.write("echo before\n", to: "h/history")
    let terminal = try PtyProcess(
      try Program.executable(), ["--home", "h", "--no-init", "--ascii", "--color", "never"],
      environment: program.environment(Self.variables), folder: program.folder.path)
    _ = await terminal.waitForScreen { $0.text == "board>" }
    terminal.type("echo {\r1}\r")
    #expect(await terminal.waitForOutput("{\r\n1}\r\n"))
    await Self.leave(terminal)
    #expect(terminal.output.allSatisfy { $0 < 0x80 })
    #expect(!terminal.outputText.contains("\u{1B}[90m") && !terminal.outputText.contains("before"))
  }
}

extension LineEditorProgramTests {
  @Test(
    "with NO_COLOR the editor moves the cursor and erases, and sends no other escape sequence",
    arguments: [SIGTERM, nil])
  func noColor(signal: Int32?) async throws {
    let program = try Program()
    try Self.quiet(program)
    let variables = Self.variables.merging(["NO_COLOR": "1"]) { $1 }
    let terminal = try PtyProcess(
      try Program.executable(), ["--home", "h", "--no-init"],
      environment: program.environment(variables), folder: program.folder.path)
    _ = await terminal.waitForScreen { $0.text == "board›" }
    terminal.type("ecbo h''i")
    await Self.expect("board› ecbo h''i", on: terminal)
    terminal.type("\u{1B}[H\u{1B}[C\u{1B}[C\u{4}h")
    await Self.expect("board› echo h''i", on: terminal, cursor: (0, 10))
    terminal.type("\r")
    #expect(await terminal.waitForOutput("hi\r\n"), "\(terminal.outputText)")
    if let signal {
      terminal.signal(signal)
      _ = await terminal.wait()
    } else {
      await Self.leave(terminal)
    }
    let parts = terminal.outputText.split(separator: "\u{1B}[", omittingEmptySubsequences: false)
    #expect(parts.count > 1, "\(terminal.outputText)")
    for part in parts.dropFirst() {
      let command = part.drop { $0.isNumber }.first ?? " "
      #expect("ABGHJK".contains(command), "ESC[\(part)")
    }
    #expect(!terminal.outputText.replacing("\u{1B}[", with: "").contains("\u{1B}"))
  }
}

extension LineEditorProgramTests {
  @Test("Tab keeps a file name with a dollar or braces text, behind an @ too")
  func completedText() async throws {
    let program = try Program()
    for name in ["price$v.json", "a{{last}}.json"] {
      try program.folder.write("{\"name\":\"right\"}", to: name)
    }
    try program.folder.write("{\"name\":\"wrong\"}", to: "priceX.json")
    let terminal = try await Self.start(program)
    terminal.type("set v X\rdb put c 1 @price$\t\rdb put c 2 @a\t\r\u{C}db get c 1\r")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("right\"\n}\nboard\u{203A}") }
    terminal.type("\u{C}db get c 2\r")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("right\"\n}\nboard\u{203A}") }
    await Self.leave(terminal)
  }

  @Test("a search finds what another program has run since the prompt")
  func searchOfNews() async throws {
    let program = try Program()
    let (one, two) = (try await Self.start(program), try await Self.start(program))
    one.type("echo from one\r")
    await Self.expect("board\u{203A} echo from one\nfrom one\nboard\u{203A}", on: one)
    two.type("\u{12}from o")
    await Self.expect("(search) from o: echo from one", on: two)
    two.type("\u{7}echo own\r")
    #expect(await two.waitForOutput("own\r\n"))
    one.type("echo kiwi\r")
    #expect(await one.waitForOutput("kiwi\r\n"))
    // An earlier line was shown since the prompt.
    two.type("\u{C}\u{10}\u{15}\u{12}kiwi")
    await Self.expect("(search) kiwi: echo kiwi", on: two)
    two.type("\u{3}")
    await Self.leave(one)
    await Self.leave(two)
  }

  @Test("a paste whose end is lost ends with Ctrl-C and with SIGINT")
  func unfinishedPaste() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    // Delete rings the bell, which shows that the paste has begun.
    terminal.type("\u{1B}[3~\u{1B}[200~echo abc")
    #expect(await terminal.waitForOutput("\u{7}"))
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("leave with 'exit'"))
    terminal.type("\u{1B}[3~\u{1B}[200~echo abc")
    #expect(await terminal.waitForOutput("\u{7}", count: 2))
    terminal.signal(SIGINT)
    #expect(await terminal.waitForOutput("leave with 'exit'", count: 2))
    terminal.type("echo h''i\r")
    #expect(await terminal.waitForOutput("hi\r\n"))
    await Self.leave(terminal)
  }

  @Test(
    "no command reads the terminal under another name while lines are typed there",
    arguments: [
      "source /dev/stdin", "source /dev/fd/0", "source /dev/tty", "db put c 1 @/dev/stdin",
      "db put c 1 @/dev/tty",
    ])
  func terminalAsFile(line: String) async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    terminal.type(line + "\r")
    #expect(await terminal.waitForOutput("standard input"), "\(terminal.outputText)")
    terminal.type("assert shell.lastStatus == 64; echo o''k\r")
    #expect(await terminal.waitForOutput("ok\r\n"), "\(terminal.outputText)")
    await Self.leave(terminal)
  }

  @Test("a command in the background does not wait for the reader of a pipe")
  func pipeInTheBackground() async throws {
    let program = try Program()
    try #require(mkfifo(program.folder.path("pipe"), 0o600) == 0)
    let terminal = try await Self.start(program)
    terminal.type("echo a > pipe &\r")
    #expect(await terminal.waitForOutput("reads the pipe"), "\(terminal.outputText)")
    let reader = try ChildProcess(
      "/bin/sh", ["-c", "exec 3<> pipe; echo ready; head -n 1 <&3"],
      environment: program.environment(), folder: program.folder.path)
    #expect(await reader.waitForOutput("ready\n"))
    terminal.type("echo re''ad > pipe &\r")
    #expect(await reader.wait().outputText == "ready\nread\n")
    await Self.leave(terminal)
  }

  @Test("Ctrl-C in init.sb ends the file, and the prompt follows")
  func interruptedInit() async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    try program.makeFolder("h")
    try program.folder.write(
      "-nope\napi get \(server.origin)/faults/hang\necho af''ter\n", to: "h/init.sb")
    let terminal = try PtyProcess(
      try Program.executable(), ["--home", "h"], environment: program.environment(Self.variables),
      folder: program.folder.path)
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    terminal.type("\u{3}")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board\u{203A}") }
    #expect(!terminal.outputText.contains("after"), "\(terminal.outputText)")
    await Self.leave(terminal)
  }

  @Test("a keychain that init.sb unlocks takes its secrets out of the history")
  func secretsAfterInit() async throws {
    let program = try Program.withKeychain()
    try program.folder.write("keychain unlock\n", to: "h/init.sb")
    try program.folder.write("echo kept\necho sk-test-123 xyz\n", to: "h/history")
    let terminal = try PtyProcess(
      try Program.executable(), ["--home", "h"],
      environment: program.environment(
        Self.variables.merging(["SWIFTBOARD_PASSPHRASE_FILE": "pass"]) { $1 }),
      folder: program.folder.path)
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board\u{203A}") }
    #expect(try program.text("h/history") == "echo kept\n")
    await Self.leave(terminal)
    #expect(!terminal.outputText.contains("sk-test-123"), "\(terminal.outputText)")
  }

  @Test("what is typed while init.sb runs is kept for the first line, and not shown before")
  func typedDuringInit() async throws {
    let program = try Program()
    try program.makeFolder("h")
    try program.folder.write("echo begun\necho ready > pipe\n", to: "h/init.sb")
    try #require(mkfifo(program.folder.path("pipe"), 0o600) == 0)
    let terminal = try PtyProcess(
      try Program.executable(), ["--home", "h"], environment: program.environment(Self.variables),
      folder: program.folder.path)
    #expect(await terminal.waitForOutput("begun"))
    terminal.type("echo ty''ped")
    let reader = try await program.shell("cat pipe")
    #expect(reader.outputText == "ready\n")
    _ = await terminal.waitForScreen { $0.text.hasSuffix("board\u{203A} echo ty''ped") }
    #expect(
      terminal.outputText.components(separatedBy: "board\u{203A}")[0].contains("ty''ped") == false)
    terminal.type("\u{15}")
    await Self.leave(terminal)
  }

  @Test("an init.sb that is a pipe is left out with a warning, and the prompt comes")
  func pipeAsInit() async throws {
    let program = try Program()
    try program.makeFolder("h")
    try #require(mkfifo(program.folder.path + "/h/init.sb", 0o600) == 0)
    let terminal = try PtyProcess(
      try Program.executable(), ["--home", "h"], environment: program.environment(Self.variables),
      folder: program.folder.path)
    let screen = await terminal.waitForScreen { $0.text.hasSuffix("board\u{203A}") }
    #expect(screen.text.contains("were not run"), "\(screen.text)")
    await Self.leave(terminal)
  }

  @Test("output of a job waits for the end of a question")
  func outputDuringAQuestion() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    // Real time: the rounds come by themselves while a question waits.
    terminal.type("watch 20ms echo TI''CK &\rkeychain init\r")
    #expect(await terminal.waitForOutput("new passphrase: "))
    let shown = terminal.output.count
    // Rounds come while another program runs.
    #expect(try await program.run("--home", "h", "echo").status == .exited(0))
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("interrupted"), "\(terminal.outputText)")
    _ = await terminal.waitForScreen(from: shown) { $0.text.contains("TICK") }
    let question = terminal.outputText.components(separatedBy: "new passphrase: ")[1]
    #expect(question.hasPrefix("\r\n"), "\(question)")
    terminal.type("\rexit\rexit\r")
    _ = await terminal.wait()
  }

  @Test("a watch that was stopped leaves the rows of the shell, and in the background all rows")
  func stoppedWatch() async throws {
    let program = try Program()
    try Self.quiet(program)
    let terminal = try PtyProcess(
      "/bin/sh", ["-im"],
      environment: program.environment(["TERM": "xterm", "PS1": "sh> ", "ENV": nil]),
      folder: program.folder.path)
    #expect(await terminal.waitForOutput("sh> "))
    // Real time: the rounds come by themselves; the test waits for each of them.
    terminal.type("'\(try Program.executable())' --home h watch 200ms state shell.watches\n")
    #expect(await terminal.waitForOutput("\"isDue\"", count: 2), "\(terminal.outputText)")
    terminal.type("\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 2), "\(terminal.outputText)")
    terminal.type("echo sh''ell\nfg\n")
    #expect(await terminal.waitForOutput("shell\r\n"), "\(terminal.outputText)")
    let stopped = terminal.outputText.ranges(of: "\"isDue\"").count
    #expect(await terminal.waitForOutput("\"isDue\"", count: stopped + 3))
    var screen = ScreenModel(columns: 80, rows: 24)
    screen.show(terminal.output)
    #expect(
      (screen.scrollback + screen.screen).contains("shell"), "\(screen.text)")
    terminal.type("\u{1A}")
    #expect(await terminal.waitForOutput("sh> ", count: 4), "\(terminal.outputText)")
    let shown = terminal.output.count
    terminal.type("bg\n")
    let rounds = terminal.outputText.ranges(of: "\"isDue\"").count
    #expect(await terminal.waitForOutput("\"isDue\"", count: rounds + 3))
    let text = String(decoding: terminal.output.dropFirst(shown), as: UTF8.self)
    #expect(!text.contains("A\r\u{1B}[J") && !text.contains("sh> \r\u{1B}[K"), "\(text)")
    terminal.type("kill %1; wait; exit\n")
    _ = await terminal.wait()
  }

  @Test("a status that a narrower terminal has wrapped is removed as a whole")
  func wrappedStatus() async throws {
    let program = try Program()
    let server = try TestHTTPServer()
    let terminal = try await Self.start(program)
    let file = String(repeating: "long", count: 3)
    terminal.type("api get \(server.origin)/faults/hang --out \(file)\r")
    #expect(await terminal.waitForOutput("--out \(file)", count: 2), "\(terminal.outputText)")
    terminal.resize(columns: 30, rows: 24)
    #expect(
      await terminal.waitForOutput("\u{1B}[2A\r\u{1B}[K\u{1B}[2G\u{1B}[J\r"),
      "\(terminal.outputText)")
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("cancelled"), "\(terminal.outputText)")
    await Self.leave(terminal)
  }
}

extension String {
  /// Counts how often a text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
