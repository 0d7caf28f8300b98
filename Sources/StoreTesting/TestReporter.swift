/// Tells a test framework of a failure.
///
/// No framework is imported here, and there is no default: one could only print, and a run that
/// printed would still be green. A test target says it once, for the framework it uses.
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
/// A target that has tests of both kinds has both, under two names.
public typealias TestReporter = @Sendable (_ failure: TestFailure) -> Void

/// A reporter for a framework that takes file ID, path, line and column, as Swift Testing is.
/// Called on the thread where the failure was found.
///
/// - Parameter record: Tells the framework of a message at a location.
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

/// A reporter for a framework that takes a path and a line, as XCTest is. Called on the thread
/// where the failure was found.
///
/// - Parameter record: Tells the framework of a message at a path and a line.
public func testReporter(
  _ record: @escaping @Sendable (_ message: String, _ file: StaticString, _ line: UInt) -> Void
) -> TestReporter {
  { record($0.message, $0.location.file, UInt($0.location.line)) }
}
