/// Holds up whoever plays a recording until the next step is due on a clock, and until somebody
/// says to go on.
///
/// Steps are due by the clock's time and not by pauses between them, so that what a step takes, and
/// what a clock sleeps too long, delays no other one. Who was held up for more than a second, by a
/// terminal that stood still or a machine that slept, goes on at the pace from there and catches up
/// with nothing; so it is after every word of `nextStep`.
package struct ReplayPacer: Sendable {
  /// Waits for somebody's word; false: to end here. Throws where that is cancelled.
  package typealias NextStep = @Sendable () async throws -> Bool

  private static let slack = Duration.seconds(1)

  private var schedule: ReplaySchedule?
  private let nextStep: NextStep?
  private let elapsed: @Sendable () -> Duration
  private let sleep: @Sendable (_ until: Duration) async throws -> Void
  /// When the schedule began, on the clock; nil before the first step.
  private var beginning: Duration?

  /// - Parameters:
  ///   - pace: Nil waits for no time.
  ///   - clock: Is asked for the time, and slept on, only where there is a pace.
  ///   - nextStep: Asked before each step, when it is due; nil asks nobody.
  package init(
    _ pace: ReplayPace?, clock: some Clock<Duration> = ContinuousClock(), nextStep: NextStep? = nil
  ) {
    schedule = pace.map { ReplaySchedule($0) }
    self.nextStep = nextStep
    let origin = pace.map { _ in clock.now }
    elapsed = { origin?.duration(to: clock.now) ?? .zero }
    sleep = { offset in
      guard let origin else { return }
      try await clock.sleep(until: origin.advanced(by: offset), tolerance: nil)
    }
  }

  /// Waits until the next step, which was recorded at `time`, in microseconds, is to be played. The
  /// first one is due at once.
  ///
  /// - Returns: Whether to go on.
  /// - Throws: `CancellationError` when the task is cancelled, at once where it sleeps, and what
  ///   `nextStep` throws.
  package mutating func wait(until time: Int64) async throws -> Bool {
    try Task.checkCancellation()
    let moment = schedule?.moment(of: time)
    if let moment { try await wait(for: moment) }
    guard let nextStep else { return true }
    guard try await nextStep() else { return false }
    try Task.checkCancellation()
    if let moment { beginning = elapsed() - moment }
    return true
  }

  private mutating func wait(for moment: Duration) async throws {
    let now = elapsed()
    let due = (beginning ?? now) + moment
    if beginning == nil || now > due + ReplayPacer.slack {
      beginning = now - moment
    } else if due > now {
      try await sleep(due)
      try Task.checkCancellation()
    }
  }
}
