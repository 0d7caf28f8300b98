import SwiftBoardSystem

/// The time for which a connection waits for the lock of another one.
///
/// SQLite's own timeout cannot be interrupted, and Ctrl-C should not have to wait five seconds.
final class BusyWait: Sendable {
  /// Whether a cancelled task goes on like any other, because it completes a change.
  @TaskLocal static var ignoresCancellation = false

  /// Whether the current task is to end its work with a database.
  static var isCancelled: Bool { Task.isCancelled && !ignoresCancellation }

  let milliseconds: Int
  /// Called before each pause, on the connection's thread.
  let observer: (@Sendable () -> Void)?

  init(milliseconds: Int = 5000, observer: (@Sendable () -> Void)? = nil) {
    self.milliseconds = milliseconds
    self.observer = observer
  }

  private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50]

  /// Pauses. Returns false, without a pause, once the limit is reached or the task is cancelled.
  /// (The call runs inside the task's own job, so the current task is the one that waits.)
  func shouldRetry(attempt: Int) -> Bool {
    if Self.isCancelled { return false }
    let table = Self.pauses
    let spent =
      attempt < table.count
      ? table[..<attempt].reduce(0, +)
      : table.reduce(0, +) + (attempt - table.count) * 100
    guard spent < milliseconds else { return false }
    observer?()
    let pause = attempt < table.count ? table[attempt] : 100
    usleep(UInt32(min(pause, milliseconds - spent)) * 1000)
    return true
  }
}
