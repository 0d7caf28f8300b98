/// A snapshot of an effect of a store.
public struct RunningEffect<Action: Sendable>: Sendable {
  /// The progress of an effect.
  public enum Phase: Sendable, Equatable {
    /// The effect waits for its turn in a sequence, or for a permit of its limit.
    case pending
    /// The effect's task was created.
    case running
    /// The effect was cancelled: none of its actions is reduced, but its task has not returned yet.
    case cancelled
  }

  /// The description of the effect.
  public let descriptor: EffectDescriptor
  /// The progress of the effect.
  public let phase: Phase
  /// The time at which the reduction returned the effect, precise to a few milliseconds.
  public let since: ContinuousClock.Instant
  /// The step that returned the effect.
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
    case .free, .returned, .ended: return nil
    }
    descriptor = work.effect.descriptor
    since = .now - .nanoseconds(max(0, coarseNanoseconds() - work.since))
    step = work.step
    cause = work.cause
  }
}

extension StoreMachine {
  /// The effects whose work has not ended. O(maximum number of simultaneous effects so far, and
  /// number of queued events).
  var unendedEffects: [RunningEffect<R.Action>] {
    // The task of a cancelled effect may have returned while its end waits for the turn.
    let queued = queuedEvents.elements.compactMap { event -> EffectID? in
      if case .end(let id, _) = event { id } else { nil }
    }
    let returned = Set(queued + deferredEnds.elements.map(\.0))
    return graph.tree.nodes.indices.compactMap { slot in
      let node = graph.tree.nodes[slot]
      guard node.form == .leaf, !returned.contains(graph.tree.id(Int32(slot))) else { return nil }
      return works[slot].flatMap { RunningEffect($0, node.phase) }
    }
  }
}
