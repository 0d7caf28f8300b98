/// What the table asks the store to do. Starts and queued actions are done at once, inside the critical section; leavings after
/// it, since they run code that is not ours. It lives beside the table and keeps its buffers.
@usableFromInline
struct Outbox<State: Sendable, Action: Sendable>: Sendable {
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
  @usableFromInline var silenced: Set<EffectToken> = []
  /// Issues that hooks have not been told yet.
  @usableFromInline var raised: [StoreIssue] = []
  @usableFromInline var left: Leavings<State, Action>?

  @inlinable
  init() {}

  @inlinable
  var leavings: Leavings<State, Action> {
    mutating get {
      if let left { return left }
      let new = Leavings<State, Action>()
      left = new
      return new
    }
  }

  /// Keeps an action alive until the lock is released, where its end could run somebody's code.
  @inlinable
  mutating func bury(_ action: Action) {
    if !_isPOD(Action.self) { leavings.actions.append(action) }
  }
}

/// What is left to do, or to destroy, once the lock is released.
///
/// Unchecked: filled under the lock and then handed to the one thread that leaves it; never shared.
@usableFromInline
final class Leavings<State: Sendable, Action: Sendable>: @unchecked Sendable {
  @usableFromInline var step: Step<Action>?
  @usableFromInline var state: State?
  @usableFromInline var observers: [StoreMachine<State, Action>.Observer] = []
  @usableFromInline var cancels: [Task<Void, Never>] = []
  @usableFromInline var resumes: [CheckedContinuation<Void, Never>] = []
  @usableFromInline var issues: [StoreIssue] = []
  @usableFromInline var remains: [EffectRemains<Action>] = []
  @usableFromInline var actions: [Action] = []

  @inlinable
  init() {}

  @inlinable
  deinit {}
}
