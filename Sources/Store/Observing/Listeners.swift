/// The hooks, the meter and the observers of a store, which are told of its steps.
@usableFromInline
struct Listeners<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline
  struct Observer: Sendable {
    @usableFromInline typealias Body = @Sendable (Step<Action>, borrowing State) -> Void

    let id: Int
    let body: Body
    /// Called when the store has ended.
    let end: (@Sendable () -> Void)?
  }

  /// The hooks, called without reference counting: with a count for each call, a step with hooks
  /// takes three times as long. They are changed and called only under the lock. The last hooks
  /// must be replaced with `nil`.
  @usableFromInline var hooks: Unmanaged<HookBox<State, Action>>?
  @usableFromInline var meter: (@Sendable (StoreEvent<Action>) -> Void)?
  /// In ascending order of their ids.
  private(set) var observers: [Observer] = []
  /// All observers as one function, in order. Created when a step is delivered.
  private var allObservers: Observer.Body?

  @usableFromInline
  init() {}

  /// The listeners that the machine has to provide for.
  @usableFromInline
  var recipients: StepRecipients {
    let hooks = hooks?.takeUnretainedValue().hooks
    var recipients: StepRecipients = []
    if hooks?.didReduce != nil { recipients.insert(.hooks) }
    if !observers.isEmpty { recipients.insert(.observers) }
    if meter != nil { recipients.insert(.meter) }
    if meter != nil || hooks?.willReduce != nil { recipients.insert(.beforeReduction) }
    return recipients
  }

  // MARK: Telling

  /// Tells hooks and the meter that an action is about to be reduced.
  @inlinable @inline(never)
  func willReduce(_ action: Action, step number: Int) {
    if let meter { meter(.willReduce(action: action, step: number)) }
    hooks?._withUnsafeGuaranteedRef { $0.willReduce(number) }
  }

  /// Tells the hooks of a step.
  @inlinable @inline(__always)
  func tellHooks(_ step: Step<Action>, _ state: inout State) {
    hooks?._withUnsafeGuaranteedRef { $0.tell(step, &state) }
  }

  /// Tells the hooks of an issue.
  @inlinable
  func tellHooks(_ issue: StoreIssue) {
    hooks?._withUnsafeGuaranteedRef { $0.hooks.issue?(issue) }
  }

  /// Returns all observers as one function, or `nil` if there are none.
  @usableFromInline
  mutating func functionOfObservers() -> Observer.Body? {
    if allObservers == nil { allObservers = Self.together(observers[...]) }
    return allObservers
  }

  /// Returns a function that calls the observers in order, or `nil` if there are none. It is a
  /// balanced tree of functions. Calling a function in an array would count two references, which
  /// takes as long as a lock. O(number of observers).
  private static func together(_ observers: ArraySlice<Observer>) -> Observer.Body? {
    guard observers.count > 1 else { return observers.first?.body }
    let middle = observers.startIndex + observers.count / 2
    guard let first = together(observers[..<middle]), let rest = together(observers[middle...])
    else { return nil }
    return { step, state in
      first(step, state)
      rest(step, state)
    }
  }

  // MARK: Changing
  // What is returned has to be released outside the lock, because that can run user code.

  /// Replaces the hooks, and returns the previous ones.
  @usableFromInline
  mutating func setHooks(_ hooks: StepHooks<State, Action>?) -> HookBox<State, Action>? {
    let old = self.hooks?.takeRetainedValue()
    self.hooks = hooks.map { .passRetained(HookBox($0)) }
    return old
  }

  /// Adds an observer, whose id is greater than those of the others.
  mutating func add(_ observer: Observer) {
    observers.append(observer)
    allObservers = nil
  }

  mutating func removeObserver(_ id: Int) -> Observer? {
    let index = observers.partitioningIndex { $0.id >= id }
    guard index < observers.count, observers[index].id == id else { return nil }
    allObservers = nil
    return observers.remove(at: index)
  }

  mutating func removeObservers() -> [Observer] {
    defer { (observers, allObservers) = ([], nil) }
    return observers
  }
}
