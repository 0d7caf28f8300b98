/// What the thread that leaves the lock has to do.
@usableFromInline
struct Departure<Action: Sendable>: Sendable {
  /// A step is to be told; it is in the core's `publication`, which this thread has for itself until it says that it is done.
  @usableFromInline let publishes: Bool
  @usableFromInline let partings: [Parting<Action>]

  @inlinable
  init(publishes: Bool, partings: [Parting<Action>]) {
    self.publishes = publishes
    self.partings = partings
  }

  @inlinable
  static var nothing: Departure { Departure(publishes: false, partings: []) }

  @inlinable
  var isNothing: Bool { !publishes && partings.isEmpty }
}

/// A step on its way to the observers.
@usableFromInline
struct Publication<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline let step: Step<Action>
  @usableFromInline let state: State
  @usableFromInline let observers: [StoreMachine<State, Action>.Observer]

  @inlinable
  init(
    step: Step<Action>, state: State, observers: [StoreMachine<State, Action>.Observer]
  ) {
    self.step = step
    self.state = state
    self.observers = observers
  }
}
