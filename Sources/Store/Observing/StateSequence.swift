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

  /// Creates an iterator, which observes the store until it is released.
  ///
  /// - Complexity: A stream and an observer. From then on, every step of the store acquires one
  ///   more lock to note the change, and resumes the waiting iteration.
  public func makeAsyncIterator() -> Iterator {
    let (changes, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // The first request returns the present value.
    signal.yield()
    let observation = observe({ signal.yield() }, { signal.finish() })
    signal.onTermination = { _ in observation.cancel() }
    return Iterator(sequence: self, changes: changes.makeAsyncIterator())
  }

  /// An iterator that observes the store until it is released.
  ///
  /// - Complexity: Releasing it is O(number of observers), under the store's lock.
  public struct Iterator: AsyncIteratorProtocol {
    let sequence: StateSequence
    /// One element if the state may have changed since the last request.
    var changes: AsyncStream<Void>.Iterator
    var last: Value?

    /// Returns the present value on the first call, and then the latest value once it has changed.
    /// Returns `nil` if the store has ended, or if the task was cancelled during this or an earlier
    /// call.
    ///
    /// - Complexity: One lock for the flag, and one lock of the store and one copy for each value.
    ///   If repetitions are skipped, also one comparison. Suspends only if nothing has changed.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      while !Task.isCancelled, await changes.next(isolation: actor) != nil {
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
