import SwiftBoardDependencies
import Synchronization
import Testing

@testable import SwiftBoardBoard

/// What interrupts the running line of a test, once.
final class Interruption: Sendable {
  private let act = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets what the next call does.
  func arm(_ act: @escaping @Sendable () -> Void) { self.act.withLock { $0 = act } }

  func callAsFunction() { act.withLock { $0.take() }?() }

  /// Does the same, and waits until the current task is cancelled. A command that has just begun is
  /// only cancelled once its line knows of it.
  func andCancel() async {
    guard let act = act.withLock({ $0.take() }) else { return }
    act()
    await waitUntilCancelled()
  }
}

/// Waits until the current task is cancelled.
func waitUntilCancelled() async { for await _ in AsyncStream<Never>.makeStream().stream {} }

/// A logger that interrupts the line of a command of `log` behind its change.
struct InterruptingLogger: Logger {
  let base: MockLogger
  let interrupt: Interruption

  var archive: any LogArchive { base.archive }
  var redactor: Redactor { base.redactor }
  func isEnabled(_ level: LogLevel, category: String) -> Bool {
    base.isEnabled(level, category: category)
  }
  func write(_ level: LogLevel, category: String, message: String, fields: [LogField]) {
    base.write(level, category: category, message: message, fields: fields)
  }
  func recent(limit: Int) -> [LogRecord] { base.recent(limit: limit) }
  func clear() { base.clear() }
  func setLevel(_ level: LogLevel, category: String?) { base.setLevel(level, category: category) }
  func level(category: String?) -> LogLevel { base.level(category: category) }
  func statistics() -> LoggerStatistics {
    interrupt()
    return base.statistics()
  }
  func flush(within duration: Duration) async -> Bool { await base.flush(within: duration) }
}

extension Lines {
  /// Runs two lines on a board of their own, and interrupts the second one where the services do.
  ///
  /// - Parameter interrupt: What the services call. If it is `nil`, nothing interrupts.
  /// - Returns: The code of the second line, what both printed, and the state after them.
  static func run(
    _ first: String, then line: String, interruptedBy interrupt: Interruption?,
    _ dependencies: Dependencies
  ) async -> (code: Int32, printed: String, state: BoardState) {
    var dependencies = dependencies
    dependencies.clock = Dependencies.mock.clock
    let lines = Lines(dependencies: dependencies)
    #expect(await lines.run(first) == 0)
    interrupt?.arm { [session = lines.session] in session.interrupt() }
    let code = await lines.run(line)
    let state = lines.board.store.state
    #expect(state.shell.running.isEmpty)
    await lines.board.close()
    return (code, lines.allPrinted, state)
  }
}
