/// What a test found wrong, at the line of the test that is to blame.
public struct TestFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// What sort of thing went wrong: for tests of failures, and for reporters that treat some
  /// otherwise.
  public enum Kind: String, Sendable, Hashable {
    /// The state after a step is another than the closure says.
    case stateDiffers
    /// The state changed, and the test gave no closure.
    case unexpectedChange
    /// The test gave a closure that changes nothing, and nothing changed.
    case nothingChanged
    /// A closure of the test threw.
    case closureThrew
    /// A step returned other effects than the test expects.
    case effectsDiffer
    /// The test waited for an action, and none was there.
    case nothingReceived
    /// The next action is another than the test expects.
    case unexpectedAction
    /// Actions that the test has to receive first, or had to receive before the end.
    case unreceivedActions
    /// An effect had not ended at the end of the test, or where the test said that it had.
    case effectRunning
    /// There was nothing to skip.
    case nothingToSkip
    /// A task sleeps on a clock that must have no sleepers.
    case sleeping
    /// Something was used that the test left unimplemented.
    case unimplemented
    /// The store reported misuse, or an uncaught error.
    case issue
    /// A scenario or a model said that something does not hold.
    case expectation
    /// An invariant of a model does not hold.
    case invariantBroken
    /// A step took a transition that was not declared.
    case impossibleTransition
    /// Declared transitions that never happened.
    case notCovered
  }

  /// What sort of thing it is.
  public let kind: Kind
  /// What happened, and what to do.
  public let message: String
  /// The line to blame.
  public let location: TestLocation

  /// A failure as test stores report it; for checks of your own.
  public init(kind: Kind, message: String, location: TestLocation) {
    self.kind = kind
    self.message = message
    self.location = location
  }

  /// The line to blame and the message.
  public var description: String { "\(location): \(message)" }

  /// The same failure with more said about it.
  func adding(_ text: String) -> TestFailure {
    TestFailure(kind: kind, message: message + text, location: location)
  }
}
