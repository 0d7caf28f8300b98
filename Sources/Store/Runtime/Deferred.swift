/// The work that a thread does after it has released the lock, because it can run user code.
@usableFromInline
struct Deferred<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline
  enum Item: Sendable {
    case cancel(EffectTask)
    case resume(Waiter)
    indirect case report(StoreIssue)
    indirect case reportLate(Action, SourceLocation, step: Int)
    /// Release a value, which can run user code.
    indirect case release(Released<Action>)
    case end([Observer<State, Action>])
  }

  @usableFromInline var items: [Item]?
  /// Whether observers are to be notified of a step. The step remains under the lock until then,
  /// because an optional step here would add to the cost of each `send`.
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

/// A step to deliver to the observers.
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

/// A waiter for the end of effects.
@usableFromInline
enum Waiter: Sendable {
  case task(UnsafeContinuation<Void, Never>)
  case function(@Sendable () -> Void)

  @inlinable
  func resume() {
    switch self {
    case .task(let continuation): continuation.resume()
    case .function(let body): body()
    }
  }
}

/// The task of one effect.
@usableFromInline typealias EffectTask = Task<Void, Never>
