/// An action that waits to be reduced.
@usableFromInline
struct QueuedAction<Action: Sendable>: Sendable {
  @usableFromInline
  enum Sender: Sendable {
    /// Code outside the store. Indirect, so that an action of an effect is cheap to hand on.
    indirect case outside(StepOrigin)
    /// An effect's work. The action is dropped if the effect is cancelled first.
    case effect(EffectID)
    /// An effect whose work ends with the action: a task, or a `.send` with a node. Dropped as
    /// well.
    case ending(EffectID)
    /// A `.send` effect without a node: without ids, in no group and of no child, so that nothing
    /// can cancel it.
    case immediate(step: Int)
  }

  @usableFromInline let action: Action
  @usableFromInline let sender: Sender
  /// What the action causes belongs to it.
  @usableFromInline let task: EffectID
  /// The thread that reduces the action is the one that sent it.
  @usableFromInline let inheritsTaskLocals: Bool

  @inlinable
  init(_ action: Action, from sender: Sender, task: EffectID, inheritsTaskLocals: Bool) {
    self.action = action
    self.sender = sender
    self.task = task
    self.inheritsTaskLocals = inheritsTaskLocals
  }

  /// The effect that sent it, where it has a node.
  @inlinable
  var effect: EffectID {
    switch sender {
    case .effect(let id), .ending(let id): id
    case .outside, .immediate: .none
    }
  }
}
