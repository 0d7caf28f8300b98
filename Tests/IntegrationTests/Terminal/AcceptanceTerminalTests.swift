import SwiftBoardTestSupport
import Testing

/// Checks of the board at a terminal that take many events; see docs/acceptance.md.
@Suite(.timeLimit(.minutes(20)))
struct AcceptanceTerminalTests {
  private static func start(_ program: Program, columns: Int = 80) async throws -> PtyProcess {
    if !program.exists("h") { try program.makeFolder("h") }
    try program.folder.write("", to: "h/init.sb")
    let terminal = try PtyProcess(
      try Program.executable(), ["--home", "h", "--no-init"],
      environment: program.environment(["TERM": "xterm-256color"]), folder: program.folder.path,
      columns: columns)
    _ = await terminal.waitForScreen(columns: columns) { $0.text == "board›" }
    return terminal
  }

  @Test("200 events of four jobs appear above a wrapped line that is being edited")
  func eventsAboveALine() async throws {
    let program = try Program()
    // A row of the log as it was shows that a job follows it.
    let earlier = (1...4).flatMap { ["-c", "log note e\($0)-earlier"] }
    #expect(try await program.run(["--home", "h"] + earlier).status == .exited(0))
    let terminal = try await Self.start(program, columns: 60)
    for job in 1...4 { terminal.type("log tail -f -n 1000 --grep e\(job)- &\r") }
    for job in 1...4 { #expect(await terminal.waitForOutput("e\(job)-earlier")) }
    terminal.type("\u{C}echo [] " + String(repeating: "0123456789", count: 6))
    // The cursor stands between the brackets.
    terminal.type("\u{1}" + String(repeating: "\u{6}", count: 6))
    for round in 0..<10 {
      let notes = (0..<20).flatMap { ["-c", "log note e\(1 + $0 % 4)-\(round * 5 + $0 / 4)."] }
      async let noted = program.run(["--home", "h"] + notes)
      terminal.type("key\(round)")
      #expect(try await noted.status == .exited(0))
    }
    let typed = (0..<10).map { "key\($0)" }.joined()
    let line = "board 4&› echo [\(typed)] " + String(repeating: "0123456789", count: 6)
    let rows = [String(line.prefix(60)), String(line.dropFirst(60))]
    let screen = await terminal.waitForScreen(columns: 60) { screen in
      let all = screen.scrollback + screen.screen
      return all.count { $0.contains("-") && $0.contains(".") } >= 200
        && screen.text.hasSuffix(rows.joined(separator: "\n"))
    }
    #expect(screen.text.hasSuffix(rows.joined(separator: "\n")), "\(screen.text)")
    #expect(screen.unknown == [])
    let all = screen.scrollback + screen.screen
    for job in 1...4 {
      let shown = all.compactMap { row in
        row.firstRange(of: "e\(job)-").map { String(row[$0.upperBound...].prefix { $0 != "." }) }
      }
      let expected: [String] = (0..<50).map { "\($0)" }
      #expect(shown == expected, "job \(job)")
    }
    terminal.type("\r")
    #expect(await terminal.waitForOutput("[\(typed)]"))
    terminal.type("exit\rexit\r")
    _ = await terminal.wait()
  }

  @Test("a hundred interrupts end a hundred requests, and the next command works")
  func manyInterrupts() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let terminal = try program.startOnTerminal("--ascii", "--home", "h", "--no-init")
    #expect(await terminal.waitForOutput("board> "))
    for count in 1...100 {
      terminal.type("api get \(server.origin)/faults/hang\r")
      try #require(await server.waitForRequest(path: "/faults/hang", count: count) != nil)
      terminal.type("\u{3}")
      #expect(await server.waitForClose(path: "/faults/hang", count: count))
      try #require(await terminal.waitForOutput("board> ", count: count + 1))
    }
    terminal.type("echo st''ill there\r")
    #expect(await terminal.waitForOutput("still there\r\n"))
    terminal.type("exit\r")
    #expect(await terminal.wait() == .exited(0))
  }

  @Test("a line of three rows is drawn right at 80, 40 and 120 columns")
  func widths() async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    let line = "echo " + String(repeating: "0123456789", count: 17)
    terminal.type(line)
    let text = "board› \(line)"
    @Sendable func rows(_ columns: Int) -> String {
      stride(from: 0, to: text.count, by: columns).map {
        String(text.dropFirst($0).prefix(columns))
      }.joined(separator: "\n")
    }
    _ = await terminal.waitForScreen { $0.text == rows(80) }
    for columns in [40, 120, 80] {
      let shown = terminal.output.count
      terminal.resize(columns: columns, rows: 24)
      let screen = await terminal.waitForScreen(columns: columns, from: shown) {
        $0.text == rows(columns)
      }
      #expect(screen.text == rows(columns))
      #expect(screen.cursor.column == text.count % columns)
      #expect(screen.unknown == [])
    }
    terminal.type("\u{3}\u{4}")
    #expect(await terminal.wait() == .exited(0))
  }

  @Test(
    "characters are typed, deleted and recalled as one",
    arguments: ["👨‍👩‍👧", "🇩🇪🇫🇷", "e\u{301}", "家猫", "مرحبا", "👍🏽", "नमस्ते"])
  func characters(text: String) async throws {
    let program = try Program()
    let terminal = try await Self.start(program)
    terminal.type("echo \(text)\u{7F}")
    // The hint says what may follow where nothing does.
    let shorter = "board› echo \(text.count == 1 ? "[TEXT...]" : String(text.dropLast()))"
    #expect(await terminal.waitForScreen { $0.text == shorter }.text == shorter)
    terminal.type("\(text.suffix(1))\r")
    let printed = "board› echo \(text)\n\(text)\nboard›"
    #expect(await terminal.waitForScreen { $0.text == printed }.text == printed)
    terminal.type("\u{1B}[A")
    let recalled = "\(printed) echo \(text)"
    #expect(await terminal.waitForScreen { $0.text == recalled }.text == recalled)
    terminal.type("\u{3}\u{4}")
    #expect(await terminal.wait() == .exited(0))
    #expect(try program.text("h/history") == "echo \(text)\n")
  }
}
