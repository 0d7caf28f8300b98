/// Delays a replay until the next step is due on a clock, and until the user continues it.
///
/// Steps are due at absolute times rather than after pauses, so that neither the duration of a step
/// nor an overlong sleep delays the others. A replay that is late by more than a second, because a
/// terminal was stopped or the machine slept, continues at the pace from there and does not catch
/// up. The same applies after every call to `nextStep`.
package struct ReplayPacer: Sendable {
  /// Waits for the user; false ends the replay. Throws if the wait is cancelled.
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
  ///   - nextStep: Called before each step, when it is due; nil continues without asking.
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
  /// - Returns: Whether to continue.
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
