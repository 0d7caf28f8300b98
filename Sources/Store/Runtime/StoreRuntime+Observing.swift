extension StoreRuntime {
  /// Adds an observer.
  ///
  /// - Parameter end: Called once, when the store ends, or at once if it has ended.
  @usableFromInline
  func observe(
    _ body: @escaping @Sendable (_ step: Step<R.Action>, _ state: borrowing R.State) -> Void,
    end: (@Sendable () -> Void)?
  ) -> Observation {
    let id = lock.withLock { $0.addObserver(body, end) }
    if id == nil { end?() }
    return Observation(runtime: id == nil ? nil : self, id: id ?? 0)
  }

  @usableFromInline
  func removeObserver(_ id: Int) {
    let removed = lock.withLock { shared -> Observer<R.State, R.Action>? in
      guard let index = shared.observers.firstIndex(where: { $0.id == id }) else { return nil }
      defer { shared.noteObservers() }
      return shared.observers.remove(at: index)
    }
    // Released here, outside the lock, because that can run user code.
    _ = removed
  }

  /// Replaces hooks or the meter.
  ///
  /// - Parameter change: Called under the lock. Returns the replaced value.
  @usableFromInline
  func change(_ change: (inout Shared) -> (any Sendable)?) {
    let old = lock.withLock { shared in
      defer { shared.noteAudience() }
      return change(&shared)
    }
    // The replaced value is released here, outside the lock.
    _ = old
  }
}

extension StoreRuntime.Shared {
  /// Adds an observer.
  ///
  /// - Returns: The id of the observer, or `nil` if the store has ended.
  mutating func addObserver(
    _ body: @escaping @Sendable (_ step: Step<R.Action>, _ state: borrowing R.State) -> Void,
    _ end: (@Sendable () -> Void)?
  ) -> Int? {
    if machine.obstacles.contains(.closed) { return nil }
    let id = nextID()
    observers.append(Observer(id: id, body: body, end: end))
    noteObservers()
    return id
  }

  @usableFromInline
  mutating func removeObservers() {
    observers = []
    noteObservers()
  }

  mutating func noteObservers() {
    tellObservers = nil
    noteAudience()
  }

  /// Returns all observers as one function, or `nil` if there are none. O(number of observers)
  /// after one was added or removed.
  @usableFromInline
  mutating func observersTogether() -> Observer<R.State, R.Action>.Body? {
    if tellObservers == nil { tellObservers = Observer.together(observers) }
    return tellObservers
  }
}

extension Observer {
  /// Returns a function that calls the observers in order, or `nil` if there are none. It consists
  /// of functions that call up to eight each. Calling a function in an array would count two
  /// references, which takes as long as a lock.
  static func together(_ observers: [Observer]) -> Body? {
    var observers = observers
    while observers.count > 1 {
      observers = stride(from: 0, to: observers.count, by: 8).map { first in
        Observer(id: 0, body: eight(observers[first...].prefix(8)), end: nil)
      }
    }
    return observers.first?.body
  }

  private static func eight(_ observers: ArraySlice<Observer>) -> Body {
    func body(_ number: Int) -> Body {
      if number < observers.count { return observers[observers.startIndex + number].body }
      return { _, _ in }
    }
    if observers.count <= 2 {
      let (a, b) = (body(0), body(1))
      return { step, state in
        a(step, state)
        b(step, state)
      }
    }
    let (a, b, c, d) = (body(0), body(1), body(2), body(3))
    let (e, f, g, h) = (body(4), body(5), body(6), body(7))
    return { step, state in
      a(step, state)
      b(step, state)
      c(step, state)
      d(step, state)
      e(step, state)
      f(step, state)
      g(step, state)
      h(step, state)
    }
  }
}
