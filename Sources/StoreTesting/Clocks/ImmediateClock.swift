import Synchronization

/// A clock on which every sleep returns immediately: time jumps to the deadline.
///
/// For tests in which only the result matters, not the order in time. A loop that sleeps repeatedly
/// would never end on this clock, so the number of sleeps is limited. Use a `TestClock` in tests of
/// timers.
public final class ImmediateClock: Clock, Sendable {
  /// The instants of `TestClock`.
  public typealias Instant = TestClock.Instant

  /// The error of a clock whose limit of sleeps was exceeded.
  public struct LimitReached: Error, Sendable, Hashable, CustomStringConvertible {
    /// The limit of sleeps.
    public let limit: Int

    /// Creates the error of a clock with this limit.
    public init(limit: Int) {
      self.limit = limit
    }

    /// The text of the error, with an alternative.
    public var description: String {
      "There were \(limit) sleeps on an ImmediateClock, the most it allows. What sleeps again and again "
        + "never ends on it: use a TestClock, or give a larger limit."
    }
  }

  private let state = Mutex((now: Instant(offset: .zero), sleeps: 0))
  private let limit: Int

  /// Creates a clock at time zero.
  ///
  /// - Parameter limit: The maximum number of sleeps over the lifetime of the clock.
  public init(limit: Int = 10_000) {
    self.limit = limit
  }

  /// The latest deadline of a sleep so far.
  public var now: Instant { state.withLock { $0.now } }
  /// Zero, since time is exact.
  public var minimumResolution: Duration { .zero }

  /// Advances time to `deadline` and returns. Time never goes back.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, and `LimitReached` if the limit is
  ///   exceeded.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let isAllowed = state.withLock { state -> Bool in
      guard state.sleeps < limit else { return false }
      state.sleeps += 1
      state.now = Swift.max(state.now, deadline)
      return true
    }
    guard isAllowed else { throw LimitReached(limit: limit) }
  }
}
