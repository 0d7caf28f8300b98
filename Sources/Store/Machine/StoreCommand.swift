/// A command of a machine after an event, which `StoreRuntime` performs.
@usableFromInline
enum StoreCommand<Action: Sendable>: Sendable {
  /// Make a task, under the lock, for the operation that `begin` returns.
  case start(EffectID, inheritsTaskLocals: Bool)
  /// Cancel the task of the effect, if it has one.
  case cancel(EffectID)
  case resume(EffectGraph.WaiterID)
  indirect case report(StoreIssue)
  /// An action was sent after the store had been shut down.
  indirect case reportLate(Action, SourceLocation, step: Int)
  indirect case meter(StoreEvent<Action>)
  /// Let go of an effect or an action once the lock is released, since that may run code of the
  /// user's.
  case release(Released<Action>)
  /// Tell observers that the store has ended.
  case end
}

/// A value that a machine does not need any more.
@usableFromInline
enum Released<Action: Sendable>: Sendable {
  indirect case work(EffectWork<Action>)
  case action(Action)
  /// What no task was made for.
  case operation(Effect<Action>.Operation)
}
