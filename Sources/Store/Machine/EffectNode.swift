/// A node of the effect graph: an effect, a group of effects, or a task.
@usableFromInline
struct EffectNode: Sendable {
  @usableFromInline
  enum Form: UInt8, Sendable {
    /// The result of one `send`. It has no work of its own.
    case task
    /// An effect.
    case leaf
    /// Effects that run concurrently.
    case merge
    /// Effects that run one after the other.
    case concatenate
  }

  enum Phase: Sendable, Equatable {
    /// The slot is free.
    case free
    /// The node was not started, or its group has not reached it.
    case pending
    /// The node waits because its limit is reached.
    case waiting
    case running
    /// The work has ended, and its end waits for the turn. The effect sends nothing more.
    case returned
    /// The effect was cancelled: none of its actions is reduced. Its work has not ended.
    case cancelled
    /// The work has ended, and its end had its turn. In a held store, which can reduce actions in
    /// another order than they came in, actions of the effect may still be queued. They are dropped
    /// if it was cancelled.
    case ended(isCancelled: Bool)
  }

  // In this order a node takes 56 bytes. What few nodes have is in a table of the graph.

  var serial: UInt32
  var form: Form
  var phase: Phase
  /// Whether the index finds it.
  var isIndexed = false
  var hasPermit = false
  /// Whether a task was created for the effect's operation.
  var hasTask = false
  /// For a task, or an effect that stands for one: whether effects that it causes from now on are
  /// cancelled.
  var isTaskCancelled = false
  /// Whether the effect's work was released.
  var isReleased = false
  /// The number of the list that a reducer returned, with which the node was returned. 0 for a
  /// task.
  var list: UInt32
  /// The number of reasons to keep the node without work: queued actions, and the current step.
  var pins: Int32 = 0
  /// For a group, the number of members whose work has not ended.
  var unfinished: Int32 = 0
  /// For a group, the number of members whose work has not ended and that were not cancelled.
  var uncancelled: Int32 = 0

  // The links of the tree: slots, or -1.
  var parent: Int32 = -1
  var firstChild: Int32 = -1
  var lastChild: Int32 = -1
  var previous: Int32 = -1
  /// The next sibling, or for a free slot the next free one.
  var next: Int32 = -1

  /// Its ids, including those of the groups that contain it, its place and its limit.
  var traits: EffectTraits?

  var limit: EffectLimit? { traits?.limit }

  var hasEnded: Bool {
    if case .ended = phase { true } else { false }
  }
}
