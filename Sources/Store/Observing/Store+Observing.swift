extension Store {
  /// An asynchronous sequence of every step with the state after it, in order. It ends with the
  /// store.
  ///
  /// The store does not wait for the consumer. It buffers steps until they are requested. A
  /// buffered state is a copy, so the next step copies the parts that it changes. If only the
  /// latest state matters, `states` costs less.
  ///
  /// - Parameter limit: The maximum number of steps in the buffer. Beyond it, the oldest are
  ///   dropped. Unlimited by default.
  /// - Complexity: One observer, until the stream or the iterating task ends. Each step costs one
  ///   element in the buffer and the lock of the stream.
  public func steps(buffering limit: Int? = nil) -> AsyncStream<(step: Step<Action>, state: State)>
  {
    stream(limit) { step, state in (step, copy state) }
  }

  /// An asynchronous sequence of every action, in order. It ends with the store.
  ///
  /// - Parameter limit: The maximum number of actions in the buffer, as in `steps(buffering:)`.
  /// - Complexity: The same as `steps(buffering:)`, without a state in the buffer.
  public func actions(buffering limit: Int? = nil) -> AsyncStream<Action> {
    stream(limit) { step, _ in step.action }
  }

  private func stream<Element: Sendable>(
    _ limit: Int?,
    _ element: @escaping @Sendable (Step<Action>, borrowing State) -> Element
  ) -> AsyncStream<Element> {
    AsyncStream(bufferingPolicy: limit.map { .bufferingNewest($0) } ?? .unbounded) {
      continuation in
      let observation = runtime.observe(
        { step, state in continuation.yield(element(step, state)) },
        end: { continuation.finish() })
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// The latest states, conflated: a slow consumer misses states but is never behind. The sequence
  /// begins with the present state and ends with the store.
  ///
  /// Nothing is kept between requests: the state is read when an element is requested.
  ///
  /// - Complexity: O(1). Each iteration then observes the store; see `StateSequence`.
  public var states: StateSequence<State> { states { copy $0 } }

  /// The latest values of a part of the state, conflated like `states`, without repetitions:
  /// ```swift
  /// for await count in store.states(\.count) { … }
  /// ```
  ///
  /// - Complexity: The same as `states`, and one read through the key path and one comparison for
  ///   each change that the consumer takes, not for each step. The last value is kept.
  public func states<Value: Sendable & Equatable>(
    _ value: KeyPath<State, Value> & Sendable
  ) -> StateSequence<Value> {
    let runtime = runtime
    return StateSequence(
      read: { runtime.lock.withLock { $0.machine.state[keyPath: value] } }, isEqual: { $0 == $1 },
      observe: { runtime.observe($0, $1) })
  }

  /// The latest results of `read` applied to the state, conflated like `states`. `read` runs under
  /// the lock, like `withState`. Results are not compared.
  ///
  /// - Complexity: The same as `states`, and one call of `read` for each element that is taken.
  public func states<Value: Sendable>(
    _ read: @escaping @Sendable (borrowing State) -> Value
  ) -> StateSequence<Value> {
    let runtime = runtime
    return StateSequence(
      read: { runtime.lock.withLock { read($0.machine.state) } }, isEqual: nil,
      observe: { runtime.observe($0, $1) })
  }

  /// Waits for the first state that fulfils `predicate`, which may be the present one. The
  /// predicate is evaluated in every step, so no state is missed.
  ///
  /// - Parameter predicate: Must be quick and must not use the store. It is part of the cost of
  ///   `send` during the wait.
  /// - Throws: `StoreEnded` if the store ends first, or `CancellationError` if the waiting task is
  ///   cancelled.
  /// - Complexity: One lock and no observer if the present state fulfils it. Otherwise one observer
  ///   and one call of `predicate` for each step until the wait ends.
  nonisolated(nonsending) public func wait(
    until predicate: @escaping @Sendable (borrowing State) -> Bool
  ) async throws {
    try await runtime.wait(until: predicate)
  }
}

/// The error of `wait(until:)` if the store ended before its state fulfilled the predicate.
public struct StoreEnded: Error, Sendable, CustomStringConvertible {
  /// Creates the error that `Store.wait(until:)` throws.
  public init() {}

  /// A message for the user.
  public var description: String { "The store ended before its state fulfilled the condition." }
}

extension StoreRuntime {
  func observe(
    _ changed: @escaping @Sendable () -> Void, _ end: @escaping @Sendable () -> Void
  ) -> ObservationToken {
    observe({ _, _ in changed() }, end: end)
  }

  @usableFromInline
  nonisolated(nonsending) func wait(
    until predicate: @escaping @Sendable (borrowing R.State) -> Bool
  ) async throws {
    try Task.checkCancellation()
    let (found, signal) = AsyncStream.makeStream(of: Void.self)
    // The predicate is evaluated and the observer added in one critical section, so that no step is
    // missed.
    let (isFound, id) = lock.withLock { shared -> (Bool, Int?) in
      if predicate(shared.machine.state) { return (true, nil) }
      return (
        false,
        shared.addObserver(
          { _, state in
            if predicate(state) {
              signal.yield()
              signal.finish()
            }
          }, { signal.finish() })
      )
    }
    if isFound { return }
    guard let id else { throw StoreEnded() }
    // Removed by the step that fulfils the predicate, before `send` returns. If that was before
    // this line, the handler is not called.
    signal.onTermination = { [weak self] _ in self?.removeObserver(id) }
    defer { removeObserver(id) }
    for await _ in found { return }
    try Task.checkCancellation()
    throw StoreEnded()
  }
}
