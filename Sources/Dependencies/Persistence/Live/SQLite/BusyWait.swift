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

  /// The length of a pause. It is short also after a long wait: a program that writes without a
  /// break leaves the lock free for no more than a moment between two commits, and on a slow disk a
  /// waiter that looks rarely would miss all of them. It is random, so that two waiters do not look
  /// at the same times.
  private static let microseconds = 500...4_000

  /// Pauses. Returns false, without a pause, once the limit is reached or the task is cancelled.
  /// (The call runs inside the task's own job, so the current task is the one that waits.)
  ///
  /// - Parameter paused: The sum of this wait's pauses so far, in microseconds. A time for which
  ///   the whole process was stopped is not a part of it.
  func shouldRetry(paused: inout Int) -> Bool {
    let limit = milliseconds * 1000
    guard !Self.isCancelled, paused < limit else { return false }
    observer?()
    let pause = min(Int.random(in: Self.microseconds), limit - paused)
    usleep(UInt32(pause))
    paused += pause
    return true
  }
}
