/// A monotonic clock that tasks can sleep on.
public struct BoardClock: Sendable {
  @usableFromInline let live: @Sendable () -> Int64
  private let suspend: @Sendable (Duration) async throws -> Void

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - now: Returns microseconds, which must never decrease.
  ///   - sleep: Throws `CancellationError` when the task is cancelled.
  public init(
    now: @escaping @Sendable () -> Int64,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.live = now
    self.suspend = sleep
  }

  /// Microseconds since the clock's own origin; never decreases.
  @inlinable
  public var now: Int64 { live() }

  /// Suspends for at least `duration`, or not at all if it is zero or less. A sleep is not a draw
  /// because only effects sleep.
  ///
  /// - Throws: `CancellationError` immediately when the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    try await suspend(duration)
  }

  /// Returns the clock with an interceptor for reads. Sleeps are not intercepted.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> BoardClock {
    let now: @Sendable () -> Int64 = { [live] in
      guard case .clock(let value) = interceptor(.clock, { .clock(live()) }) else { return live() }
      return value
    }
    return BoardClock(now: now, sleep: suspend)
  }

  /// The system's clock, which continues while the machine sleeps. Its origin is the time of this
  /// access.
  public static var live: BoardClock {
    let clock = ContinuousClock()
    let origin = clock.now
    return BoardClock(
      now: { origin.duration(to: clock.now).microseconds },
      sleep: { duration in
        guard duration > .zero else { return try Task.checkCancellation() }
        try await clock.sleep(for: duration)
      })
  }
}

extension BoardClock {
  /// The clock as an `any Clock<Duration>` of the standard library. Its instants count from the
  /// clock's origin.
  public var standard: Standard { Standard(base: self) }

  /// A `BoardClock` as a `Clock`.
  public struct Standard: Clock {
    /// An instant of the clock.
    public struct Instant: InstantProtocol {
      /// The microseconds since the clock's origin.
      public var microseconds: Int64

      /// Creates an instant from the microseconds since the origin.
      public init(microseconds: Int64) {
        self.microseconds = microseconds
      }

      /// Returns an instant in whole microseconds, rounded up and clamped to the range of `Int64`.
      public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = microseconds.addingReportingOverflow(duration.microseconds)
        return Instant(microseconds: overflow ? (duration < .zero ? .min : .max) : sum)
      }

      /// Returns a duration, negative if `other` is earlier.
      public func duration(to other: Instant) -> Duration {
        .microseconds(other.microseconds) - .microseconds(microseconds)
      }

      /// Returns whether `a` is earlier than `b`.
      public static func < (a: Instant, b: Instant) -> Bool { a.microseconds < b.microseconds }
    }

    let base: BoardClock

    /// The current instant. Reading it is a draw, like `BoardClock.now`.
    public var now: Instant { Instant(microseconds: base.now) }
    /// One microsecond.
    public var minimumResolution: Duration { .microseconds(1) }

    /// Reads the time once, which is a draw, and sleeps for the remaining duration. Ignores the
    /// tolerance.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      try await base.sleep(for: now.duration(to: deadline))
    }
  }
}
