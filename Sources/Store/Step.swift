/// A reduction, as hooks and observers receive it. Its size is two words beside the action. It
/// allocates one small object if the origin has a name or there are effects.
public struct Step<Action: Sendable>: Sendable {
  /// The number of the step: 1, 2, 3 and so on in the order of reduction, without gaps.
  public let number: Int
  /// The reduced action.
  public let action: Action
  /// `nil` for the most common steps, which nameless code sends and which have no effects. Copying
  /// them is cheap.
  @usableFromInline let details: StepDetails?

  /// The sender of the action.
  @inlinable
  public var origin: StepOrigin { details?.origin ?? .program("") }
  /// The descriptors of the returned effects, in order, without `.none`. O(1), because they were
  /// created with the step.
  @inlinable
  public var effects: [EffectDescriptor] { details?.effects ?? [] }

  /// Whether the origin is nameless code and there are no effects. O(1), and cheaper than reading
  /// both properties.
  @inlinable
  public var isBare: Bool { details == nil }

  @inlinable
  init(number: Int, action: Action, details: StepDetails?) {
    self.number = number
    self.action = action
    self.details = details
  }

  /// Creates a step as a store creates it, for tests and replays.
  ///
  /// - Complexity: One small object, or none if there are no effects and the origin is nameless
  ///   code.
  @inlinable
  public init(number: Int, origin: StepOrigin, action: Action, effects: [EffectDescriptor]) {
    self.init(
      number: number, action: action,
      details: effects.isEmpty && origin.isNameless
        ? nil : StepDetails(origin: origin, effects: effects))
  }
}

@usableFromInline
final class StepDetails: Sendable {
  @usableFromInline let origin: StepOrigin
  @usableFromInline let effects: [EffectDescriptor]

  @inlinable
  init(origin: StepOrigin, effects: [EffectDescriptor]) {
    self.origin = origin
    self.effects = effects
  }
}
