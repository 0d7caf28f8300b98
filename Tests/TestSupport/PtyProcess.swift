import Dispatch
import SwiftBoardSystem
import Synchronization

/// A program on a terminal of its own, as someone at a keyboard runs it.
///
/// What it shows, and the echo of what is typed, is in `output`. Dropping the value kills the
/// program.
public final class PtyProcess: Sendable {
  private let reaper: Reaper
  private let path: String
  private let master: Mutex<Int32?>
  private let outputLog = EventLog<[UInt8]>()
  /// Taken while what is shown is not read.
  private let gate = DispatchSemaphore(value: 1)
  private let pause = Pause()

  /// The text that pauses the output once it is shown.
  private final class Pause: Sendable { let text = Mutex<[UInt8]?>(nil) }

  /// Starts it.
  ///
  /// - Parameters:
  ///   - environment: all its variables; nil passes on those of the test.
  ///   - folder: where it runs; nil is the folder of the test.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil,
    folder: String? = nil, columns: Int = 80, rows: Int = 24
  ) throws {
    let terminal = try PseudoTerminal()
    self.path = terminal.path
    let master = terminal.user
    Self.setSize(master, columns: columns, rows: rows)
    // Held open until the child has it, or reading the master could end before the child begins.
    let held = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { if held >= 0 { close(held) } }
    do {
      reaper = Reaper(
        try ChildProgram(
          [path] + arguments, environment: environment, folder: folder,
          session: .terminal(terminal.path)))
    } catch {
      close(master)
      throw error
    }
    self.master = Mutex(master)
    // A copy for the reader: the number cannot be reused under it while it waits.
    let reading = dup(master)
    _ = fcntl(reading, F_SETFD, FD_CLOEXEC)
    let (log, gate, pause) = (outputLog, gate, pause)
    DetachedThread.start {
      while let chunk = readSome(reading) {
        let pauses = pause.text.withLock { text in
          guard let found = text, chunk.firstRange(of: found) != nil else { return false }
          text = nil
          return true
        }
        if pauses { gate.wait() }
        log.append(chunk)
        gate.wait()
        gate.signal()
      }
      log.end()
      close(reading)
    }
  }

  deinit {
    reaper.signal(SIGKILL)
    master.withLock { descriptor in
      if let open = descriptor { close(open) }
      descriptor = nil
    }
  }

  public var processID: Int32 { reaper.processID }

  /// Types: bytes as a keyboard sends them, for example `\r` for Enter and `\u{3}` for C-c. False
  /// once it has ended.
  @discardableResult
  public func type(_ text: String) -> Bool { type(Array(text.utf8)) }

  @discardableResult
  public func type(_ bytes: [UInt8]) -> Bool {
    master.withLock { descriptor in
      guard let descriptor else { return false }
      return writeAll(descriptor, bytes)
    }
  }

  /// Changes the size of the terminal; the program gets SIGWINCH.
  public func resize(columns: Int, rows: Int) {
    master.withLock { descriptor in
      if let descriptor { Self.setSize(descriptor, columns: columns, rows: rows) }
    }
  }

  /// Takes no more output, as a terminal after Ctrl-S; at most what is being read still comes.
  public func pauseOutput() { gate.wait() }

  /// Takes no more output once it has shown a text, which one read must have as a whole.
  public func pauseOutput(at text: String) {
    pause.text.withLock { $0 = Array(text.utf8) }
  }

  /// Takes output again.
  public func resumeOutput() { gate.signal() }

  /// Whether the terminal has room for more output of the program.
  public var takesOutput: Bool {
    let terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(terminal) }
    var request = pollfd(fd: terminal, events: Int16(POLLOUT), revents: 0)
    // Real time: none, since this does not wait.
    return poll(&request, 1, 0) > 0
  }

  /// Waits for its end alone, whatever it has shown.
  public func waitForEnd() async -> ExitStatus { await reaper.status() }

  /// Sends a signal; nothing happens when it has ended.
  public func signal(_ number: Int32) { reaper.signal(number) }

  /// Whether the terminal shows what is typed; also after the program has ended.
  public var echoes: Bool {
    master.withLock { descriptor in
      var modes = termios()
      guard let descriptor, tcgetattr(descriptor, &modes) == 0 else { return false }
      return modes.c_lflag & tcflag_t(ECHO) != 0
    }
  }

  /// All that was shown so far.
  public var output: [UInt8] { outputLog.events.bytes }
  public var outputText: String { String(decoding: output, as: UTF8.self) }

  /// Waits until `text` was shown `count` times; false when it ended without.
  @discardableResult
  public func waitForOutput(_ text: String, count: Int = 1) async -> Bool {
    let wanted = Array(text.utf8)
    return await outputLog.first { chunks in
      chunks.bytes.ranges(of: wanted).count >= count ? true : nil
    } ?? false
  }

  /// Waits until the screen fulfils a condition, and returns it; the last screen when the program
  /// ended without.
  ///
  /// - Parameter offset: The bytes of output that are left out, for example those before the size
  ///   changed.
  public func waitForScreen(
    columns: Int = 80, rows: Int = 24, from offset: Int = 0,
    _ condition: @Sendable @escaping (ScreenModel) -> Bool
  ) async -> ScreenModel {
    let found = await outputLog.first { chunks -> ScreenModel? in
      var screen = ScreenModel(columns: columns, rows: rows)
      screen.show(Array(chunks.bytes.dropFirst(offset)))
      return condition(screen) ? screen : nil
    }
    if let found { return found }
    var screen = ScreenModel(columns: columns, rows: rows)
    screen.show(Array(output.dropFirst(offset)))
    return screen
  }

  /// The modes of the terminal, which keys change while a line is edited.
  public var isRaw: Bool {
    master.withLock { descriptor in
      var modes = termios()
      guard let descriptor, tcgetattr(descriptor, &modes) == 0 else { return false }
      return modes.c_lflag & tcflag_t(ICANON) == 0
    }
  }

  /// Waits for its end and for all it has shown.
  public func wait() async -> ExitStatus {
    let status = await reaper.status()
    _ = await end(of: outputLog)
    return status
  }

  private static func setSize(_ descriptor: Int32, columns: Int, rows: Int) {
    var size = winsize(
      ws_row: UInt16(clamping: rows), ws_col: UInt16(clamping: columns), ws_xpixel: 0,
      ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }
}
