import Dispatch
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The program at a terminal.
@Suite(.timeLimit(.minutes(20)))
struct TerminalProgramTests {
  private static let prompt = "board> "

  private static func start(_ program: Program) throws -> PtyProcess {
    try program.startOnTerminal("--ascii", "--home", "h", "--no-init")
  }

  @Test("a line is answered and the prompt comes back") func aLineIsAnsweredAndThePromptComesBack()
    async throws
  {
    let program = try Program()
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    // Typed like this, `hi` is only there once it is answered.
    terminal.type("echo h''i\r")
    #expect(await terminal.waitForOutput("hi\r\n"))
    #expect(await terminal.waitForOutput(Self.prompt, count: 2), "\(terminal.outputText)")
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("a failing line ends nothing") func aFailingLineEndsNothing() async throws {
    let program = try Program()
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("ehco x\r")
    #expect(await terminal.waitForOutput("did you mean 'echo'?"))
    #expect(await terminal.waitForOutput(Self.prompt, count: 2))
    terminal.type("exit\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("a background command that ends at once prints what it has to say")
  func endsAtOnce() async throws {
    let program = try Program()
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("echo in the back''ground &\r")
    #expect(await terminal.waitForOutput("in the background\r\n"), "\(terminal.outputText)")
    terminal.type("assert shell.nope == 2 &\r")
    #expect(await terminal.waitForOutput("assertion failed"), "\(terminal.outputText)")
    terminal.type("\u{4}")
    _ = await terminal.wait()
  }

  @Test("a line that is typed behind the unfinished answer of a job has ended its row")
  func typedBehindAnAnswer() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try TestHTTPServer { _ in
      gate.wait()
      return .response(.init(200, json: #"{"a":1}"#))
    }
    let program = try Program()
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("api get \(server.origin)/ --raw -q &\r")
    #expect(await terminal.waitForOutput("board 1&> "), "\(terminal.outputText)")
    gate.signal()
    #expect(await terminal.waitForOutput("board 1&> {\"a\":1}"), "\(terminal.outputText)")
    terminal.type("echo next\r")
    #expect(await terminal.waitForOutput("echo next\r\nnext\r\n"), "\(terminal.outputText)")
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("what follows an answer without a line feed begins a new row")
  func unfinishedAnswer() async throws {
    let server = try TestHTTPServer { _ in .response(.init(404, json: #"{"a":1}"#)) }
    let program = try Program()
    let get = "api get \(server.origin)/ --raw -q --no-check-status"
    let lines = try program.startOnTerminal(
      "--ascii", "--home", "h", "--no-init", "-c", get, "-c", "echo next")
    #expect(await lines.wait() == .exited(0))
    #expect(lines.outputText.contains("{\"a\":1}\r\nnext\r\n"), "\(lines.outputText)")
    let failing = try program.startOnTerminal(
      "--ascii", "--home", "h", "--no-init", "api", "get", "\(server.origin)/", "--raw", "-q")
    #expect(await failing.wait() == .exited(4))
    #expect(failing.outputText.contains("{\"a\":1}\r\nerror:"), "\(failing.outputText)")
    let asking = try program.startOnTerminal(
      "--ascii", "--home", "k", "--no-init", "-c", get, "-c", "keychain init")
    #expect(
      await asking.waitForOutput("{\"a\":1}\r\nnew passphrase: "), "\(asking.outputText)")
    asking.type("\u{3}")
    _ = await asking.wait()
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("\(get); echo ne''xt\r")
    #expect(await terminal.waitForOutput("{\"a\":1}\r\nnext\r\n"), "\(terminal.outputText)")
    #expect(await terminal.waitForOutput(Self.prompt, count: 2))
    terminal.type("api get \(server.origin)/ --raw --no-check-status &\r")
    let screen = await terminal.waitForScreen { $0.text.contains("[3] done: api get") }
    #expect(screen.screen.contains("[3] done: api get"), "\(screen.text)")
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test(
    "a signal that ends the program at a prompt for a secret leaves the terminal as it was",
    arguments: [SIGTERM, SIGHUP])
  func signalAtSecret(signal: Int32) async throws {
    let program = try Program()
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("keychain init\r")
    #expect(await terminal.waitForOutput("assphrase"), "\(terminal.outputText)")
    terminal.signal(signal)
    #expect(await terminal.wait() == .exited(128 + signal), "\(terminal.outputText)")
    #expect(terminal.echoes && !terminal.isRaw)
  }

  @Test("a failing status is an answer at a prompt, and leaves the file of --out as it is")
  func failingStatus() async throws {
    let server = try TestHTTPServer { _ in
      .response(.init(404, body: Array("no such page".utf8)))
    }
    let program = try Program()
    try program.folder.write("mine", to: "p")
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("api get \(server.origin)/a\r")
    #expect(await terminal.waitForOutput("no such page"))
    terminal.type("assert shell.lastStatus == 0\r")
    #expect(await terminal.waitForOutput(Self.prompt, count: 3), "\(terminal.outputText)")
    terminal.type("api get \(server.origin)/a --out p\r")
    #expect(await terminal.waitForOutput("error: HTTP 404 from"), "\(terminal.outputText)")
    terminal.type("api get \(server.origin)/a --out q --no-check-status --save r\r")
    #expect(await terminal.waitForOutput("-> q"), "\(terminal.outputText)")
    terminal.type("api run r\r")
    #expect(
      await terminal.waitForOutput("error: HTTP 404 from", count: 2), "\(terminal.outputText)")
    terminal.type("exit 0\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
    #expect(try program.text("p") == "mine")
    #expect(try program.text("q") == "no such page")
  }

  @Test("an interrupt cancels the request and not the program")
  func anInterruptCancelsTheRequestAndNotTheProgram() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("api get \(server.origin)/faults/hang\r")
    try #require(await server.waitForRequest(path: "/faults/hang") != nil)
    terminal.type("\u{3}")
    #expect(await server.waitForClose(path: "/faults/hang"))
    #expect(await terminal.waitForOutput(Self.prompt, count: 2), "\(terminal.outputText)")
    terminal.type("echo st''ill there\r")
    #expect(await terminal.waitForOutput("still there\r\n"), "\(terminal.outputText)")
    #expect(await terminal.waitForOutput(Self.prompt, count: 3))
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test(
    "an interrupt ends the wait for the other end of a pipe",
    arguments: ["db list c > pipe", "source pipe", "db put c 1 @pipe"])
  func anInterruptEndsTheWaitForAPipe(line: String) async throws {
    let program = try Program()
    #expect(mkfifo(program.folder.path("pipe"), 0o600) == 0)
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("echo fir''st; \(line)\r")
    #expect(await terminal.waitForOutput("first\r\n"))
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput(Self.prompt, count: 2), "\(terminal.outputText)")
    #expect(terminal.outputText.contains("cancelled"), "\(terminal.outputText)")
    terminal.type("assert shell.lastStatus == 130\r")
    #expect(await terminal.waitForOutput(Self.prompt, count: 3))
    #expect(!terminal.outputText.contains("failed"), "\(terminal.outputText)")
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("an interrupt ends a sourced pipe between its lines")
  func anInterruptEndsASourcedPipe() async throws {
    let program = try Program()
    #expect(mkfifo(program.folder.path("pipe"), 0o600) == 0)
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("source pipe\r")
    // It has the pipe open until its input ends.
    let writer = try ChildProcess(
      "/bin/sh", ["-c", "{ echo echo first; cat; } > pipe"], environment: program.environment(),
      folder: program.folder.path)
    #expect(await terminal.waitForOutput("first\r\n"))
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput(Self.prompt, count: 2), "\(terminal.outputText)")
    terminal.type("echo st''ill there\r")
    #expect(await terminal.waitForOutput("still there\r\n"), "\(terminal.outputText)")
    writer.closeInput()
    _ = await writer.wait()
    terminal.type("exit\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("an interrupt with nothing to cancel says how to leave")
  func anInterruptWithNothingToCancelSaysHowToLeave() async throws {
    let program = try Program()
    let terminal = try Self.start(program)
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("Ctrl-D"), "\(terminal.outputText)")
    #expect(await terminal.waitForOutput(Self.prompt, count: 2))
    terminal.type("echo st''ill there\r")
    #expect(await terminal.waitForOutput("still there\r\n"), "\(terminal.outputText)")
    terminal.type("exit 5\r")
    #expect(await terminal.wait() == .exited(5), "\(terminal.outputText)")
  }

  @Test(
    "a program that ends while it asks for a secret leaves a terminal that shows what is typed",
    arguments: [SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGQUIT])
  func theTerminalIsRestored(signal: Int32) async throws {
    let program = try Program()
    // Else a crash at a terminal asks what is to become of it.
    let terminal = try program.startOnTerminal(
      "--ascii", "--home", "h", "--no-init", environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(await terminal.waitForOutput(Self.prompt))
    terminal.type("keychain init\r")
    #expect(await terminal.waitForOutput("new passphrase: "), "\(terminal.outputText)")
    #expect(!terminal.echoes)
    terminal.signal(signal)
    #expect(await terminal.wait().code == 128 + signal, "\(terminal.outputText)")
    #expect(terminal.echoes)
  }

  /// Also where the terminal can do more, whatever it draws.
  @Test("a terminal with colours works too") func aTerminalWithColoursWorksToo() async throws {
    let program = try Program()
    let terminal = try program.startOnTerminal(
      "--home", "h", "--no-init", environment: ["TERM": "xterm-256color"])
    #expect(await terminal.waitForOutput("board"))
    terminal.type("echo h''i\r")
    #expect(await terminal.waitForOutput("hi\r\n"), "\(terminal.outputText)")
    terminal.type("exit 0\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }
}
