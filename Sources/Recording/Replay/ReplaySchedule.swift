/// When each step of a recording is due, counted from the first one that is played. It uses no
/// clock.
///
/// What is rounded is never added up: at a constant pace the millionth step is as exact as the
/// second one, to the nanosecond.
package struct ReplaySchedule: Sendable, Hashable {
  private struct Point: Hashable {
    /// Recorded, in microseconds.
    let time: Int64
    let moment: Duration
  }

  /// How fast.
  package let pace: ReplayPace
  /// Where the pace last began: the first step, and every one before which a pause was cut.
  private var beginning: Point?
  private var last: Point?

  /// A schedule in which nothing was played yet.
  package init(_ pace: ReplayPace) {
    self.pace = pace
  }

  /// When the next step is due, which was recorded at `time`, in microseconds; zero for the first
  /// one. The pause before it is what is between that and the moment of the one before.
  ///
  /// Steps are asked for in the recording's order. One whose time is before that of the last one,
  /// as after a clock was put back, is due at once.
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
  /// How much later `other` is, which is not earlier.
  fileprivate func distance(toLater other: Int64) -> Int64 {
    let (distance, overflow) = other.subtractingReportingOverflow(self)
    return overflow ? .max : distance
  }
}
