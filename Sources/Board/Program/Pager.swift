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
    let input: PagerInput
  }

  private let words: [String]
  private let terminal: Terminal
  private let running = Mutex<Running?>(nil)
  /// What is to be written to the terminal once the user has left the pager.
  let held = HeldOutput()
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
    // A pager such as `less` shows colors only with `-R`.
    case .some(let line): words = ["/bin/sh", "-c", "LESS=${LESS-FRX}; export LESS; \(line)"]
    }
  }

  /// Whether the pager has the terminal.
  var isRunning: Bool { running.withLock { $0 != nil } }

  /// Returns whether a text has more rows than the screen has beside the prompt.
  static func isLong(_ text: StyledText, columns: Int, rows: Int) -> Bool {
    var count = 0
    for line in text.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      count += DisplayWidth.rows(of: line, columns: columns)
      if count > rows { return true }
    }
    return false
  }

  /// Shows output of the line that runs, and starts the pager if the output is long. Does not wait
  /// for the user to read on.
  ///
  /// - Returns: Whether the pager shows it. If not, it belongs on the terminal.
  func show(_ content: StyledText, rendered: () -> [UInt8]) -> Bool {
    if !isRunning {
      let size = terminal.size
      guard Pager.isLong(content, columns: size.columns, rows: size.rows), start() else {
        return false
      }
    }
    running.withLock { $0?.input }?.add(rendered())
    return true
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
    held.begin()
    running.withLock { $0 = Running(child: child, input: PagerInput(pipe.write)) }
    return true
  }

  /// Ends the output, and waits until the user has left the pager. Call it when a line has ended.
  ///
  /// - Parameter write: Receives the output if the pager could not run.
  func finish(_ write: ([UInt8]) -> Void) async {
    guard let (child, input) = running.withLock({ $0.map { ($0.child, $0.input) } }) else { return }
    input.end()
    let code = await DetachedThread.run { child.wait() }
    onEnd.withLock { $0 }?()
    // What the shell says if there is no such program.
    if code == 126 || code == 127 { write(input.all) }
    running.withLock { $0 = nil }
    held.end()
  }

  /// Takes the terminal away from the pager, for example because the program ends.
  func terminate() { running.withLock { $0?.child.terminate() } }
}

/// What the pager gets. It is written by a thread of its own, because the user may not read on.
private final class PagerInput: Sendable {
  /// The most bytes that are kept for the case that the pager does not run.
  private static let limit = 16 << 20

  private let kept = Mutex<[UInt8]>([])
  private let pieces: AsyncStream<[UInt8]>.Continuation

  /// Writes to a pipe, and closes it at the end.
  init(_ descriptor: Int32) {
    let (stream, pieces) = AsyncStream<[UInt8]>.makeStream()
    self.pieces = pieces
    Task {
      var hasReader = true
      for await bytes in stream where hasReader {
        hasReader = await DetachedThread.run {
          bytes.withUnsafeBytes { bytes in (try? Descriptor.write(descriptor, bytes)) != nil }
        }
      }
      close(descriptor)
    }
  }

  /// All that was added, up to 16 MiB.
  var all: [UInt8] { kept.withLock { $0 } }

  func add(_ bytes: [UInt8]) {
    kept.withLock { if $0.count < Self.limit { $0 += bytes } }
    pieces.yield(bytes)
  }

  func end() { pieces.finish() }
}
