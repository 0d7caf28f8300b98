/// A token that ends an observation. Keeping it keeps the state of its store.
public struct ObservationToken: Sendable {
  @usableFromInline let runtime: AnyStoreRuntime?
  @usableFromInline let id: Int

  /// Ends the observation. Steps that are reduced after this call are not delivered, but a step
  /// that is being delivered may still arrive. O(number of observers). Acquires the lock once.
  public func cancel() {
    runtime?.ask(.removeObserver(id))
  }
}
