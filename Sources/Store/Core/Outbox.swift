/// What the table asks the store to do. Starts and queued actions are done at once, inside the critical section; leavings after
/// it, since they run code that is not ours. It lives beside the table and keeps its buffers.
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
    /// Its id, from which descriptors make text only where somebody looks.
    @usableFromInline let key: CancelKey?
    @usableFromInline let step: Int

    @inlinable
    init(
      action: Action, owner: Int32, source: EffectToken, name: String?, key: CancelKey?, step: Int
    ) {
      self.action = action
      self.owner = owner
      self.source = source
      self.name = name
      self.key = key
      self.step = step
    }
  }

  @usableFromInline var starts: [Start] = []
  @usableFromInline var queued: [Queued] = []
  /// Cancelled effects, of whose actions those that are queued are not reduced any more.
  @usableFromInline var silenced: [EffectToken] = []
  /// Issues that hooks have not been told yet.
  @usableFromInline var raised: [StoreIssue] = []
  @usableFromInline var partings: [Parting<Action>] = []
  /// Who counts; told at once, under the lock.
  @usableFromInline var meter: (@Sendable (StoreEvent<Action>) -> Void)?

  @inlinable
  init() {}

  /// Nothing waits to be started before what comes now, and nobody counts.
  @inlinable
  var isClear: Bool { starts.isEmpty && meter == nil }

  /// Keeps an effect that was never started alive until the lock is released, where its end could run somebody's code.
  @inlinable
  mutating func bury(_ effect: Effect<Action>) {
    partings.append(.effect(effect))
  }

  /// The same for an action.
  @inlinable
  mutating func bury(_ action: Action) {
    if !_isPOD(Action.self) { partings.append(.action(action)) }
  }

  @inlinable
  mutating func takePartings() -> [Parting<Action>] {
    if partings.isEmpty { return [] }
    var taken: [Parting<Action>] = []
    swap(&taken, &partings)
    return taken
  }
}

/// What is to be done, or to be destroyed, once the lock is released. What is rare lies elsewhere: there may be very many to cancel.
@usableFromInline
enum Parting<Action: Sendable>: Sendable {
  case cancel(EffectTask)
  case resume(UnsafeContinuation<Void, Never>)
  indirect case issue(StoreIssue)
  indirect case effect(Effect<Action>)
  case action(Action)
  /// An action that was sent after the store was shut down.
  indirect case late(Action, SourceLocation, step: Int)
  /// Anything else whose end may run somebody's code.
  indirect case other(any Sendable)
}
