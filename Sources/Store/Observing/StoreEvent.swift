/// An event that a store reports to its meter: a reduction, or what happens to an effect or to an
/// action that is not reduced.
///
/// Use events for counters, spans and alarms in production. They are reported in the order in which
/// they happen, on any thread, inside the store's critical section. A meter must be quick and must
/// not use the store.
public enum StoreEvent<Action: Sendable>: Sendable {
  /// A reduction begins. `step` is the number that it will have.
  case willReduce(action: Action, step: Int)
  /// A reduction ended and returned this many effects.
  case didReduce(step: Int, effects: Int)
  /// A task for the effect's work was created. Not reported for effects that take no time.
  case effectStarted(MeteredEffect)
  /// The effect's work returned.
  case effectFinished(MeteredEffect)
  /// The effect threw an error that was not caught.
  case effectFailed(MeteredEffect, any Error)
  /// The effect was cancelled, before or after its start. None of its actions is reduced from now
  /// on.
  case effectCancelled(MeteredEffect)
  /// The effect never starts, because too many effects with its id run or wait.
  case effectDropped(MeteredEffect)
  /// An action was not reduced, because it was sent after the end of the store, by an effect that
  /// was cancelled or had returned, or by a cancelled task.
  case actionDropped(Action)
}

/// An effect in an event.
public struct MeteredEffect: Sendable {
  /// A number that identifies a running effect of a store. It is the same in all events of one
  /// effect.
  public let number: UInt64
  /// The description of the effect.
  public let descriptor: EffectDescriptor
  /// The step that returned the effect.
  public let step: Int
  /// The time since the effect was returned, precise to a few milliseconds.
  public let age: Duration
}

extension MeteredEffect {
  @usableFromInline
  init<Action>(_ id: EffectID, _ work: EffectWork<Action>) {
    number = UInt64(id.serial) << 32 | UInt64(UInt32(bitPattern: id.slot))
    descriptor = work.effect.descriptor
    step = work.step
    age = .nanoseconds(max(0, coarseNanoseconds() - work.since))
  }
}

extension Store {
  /// Replaces the meter, which receives the events of the store, or removes it if `meter` is `nil`.
  /// The meter is independent of hooks and observers.
  ///
  /// Without a meter there is no cost. With a meter, each event costs a call, and events of effects
  /// create their descriptors.
  ///
  /// - Parameter meter: Called under the store's lock. It must be quick and must not use the store.
  /// - Complexity: One lock.
  public func setMeter(_ meter: (@Sendable (StoreEvent<Action>) -> Void)?) {
    runtime.change { shared in
      defer { shared.listeners.meter = meter }
      return shared.listeners.meter
    }
  }
}
