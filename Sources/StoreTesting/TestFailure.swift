/// A failure of a test, at the responsible line.
public struct TestFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a failure, for tests of failures, and for reporters that treat some kinds
  /// differently.
  public enum Kind: String, Sendable, Hashable {
    /// The state after a step differs from the closure's.
    case stateDiffers
    /// The state changed, and the test passed no closure.
    case unexpectedChange
    /// The test passed a closure that changes nothing, and nothing changed.
    case nothingChanged
    /// A closure of the test threw.
    case closureThrew
    /// A step returned other effects than the test expects.
    case effectsDiffer
    /// The test expected an action, and there was none.
    case nothingReceived
    /// The next action is not the expected one.
    case unexpectedAction
    /// There are actions that the test must receive first, or before its end.
    case unreceivedActions
    /// An effect was running at the end of the test, or at a line that expected it to have ended.
    case effectRunning
    /// There was nothing to skip.
    case nothingToSkip
    /// A task sleeps on a clock that must have no sleepers.
    case sleeping
    /// The code used a dependency that the test left unimplemented.
    case unimplemented
    /// The store reported misuse, or an uncaught error.
    case issue
    /// An expectation of a scenario or a model failed.
    case expectation
    /// An invariant of a model was broken.
    case invariantBroken
    /// A step took an undeclared transition.
    case impossibleTransition
    /// Declared transitions never happened.
    case notCovered
  }

  /// The kind of the failure.
  public let kind: Kind
  /// The message: what happened, and what to do.
  ///
  /// A difference in it has at most 100 lines, and a list of waiting actions or running effects has
  /// at most 20 entries. If there are more, the end says how many are left out.
  public let message: String
  /// The responsible line.
  public let location: TestLocation

  /// Creates a failure, for your own checks.
  public init(kind: Kind, message: String, location: TestLocation) {
    self.kind = kind
    self.message = message
    self.location = location
  }

  /// The responsible line and the message.
  public var description: String { "\(location): \(message)" }

  /// Returns the same failure with a longer message.
  func adding(_ text: String) -> TestFailure {
    TestFailure(kind: kind, message: message + text, location: location)
  }
}
