/// A misuse of the store or an uncaught error. It is reported and never stops the program.
public struct StoreIssue: Error, Sendable, Equatable, CustomStringConvertible {
  /// A description of what happened, the likely cause, and the fix.
  public let message: String
  /// The source location of the effect, or of the composition of the misused reducer.
  public let location: SourceLocation
  /// The step that returned the effect, or 0 if there is none.
  public let step: Int
  /// The effect that ended with an uncaught error, or `nil` for every other issue.
  public let failedEffect: EffectDescriptor?
  /// The description of the error that the effect threw.
  public let errorText: String?

  /// Creates an issue as a store reports it, for tests and handlers.
  ///
  /// - Parameters:
  ///   - step: The step that caused the issue, or 0 if there is none.
  ///   - failedEffect: The effect that threw, or `nil` if none did.
  ///   - errorText: The description of the error.
  public init(
    message: String, location: SourceLocation, step: Int, failedEffect: EffectDescriptor? = nil,
    errorText: String? = nil
  ) {
    self.message = message
    self.location = location
    self.step = step
    self.failedEffect = failedEffect
    self.errorText = errorText
  }

  /// The location and the message.
  public var description: String { "\(location): \(message)" }
}
