import Synchronization

/// A clock on which every sleep is over at once: time jumps to the deadline.
///
/// For tests in which only the result matters and not the order in time. What sleeps again and
/// again would have no end here, so a number of sleeps is the most; in tests of timers use a
/// `TestClock`.
public final class ImmediateClock: Clock, Sendable {
  /// Moments as `TestClock` has them.
  public typealias Instant = TestClock.Instant

  /// More sleeps than the clock allows.
  public struct LimitReached: Error, Sendable, Hashable, CustomStringConvertible {
    /// How many sleeps there were.
    public let limit: Int

    /// The error of a clock with this limit.
    public init(limit: Int) {
      self.limit = limit
    }

    /// What happened, and what to use instead.
    public var description: String {
      "There were \(limit) sleeps on an ImmediateClock, the most it allows. What sleeps again and again "
        + "never ends on it: use a TestClock, or give a larger limit."
    }
  }

  private let state = Mutex((now: Instant(offset: .zero), sleeps: 0))
  private let limit: Int

  /// A clock at the beginning of time.
  ///
  /// - Parameter limit: How many sleeps there may be, over the clock's life.
  public init(limit: Int = 10_000) {
    self.limit = limit
  }

  /// The latest deadline of a sleep so far. One lock.
  public var now: Instant { state.withLock { $0.now } }
  /// Zero: every difference counts.
  public var minimumResolution: Duration { .zero }

  /// Moves time to `deadline` and returns; time never goes back.
  /// - Throws: `CancellationError` where the task is cancelled; `LimitReached` at one sleep too
  ///   many.
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
