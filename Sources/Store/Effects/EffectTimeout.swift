/// An effect took longer than it was given. Thrown by `Effect.timeout(after:clock:)`.
public struct EffectTimeout: Error, Sendable, Hashable, CustomStringConvertible {
  /// The effect's name, or its kind where it has none.
  public let name: String
  /// The time it was given.
  public let duration: Duration

  /// The error as the operator throws it; for tests and handlers.
  public init(name: String, duration: Duration) {
    self.name = name
    self.duration = duration
  }

  public var description: String { "“\(name)” took longer than \(duration)" }
}
