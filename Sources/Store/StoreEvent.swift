/// The events that a store reports to its meter: each reduction, and what becomes of each effect
/// and of actions that are not reduced.
///
/// For counters, spans and alarms in production. Events come in the order in which they happen, on
/// whichever thread, inside the store's critical section: a meter must be quick and must not use
/// the store.
public enum StoreEvent<Action: Sendable>: Sendable {
  /// A reduction begins; `step` is the number it will have.
  case willReduce(action: Action, step: Int)
  /// It is over and returned this many effects.
  case didReduce(step: Int, effects: Int)
  /// Its work was handed to a task; not reported for effects that take no time.
  case effectStarted(MeteredEffect)
  /// It returned.
  case effectFinished(MeteredEffect)
  /// It threw an error that was not caught.
  case effectFailed(MeteredEffect, any Error)
  /// Nothing of it is reduced from now on, whether it had started or not.
  case effectCancelled(MeteredEffect)
  /// It never starts: too many of its id run or wait.
  case effectDropped(MeteredEffect)
  /// Sent by an effect that was cancelled or had returned, or after the end of the store: not
  /// reduced.
  case actionDropped(Action)
}

/// An effect in an event.
public struct MeteredEffect: Sendable {
  /// Tells effects of one store apart while they run: the same in all events of one effect.
  public let number: UInt64
  /// What it is.
  public let descriptor: EffectDescriptor
  /// The step that returned it.
  public let step: Int
  /// Since it was returned; exact to a few milliseconds.
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
  /// Tells `meter` what happens in the store, in place of the meter before; `nil` takes it off.
  /// Independent of hooks and observers.
  ///
  /// Without a meter it costs nothing. With one, each event costs its call, and events of effects
  /// build their descriptors.
  ///
  /// - Parameter meter: Called under the store's lock: it must be quick and must not use the store.
  ///   One lock.
  public func setMeter(_ meter: (@Sendable (StoreEvent<Action>) -> Void)?) {
    runtime.change { shared in
      defer { shared.meter = meter }
      return shared.meter
    }
  }
}
