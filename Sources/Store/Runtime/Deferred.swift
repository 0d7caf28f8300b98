/// What a thread does after it has released the lock: all that may run code of the user's.
@usableFromInline
struct Deferred<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline
  enum Item: Sendable {
    case cancel(EffectTask)
    case resume(UnsafeContinuation<Void, Never>)
    indirect case report(StoreIssue)
    indirect case reportLate(Action, SourceLocation, step: Int)
    /// Let go of a value whose end may run code of the user's.
    indirect case release(Released<Action>)
    case end([Observer<State, Action>])
  }

  @usableFromInline var items: [Item]?
  /// Observers are to be notified of a step. It stays under the lock until then: an optional of all
  /// that here would cost each `send`.
  @usableFromInline var publishes = false

  @inlinable
  @inline(__always)
  init() {}

  @inlinable
  @inline(__always)
  var isEmpty: Bool { items == nil && !publishes }

  @inlinable
  mutating func add(_ item: Item) {
    if items == nil { items = [item] } else { items?.append(item) }
  }
}

/// A step on its way to the observers.
@usableFromInline
struct Publication<State: Sendable, Action: Sendable>: Sendable {
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

  /// Calls the observers. The state ends here: kept until the next step, it would make that copy
  /// what it changes.
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
  /// Is called when the store has ended.
  @usableFromInline let end: (@Sendable () -> Void)?
}

@usableFromInline typealias EffectTask = Task<Void, Never>
