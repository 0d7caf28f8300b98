import SwiftBoardCommandLine
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

struct TerminalTests {
  private func terminal(_ environment: [String: String], output: Bool = true) -> Terminal {
    Terminal(
      environment: environment, isInputTerminal: true, isOutputTerminal: output,
      isErrorTerminal: true)
  }

  @Test(
    "colour",
    arguments: [
      (["TERM": "xterm"], true, true), ([:], true, false), (["TERM": "dumb"], true, false),
      (["TERM": "xterm", "NO_COLOR": "1"], true, false),
      (["TERM": "xterm", "NO_COLOR": ""], true, true),
      (["TERM": "xterm"], false, false), (["CLICOLOR_FORCE": "1"], false, true),
      (["CLICOLOR_FORCE": "0"], false, false),
      (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], true, false),
    ])
  func color(environment: [String: String], output: Bool, expected: Bool) {
    let terminal = terminal(environment, output: output)
    #expect(terminal.usesColor(.auto) == expected)
    #expect(terminal.usesColor(.always))
    #expect(!terminal.usesColor(.never))
  }

  @Test("standard error is asked for itself")
  func errorColor() {
    #expect(terminal(["TERM": "xterm"], output: false).usesColor(.auto, onError: true))
  }

  @Test(
    "locale",
    arguments: [
      (["LANG": "de_DE.UTF-8"], true), (["LANG": "C.utf8"], true), ([:], false),
      (["LANG": "C"], false), (["LANG": "C.utf8"], true), (["LANG": "UTF-8"], true),
      (["LANG": "de_DE.UTF-8@euro"], true), (["LANG": "de_DE.ISO-8859-15@utf8"], false),
      (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
      (["LC_ALL": "", "LC_CTYPE": "en_US.UTF-8", "LANG": "C"], true),
    ])
  func locale(environment: [String: String], expected: Bool) {
    let terminal = terminal(environment)
    #expect(terminal.isUTF8 == expected)
    #expect(terminal.usesASCII(false) == !expected)
    #expect(terminal.usesASCII(true))
  }

  @Test("off a terminal our text is ASCII and no table has a limit")
  func pipe() {
    let terminal = terminal(["LANG": "C.UTF-8", "COLUMNS": "33"], output: false)
    #expect(terminal.usesASCII(false))
    #expect(terminal.outputWidth == nil)
  }
}

/// One after the other: a process has one set of saved modes and one set of signal handlers.
@Suite(.serialized)
struct TerminalDeviceTests {
  /// Types only after the prompt is there, since what was typed before is thrown away.
  private func ask(_ typed: String, isUTF8: Bool = false) async throws -> (
    answer: Result<[UInt8], SecretPromptError>, screen: String
  ) {
    try await ask(Array(typed.utf8), isUTF8: isUTF8, requiresUTF8: isUTF8)
  }

  private func ask(_ typed: [UInt8], isUTF8: Bool, requiresUTF8: Bool) async throws -> (
    answer: Result<[UInt8], SecretPromptError>, screen: String
  ) {
    let device = try PseudoTerminal()
    // Held open, so that the device does not hang up in between.
    let held = open(device.path, O_RDWR | O_NOCTTY)
    defer {
      close(held)
      close(device.user)
    }
    var before = termios()
    tcgetattr(held, &before)
    // Not every terminal has it, such as that of a container.
    before.c_iflag &= ~tcflag_t(IUTF8)
    tcsetattr(held, TCSANOW, &before)
    async let answer: Result<[UInt8], SecretPromptError> = DetachedThread.run {
      () -> Result<[UInt8], SecretPromptError> in
      do throws(SecretPromptError) {
        return .success(
          try SecretPrompt.read(
            prompt: "Passphrase: ", terminal: device.path, isUTF8: isUTF8,
            requiresUTF8: requiresUTF8
          ) { Array($0) })
      } catch {
        return .failure(error)
      }
    }
    let shown = await DetachedThread.run { () -> String in
      let prompt = device.screen(until: ": ")
      device.type(typed)
      return prompt + device.screen(until: "\n")
    }
    let result = await answer
    var after = termios()
    tcgetattr(held, &after)
    #expect(before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag)
    return (result, shown)
  }

  @Test("a secret is read without echo, and the modes are put back")
  func secret() async throws {
    let (answer, screen) = try await ask("pässword 1\n")
    #expect(answer == .success(Array("pässword 1".utf8)))
    #expect(screen == "Passphrase: \r\n")
  }

  @Test("between two prompts nothing is shown, what is typed answers the next, and Ctrl-C works")
  func hidden() async throws {
    let device = try PseudoTerminal()
    let held = open(device.path, O_RDWR | O_NOCTTY)
    defer {
      close(held)
      close(device.user)
    }
    func modes() -> termios {
      var modes = termios()
      tcgetattr(held, &modes)
      return modes
    }
    func ask(_ prompt: String) async throws -> [UInt8] {
      try await SecretPrompt.readOnOwnThread(
        prompt: prompt, terminal: device.path, staysHidden: true, isUTF8: true
      ) { Array($0) }
    }
    var before = modes()
    before.c_iflag &= ~tcflag_t(IUTF8)
    tcsetattr(held, TCSANOW, &before)
    async let first = ask("First: ")
    let shown = await DetachedThread.run { () -> String in
      let prompt = device.screen(until: ": ")
      // The second line comes before its prompt.
      device.type("one\ntwo\n")
      return prompt + device.screen(until: "\n")
    }
    #expect(try await first == Array("one".utf8))
    let between = modes()
    #expect(between.c_lflag & tcflag_t(ECHO) == 0)
    #expect(between.c_iflag & tcflag_t(IUTF8) != 0)
    #expect(between.c_lflag & tcflag_t(ISIG) == before.c_lflag & tcflag_t(ISIG))
    #expect(try await ask("Second: ") == Array("two".utf8))
    #expect(modes().c_lflag & tcflag_t(ECHO) == 0)
    SecretPrompt.release()
    #expect(modes().c_lflag == before.c_lflag && modes().c_iflag == before.c_iflag)
    SecretPrompt.release()
    let rest = await DetachedThread.run { device.screen(until: ": \r\n") }
    #expect(shown + rest == "First: \r\nSecond: \r\n")
  }

  @Test("a cancelled task is not asked, since its answer would be the next line")
  func cancelled() async {
    let asking = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(SecretPromptError) {
        _ = try await SecretPrompt.readOnOwnThread(prompt: "? ", terminal: "/dev/null") { $0.count }
        return SecretPromptError?.none
      } catch {
        return error
      }
    }
    #expect(await asking.value == .interrupted)
    await #expect(throws: SecretPromptError.noTerminal) {
      _ = try await SecretPrompt.readOnOwnThread(prompt: "? ", terminal: "/dev/null") { $0.count }
    }
  }

  @Test("backspace works, Ctrl-C and Ctrl-D give up")
  func keys() async throws {
    #expect(try await ask("abX\u{7F}c\n").answer == .success(Array("abc".utf8)))
    #expect(try await ask("ab\u{3}").answer == .failure(.interrupted))
    #expect(try await ask("\u{4}").answer == .failure(.endOfInput))
    #expect(try await ask("\n").answer == .success([]))
    #expect(try await ask("a\u{1A}b\u{1C}\n").answer == .success(Array("ab".utf8)))
    #expect(try await ask("a\u{1B}[Db\n").answer == .failure(.controlCharacter))
    #expect(try await ask("a\tb\n").answer == .success(Array("a\tb".utf8)))
  }

  @Test(
    "in a UTF-8 locale, Backspace removes a whole character, and other bytes may be refused"
  )
  func charactersOfUTF8() async throws {
    let typed = "geheim-wert-é\u{7F}X\n"
    #expect(try await ask(typed, isUTF8: true).answer == .success(Array("geheim-wert-X".utf8)))
    let cut = Array("a".utf8) + [0xC3, 0x58, 0x0A]
    let refused = try await ask(cut, isUTF8: true, requiresUTF8: true)
    #expect(refused.answer == .failure(.invalidUTF8))
    let taken = try await ask(cut, isUTF8: true, requiresUTF8: false)
    #expect(taken.answer == .success(cut.dropLast()))
  }

  @Test("without a terminal it says so")
  func none() {
    let missing = #expect(throws: SecretPromptError.self) {
      try SecretPrompt.read(prompt: "", terminal: "/nonexistent") { _ in }
    }
    #expect(missing == .noTerminal)
    let noTerminal = #expect(throws: SecretPromptError.self) {
      try SecretPrompt.read(prompt: "", terminal: "/dev/null") { _ in }
    }
    #expect(noTerminal == .noTerminal)
  }

  @Test("signals arrive in order, can be waited for, and a second start is refused")
  func signals() async {
    let (stream, continuation) = AsyncStream<Signal>.makeStream()
    let handled = Mutex<[Signal]>([])
    await SignalSource.handleArrived()
    // SIGWINCH and SIGCONT do no harm if the handler were missing.
    #expect(
      SignalSource.start([.windowChanged, .continued], onArrival: { continuation.yield($0) }) {
        handled.withLock { [signal = $0] in $0.append(signal) }
      })
    #expect(!SignalSource.start { _ in })
    var arrived = stream.makeAsyncIterator()
    let signals = [Signal.windowChanged, .continued, .windowChanged]
    for (index, signal) in signals.enumerated() {
      // To the process: the threads that run tasks block signals.
      kill(getpid(), signal.number)
      #expect(await arrived.next() == signal)
      await SignalSource.handleArrived()
      #expect(handled.withLock { $0 } == Array(signals[...index]))
    }
  }
  @Test("a failed write ends no process by a signal")
  func failedWrites() {
    SignalSource.ignoreFailedWrites()
    for number in [SIGPIPE, SIGXFSZ] { #expect(SignalHandler.isIgnored(number)) }
  }
}
