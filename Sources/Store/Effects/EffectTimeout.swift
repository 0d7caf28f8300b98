/// An error of an effect that exceeded its time limit. Thrown by `Effect.timeout(after:clock:)`.
public struct EffectTimeout: Error, Sendable, Hashable, CustomStringConvertible {
  /// The effect's name, or its kind if it has no name.
  public let name: String
  /// The time limit.
  public let duration: Duration

  /// Creates an error as the operator throws it, for tests and handlers.
  public init(name: String, duration: Duration) {
    self.name = name
    self.duration = duration
  }

  /// A message for the user.
  public var description: String { "'\(name)' took longer than \(duration)" }
}
