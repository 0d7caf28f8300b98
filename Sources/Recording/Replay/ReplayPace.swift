/// How fast a recording is played.
package struct ReplayPace: Sendable, Hashable {
  /// The longest pause there is, whatever was recorded: 100 years, which every clock can add to its
  /// own time.
  package static let longestPause = Duration.seconds(100 * 365 * 86_400)

  /// Times as fast as it was; above 0.
  package let speed: Double
  /// The longest pause between two steps, as it is played; nil: `longestPause`.
  package let idleLimit: Duration?

  /// A pace; without parameters that of the recording.
  ///
  /// - Throws: What is wrong, where `speed` is not a finite number above 0 or `idleLimit` is
  ///   negative.
  package init(speed: Double = 1, idleLimit: Duration? = nil) throws(ReplayError) {
    guard speed > 0, speed.isFinite else { throw .speed(speed) }
    if let idleLimit, idleLimit < .zero { throw .idleLimit(idleLimit) }
    self.speed = speed
    self.idleLimit = idleLimit
  }

  /// How long so many recorded microseconds last; to the nanosecond, and 292 000 years at most.
  func length(of time: Int64) -> Duration {
    let microseconds = Double(time) / speed
    let whole = microseconds.rounded(.down)
    guard let count = Int64(exactly: whole) else { return .microseconds(Int64.max) }
    return .microseconds(count) + .nanoseconds(Int64(((microseconds - whole) * 1000).rounded()))
  }
}
