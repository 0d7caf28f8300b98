import SwiftBoardCommandLine
import SwiftBoardSystem
import Synchronization

/// The pager that shows output which is longer than the screen. The user's choice is `PAGER`, else
/// it is `less` if that is installed.
///
/// The first long output of a line starts it, and it gets the rest of the line's output. All else
/// that the terminal is to show waits until the user has left it.
final class Pager: Sendable {
  private struct Running {
    let child: ChildProgram
    let input: Int32
    /// Whether the user has left the pager before it had all output.
    var hasQuit = false
    /// What was to be written to the terminal meanwhile, in order.
    var held: [@Sendable () -> Void] = []
  }

  private let words: [String]
  private let terminal: Terminal
  private let running = Mutex<Running?>(nil)
  /// Called before the pager gets the terminal, and after it has given it back.
  let onBegin = Mutex<(@Sendable () -> Void)?>(nil)
  let onEnd = Mutex<(@Sendable () -> Void)?>(nil)

  /// Creates a pager that has not started. Returns `nil` if there is none.
  ///
  /// - Parameter environment: Its `PAGER` is a line of the shell. An empty one is no pager.
  init?(_ environment: [String: String], terminal: Terminal) {
    self.terminal = terminal
    switch environment["PAGER"] {
    case nil:
      guard ChildProgram.isInstalled("less") else { return nil }
      words = ["less", "-FRX"]
    case "": return nil
    case .some(let line): words = ["/bin/sh", "-c", line]
    }
  }

  /// Whether the pager has the terminal.
  var isRunning: Bool { running.withLock { $0 != nil } }

  /// Returns whether a text has more rows than the screen has beside the prompt.
  static func isLong(_ text: StyledText, columns: Int, rows: Int) -> Bool {
    var count = 0
    for line in text.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      // A character takes at most as many columns as it has bytes.
      let width =
        line.count <= columns ? 0 : DisplayWidth.of(String(decoding: line, as: UTF8.self))
      count += max(1, (width + columns - 1) / columns)
      if count > rows { return true }
    }
    return false
  }

  /// Shows output of the line that runs, and starts the pager if the output is long.
  ///
  /// Blocks while the user does not read on, as a terminal may that was stopped.
  ///
  /// - Returns: Whether the pager shows it. If not, it belongs on the terminal.
  func show(_ content: StyledText, rendered: () -> [UInt8]) -> Bool {
    if !isRunning {
      let size = terminal.size
      guard Pager.isLong(content, columns: size.columns, rows: size.rows), start() else {
        return false
      }
    }
    guard let input = running.withLock({ $0.flatMap { $0.hasQuit ? nil : $0.input } }) else {
      return true
    }
    do throws(SystemError) {
      let bytes = rendered()
      let result = bytes.withUnsafeBytes { bytes -> Result<Void, SystemError> in
        Result { () throws(SystemError) in try Descriptor.write(input, bytes) }
      }
      try result.get()
    } catch {
      // The user has left: the rest is not wanted.
      running.withLock { $0?.hasQuit = true }
    }
    return true
  }

  /// Calls `write` now, or once the pager has given the terminal back.
  func whenEnded(_ write: @escaping @Sendable () -> Void) {
    let isHeld = running.withLock { running in
      guard running != nil else { return false }
      running?.held.append(write)
      return true
    }
    if !isHeld { write() }
  }

  private func start() -> Bool {
    guard let pipe = try? Descriptor.pipe() else { return false }
    onBegin.withLock { $0 }?()
    defer { close(pipe.read) }
    guard let child = try? ChildProgram(words, input: pipe.read) else {
      close(pipe.write)
      onEnd.withLock { $0 }?()
      return false
    }
    running.withLock { $0 = Running(child: child, input: pipe.write) }
    return true
  }

  /// Ends the output, and waits until the user has left the pager. Call it when a line has ended.
  func finish() async {
    guard let (child, input) = running.withLock({ $0.map { ($0.child, $0.input) } }) else { return }
    close(input)
    _ = await DetachedThread.run { child.wait() }
    onEnd.withLock { $0 }?()
    // What is written meanwhile has to come behind what is held.
    while true {
      let held = running.withLock { running -> [@Sendable () -> Void] in
        guard let held = running?.held, !held.isEmpty else {
          running = nil
          return []
        }
        running?.held = []
        return held
      }
      guard !held.isEmpty else { return }
      for write in held { write() }
    }
  }

  /// Takes the terminal away from the pager, for example because the program ends.
  func terminate() { running.withLock { $0?.child.terminate() } }
}
