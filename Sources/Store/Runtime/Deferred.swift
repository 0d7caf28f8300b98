/// The work that a thread does after it has released the lock, because it can run user code.
@usableFromInline
struct Deferred: Sendable {
  /// The work, in order. `nil` if there is none, which is cheaper to pass on than an empty array.
  @usableFromInline var items: [@Sendable () -> Void]?
  /// Whether the store reduces nothing until the work is done: observers are notified of a step,
  /// or the work can send actions itself. The step remains under the lock until then, because an
  /// optional step here would add to the cost of each `send`.
  @usableFromInline var blocksReductions = false

  /// Whether the work can send actions: it cancels tasks, whose handlers run, or reports issues. It
  /// comes before the next action.
  @usableFromInline var canSend = false

  @inlinable
  @inline(__always)
  init() {}

  @inlinable
  @inline(__always)
  var isEmpty: Bool { items == nil && !blocksReductions }

  @inlinable
  mutating func add(_ item: @escaping @Sendable () -> Void) {
    if items == nil { items = [item] } else { items?.append(item) }
  }

  /// Releases a value after the lock has been released.
  @inlinable
  mutating func release(_ value: any Sendable) {
    add { withExtendedLifetime(value) {} }
  }
}

/// A step to deliver to the observers.
@usableFromInline
struct PendingNotification<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline let step: Step<Action>
  @usableFromInline let state: State
  @usableFromInline let observers: Observer<State, Action>.Body

  @inlinable
  @inline(__always)
  init(
    _ step: Step<Action>, _ state: State, _ observers: @escaping Observer<State, Action>.Body
  ) {
    self.step = step
    self.state = state
    self.observers = observers
  }

  /// Calls the observers. Releases the state on return, so that the next step can change it in
  /// place.
  @inlinable
  consuming func tell() {
    observers(step, state)
  }
}

/// An observer of steps.
@usableFromInline
struct Observer<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline typealias Body = @Sendable (Step<Action>, borrowing State) -> Void

  let id: Int
  let body: Body
  /// Called when the store has ended.
  @usableFromInline let end: (@Sendable () -> Void)?
}

/// The task of one effect.
@usableFromInline typealias EffectTask = Task<Void, Never>
