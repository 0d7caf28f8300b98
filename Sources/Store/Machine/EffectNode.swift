/// A node of the effect graph: an effect, a group of effects, or a task.
@usableFromInline
struct EffectNode: Sendable {
  @usableFromInline
  enum Form: UInt8, Sendable {
    /// What one `send` set going. It has no work of its own.
    case task
    /// One effect.
    case leaf
    /// Effects side by side.
    case merge
    /// Effects one after the other.
    case concatenate
  }

  enum Phase: Sendable, Equatable {
    /// The slot is free.
    case free
    /// The group has not come to it, or it was not started.
    case pending
    /// The limit it belongs to is reached.
    case waiting
    case running
    /// No action of it is reduced any more. Its work has not ended.
    case cancelled
    /// Its work has ended. Actions that it sent may still be queued, and are dropped where it was
    /// cancelled.
    case ended(isCancelled: Bool)
  }

  var serial: UInt32
  var form: Form
  var phase: Phase
  /// The serial number of the outermost group that it is in, or its own: what is at one place of
  /// the list that a reducer returned.
  var outermost: UInt32
  /// Reasons to keep the node while it has no work: actions in the queue, and the current step.
  var pins: Int32 = 0
  /// Of a group: the members whose work has not ended.
  var unfinished: Int32 = 0
  /// Of a group: the members whose work has not ended and that were not cancelled.
  var uncancelled: Int32 = 0
  /// Its ids, those of the groups it is in included, its place and its limit.
  var traits: EffectTraits?
  /// The index finds it.
  var isIndexed = false
  var hasPermit = false
  /// The effect's operation was handed to a task.
  var hasTask = false
  /// Something waits for its end.
  var isAwaited = false
  /// Of a task, and of an effect that stands for one: what it causes from here on is cancelled.
  var isTaskCancelled = false
  /// What the effect held has been released.
  var isReleased = false

  // The tree: slots, or -1.
  var parent: Int32 = -1
  var firstChild: Int32 = -1
  var lastChild: Int32 = -1
  var previous: Int32 = -1
  /// The next sibling; of a free slot the next free one.
  var next: Int32 = -1

  var limit: EffectLimit? { traits?.limit }

  var hasEnded: Bool {
    if case .ended = phase { true } else { false }
  }
}
