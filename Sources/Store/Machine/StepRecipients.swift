/// The recipients of information about each step.
@usableFromInline
struct StepRecipients: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable static var hooks: StepRecipients { StepRecipients(rawValue: 1) }
  @inlinable static var observers: StepRecipients { StepRecipients(rawValue: 2) }
  @inlinable static var hooksAndObservers: StepRecipients { StepRecipients(rawValue: 1 | 2) }
  @inlinable static var meter: StepRecipients { StepRecipients(rawValue: 4) }
  /// The reducer declares subscriptions, which are checked after each step.
  @inlinable static var subscriptions: StepRecipients { StepRecipients(rawValue: 8) }
  /// Effects of children run. After each step, removed children are searched for.
  @inlinable static var children: StepRecipients { StepRecipients(rawValue: 16) }
  /// A hook or the meter is called before the reduction.
  @inlinable static var beforeReduction: StepRecipients { StepRecipients(rawValue: 32) }

  /// The recipients that the runtime tells, and not the machine.
  static var listeners: StepRecipients { [.hooks, .observers, .meter, .beforeReduction] }
}
