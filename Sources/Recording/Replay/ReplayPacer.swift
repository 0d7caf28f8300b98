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
  /// The time on the clock at which the schedule began, or `nil` before the first step.
  private var beginning: Duration?

  /// - Parameters:
  ///   - pace: The pace, or `nil` to play without delays.
  ///   - clock: The clock, used only if there is a pace.
  ///   - nextStep: Called before each step when it is due, or `nil` to continue without asking.
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

  /// Waits until the next step is due. The first step is due immediately. `time` is the recorded
  /// time of the step in microseconds.
  ///
  /// - Returns: Whether to continue.
  /// - Throws: `CancellationError` if the task is cancelled, immediately if it sleeps, and the
  ///   errors of `nextStep`.
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
