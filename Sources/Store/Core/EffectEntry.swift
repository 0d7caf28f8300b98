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

/// What an entry held, on its way to be destroyed outside the lock.
@usableFromInline
struct EffectRemains<Action: Sendable>: Sendable {
  @usableFromInline let effect: Effect<Action>?
  @usableFromInline let cause: Action?
  @usableFromInline let task: Task<Void, Never>?

  @inlinable
  init(effect: Effect<Action>?, cause: Action?, task: Task<Void, Never>?) {
    self.effect = effect
    self.cause = cause
    self.task = task
  }
}

/// What the table asks the store to do. Starts and queued actions are done at once, inside the critical section; the rest
/// after it, since it runs code that is not ours.
@usableFromInline
struct Outbox<Action: Sendable>: Sendable {
  @usableFromInline
  struct Start: Sendable {
    @usableFromInline let token: EffectToken
    @usableFromInline let operation: Effect<Action>.Operation

    @inlinable
    init(token: EffectToken, operation: Effect<Action>.Operation) {
      self.token = token
      self.operation = operation
    }
  }

  @usableFromInline
  struct Queued: Sendable {
    @usableFromInline let action: Action
    /// The entry that counts it; -1 for none.
    @usableFromInline let owner: Int32
    /// The `.send` effect with an id that it is, whose cancelling drops it.
    @usableFromInline let source: EffectToken
    @usableFromInline let name: String?
    @usableFromInline let id: String?
    @usableFromInline let step: Int

    @inlinable
    init(
      action: Action, owner: Int32, source: EffectToken, name: String?, id: String?, step: Int
    ) {
      self.action = action
      self.owner = owner
      self.source = source
      self.name = name
      self.id = id
      self.step = step
    }
  }

  @usableFromInline var starts = Few<Start>()
  @usableFromInline var queued = Few<Queued>()
  @usableFromInline var cancels = Few<Task<Void, Never>>()
  @usableFromInline var resumes = Few<CheckedContinuation<Void, Never>>()
  /// Issues that hooks have not been told yet, and those to be told outside the lock.
  @usableFromInline var raised = Few<StoreIssue>()
  @usableFromInline var issues = Few<StoreIssue>()
  @usableFromInline var remains = Few<EffectRemains<Action>>()

  @inlinable
  init() {}
}
