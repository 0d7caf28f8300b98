/// A conflated sequence of a store's states: each element is the latest state at the time of the
/// request.
///
/// Each iteration observes the store separately. Between requests, only a flag is kept.
public struct StateSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// The state, or the part of it that is iterated.
  public typealias Element = Value
  /// The sequence never throws.
  public typealias Failure = Never

  @usableFromInline let read: @Sendable () -> Value
  /// Compares values to skip repetitions, or `nil` to deliver every value.
  let isEqual: (@Sendable (Value, Value) -> Bool)?
  let observe:
    @Sendable (@escaping @Sendable () -> Void, @escaping @Sendable () -> Void) ->
      ObservationToken

  init(
    read: @escaping @Sendable () -> Value, isEqual: (@Sendable (Value, Value) -> Bool)?,
    observe:
      @escaping @Sendable (
        @escaping @Sendable () -> Void, @escaping @Sendable () -> Void
      ) -> ObservationToken
  ) {
    self.read = read
    self.isEqual = isEqual
    self.observe = observe
  }

  /// Creates an iterator, which observes the store until it is released.
  ///
  /// - Complexity: Three small objects. From then on, every step of the store acquires one more
  ///   lock to set the flag, and resumes the waiting iteration.
  public func makeAsyncIterator() -> Iterator {
    let signal = ChangeSignal()
    return Iterator(
      sequence: self, signal: signal,
      watch: Watch(observe({ signal.mark() }, { signal.end() })))
  }

  /// An iterator that observes the store until it is released.
  ///
  /// - Complexity: Releasing it is O(number of observers), under the store's lock.
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

    /// Returns the present value on the first call, and then the latest value once it has changed.
    /// Returns `nil` if the store has ended or the task is cancelled.
    ///
    /// - Complexity: One lock for the flag, and one lock of the store and one copy for each value.
    ///   If repetitions are skipped, also one comparison. Suspends only if nothing has changed.
    public mutating func next() async -> Value? {
      await next(isolation: nil)
    }

    /// The same as `next()`, in the isolation of the caller.
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

/// An owner of an observation that cancels it on release.
final class Watch: Sendable {
  private let observation: ObservationToken

  init(_ observation: ObservationToken) {
    self.observation = observation
  }

  deinit {
    observation.cancel()
  }
}

/// A flag that records a change since the last request. At most one task waits for it at a time.
final class ChangeSignal: Sendable {
  private struct State {
    // Set, because the first request returns the present value.
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

  /// Waits for a change. Returns `false` at the end and if the waiting task is cancelled.
  func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          // A change before the end is still delivered.
          if state.isMarked {
            state.isMarked = false
            return true
          }
          if state.isOver { return false }
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
