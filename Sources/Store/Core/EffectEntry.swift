/// One effect, group of effects, or handle without an effect of its own, while anything of it is left.
@usableFromInline
struct EffectEntry<Action: Sendable>: Sendable {
  @usableFromInline
  enum Phase: UInt8, Sendable {
    case free
    /// A member of a sequence whose turn has not come.
    case pending
    case running
    /// Nothing of it is reduced any more; its task has not ended yet.
    case cancelled
    /// Its own work has ended; what its actions caused has not.
    case finished
  }

  @usableFromInline
  enum Shape: UInt8, Sendable {
    case leaf, parallel, sequence
    /// No work of its own: what one `send` caused.
    case root
  }

  @usableFromInline var generation: UInt32 = 1
  @usableFromInline var phase = Phase.free
  @usableFromInline var shape = Shape.leaf
  /// Whether its parent is a group that waits for its work, not an effect that caused it.
  @usableFromInline var isMember = false
  /// Its ids are in the registry.
  @usableFromInline var isRegistered = false
  /// Its work went to a task, which holds it from then on.
  @usableFromInline var isHandedOver = false
  /// Somebody may ask for it by token: it stays until all that it caused has ended.
  @usableFromInline var hasHandle = false
  @usableFromInline var parent: Int32 = -1
  @usableFromInline var firstChild: Int32 = -1
  @usableFromInline var lastChild: Int32 = -1
  @usableFromInline var previous: Int32 = -1
  /// The next sibling, or the next free entry.
  @usableFromInline var next: Int32 = -1
  /// Of a group: members whose work has not ended.
  @usableFromInline var members: Int32 = 0
  /// Of a sequence: the member that runs.
  @usableFromInline var current: Int32 = -1
  /// Actions in the store's queue that belong here.
  @usableFromInline var queued: Int32 = 0
  @usableFromInline var step = 0
  @usableFromInline var since: ContinuousClock.Instant?
  @usableFromInline var task: Task<Void, Never>?
  @usableFromInline var effect: Effect<Action>?
  /// The action whose reduction returned the effect.
  @usableFromInline var cause: Action?

  @inlinable
  init() {}
}

/// Work that was never started, on its way to be destroyed outside the lock.
@usableFromInline
struct EffectRemains<Action: Sendable>: Sendable {
  @usableFromInline let effect: Effect<Action>

  @inlinable
  init(effect: Effect<Action>) {
    self.effect = effect
  }
}

extension Effect.Operation {
  /// The same kind of work with nothing in it.
  @inlinable
  var emptied: Self {
    switch self {
    case .task: .task({ nil })
    case .run: .run({ _ in })
    default: .none
    }
  }
}
