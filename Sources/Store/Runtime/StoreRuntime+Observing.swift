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
    _ = lock.withLock { shared -> Observer<R.State, R.Action>? in
      // Ids ascend.
      let index = shared.observers.partitioningIndex { $0.id >= id }
      guard index < shared.observers.count, shared.observers[index].id == id else { return nil }
      defer { shared.updateObservers() }
      return shared.observers.remove(at: index)
    }
  }

  /// Replaces hooks or the meter.
  ///
  /// - Parameter change: Called under the lock. Returns the replaced value.
  @usableFromInline
  func change(_ change: (inout Shared) -> (any Sendable)?) {
    let old = lock.withLock { shared in
      defer { shared.updateRecipients() }
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
    if machine.blockers.contains(.closed) { return nil }
    let id = nextID()
    observers.append(Observer(id: id, body: body, end: end))
    updateObservers()
    return id
  }

  @usableFromInline
  mutating func updateObservers() {
    notifyObservers = nil
    updateRecipients()
  }
}

extension Observer {
  /// Returns a function that calls the observers in order, or `nil` if there are none. It is a
  /// balanced tree of functions. Calling a function in an array would count two references, which
  /// takes as long as a lock. O(number of observers).
  @usableFromInline
  static func together(_ observers: ArraySlice<Observer>) -> Body? {
    guard observers.count > 1 else { return observers.first?.body }
    let middle = observers.startIndex + observers.count / 2
    guard let first = together(observers[..<middle]), let rest = together(observers[middle...])
    else { return nil }
    return { step, state in
      first(step, state)
      rest(step, state)
    }
  }
}
