/// An event that waits until no turn is open.
@usableFromInline
enum QueuedEvent<Action: Sendable>: Sendable {
  /// An action that opens a turn.
  case action(QueuedAction<Action>)
  /// The end of an effect's work, with the issue of its error if it threw one.
  indirect case end(EffectID, EffectFailure?)

  @inlinable
  var action: QueuedAction<Action>? {
    if case .action(let action) = self { action } else { nil }
  }
}

/// The error that an effect threw, and its issue.
@usableFromInline typealias EffectFailure = (issue: StoreIssue, error: any Error)

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
    /// An effect whose work has ended after it sent the action. Its end waits for the turn of the
    /// action. The action is dropped if the effect is cancelled first.
    indirect case last(EffectID, EffectFailure?)
    /// A `.send` effect without a node. It has no ids, and belongs to no group and no child: its
    /// place is the root, and only its task can be cancelled.
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

  /// Returns the same action from another sender.
  func from(_ sender: Sender) -> QueuedAction {
    QueuedAction(action, from: sender, task: task, inheritsTaskLocals: inheritsTaskLocals)
  }

  /// The effect that sent the action, or `.none` if the sender has no node.
  @inlinable
  var effect: EffectID {
    switch sender {
    case .effect(let id), .ending(let id), .last(let id, _): id
    case .outside, .immediate: .none
    }
  }
}
