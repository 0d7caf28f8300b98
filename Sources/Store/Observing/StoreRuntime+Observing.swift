extension StoreRuntime {
  /// Adds an observer.
  ///
  /// - Parameter end: Called once, when the store ends, or at once if it has ended.
  @usableFromInline
  func observe(
    _ body: @escaping @Sendable (_ step: Step<R.Action>, _ state: borrowing R.State) -> Void,
    end: (@Sendable () -> Void)?
  ) -> ObservationToken {
    let id = lock.withLock { $0.addObserver(body, end) }
    if id == nil { end?() }
    return ObservationToken(runtime: id == nil ? nil : self, id: id ?? 0)
  }

  @usableFromInline
  func removeObserver(_ id: Int) {
    // The observer is released after the unlock, because that can run user code.
    _ = lock.withLock { shared in shared.changeListeners { $0.removeObserver(id) } }
  }

  /// Replaces hooks or the meter.
  ///
  /// - Parameter change: Called under the lock. Returns the replaced value.
  @usableFromInline
  func change(_ change: (inout Shared) -> (any Sendable)?) {
    let old = lock.withLock { shared in
      defer { shared.changeListeners { _ in } }
      return change(&shared)
    }
    // The replaced value is released here, outside the lock.
    _ = old
  }
}

extension StoreRuntime.Shared {
  /// Changes the listeners, and tells the machine which there are.
  @usableFromInline
  mutating func changeListeners<Result>(
    _ change: (inout Listeners<R.State, R.Action>) -> Result
  ) -> Result {
    defer {
      machine.recipients.subtract(.listeners)
      machine.recipients.formUnion(listeners.recipients)
    }
    return change(&listeners)
  }

  /// Adds an observer.
  ///
  /// - Returns: The id of the observer, or `nil` if the store has ended.
  mutating func addObserver(
    _ body: @escaping @Sendable (_ step: Step<R.Action>, _ state: borrowing R.State) -> Void,
    _ end: (@Sendable () -> Void)?
  ) -> Int? {
    if machine.blockers.contains(.closed) { return nil }
    let id = nextID()
    changeListeners { $0.add(Listeners.Observer(id: id, body: body, end: end)) }
    return id
  }

  /// Removes the observers, and calls their `end` functions after the unlock.
  @usableFromInline
  mutating func endObservers(_ deferred: inout Deferred) {
    let observers = changeListeners { $0.removeObservers() }
    for observer in observers { if let end = observer.end { deferred.add(end) } }
    deferred.release(observers)
  }
}
