import Synchronization

extension Store {
  /// `observe` that also hears of the store's end: `end` is called once, when the store closes, or at once where it is closed already.
  @usableFromInline
  @discardableResult
  func observe(
    _ observer: @escaping @Sendable (_ step: Step<Action>, _ state: borrowing State) -> Void,
    end: (@Sendable () -> Void)?
  ) -> Observation {
    core.observe(observer, end: end)
  }

  /// Every step with the state after it, in order, as an asynchronous sequence that ends with the store.
  ///
  /// The store does not wait for whoever iterates: steps lie in a buffer until they are taken. A buffered state is a copy, so that the next
  /// step copies what it changes of it: where only the latest state matters, `states` costs less.
  ///
  /// - Parameter limit: How many steps may lie in the buffer; beyond that the oldest are dropped. Unlimited by default.
  /// - Complexity: One observer, until the stream or the iterating task ends. A step costs an element in the buffer and the lock of the
  ///   stream; its memory is what has not been taken.
  public func steps(buffering limit: Int? = nil) -> AsyncStream<(step: Step<Action>, state: State)>
  {
    stream(limit) { step, state in (step, copy state) }
  }

  /// Every action, in order, as an asynchronous sequence that ends with the store.
  ///
  /// - Parameter limit: As in `steps(buffering:)`.
  /// - Complexity: As `steps(buffering:)`, without a state in the buffer.
  public func actions(buffering limit: Int? = nil) -> AsyncStream<Action> {
    stream(limit) { step, _ in step.action }
  }

  private func stream<Element: Sendable>(
    _ limit: Int?,
    _ element: @escaping @Sendable (Step<Action>, borrowing State) -> Element
  ) -> AsyncStream<Element> {
    AsyncStream(bufferingPolicy: limit.map { .bufferingNewest($0) } ?? .unbounded) {
      continuation in
      let observation = observe(
        { step, state in continuation.yield(element(step, state)) },
        end: { continuation.finish() })
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// The latest state, whenever there is a newer one than was taken: conflated, so that whoever iterates slowly misses states but is
  /// never behind. Begins with the present state, and ends with the store.
  ///
  /// Nothing is kept while nobody takes: the state is read when it is asked for.
  ///
  /// - Complexity: O(1) to make; each iteration then watches by itself: see `StateSequence`.
  public var states: StateSequence<State> { states { copy $0 } }

  /// The latest of a part of the state, conflated like `states`, and only where it differs from the one before:
  /// ```swift
  /// for await count in store.states(\.count) { … }
  /// ```
  ///
  /// - Complexity: As `states`, and one read through the key path and one comparison for each mark that is taken, not for each step. The
  ///   value taken last is kept.
  public func states<Value: Sendable & Equatable>(
    _ value: KeyPath<State, Value> & Sendable
  ) -> StateSequence<Value> {
    let core = core
    return StateSequence(
      read: { core.lock.withLock { $0.state[keyPath: value] } }, isEqual: { $0 == $1 },
      observe: { core.observe($0, $1) })
  }

  /// The latest of what `read` makes of the state, conflated like `states`. `read` runs under the lock, like `withState`. Nothing is
  /// compared.
  ///
  /// - Complexity: As `states`, and one call of `read` for each element that is taken.
  public func states<Value: Sendable>(
    _ read: @escaping @Sendable (borrowing State) -> Value
  ) -> StateSequence<Value> {
    let core = core
    return StateSequence(
      read: { core.lock.withLock { read($0.state) } }, isEqual: nil,
      observe: { core.observe($0, $1) })
  }

  /// Calls `body` with each step in order, in the isolation of the caller, until the store ends or the calling task is cancelled: for an
  /// actor that lives off a store.
  ///
  /// - Parameter limit: As in `steps(buffering:)`.
  /// - Complexity: As `steps(buffering:)`: `body` runs behind the store, which never waits for it.
  nonisolated(nonsending) public func forEachStep(
    buffering limit: Int? = nil, _ body: (_ step: Step<Action>, _ state: State) async -> Void
  ) async {
    for await (step, state) in steps(buffering: limit) { await body(step, state) }
  }

  /// Waits for the first state that fulfils `predicate`, the present one included. No state is missed: it is asked in every step.
  ///
  /// - Parameter predicate: Must be quick; it is part of the cost of `send` while somebody waits, and must not use the store.
  /// - Returns: False where the store ended, or the waiting task was cancelled, before there was such a state.
  /// - Complexity: One lock and no observer where the present state fulfils it; else one observer and one call of `predicate` a step until
  ///   there is an answer.
  @discardableResult
  nonisolated(nonsending) public func wait(
    until predicate: @escaping @Sendable (borrowing State) -> Bool
  ) async -> Bool {
    await core.wait(until: predicate)
  }
}

extension StoreCore {
  @usableFromInline
  func observe(
    _ observer: @escaping @Sendable (_ step: Step<R.Action>, _ state: borrowing R.State) -> Void,
    end: (@Sendable () -> Void)?
  ) -> Observation {
    let id = lock.withLock { machine -> Int? in
      machine.isClosed ? nil : machine.add(observer, end)
    }
    if id == nil { end?() }
    return Observation(host: id == nil ? nil : self, id: id ?? 0)
  }

  @usableFromInline
  func removeObserver(_ id: Int) {
    let removed = lock.withLock { machine in machine.removeObserver(id) }
    // Their end may run somebody's code, here and not under the lock.
    _ = removed
  }

  func observe(
    _ changed: @escaping @Sendable () -> Void, _ end: @escaping @Sendable () -> Void
  ) -> Observation {
    observe({ _, _ in changed() }, end: end)
  }

  @usableFromInline
  nonisolated(nonsending) func wait(
    until predicate: @escaping @Sendable (borrowing R.State) -> Bool
  ) async -> Bool {
    let wish = Wish()
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        guard wish.begin(continuation) else { return }
        // Asked and observed in one critical section, so that no step falls between.
        let id = lock.withLock { machine -> Int? in
          if predicate(machine.state) {
            return 0
          }
          return machine.isClosed
            ? nil
            : machine.add(
              { _, state in if predicate(state) { wish.end(true) } }, { wish.end(false) })
        }
        guard let id else {
          wish.end(false)
          return
        }
        if id == 0 { return wish.end(true) }
        wish.onEnd { [weak self] in self?.removeObserver(id) }
      }
    } onCancel: {
      wish.end(false)
    }
  }
}

/// Somebody waits for one answer, which may come before the waiting.
private final class Wish: Sendable {
  private struct State {
    var answer: Bool?
    var waiter: UnsafeContinuation<Bool, Never>?
    var cleanUp: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  /// Whether there is still something to wait for; else the waiter has its answer.
  func begin(_ waiter: UnsafeContinuation<Bool, Never>) -> Bool {
    let answer = state.withLock { state -> Bool? in
      if state.answer == nil { state.waiter = waiter }
      return state.answer
    }
    if let answer { waiter.resume(returning: answer) }
    return answer == nil
  }

  func onEnd(_ cleanUp: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state -> Bool in
      if state.answer == nil { state.cleanUp = cleanUp }
      return state.answer != nil
    }
    if isOver { cleanUp() }
  }

  func end(_ answer: Bool) {
    let (waiter, cleanUp) = state.withLock {
      state -> (UnsafeContinuation<Bool, Never>?, (@Sendable () -> Void)?) in
      guard state.answer == nil else { return (nil, nil) }
      state.answer = answer
      return (state.waiter.take(), state.cleanUp.take())
    }
    cleanUp?()
    waiter?.resume(returning: answer)
  }
}
