/// A protocol for extensions of `Array` that apply to lists of effects. Only `Effect` conforms.
public protocol EffectProtocol<Action>: Sendable {
  /// The type of the actions that the effect sends.
  associatedtype Action: Sendable
}

extension Effect: EffectProtocol {}
