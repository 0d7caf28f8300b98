import SwiftBoardDependencies
import Synchronization

/// The pace of progress reports: once per second, but not during the first second.
final class ProgressPace: Sendable {
  private static let interval: Int64 = 1_000_000

  private let clock: BoardClock
  private let due: Mutex<Int64>

  init(_ clock: BoardClock) {
    self.clock = clock
    due = Mutex(clock.now + ProgressPace.interval)
  }

  /// Whether progress is due now. If so, the next interval starts now.
  var isDue: Bool {
    let now = clock.now
    return due.withLock { due in
      guard now >= due else { return false }
      due = now + ProgressPace.interval
      return true
    }
  }
}
