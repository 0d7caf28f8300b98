/// A function that sends actions from an effect. It is synchronous and may be called from any
/// thread. Actions are sent in the order of the calls.
///
/// Actions that are sent after the effect has returned or was cancelled are dropped.
public struct Send<Action: Sendable>: Sendable {
  @usableFromInline let sink: @Sendable (Action, _ wantsHandle: Bool) -> StoreTask

  @inlinable
  init(_ sink: @escaping @Sendable (Action, _ wantsHandle: Bool) -> StoreTask) {
    self.sink = sink
  }

  /// Sends the action and reduces it on the calling thread. On return the action has been reduced,
  /// or is queued if an observer is being notified of an earlier step. A task that is cancelled
  /// sends nothing, also if it is a child task of an effect that continues, or another task that
  /// calls back.
  ///
  /// - Complexity: One lock in addition to the reducer's own cost. With observers, the cost of
  ///   `Store.send`.
  @inlinable
  public func callAsFunction(_ action: Action) {
    _ = sink(action, false)
  }

  /// Sends the action and returns a handle to the effects that it causes. If the action is dropped,
  /// the handle is finished.
  ///
  /// - Complexity: The same as `callAsFunction`, and a node in the store until everything that the
  ///   action caused has ended.
  @inlinable
  public func start(_ action: Action) -> StoreTask {
    sink(action, true)
  }

  /// Returns a sender of a child's actions. One closure, and one call of `embed` for each action.
  @inlinable
  public func map<Child>(_ embed: @escaping @Sendable (Child) -> Action) -> Send<Child> {
    Send<Child> { [sink] action, wantsHandle in sink(embed(action), wantsHandle) }
  }
}
