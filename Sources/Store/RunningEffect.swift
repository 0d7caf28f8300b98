/// An effect of a store, as it is now.
public struct RunningEffect<Action: Sendable>: Sendable {
  /// How far an effect is.
  public enum Phase: Sendable, Equatable {
    /// Waiting for its turn in a sequence, or for a permit of its limit.
    case pending
    /// Its task was made.
    case running
    /// Nothing of it is reduced any more; its task has not returned yet.
    case cancelled
  }

  /// Name, kind, id and place of the effect.
  public let descriptor: EffectDescriptor
  /// How far it is.
  public let phase: Phase
  /// When the reduction returned it; exact to a few milliseconds.
  public let since: ContinuousClock.Instant
  /// The step that returned it.
  public let step: Int
  /// The action of that step.
  ///
  /// `nil` for a subscription that the initial state declares, and for subscriptions that a state
  /// declares independently of the action.
  public let cause: Action?

  init?(_ work: EffectWork<Action>, _ phase: EffectNode.Phase) {
    switch phase {
    case .pending, .waiting: self.phase = .pending
    case .running: self.phase = .running
    case .cancelled: self.phase = .cancelled
    case .free, .ended: return nil
    }
    descriptor = work.effect.descriptor
    since = .now - .nanoseconds(max(0, coarseNanoseconds() - work.since))
    step = work.step
    cause = work.cause
  }
}

extension StoreMachine {
  /// The effects whose work has not ended. O(most effects that there ever were at once).
  var unendedEffects: [RunningEffect<R.Action>] {
    graph.tree.unended.compactMap { effect in
      works[Int(effect.id.slot)].flatMap { RunningEffect($0, effect.phase) }
    }
  }
}
