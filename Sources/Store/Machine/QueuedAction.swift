/// An action in a queue.
@usableFromInline
struct QueuedAction<Action: Sendable>: Sendable {
  @usableFromInline
  enum Sender: Sendable {
    /// Code outside the store. Indirect, so that an action of an effect is cheap to copy.
    indirect case outside(StepOrigin)
    /// An effect's work. The action is dropped if the effect is cancelled first.
    case effect(EffectID)
    /// An effect whose work ends with the action: a task, or a `.send` with a node. The action is
    /// dropped if the effect is cancelled first.
    case ending(EffectID)
    /// A `.send` effect without a node. It has no ids, and belongs to no group and no child: its
    /// place is the root, and nothing cancels it.
    case immediate(step: Int)
  }

  @usableFromInline let action: Action
  @usableFromInline let sender: Sender
  /// The task of the effects that the action causes.
  @usableFromInline let task: EffectID
  /// Whether the thread that reduces the action is the one that sent it.
  @usableFromInline let inheritsTaskLocals: Bool

  @inlinable
  init(_ action: Action, from sender: Sender, task: EffectID, inheritsTaskLocals: Bool) {
    self.action = action
    self.sender = sender
    self.task = task
    self.inheritsTaskLocals = inheritsTaskLocals
  }

  /// The effect that sent the action, or `.none` if the sender has no node.
  @inlinable
  var effect: EffectID {
    switch sender {
    case .effect(let id), .ending(let id): id
    case .outside, .immediate: .none
    }
  }
}
