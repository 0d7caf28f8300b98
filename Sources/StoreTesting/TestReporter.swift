/// A function that reports a failure to a test framework.
///
/// This module imports no test framework and has no default reporter, which could only print and
/// would not fail the test. A test target defines a reporter once for its framework.
///
/// Swift Testing:
/// ```swift
/// let report = testReporter {
///   Issue.record("\($0)", sourceLocation: .init(fileID: $1, filePath: $2, line: $3, column: $4))
/// }
/// ```
/// XCTest:
/// ```swift
/// let report = testReporter { XCTFail($0, file: $1, line: $2) }
/// ```
/// A target with tests of both frameworks defines two reporters.
public typealias TestReporter = @Sendable (_ failure: TestFailure) -> Void

/// Returns a reporter for a framework that takes file ID, path, line and column, such as Swift
/// Testing. It is called on the thread of the failure.
///
/// - Parameter record: Reports a message at a location to the framework.
public func testReporter(
  _ record:
    @escaping @Sendable (
      _ message: String, _ fileID: String, _ filePath: String, _ line: Int, _ column: Int
    ) -> Void
) -> TestReporter {
  { failure in
    let location = failure.location
    record(
      failure.message, location.fileID, location.filePath, location.line, location.column)
  }
}

/// Returns a reporter for a framework that takes a path and a line, such as XCTest. It is called on
/// the thread of the failure.
///
/// - Parameter record: Reports a message at a path and line to the framework.
public func testReporter(
  _ record: @escaping @Sendable (_ message: String, _ file: StaticString, _ line: UInt) -> Void
) -> TestReporter {
  { record($0.message, $0.location.file, UInt($0.location.line)) }
}
