/// A clock for tests in which nobody should ask for the time or sleep: whoever does is reported at
/// the line that made it.
public final class UnimplementedClock: Clock, Sendable {
  /// Moments as `TestClock` has them.
  public typealias Instant = TestClock.Instant

  private let name: String
  private let location: TestLocation
  private let report: TestReporter

  /// A clock that nobody should use.
  ///
  /// - Parameters:
  ///   - name: What failures call it.
  ///   - report: Hears of each use, with this line, on the thread of whoever uses it.
  public init(
    _ name: String = "clock", report: @escaping TestReporter, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    self.name = name
    self.report = report
    location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reports, and gives the beginning of time. O(1) beside the report.
  public var now: Instant {
    tell("was asked for the time")
    return Instant(offset: .zero)
  }

  /// Not reported: it says nothing of the time.
  public var minimumResolution: Duration { .zero }

  /// Reports, and does not sleep. One call.
  /// - Throws: `UnimplementedError`, always.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    tell("was asked to sleep until \(deadline)")
    throw UnimplementedError(name: name, location: location)
  }

  private func tell(_ what: String) {
    report(
      TestFailure(
        kind: .unimplemented,
        message: "“\(name)”, a clock that this test left unimplemented, \(what). "
          + "Give the test a TestClock or an ImmediateClock, or find out who uses the clock.",
        location: location))
  }
}
