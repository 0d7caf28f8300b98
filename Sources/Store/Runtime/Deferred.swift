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

  /// A step that observers are to be told of.
  @usableFromInline
  indirect enum Publication: Sendable {
    case step(Step<Action>, State, [Observer<State, Action>])
  }

  @usableFromInline var items: [Item]?
  @usableFromInline var publication: Publication?

  @inlinable
  @inline(__always)
  init() {}

  @inlinable
  @inline(__always)
  var isEmpty: Bool { items == nil && publication == nil }

  @inlinable
  mutating func add(_ item: Item) {
    if items == nil { items = [item] } else { items?.append(item) }
  }

  /// Calls the observers, if there is a step to tell. The state ends here: kept until the next step, it would make that copy what it
  /// changes.
  @inlinable
  mutating func publish() -> Bool {
    guard case .step(let step, let state, let observers)? = publication.take() else { return false }
    for observer in observers { observer.body(step, state) }
    return true
  }
}

/// Is told of steps.
@usableFromInline
struct Observer<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline let id: Int
  @usableFromInline let body: @Sendable (Step<Action>, borrowing State) -> Void
  /// Is called when the store has ended.
  @usableFromInline let end: (@Sendable () -> Void)?

  @inlinable
  init(
    id: Int, body: @escaping @Sendable (Step<Action>, borrowing State) -> Void,
    end: (@Sendable () -> Void)?
  ) {
    self.id = id
    self.body = body
    self.end = end
  }
}

@usableFromInline typealias EffectTask = Task<Void, Never>
