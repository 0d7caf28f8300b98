/// Sends actions from inside an effect: synchronous, from any thread, in the order of the calls.
///
/// Actions that are sent after the effect has returned or was cancelled are dropped.
public struct Send<Action: Sendable>: Sendable {
  @usableFromInline let sink: @Sendable (Action, _ wantsHandle: Bool) -> StoreTask

  @inlinable
  init(_ sink: @escaping @Sendable (Action, _ wantsHandle: Bool) -> StoreTask) {
    self.sink = sink
  }

  /// Sends the action and reduces it on the calling thread. When it returns, the action is reduced,
  /// or queued where an observer is being notified of a step before.
  ///
  /// - Complexity: One lock beside the reducer's own cost; with observers that of `Store.send`.
  @inlinable
  public func callAsFunction(_ action: Action) {
    _ = sink(action, false)
  }

  /// Sends the action and gives a handle to the effects that it causes. The handle is one that has
  /// ended where the action was dropped.
  ///
  /// - Complexity: As `callAsFunction`, and a node in the store until all that the action caused
  ///   has ended.
  @inlinable
  public func start(_ action: Action) -> StoreTask {
    sink(action, true)
  }

  /// A sender of a child's actions. One closure; one call of `embed` for each action.
  @inlinable
  public func map<Child>(_ embed: @escaping @Sendable (Child) -> Action) -> Send<Child> {
    Send<Child> { [sink] action, wantsHandle in sink(embed(action), wantsHandle) }
  }
}
