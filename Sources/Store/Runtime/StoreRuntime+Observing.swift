extension StoreRuntime {
  /// - Parameter end: Is called once, when the store has ended; at once where it has.
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
    // Its end may run code of the user's, here and not under the lock.
    _ = removed
  }

  /// Puts hooks or a meter in place of others.
  @usableFromInline
  func change(_ change: (inout Shared) -> (any Sendable)?) {
    let old = lock.withLock { shared in
      defer { shared.noteAudience() }
      return change(&shared)
    }
    // What it holds ends here, and not under the lock.
    _ = old
  }
}

extension StoreRuntime.Shared {
  /// - Returns: `nil` if the store has ended.
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

  /// All observers as one; `nil` if there are none. O(number of observers) after one was added or
  /// removed.
  @usableFromInline
  mutating func observersTogether() -> Observer<R.State, R.Action>.Body? {
    if tellObservers == nil { tellObservers = Observer.together(observers[...]) }
    return tellObservers
  }
}

extension Observer {
  /// A function that calls the observers in order; `nil` if there are none. A tree, so that it is
  /// not deep: to call a function out of an array instead counts two references, which takes as
  /// long as a lock.
  static func together(_ observers: ArraySlice<Observer>) -> Body? {
    if observers.count < 2 { return observers.first?.body }
    let middle = observers.startIndex + observers.count / 2
    guard let left = together(observers[..<middle]), let right = together(observers[middle...])
    else { return nil }
    return { step, state in
      left(step, state)
      right(step, state)
    }
  }
}
