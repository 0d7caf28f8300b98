/// The pace at which a recording is played.
package struct ReplayPace: Sendable, Hashable {
  /// The longest possible pause: 100 years, which every clock can add to its own time.
  package static let longestPause = Duration.seconds(100 * 365 * 86_400)

  /// The factor by which playback is faster than the recording; above 0.
  package let speed: Double
  /// The longest pause between two played steps; `nil` means `longestPause`.
  package let idleLimit: Duration?

  /// Creates a pace. Without arguments, it is that of the recording.
  ///
  /// - Throws: `ReplayError.speed` if `speed` is not a finite number above 0, or
  ///   `ReplayError.idleLimit` if `idleLimit` is negative.
  package init(speed: Double = 1, idleLimit: Duration? = nil) throws(ReplayError) {
    guard speed > 0, speed.isFinite else { throw .speed(speed) }
    if let idleLimit, idleLimit < .zero { throw .idleLimit(idleLimit) }
    self.speed = speed
    self.idleLimit = idleLimit
  }

  /// Returns the played duration of a recorded time in microseconds, to the nanosecond, and at most
  /// 292 000 years.
  func length(of time: Int64) -> Duration {
    let microseconds = Double(time) / speed
    let whole = microseconds.rounded(.down)
    guard let count = Int64(exactly: whole) else { return .microseconds(Int64.max) }
    return .microseconds(count) + .nanoseconds(Int64(((microseconds - whole) * 1000).rounded()))
  }
}
