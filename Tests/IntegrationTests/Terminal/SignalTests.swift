import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// Signals reach the request that is under way, the exit code and the recording.
@Suite(.timeLimit(.minutes(20)))
struct SignalTests {
  /// A pipe with a name that stays open and that nobody reads.
  private final class UnreadPipe {
    private let descriptor: Int32

    init(at path: String) throws {
      try #require(mkfifo(path, 0o600) == 0)
      descriptor = open(path, O_RDWR | O_CLOEXEC)
      try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    func waitUntilFull() async throws {
      // Real time: a pipe tells nobody that it is full.
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      while poll(&request, 1, 0) > 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
  }

  @Test("an interrupt ends the request and the script") func anInterruptEndsTheRequestAndTheScript()
    async throws
  {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.folder.write(
      "echo before\n-api get \(server.origin)/faults/hang\necho after\n", to: "x.sb")
    let child = try program.start("--home", "h", "--record", "r.jsonl", "-k", "-f", "x.sb")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    child.signal(SIGINT)
    // Nothing else closes it: neither service nor program has a time limit.
    #expect(await server.waitForClose(path: "/faults/hang"))
    let outcome = await child.wait()
    #expect(outcome.status == .exited(130), "\(outcome.errorText)")
    #expect(outcome.outputText == "before\n", "no prefix and no option goes on after an interrupt")
    try await program.expectWholeRecording()
  }

  @Test("an interrupt of a line that waits for the reader of its pipe is its end, and a step")
  func interruptedRedirect() async throws {
    let program = try Program()
    try #require(mkfifo(program.folder.path("pipe"), 0o600) == 0)
    try program.folder.write("echo before\necho x > pipe\necho after\n", to: "x.sb")
    // The signal may come before the line begins.
    for attempt in 0..<50 {
      let child = try program.start("--record", "r\(attempt).jsonl", "-f", "x.sb")
      try #require(await child.waitForOutput("before\n"))
      child.signal(SIGINT)
      let outcome = await child.wait()
      #expect(outcome.status == .exited(130) && outcome.outputText == "before\n")
      guard outcome.errorText.contains("x.sb:2:1: error: cancelled") else { continue }
      let timeline = try await program.run("session", "timeline", "r\(attempt).jsonl")
      #expect(timeline.outputText.contains("shell.reject"), "\(timeline.outputText)")
      return
    }
    Issue.record("the line said nothing")
  }

  @Test("a request to end is obeyed in order", arguments: [SIGTERM, SIGHUP])
  func aRequestToEndIsObeyedInOrder(signal: Int32) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let child = try program.start(
      "--home", "h", "--record", "r.jsonl", "api", "get", "\(server.origin)/faults/hang")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    child.signal(signal)
    #expect(await server.waitForClose(path: "/faults/hang"))
    let outcome = await child.wait()
    #expect(outcome.status == .exited(128 + signal), "\(outcome.errorText)")
    try await program.expectWholeRecording()
  }

  @Test("a signal that comes with the end of the input ends the run", arguments: [SIGINT, SIGTERM])
  func aSignalAtTheEndOfTheInput(signal: Int32) async throws {
    let program = try Program()
    for _ in 0..<20 {
      let child = try program.start("--home", "h")
      child.writeInput("echo ready\n")
      #expect(await child.waitForOutput("ready\n"))
      child.signal(signal)
      child.closeInput()
      let outcome = await child.wait()
      #expect(outcome.status == .exited(128 + signal), "\(outcome.errorText)")
    }
  }

  @Test("a signal that is ignored from the start stays so")
  func ignoredSignals() async throws {
    let program = try Program()
    let child = try ChildProcess(
      "/bin/sh",
      ["-c", "trap '' HUP INT TERM; exec \"$0\" --home h", try Program.executable()],
      environment: program.environment(), folder: program.folder.path)
    child.writeInput("echo ready\n")
    #expect(await child.waitForOutput("ready\n"))
    for signal in [SIGHUP, SIGINT, SIGTERM] { child.signal(signal) }
    child.writeInput("echo done\n")
    child.closeInput()
    let outcome = await child.wait()
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    #expect(outcome.outputText == "ready\ndone\n")
  }

  @Test("a killed program leaves a recording that reads")
  func aKilledProgramLeavesARecordingThatReads() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let child = try program.start(
      "--home", "h", "--record", "r.jsonl", "-c", "echo one", "-c",
      "api get \(server.origin)/faults/hang")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    child.signal(SIGKILL)
    #expect(await child.wait().status == .signaled(SIGKILL))
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    #expect(verified.outputText.contains("2 steps agree"), "\(verified.outputText)")
    #expect(verified.errorText.contains("no end line"), "\(verified.errorText)")
  }

  @Test("an interrupt while lines are awaited ends the run")
  func anInterruptWhileLinesAreAwaitedEndsTheRun() async throws {
    let program = try Program()
    let child = try program.start("--home", "h")
    child.writeInput("echo ready\n")
    #expect(await child.waitForOutput("ready\n"))
    child.signal(SIGINT)
    #expect(await child.wait().status == .exited(130))
  }

  @Test(
    "a signal amid quick lines gives its code, and the recording has all that was printed",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func aSignalAmidQuickLines(signal: Int32) async throws {
    let server = try TestHTTPServer()
    for _ in 0..<3 {
      let program = try Program()
      // Where the signal comes after all of the quick lines, it ends the last one.
      try program.folder.write(
        (0..<4_000).map { "echo \($0)\n" }.joined() + "api get \(server.origin)/faults/hang\n",
        to: "x.sb")
      let child = try program.start("--home", "h", "--record", "r.jsonl", "-f", "x.sb")
      #expect(await child.waitForOutput("100\n"))
      child.signal(signal)
      let outcome = await child.wait()
      #expect(outcome.status == .exited(128 + signal), "\(outcome.errorText)")
      try await program.expectWholeRecording()
      let printed = outcome.outputText.split(separator: "\n").map(String.init)
      let steps = try program.text("r.jsonl").split(separator: "\n").count {
        $0.contains(#""user":"echo "#)
      }
      let expected: [String] = printed.indices.map { "\($0)" }
      #expect(printed == expected)
      #expect(printed.count <= steps)
    }
  }

  @Test("an interrupt ends a run whose output nobody reads, and its recording has its last line")
  func anInterruptOfAFullPipe() async throws {
    let program = try Program()
    let word = String(repeating: "x", count: 1000)
    try program.folder.write(
      (0..<2000).map { _ in "echo \(word)" }.joined(separator: "\n"), to: "x.sb")
    let pipe = try UnreadPipe(at: program.folder.path("p"))
    let child = try ChildProcess(
      "/bin/sh",
      ["-c", "exec \"$0\" --home h --record r.jsonl -f x.sb > p", try Program.executable()],
      environment: program.environment(), folder: program.folder.path)
    try await pipe.waitUntilFull()
    child.signal(SIGINT)
    let outcome = await child.wait()
    #expect(outcome.status == .exited(130), "\(outcome.errorText)")
    try await program.expectWholeRecording()
  }

  @Test(
    "a signal ends a program at a terminal that takes no output, with a job that prints",
    arguments: [SIGTERM, SIGHUP])
  func aFullTerminal(signal: Int32) async throws {
    let program = try Program()
    let terminal = try program.startOnTerminal(
      "--home", "h", "--no-init", "--record", "r.jsonl", environment: ["TERM": "xterm-256color"])
    #expect(await terminal.waitForOutput("board"))
    terminal.pauseOutput()
    defer { terminal.resumeOutput() }
    terminal.type("watch 1ms help api get &\r")
    // Real time: a terminal tells nobody that it is full.
    while terminal.takesOutput { try await Task.sleep(for: .milliseconds(10)) }
    terminal.signal(signal)
    #expect(await terminal.waitForEnd() == .exited(128 + signal))
    try await program.expectWholeRecording()
  }

  @Test("a signal ends jobs that print to a pipe that nobody reads, and both streams are one")
  func aFullPipeOfJobs() async throws {
    let program = try Program()
    let word = String(repeating: "x", count: 30_000)
    try program.folder.write(
      """
      set x \(word)
      watch 1ms --count 1000 echo $x &
      watch 1ms --count 1000 echo $x &
      watch 1ms --count 1000 assert '1 == 2' &
      wait
      """, to: "x.sb")
    let pipe = try UnreadPipe(at: program.folder.path("p"))
    // One processor, where there is taskset, has the fewest threads for tasks.
    let child = try ChildProcess(
      "/bin/sh",
      [
        "-c",
        """
        exec $(command -v taskset > /dev/null && echo taskset -c 0) "$0" \
          --home h --record r.jsonl -k -f x.sb > p 2>&1
        """, try Program.executable(),
      ], environment: program.environment(), folder: program.folder.path)
    try await pipe.waitUntilFull()
    child.signal(SIGTERM)
    #expect(await child.wait().status == .exited(143))
    try await program.expectWholeRecording()
  }
}
