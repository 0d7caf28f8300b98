/// A step to deliver to the observers.
@usableFromInline
struct PendingNotification<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline let step: Step<Action>
  @usableFromInline let state: State
  @usableFromInline let observers: Listeners<State, Action>.Observer.Body

  @inlinable @inline(__always)
  init(
    _ step: Step<Action>, _ state: State,
    _ observers: @escaping Listeners<State, Action>.Observer.Body
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
