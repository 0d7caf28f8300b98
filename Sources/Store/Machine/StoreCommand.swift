/// A command of a machine that `StoreRuntime` performs.
@usableFromInline
enum StoreCommand<Action: Sendable>: Sendable {
  /// Create a task, under the lock, for the operation that `begin` returns.
  case start(EffectID, inheritsTaskLocals: Bool)
  /// Cancel the task of the effect, if it has one.
  case cancel(EffectID)
  case resume(WaiterID)
  indirect case report(StoreIssue)
  /// An action was sent after the store had been shut down.
  indirect case reportLate(Action, SourceLocation, step: Int)
  indirect case meter(StoreEvent<Action>)
  /// Release an effect or an action after the unlock, because that can run user code.
  indirect case release(any Sendable)
  /// Notify observers that the store has ended.
  case end
}
