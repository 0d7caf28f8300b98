/// A place in a test's source, in the form that test frameworks take.
public struct TestLocation: Sendable, Hashable, CustomStringConvertible {
  public let fileID: String
  public let filePath: String
  public let line: Int
  public let column: Int

  public init(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  public var description: String { "\(fileID):\(line)" }
}

/// What a test store found wrong, at the line of the test that is to blame.
public struct TestFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Kind: String, Sendable, Hashable {
    /// The state after a step is another than the closure made of the state before.
    case stateDiffers
    /// The state changed, and the test gave no closure.
    case unexpectedChange
    /// The test gave a closure that changes nothing, and nothing changed.
    case nothingChanged
    /// The closure threw.
    case closureThrew
    /// The test waited for an action, and none was there.
    case nothingReceived
    /// The next action is another than the test expects.
    case unexpectedAction
    /// Actions that the test has to receive first, or had to receive before the end.
    case unreceivedActions
    /// An effect had not ended at the end of the test.
    case effectRunning
    /// There was nothing to skip.
    case nothingToSkip
    /// The store reported misuse, or an error that nobody caught.
    case issue
  }

  public let kind: Kind
  /// What happened, and what to do.
  public let message: String
  public let location: TestLocation

  public init(kind: Kind, message: String, location: TestLocation) {
    self.kind = kind
    self.message = message
    self.location = location
  }

  public var description: String { "\(location): \(message)" }
}

/// Tells a test framework of a failure.
///
/// No framework is imported here, and there is no default: one could only print, and a run that printed would still be green. A test
/// target writes one line for the framework it uses.
///
/// Swift Testing:
/// ```swift
/// let report: TestReporter = { failure in
///   Issue.record(
///     Comment(rawValue: failure.message),
///     sourceLocation: SourceLocation(
///       fileID: failure.location.fileID, filePath: failure.location.filePath,
///       line: failure.location.line, column: failure.location.column))
/// }
/// ```
/// XCTest:
/// ```swift
/// let report: TestReporter = { XCTFail($0.description) }
/// ```
public typealias TestReporter = @Sendable (_ failure: TestFailure) -> Void
