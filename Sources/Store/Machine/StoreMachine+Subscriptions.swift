/// Whether subscriptions run.
@usableFromInline
enum SubscriptionPhase: Sendable {
  /// They have not been started yet.
  case heldBack
  case active
  /// The store is shutting down.
  case ended
}

/// The id of an effect that the state declares, the effect, or `none` if it was not started, and
/// the task of the effects that its actions cause. The task stays while the state declares the
/// effect.
@usableFromInline typealias Subscription = (key: CancelKey, task: EffectID, effect: EffectID)

extension StoreMachine {
  /// Starts the subscriptions that the state declares, if they were held back.
  @inlinable
  mutating func startSubscriptions() {
    guard subscriptionPhase == .heldBack, recipients.contains(.subscriptions) else { return }
    subscriptionPhase = .active
    updateSubscriptions()
    performDeferredEnds()
  }

  @inlinable
  mutating func endSubscriptions() {
    subscriptionPhase = .ended
    for subscription in subscriptions { end(subscription) }
    subscriptions.removeAll()
  }

  /// Starts newly declared effects, and cancels those that are no longer declared.
  @inlinable
  mutating func updateSubscriptions() {
    guard subscriptionPhase == .active else { return }
    var declared: Set<CancelKey> = []
    var added: [(CancelKey, Effect<R.Action>)] = []
    for effect in reducer.subscriptions(state, dependencies) where !effect.isNone {
      guard let key = effect.traits?.keys.first, declared.insert(key).inserted else {
        // Stored under its source line while it is declared, so that the issue is reported once.
        let line = CancelKey(id: CancelID(effect.location))
        if declared.insert(line).inserted, !subscriptions.contains(id: line) {
          reportNotStarted(effect)
          subscriptions.append((key: line, task: .none, effect: .none), id: line)
        }
        continue
      }
      if !subscriptions.contains(id: key) { added.append((key, effect)) }
    }
    if subscriptions.count > declared.count - added.count {
      for subscription in subscriptions where !declared.contains(subscription.key) {
        end(subscription)
      }
      subscriptions.removeAll { !declared.contains($0.key) }
    }
    for (key, effect) in added {
      // The task stays while the state declares the effect, even if its work has ended. Finished
      // work is not started again.
      var task = EffectID.none
      makeTask(&task)
      let id = addGroup(effect, under: task, graph.tree.nextSerial, nil)
      subscriptions.append((key: key, task: task, effect: id), id: key)
      change { $0.start(id) }
    }
  }

  /// Reports a subscription without an id, or with the id of another one.
  @inlinable
  mutating func reportNotStarted(_ effect: Effect<R.Action>) {
    let issue =
      effect.traits?.keys.isEmpty == false
      ? StoreIssue.repeatedSubscription(effect.descriptor, step: steps)
      : .unnamedSubscription(at: effect.location, step: steps)
    commands.append(.report(issue))
  }

  /// Cancels a subscription. Effects that its actions have caused continue, as after any cancelled
  /// effect.
  @inlinable
  mutating func end(_ subscription: Subscription) {
    change { $0.cancelTree(subscription.effect) }
    change { $0.unpin(subscription.task) }
  }
}
