/// Placeholder of the effect type; the store's own commit replaces it.
public struct Effect<Action: Sendable>: Sendable {
  /// What the effect is, for tests, recordings and lists.
  public var descriptor: EffectDescriptor { EffectDescriptor(kind: .task) }
}
