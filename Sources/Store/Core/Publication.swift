/// A step on its way to the observers, and who they are: in memory of its own, there once somebody observes.
///
/// What is told is written under the lock, then read by the one thread that publishes, while `isPublishing` keeps every other away. So
/// neither do the step's data move on their way out of the lock, nor does anybody count references to the observers.
@usableFromInline
struct Publication<State: Sendable, Action: Sendable>: ~Copyable {
  @usableFromInline
  struct Told: Sendable {
    @usableFromInline let step: Step<Action>
    @usableFromInline let state: State

    @inlinable
    init(step: Step<Action>, state: State) {
      self.step = step
      self.state = state
    }
  }

  /// Not changed while a step is being published.
  @usableFromInline var observers = ObserverList<State, Action>()
  /// The observers as they will be after the publication under way.
  @usableFromInline var successors: ObserverList<State, Action>?
  @usableFromInline var lastID = 0
  /// Who wants to be told when the store has closed, by the observer's id.
  @usableFromInline var ends: [(id: Int, body: @Sendable () -> Void)] = []
  /// Has a value from the reduction to the end of the publication.
  @usableFromInline let told: UnsafeMutablePointer<Told>

  @inlinable
  init() {
    told = .allocate(capacity: 1)
  }

  @inlinable
  deinit {
    told.deallocate()
  }

  /// Calls every observer. Outside the lock.
  ///
  /// The snapshot ends here: kept until the next step, it would make that copy what it changes.
  @inlinable
  borrowing func tell() {
    let told = told.move()
    observers.forEach { $0.body(told.step, told.state) }
  }

  /// How many observe from the next step on.
  var count: Int {
    switch successors {
    case .some(let next): next.count
    case .none: observers.count
    }
  }

  mutating func add(
    _ body: @escaping @Sendable (Step<Action>, borrowing State) -> Void,
    _ end: (@Sendable () -> Void)?, isPublishing: Bool
  ) -> Int {
    lastID += 1
    let id = lastID
    change(isPublishing) { $0.append(Observer(id: id, body: body)) }
    if let end { ends.append((id, end)) }
    return id
  }

  /// Takes out an observer and what it wants to be told at the end.
  mutating func remove(
    _ id: Int, isPublishing: Bool
  ) -> (Observer<State, Action>?, (@Sendable () -> Void)?) {
    let observer = change(isPublishing) { $0.remove(id) }
    return (observer, ends.firstIndex { $0.id == id }.map { ends.remove(at: $0).body })
  }

  /// Changes who observes: for good, or from the end of the publication under way.
  private mutating func change<Result>(
    _ isPublishing: Bool, _ change: (inout ObserverList<State, Action>) -> Result
  ) -> Result {
    guard isPublishing else { return change(&observers) }
    var next = successors.take() ?? observers.copy()
    let result = change(&next)
    successors = consume next
    return result
  }

  /// Takes over the observers that have changed; gives those before, whose end may run somebody's code.
  @usableFromInline
  mutating func renew() -> [Observer<State, Action>] {
    guard let next = successors.take() else { return [] }
    let before = observers.all
    observers = next
    return before
  }
}
