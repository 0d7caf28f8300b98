/// The times at which steps of a recording are due, relative to the first played one. It uses no
/// clock.
///
/// Rounding errors do not accumulate. At a constant pace, the millionth step is as exact as the
/// second one, to the nanosecond.
package struct ReplaySchedule: Sendable, Hashable {
  private struct Point: Hashable {
    /// The recorded time in microseconds.
    let time: Int64
    let moment: Duration
  }

  /// The pace of the schedule.
  package let pace: ReplayPace
  /// The step from which due times are computed: the first step, or the last one before which a
  /// pause was shortened.
  private var beginning: Point?
  private var last: Point?

  /// Creates a schedule before the first step.
  package init(_ pace: ReplayPace) {
    self.pace = pace
  }

  /// Returns when the next step is due, which was recorded at `time`, in microseconds. The first
  /// step is due at zero. The pause before a step is the difference from the previous result.
  ///
  /// Steps must be requested in the order of the recording. A step whose time is before that of the
  /// previous one is due immediately.
  package mutating func moment(of time: Int64) -> Duration {
    guard let beginning, let last, time >= last.time else {
      return goOn(from: Point(time: time, moment: last?.moment ?? .zero))
    }
    let moment = beginning.moment + pace.length(of: beginning.time.distance(toLater: time))
    let longest =
      last.moment + min(pace.idleLimit ?? ReplayPace.longestPause, ReplayPace.longestPause)
    guard moment <= longest else { return goOn(from: Point(time: time, moment: longest)) }
    self.last = Point(time: time, moment: moment)
    return moment
  }

  private mutating func goOn(from point: Point) -> Duration {
    (beginning, last) = (point, point)
    return point.moment
  }
}

extension Int64 {
  /// Returns the distance to `other`, which must not be smaller.
  fileprivate func distance(toLater other: Int64) -> Int64 {
    let (distance, overflow) = other.subtractingReportingOverflow(self)
    return overflow ? .max : distance
  }
}
