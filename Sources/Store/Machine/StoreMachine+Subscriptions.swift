/// Whether what the state declares runs.
@usableFromInline
enum SubscriptionPhase: Sendable {
  /// Not yet.
  case heldBack
  case active
  /// The store is shutting down.
  case ended
}

/// What runs because the state declares it.
@usableFromInline
struct Subscription: Sendable {
  /// What the actions of the effect cause belongs to it. It stays while the state declares the
  /// effect.
  @usableFromInline let task: EffectID
  /// What the state declares; `none` for one that was not started.
  @usableFromInline let effect: EffectID

  @inlinable
  init(task: EffectID, effect: EffectID) {
    self.task = task
    self.effect = effect
  }
}

extension StoreMachine {
  /// From here on what the state declares runs.
  @inlinable
  mutating func startSubscriptions() {
    guard subscriptionPhase == .heldBack, audience.contains(.subscriptions) else { return }
    subscriptionPhase = .active
    updateSubscriptions()
  }

  @usableFromInline
  mutating func endSubscriptions() {
    subscriptionPhase = .ended
    for key in subscriptionOrder {
      if let subscription = subscriptions[key] { end(subscription) }
    }
    subscriptions = [:]
    subscriptionOrder = []
  }

  /// Starts what the state declares and does not run yet, and cancels what it declares no more.
  @inlinable
  mutating func updateSubscriptions() {
    guard subscriptionPhase == .active else { return }
    var declared: Set<CancelKey> = []
    var added: [(CancelKey, Effect<R.Action>)] = []
    for effect in reducer.subscriptions(state, dependencies) where !effect.isNone {
      guard let key = effect.traits?.keys.first, declared.insert(key).inserted else {
        // Kept by its line while it is declared, so that it is said once.
        let line = CancelKey(id: CancelID(effect.location))
        if declared.insert(line).inserted, subscriptions[line] == nil {
          reportNotStarted(effect)
          subscriptions[line] = Subscription(task: .none, effect: .none)
          subscriptionOrder.append(line)
        }
        continue
      }
      if subscriptions[key] == nil { added.append((key, effect)) }
    }
    if subscriptions.count > declared.count - added.count {
      for key in subscriptionOrder where !declared.contains(key) {
        if let subscription = subscriptions.removeValue(forKey: key) { end(subscription) }
      }
      subscriptionOrder.removeAll { !declared.contains($0) }
    }
    for (key, effect) in added {
      // The task stays while the state declares it, also when the work under it has ended: that is
      // not begun anew.
      let task = graph.addTask()
      graph.pin(task)
      let id = addGroup(effect, under: task, nil)
      subscriptions[key] = Subscription(task: task, effect: id)
      subscriptionOrder.append(key)
      graph.start(id)
      carryOut()
    }
  }

  /// A subscription without an id, or with one that is taken.
  @inlinable
  mutating func reportNotStarted(_ effect: Effect<R.Action>) {
    report(
      effect.traits?.keys.isEmpty == false
        ? .repeatedSubscription(effect.descriptor, step: steps)
        : .unnamedSubscription(at: effect.location, step: steps))
  }

  /// Cancels what was declared. What its actions have caused continues, as with any cancelled
  /// effect.
  @inlinable
  mutating func end(_ subscription: Subscription) {
    graph.cancelTree(subscription.effect)
    graph.unpin(subscription.task)
    carryOut()
  }
}
