/// States of a store, conflated: each element is the latest there is when it is asked for.
///
/// Each iteration watches the store on its own. Between requests, only a flag is kept.
public struct StateSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// What is iterated over.
  public typealias Element = Value
  /// Iterating never throws.
  public typealias Failure = Never

  @usableFromInline let read: @Sendable () -> Value
  /// Removes repetitions if there is one.
  let isEqual: (@Sendable (Value, Value) -> Bool)?
  let observe:
    @Sendable (@escaping @Sendable () -> Void, @escaping @Sendable () -> Void) ->
      Observation

  init(
    read: @escaping @Sendable () -> Value, isEqual: (@Sendable (Value, Value) -> Bool)?,
    observe:
      @escaping @Sendable (
        @escaping @Sendable () -> Void, @escaping @Sendable () -> Void
      ) -> Observation
  ) {
    self.read = read
    self.isEqual = isEqual
    self.observe = observe
  }

  /// Begins to watch: one observer of the store until the iterator is dropped.
  ///
  /// - Complexity: Three small objects. From then on every step of the store takes one lock more,
  ///   to set the flag, and resumes the waiting iteration.
  public func makeAsyncIterator() -> Iterator {
    let signal = ChangeSignal()
    return Iterator(
      sequence: self, signal: signal,
      watch: Watch(observe({ signal.mark() }, { signal.end() })))
  }

  /// Watches until it is dropped.
  ///
  /// - Complexity: Dropping it is O(number of observers), under the store's lock.
  public struct Iterator: AsyncIteratorProtocol {
    let sequence: StateSequence
    let signal: ChangeSignal
    let watch: Watch
    var last: Value?

    init(sequence: StateSequence, signal: ChangeSignal, watch: Watch) {
      self.sequence = sequence
      self.signal = signal
      self.watch = watch
    }

    /// The present value at first, then the latest once there is a newer one; `nil` when the store
    /// has ended or the task is cancelled.
    ///
    /// - Complexity: One lock for the mark and one of the store for each value that is read, and a
    ///   copy of it; with repetitions removed, one comparison. Suspends only where nothing has
    ///   changed.
    public mutating func next() async -> Value? {
      await next(isolation: nil)
    }

    /// As `next()`, in the isolation of the caller.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      while await signal.wait() {
        let value = sequence.read()
        guard let isEqual = sequence.isEqual else { return value }
        if let last, isEqual(last, value) { continue }
        last = value
        return value
      }
      return nil
    }
  }
}

/// Ends an observation with its own life.
final class Watch: Sendable {
  private let observation: Observation

  init(_ observation: Observation) {
    self.observation = observation
  }

  deinit {
    observation.cancel()
  }
}

/// Whether something has changed since it was last asked; one task waits at a time.
final class ChangeSignal: Sendable {
  private struct State {
    // The first look is due at once.
    var isMarked = true
    var isOver = false
    var waiter: UnsafeContinuation<Bool, Never>?
  }

  private let state = Lock(State())

  func mark() {
    let waiter = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
      state.isMarked = state.waiter == nil
      return state.waiter.take()
    }
    waiter?.resume(returning: true)
  }

  func end() {
    let waiter = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
      state.isOver = true
      return state.waiter.take()
    }
    waiter?.resume(returning: false)
  }

  /// Whether there was a change; false at the end and when the waiting task is cancelled.
  func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          // A change before the end is still delivered.
          if state.isMarked {
            state.isMarked = false
            return true
          }
          if state.isOver || Task.isCancelled { return false }
          state.waiter = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiter.take() }
      waiter?.resume(returning: false)
    }
  }
}
