/// Moments at equal distances from a start: what is late does not make the next late.
@usableFromInline
struct TickGrid<C: Clock>: Sendable where C.Duration == Duration {
  @usableFromInline let clock: C
  @usableFromInline let interval: Duration
  @usableFromInline let start: C.Instant
  /// How many intervals from the start the last tick was.
  @usableFromInline var last = 0

  /// - Parameter interval: Above zero. It is taken as at least a nanosecond and at most a hundred
  ///   years, so that neither the number of a tick nor its moment overflows.
  @inlinable
  init(every interval: Duration, clock: C) {
    self.clock = clock
    self.interval = min(max(interval, .nanoseconds(1)), .seconds(100 * 365 * 86_400))
    start = clock.now
  }

  /// Waits for the next tick. Past ticks are skipped; a tick that is due now is not.
  ///
  /// - Returns: Its number: how many intervals from the start it is.
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
  /// What an effect is that was asked to repeat without a pause; `nil` if there is one.
  @inlinable
  static func refusal(
    of interval: Duration, _ name: String, _ location: SourceLocation
  ) -> Effect? {
    guard interval <= .zero else { return nil }
    return Effect(
      .issue(
        """
        “\(name)” was asked to repeat every \(interval), and was not started: it would never pause.
        Give it an interval above zero.
        """), name: name, location: location)
  }
}
