/// A timer with ticks at equal distances from a start, so that a late tick does not delay the next
/// one.
@usableFromInline
struct TickGrid<C: Clock>: Sendable where C.Duration == Duration {
  @usableFromInline let clock: C
  @usableFromInline let interval: Duration
  @usableFromInline let start: C.Instant
  /// The number of intervals from the start to the last tick.
  @usableFromInline var last = 0

  /// Creates a timer that starts now.
  ///
  /// - Parameter interval: The time between ticks, above zero. It is clamped to the range from one
  ///   nanosecond to a hundred years, so that neither the number of a tick nor its time overflows.
  @inlinable
  init(every interval: Duration, clock: C) {
    self.clock = clock
    self.interval = min(max(interval, .nanoseconds(1)), .hundredYears)
    start = clock.now
  }

  /// Waits for the next tick. Past ticks are skipped, but a tick that is due now is not.
  ///
  /// - Returns: The number of the tick: the number of intervals from the start.
  /// - Throws: `CancellationError` if the task is cancelled.
  @inlinable
  mutating func next() async throws -> Int {
    let elapsed = start.duration(to: clock.now).attoseconds
    let due = (elapsed + interval.attoseconds - 1) / interval.attoseconds
    last = max(last + 1, Int(clamping: due))
    try await clock.sleep(until: start.advanced(by: interval * last), tolerance: nil)
    try Task.checkCancellation()
    return last
  }
}

extension Effect {
  /// Returns the issue that replaces an effect with an interval of zero or less, or `nil` if the
  /// interval is valid.
  @inlinable
  static func refusal(
    of interval: Duration, _ name: String, _ location: SourceLocation
  ) -> Effect? {
    guard interval <= .zero else { return nil }
    return Effect(
      .issue(
        """
        The effect '\(name)' was not started, because its interval is \(interval).
        Use an interval above zero.
        """), name: name, location: location)
  }
}
