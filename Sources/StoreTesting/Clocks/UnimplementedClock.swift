/// A clock for tests that must neither read the time nor sleep. Each use is reported at the line
/// that created the clock.
public final class UnimplementedClock: Clock, Sendable {
  /// The instants of `TestClock`.
  public typealias Instant = TestClock.Instant

  private let name: String
  private let location: TestLocation
  private let report: TestReporter

  /// Creates a clock that must not be used.
  ///
  /// - Parameters:
  ///   - name: The name in failures.
  ///   - report: Called for each use, with this line, on the thread that uses the clock.
  public init(
    _ name: String = "clock", report: @escaping TestReporter, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    self.name = name
    self.report = report
    location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reports a failure and returns time zero.
  public var now: Instant {
    tell("was asked for the time")
    return Instant(offset: .zero)
  }

  /// Zero. This is not reported, since it does not depend on time.
  public var minimumResolution: Duration { .zero }

  /// Reports a failure and does not sleep.
  ///
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
          + "Give the test a TestClock or an ImmediateClock, or find what uses the clock.",
        location: location))
  }
}
