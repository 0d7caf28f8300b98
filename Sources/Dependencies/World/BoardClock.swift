/// Monotonic time, and sleeping on it.
public struct BoardClock: Sendable {
  @usableFromInline let live: @Sendable () -> Int64
  @usableFromInline let interceptor: DrawInterceptor?
  private let suspend: @Sendable (Duration) async throws -> Void

  /// A clock from its parts.
  ///
  /// - Parameters:
  ///   - interceptor: Sees every read of `now`.
  ///   - now: Microseconds; must never decrease.
  ///   - sleep: Throws `CancellationError` when the task is cancelled.
  public init(
    interceptor: DrawInterceptor? = nil,
    now: @escaping @Sendable () -> Int64,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.live = now
    self.interceptor = interceptor
    self.suspend = sleep
  }

  /// Microseconds since the clock's own origin; never decreases.
  @inlinable
  public var now: Int64 {
    guard let interceptor else { return live() }
    guard case .clock(let value) = interceptor(.clock, { .clock(live()) }) else { return live() }
    return value
  }

  /// Suspends for at least `duration`; a duration of zero or less returns at once. Not a draw: only
  /// effects sleep.
  /// - Throws: `CancellationError` when the task is cancelled, at once.
  public func sleep(for duration: Duration) async throws {
    try await suspend(duration)
  }

  /// The same clock behind an interceptor, which sees reads and not sleeps.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> BoardClock {
    let inner = self
    return BoardClock(interceptor: interceptor, now: { inner.now }, sleep: suspend)
  }

  /// The system's clock, which continues while the machine sleeps. Its origin is the moment of this
  /// call.
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
  /// This clock in the standard library's form, for what takes `any Clock<Duration>`. Its instants
  /// count from the clock's origin.
  public var standard: Standard { Standard(base: self) }

  /// A `BoardClock` as a `Clock`.
  public struct Standard: Clock {
    /// A moment, as the clock counts it.
    public struct Instant: InstantProtocol {
      /// Since the clock's origin.
      public var microseconds: Int64

      /// The moment so many microseconds after the origin.
      public init(microseconds: Int64) {
        self.microseconds = microseconds
      }

      /// Whole microseconds, rounded up; stays at the ends of `Int64`.
      public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = microseconds.addingReportingOverflow(duration.microseconds)
        return Instant(microseconds: overflow ? (duration < .zero ? .min : .max) : sum)
      }

      /// Negative where `other` is earlier.
      public func duration(to other: Instant) -> Duration {
        .microseconds(other.microseconds) - .microseconds(microseconds)
      }

      public static func < (a: Instant, b: Instant) -> Bool { a.microseconds < b.microseconds }
    }

    let base: BoardClock

    /// A draw, like `BoardClock.now`.
    public var now: Instant { Instant(microseconds: base.now) }
    /// What `BoardClock` counts in.
    public var minimumResolution: Duration { .microseconds(1) }

    /// Reads the time once, which is a draw, and sleeps for what is left. The tolerance is not
    /// used.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      try await base.sleep(for: now.duration(to: deadline))
    }
  }
}
