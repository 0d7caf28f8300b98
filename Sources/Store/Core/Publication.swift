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

  /// Who is told. Changed under the lock, and not while a step is being published.
  @usableFromInline var observers = ObserverList<State, Action>()
  /// What changes while a step is being published, too: apart, so that nobody changes what the publishing thread reads.
  @usableFromInline let register: UnsafeMutablePointer<ObserverRegister<State, Action>>
  /// Has a value from the reduction to the end of the publication.
  @usableFromInline let told: UnsafeMutablePointer<Told>

  @inlinable
  init() {
    told = .allocate(capacity: 1)
    register = .allocate(capacity: 1)
    register.initialize(to: ObserverRegister())
  }

  @inlinable
  deinit {
    told.deallocate()
    register.deinitialize(count: 1)
    register.deallocate()
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
  borrowing func count() -> Int {
    switch register.pointee.successors {
    case .some(let next): next.count
    case .none: observers.count
    }
  }

  /// Changes who will observe after the publication under way.
  borrowing func changeSuccessors<Result>(
    _ change: (inout ObserverList<State, Action>) -> Result
  ) -> Result {
    var next = register.pointee.successors.take() ?? observers.copy()
    let result = change(&next)
    register.pointee.successors = consume next
    return result
  }

  /// Takes over the observers that have changed; gives those before, whose end may run somebody's code.
  @usableFromInline
  mutating func renew() -> [Observer<State, Action>] {
    guard let next = register.pointee.successors.take() else { return [] }
    let before = observers.all
    observers = next
    return before
  }
}

/// Who will observe, and who wants to hear of the end. Under the lock.
@usableFromInline
struct ObserverRegister<State: Sendable, Action: Sendable>: ~Copyable {
  /// The observers as they will be after the publication under way.
  @usableFromInline var successors: ObserverList<State, Action>?
  @usableFromInline var lastID = 0
  /// Who wants to be told when the store has closed, by the observer's id.
  @usableFromInline var ends: [(id: Int, body: @Sendable () -> Void)] = []

  @inlinable
  init() {}

  @inlinable
  var hasSuccessors: Bool {
    switch successors {
    case .some: true
    case .none: false
    }
  }
}
