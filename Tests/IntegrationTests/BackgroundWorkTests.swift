import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// What runs behind `&` when the lines have ended: nothing of it is dropped, and it counts.
@Suite("Background work at the end", .timeLimit(.minutes(20)))
struct BackgroundWorkTests {
  private static let ways = ["-c", "-f", "pipe"]

  /// Starts the program with lines that come in one of three ways.
  private func start(_ lines: [String], _ way: String, in program: Program) throws -> ChildProcess {
    let options = ["--home", "h", "--record", "r.jsonl"]
    let executable = try Program.executable()
    switch way {
    case "-c":
      return try ChildProcess(
        executable, options + lines.flatMap { ["-c", $0] }, environment: program.environment(),
        folder: program.folder.path)
    case "-f":
      try program.folder.write(lines.map { $0 + "\n" }.joined(), to: "x.sb")
      return try ChildProcess(
        executable, options + ["-f", "x.sb"], environment: program.environment(),
        folder: program.folder.path)
    default:
      let child = try ChildProcess(
        executable, options, environment: program.environment(), folder: program.folder.path)
      child.writeInput(lines.map { $0 + "\n" }.joined())
      child.closeInput()
      return child
    }
  }

  @Test("it is waited for, and what it prints is whole", arguments: ways)
  func waited(way: String) async throws {
    let held = try HeldServer()
    let program = try Program()
    let origin = held.server.origin
    let child = try start(
      ["api post \(origin)/held/a n=1 > out.json &", "echo on", "api post \(origin)/held/b n=2 &"],
      way, in: program)
    // Both have been sent, and the lines have ended, before either is answered.
    try #require(await held.server.waitForRequest(path: "/held/a") != nil)
    try #require(await held.server.waitForRequest(path: "/held/b") != nil)
    #expect(await child.waitForOutput("on\n"))
    held.open(2)
    let outcome = await child.wait()
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    #expect(outcome.outputText.contains("\"held\""), "\(outcome.outputText)")
    #expect(try program.text("out.json").contains("\"held\""))
    try await program.expectWholeRecording()
  }

  @Test(
    "its failure counts, as its prefix has it, unless it was waited for",
    arguments: [
      (["api get O/faults/status/500 &"], 5), (["-api get O/faults/status/500 &"], 0),
      (["!api get O/faults/status/500 &"], 0), (["!api get O/echo &"], 1),
      (["! api get O/echo & ", "wait"], 1), (["-api get O/faults/status/500 &", "wait"], 0),
      (["api get O/faults/status/500 &", "-wait"], 0),
      (["api get O/faults/status/500 &", "!wait"], 0),
      (["api get O/faults/status/500 &", "wait"], 5),
      // The lowest number first, whichever ends first; a line's own failure before all.
      (["api get O/faults/status/404 &", "api get O/faults/status/500 &"], 4),
      (["api get O/faults/status/500 &", "db get a 1"], 66),
      (["api get O/echo > /dev/full &"], 74),
      (["!api get --no-such &"], 0),
    ] as [([String], Int32)])
  func counts(lines: [String], code: Int32) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let lines = lines.map { $0.replacing("O/", with: server.origin + "/") }
    let outcome = await (try start(lines, "-f", in: program)).wait()
    #expect(outcome.status == .exited(code), "\(lines): \(outcome.errorText)")
    if code == 1 {
      #expect(outcome.errorText.contains("job 1: this line should have failed, and succeeded"))
    }
    try await program.expectWholeRecording()
  }

  @Test("a script that stops at a failing line waits as well, and its code is the line's")
  func waitedAfterAFailure() async throws {
    let held = try HeldServer()
    let program = try Program()
    let child = try start(
      ["api post \(held.server.origin)/held/500 n=1 &", "db get a 1", "echo never"], "-f",
      in: program)
    try #require(await held.server.waitForRequest(path: "/held/500") != nil)
    #expect(await child.waitForError("there is no document"))
    held.open()
    let outcome = await child.wait()
    #expect(outcome.status == .exited(66))
    #expect(outcome.errorText.contains("HTTP 500"), "\(outcome.errorText)")
    #expect(!outcome.outputText.contains("never"))
    try await program.expectWholeRecording()
  }

  @Test(
    "exit cancels it, says so, and keeps its own code",
    arguments: [("exit 3", 3), ("exit", 0)] as [(String, Int32)])
  func exitCancels(line: String, code: Int32) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let job = "api post \(server.origin)/faults/hang n=1 &"
    let outcome = await (try start([job, line, "echo never"], "-f", in: program)).wait()
    #expect(outcome.status == .exited(code), "\(outcome.errorText)")
    #expect(
      outcome.errorText.contains("[1] cancelled by 'exit': api post\n"),
      "\(outcome.errorText)")
    #expect(!outcome.outputText.contains("never"))
    try await program.expectWholeRecording()
  }

  @Test("'cancel' of a watch ends its round, which leaves the file of the watch as it is")
  func cancelledRound() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.folder.write("old", to: "w.txt")
    let child = try ChildProcess(
      try Program.executable(), ["--home", "h"], environment: program.environment(),
      folder: program.folder.path)
    child.writeInput("watch 1h api get \(server.origin)/faults/hang > w.txt &\n")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    child.writeInput("cancel 1\njobs\n")
    child.closeInput()
    #expect(await server.waitForClose(path: "/faults/hang"))
    let outcome = await child.wait()
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    #expect(outcome.outputText == "job  command  line\n---  -------  ----\n")
    let ends = outcome.errorText.split(separator: "\n").filter { $0.contains("cancelled") }
    #expect(ends == ["[1] cancelled: watch"])
    #expect(try program.text("w.txt") == "old")
  }

  @Test(
    "an interrupt while it is waited for cancels it and ends with 130", arguments: [false, true])
  func interrupted(keepsGoing: Bool) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.folder.write(
      "-api get \(server.origin)/faults/hang &\n-api get \(server.origin)/faults/hang &\necho on\n",
      to: "x.sb")
    let child = try program.start(
      "--home", "h", "--record", "r.jsonl", keepsGoing ? "-k" : "-q", "-f", "x.sb")
    #expect(await child.waitForOutput("on\n"))
    try #require(await server.waitForRequest(path: "/faults/hang", count: 2) != nil)
    child.signal(SIGINT)
    #expect(await server.waitForClose(path: "/faults/hang", count: 2))
    let outcome = await child.wait()
    #expect(outcome.status == .exited(130), "\(outcome.errorText)")
    try await program.expectWholeRecording()
  }

  @Test("an interrupt of a line cancels what runs beside it")
  func interruptedLine() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let child = try start(
      [
        "api get \(server.origin)/faults/hang &", "api get \(server.origin)/faults/drip",
        "echo never",
      ], "-f", in: program)
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    try #require(await server.waitForRequest(path: "/faults/drip") != nil)
    child.signal(SIGINT)
    #expect(await server.waitForClose(path: "/faults/hang"))
    let outcome = await child.wait()
    #expect(outcome.status == .exited(130), "\(outcome.errorText)")
    #expect(outcome.errorText.contains("cancelled by the interrupt"), "\(outcome.errorText)")
    #expect(!outcome.outputText.contains("never"))
    try await program.expectWholeRecording()
  }

  @Test("a request to end cancels it", arguments: [SIGTERM, SIGHUP])
  func terminated(signal: Int32) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let child = try start(["api get \(server.origin)/faults/hang &"], "-c", in: program)
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    child.signal(signal)
    #expect(await server.waitForClose(path: "/faults/hang"))
    #expect(await child.wait().status == .exited(128 + signal))
    try await program.expectWholeRecording()
  }

  @Test(
    "a job that was cancelled is a failure like any other",
    arguments: [("wait 1", 130), ("-wait 1", 0), ("!wait 1", 0), ("jobs", 0)]
      as [(String, Int32)])
  func cancelledJob(wait: String, code: Int32) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let lines = ["api get \(server.origin)/faults/hang &", "cancel 1", wait, "echo on"]
    let outcome = try await program.run(
      ["--home", "h", "-k"] + lines.flatMap { ["-c", $0] })
    #expect(outcome.status == .exited(code), "\(outcome.errorText)")
    #expect(outcome.outputText.hasSuffix("on\n"), "no interrupt came, so the lines go on")
  }

  @Test(
    "at a terminal the end of input cancels it and says which", arguments: ["\u{4}", "exit 3\r"])
  func terminal(keys: String) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let terminal = try program.startOnTerminal("--ascii", "--home", "h", "--no-init")
    #expect(await terminal.waitForOutput("board> "))
    terminal.type("api get \(server.origin)/faults/hang &\r")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    #expect(await terminal.waitForOutput("board 1&> "), "\(terminal.outputText)")
    terminal.type(keys)
    #expect(await terminal.waitForOutput("1 job is running: [1] api get"))
    terminal.type(keys)
    #expect(await terminal.wait() == .exited(keys == "\u{4}" ? 0 : 3), "\(terminal.outputText)")
    #expect(await server.waitForClose(path: "/faults/hang"))
    let cause = keys == "\u{4}" ? "the end of input" : "'exit'"
    #expect(
      terminal.outputText.contains("[1] cancelled by \(cause): api get\r\n"),
      "\(terminal.outputText)")
  }

  @Test("a wait for a job that was cancelled says so")
  func waitForACancelledJob() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let run = try await program.run(
      "--home", "h", "-c", "api get \(server.origin)/faults/hang &", "-c", "cancel 1", "-c",
      "wait 1")
    #expect(run.status == .exited(130))
    #expect(run.errorText.contains("error: job 1 was cancelled\n"), "\(run.errorText)")
  }

  @Test("a wait for all jobs names each one that failed")
  func waitForSeveralJobs() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let hang = "api get \(server.origin)/faults/hang &"
    let lines = [hang, hang, hang, "assert shell.nope == 1 &", "cancel all", "wait", "wait 2"]
    let run = try await program.run(["--home", "h", "-k"] + lines.flatMap { ["-c", $0] })
    #expect(
      run.errorText.contains("error: jobs 1, 2 and 3 were cancelled; job 4 has failed\n"),
      "\(run.errorText)")
    #expect(run.errorText.contains("there is no job 2"), "\(run.errorText)")
    #expect(run.status == .exited(130))
  }

  @Test("a reader that leaves hides no failure of background work")
  func aReaderThatLeavesHidesNoFailure() async throws {
    let held = try HeldServer()
    let program = try Program()
    let origin = held.server.origin
    // More than a pipe holds, so that the program is still writing when the reader goes.
    let line = "echo " + String(repeating: "x", count: 4000) + "\n"
    try program.folder.write(
      "api get \(origin)/held/500 &\n" + String(repeating: line, count: 100), to: "x.sb")
    async let run = program.shell(
      """
      { "$0" --home h -f x.sb; echo $? > status; } |
        { head -n 1; exec < /dev/null; "$0" --home h2 -c 'api get \(origin)/left' 2> other; }
      """)
    await held.server.waitForRequest(path: "/left")
    held.open()
    let outcome = try await run
    #expect(outcome.errorText.contains("HTTP 500"), "\(outcome.errorText)")
    #expect(try program.text("status") == "141\n")
  }
}
