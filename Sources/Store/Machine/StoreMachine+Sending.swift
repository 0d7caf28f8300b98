extension StoreMachine {
  /// Enqueues an action from outside that cannot be reduced at once.
  ///
  /// - Returns: The task of the effects that the action will cause, or `.none` if the store has
  ///   ended.
  @inlinable
  mutating func enqueue(
    _ action: R.Action, origin: StepOrigin, location: SourceLocation
  ) -> EffectID {
    if blockers.contains(.closed) {
      meter(.actionDropped(action))
      // Once for each line: `onIssue` may send an action itself.
      if reportedLateSends.insert(location).inserted {
        commands.append(.reportLate(action, location, step: steps))
      }
      return .none
    }
    let task = graph.addTask()
    enqueue(QueuedAction(action, from: .outside(origin), task: task, inheritsTaskLocals: false))
    return task
  }

  /// Receives an action from an effect that continues.
  ///
  /// - Parameters:
  ///   - wantsTask: Whether the effects that the action causes get a task of their own.
  ///   - task: Set to that task.
  /// - Returns: The action, if it is to be reduced at once.
  @inlinable
  mutating func send(
    _ action: R.Action, from effect: EffectID, wantsTask: Bool, task: inout EffectID
  ) -> QueuedAction<R.Action>? {
    guard graph.tree.isRunning(effect) else {
      meter(.actionDropped(action))
      return nil
    }
    var owner = graph.tree.task(of: effect)
    if wantsTask {
      owner = graph.addTask(under: owner)
      task = owner
    }
    return arrive(action, from: .effect(effect), task: owner)
  }

  /// Receives the one action of a task effect, which ends the effect's work.
  ///
  /// What follows in a sequence starts after the action. In a held store it starts at once, so that
  /// it does not wait until a test receives the action; but a `.cancel` waits, because it applies
  /// to what the action causes. The action keeps the effect's permit.
  ///
  /// - Returns: The action, if it is to be reduced at once.
  @inlinable
  mutating func complete(_ effect: EffectID, _ action: R.Action) -> QueuedAction<R.Action>? {
    guard graph.tree.isRunning(effect) else {
      meter(.actionDropped(action))
      endWork(effect, nil)
      return nil
    }
    let task = graph.tree.task(of: effect)
    guard blockers.contains(.held), !isFollowedByCancel(effect) else {
      return arrive(action, from: .ending(effect), task: task)
    }
    let next = arrive(action, from: .effect(effect), task: task)
    keepPermits(endingWith: effect, withAction: true)
    endWork(effect, nil)
    return next
  }

  /// Receives an action. Enqueues it if it cannot be reduced now.
  ///
  /// - Returns: The action, if it is to be reduced at once.
  @inlinable
  mutating func arrive(
    _ action: R.Action, from sender: QueuedAction<R.Action>.Sender, task: EffectID
  ) -> QueuedAction<R.Action>? {
    let isNext = blockers.isEmpty
    let action = QueuedAction(action, from: sender, task: task, inheritsTaskLocals: isNext)
    pin(action)
    if isNext { return action }
    queuedEvents.append(.action(action))
    return nil
  }

  /// Receives the end of an effect's work.
  ///
  /// An end waits until no turn is open, like an action (R2). Otherwise what follows from it, such
  /// as a permit or the next member of a sequence, would depend on how long observers take. In a
  /// held store it waits for the turn, and for the queue if its order with the actions matters.
  ///
  /// - Parameter failure: The issue of the error, if the effect threw an error other than a
  ///   cancellation.
  @inlinable
  mutating func endWork(_ effect: EffectID, _ failure: EffectFailure?) {
    if blockers.isEmpty || blockers.contains(.closed) {
      end(effect, failure, inheritsTaskLocals: true)
    } else if blockers.isDisjoint(with: .heldOrReplayed) {
      graph.markReturned(effect)
      queuedEvents.append(.end(effect, failure))
    } else {
      endWorkOfHeld(effect, failure)
    }
  }

  /// Ends the work of an effect.
  ///
  /// - Parameter inheritsTaskLocals: Whether the calling thread is the one that ran the work.
  @inlinable
  mutating func end(_ effect: EffectID, _ failure: EffectFailure?, inheritsTaskLocals: Bool) {
    if graph.tree.isRunning(effect) || graph.tree.hasReturned(effect) {
      if let failure { commands.append(.report(failure.issue)) }
      meter(effect) { effect in
        failure.map { .effectFailed(effect, $0.error) } ?? .effectFinished(effect)
      }
    }
    inheritingList = inheritsTaskLocals ? graph.tree.list(of: effect) : 0
    change { $0.end(effect) }
    inheritingList = 0
  }

  /// Ends work whose end was in the queue. The actions that it causes come before the rest of the
  /// queue.
  @inlinable
  mutating func endFromQueue(
    _ effect: EffectID, _ failure: EffectFailure?, inheritsTaskLocals: Bool = false
  ) {
    isInQueuedEnd = true
    end(effect, failure, inheritsTaskLocals: inheritsTaskLocals)
    isInQueuedEnd = false
  }

  /// Ends the work of the action's sender, if it ends with the action, which has been reduced or
  /// dropped. The effects that follow a `.send` in a sequence belong to the turn. Actions of
  /// effects that follow work that took time open turns.
  @inlinable
  mutating func endSender(of action: QueuedAction<R.Action>) {
    switch action.sender {
    case .ending(let id):
      let wasInStep = isInStep
      isInStep = !graph.tree.hasTask(id)
      if !graph.startsAfterReduction.isEmpty { graph.resumeStarts(after: id) }
      endFromQueue(id, nil, inheritsTaskLocals: action.inheritsTaskLocals)
      isInStep = wasInStep
    case .last(let id, let failure): deferredEnds.append((id, failure))
    case .effect(let id)
    where !graph.keptPermits.isEmpty || !graph.startsAfterReduction.isEmpty:
      returnKeptPermits(of: id, beforeReduction: false)
      isInQueuedEnd = true
      change { $0.startNext(after: id) }
      isInQueuedEnd = false
    case .outside, .effect, .immediate: break
    }
  }

  @inlinable
  mutating func enqueue(_ action: QueuedAction<R.Action>) {
    pin(action)
    if isInStep {
      turn.append(action)
    } else if isInQueuedEnd {
      nextTurns.append(action)
    } else {
      queuedEvents.append(.action(action))
    }
  }

  /// Keeps the sender and the task of an action until it has been reduced or dropped.
  @inlinable
  mutating func pin(_ action: QueuedAction<R.Action>) {
    graph.pin(action.task)
    graph.pin(action.effect)
  }

  /// Drops an action that is not reduced.
  @inlinable
  mutating func drop(_ dropped: QueuedAction<R.Action>) {
    meter(.actionDropped(dropped.action))
    change { $0.unpin(dropped.effect) }
    endSender(of: dropped)
    change { $0.unpin(dropped.task) }
    performDeferredEnds()
  }

  // MARK: The end

  /// Cancels subscriptions and the work that `work` names. Starts no new subscriptions, and lets no
  /// effect wait for a permit.
  ///
  /// - Parameter work: The work to cancel at once in addition to the subscriptions.
  @inlinable
  mutating func drain(cancelling work: ShutdownWork) {
    graph.isDraining = true
    // Effects are cancelled first, so that waiting effects do not get the permits of subscriptions.
    reportingFailures { machine in
      machine.change { if work == .all { $0.cancelAll() } else { $0.cancelWaiting() } }
      machine.endSubscriptions()
    }
    performDeferredEnds()
  }

  /// Cancels the effects that a `send` caused.
  @inlinable
  mutating func cancel(task: EffectID) {
    reportingFailures { $0.change { $0.cancelTree(task) } }
    performDeferredEnds()
  }

  /// Cancels every effect.
  @inlinable
  mutating func cancelAll() {
    reportingFailures { $0.change { $0.cancelAll() } }
    performDeferredEnds()
  }

  /// Cancels effects from outside a step. Reports the errors of those whose end waits: without a
  /// queue they would have ended before.
  @inlinable
  mutating func reportingFailures(_ cancel: (inout Self) -> Void) {
    let failures = queuedEvents.isEmpty ? [] : waitingFailures
    if failures.isEmpty { return cancel(&self) }
    let earlier = commands.removeAll()
    cancel(&self)
    let reports = failures.filter { !graph.tree.hasReturned($0.0) }
      .map { _, failure in StoreCommand<R.Action>.report(failure.issue) }
    // Before what follows from the cancellation.
    commands = Queue(earlier + reports + commands.elements)
  }

  /// The errors of effects that were not cancelled and whose end is in the queue.
  @usableFromInline
  var waitingFailures: [(EffectID, EffectFailure)] {
    queuedEvents.elements.compactMap { event in
      guard case .end(let id, let failure?) = event, graph.tree.hasReturned(id) else { return nil }
      return (id, failure)
    }
  }

  /// Cancels every effect and drops the queued actions. No more actions are accepted.
  @inlinable
  mutating func close() {
    guard !blockers.contains(.closed) else { return }
    blockers.insert(.closed)
    // Not after a delivery, which may take longer than a deadline.
    for waiter in graph.idleWaiters { commands.append(.resume(waiter)) }
    graph.idleWaiters = []
    cancelAll()
    endSubscriptions()
    while let event = takeQueued() {
      switch event {
      case .action(let action): drop(action)
      case .end(let id, let failure): end(id, failure, inheritsTaskLocals: false)
      }
    }
    if !blockers.contains(.delivering) { commands.append(.end) }
  }

  /// Closes the store if there are no effects. Returns whether it is closed.
  @inlinable
  mutating func closeIfIdle() -> Bool {
    if graph.tree.count == 0 { close() }
    return blockers.contains(.closed)
  }

  // MARK: Waiting

  /// Resumes the waiter when the task has ended and observers have been notified of its last step.
  /// Returns `false` if that has already happened.
  @inlinable
  mutating func wait(for task: EffectID, _ waiter: WaiterID) -> Bool {
    graph.wait(for: task, waiter) || waitUntilDelivered(waiter)
  }

  /// Resumes the waiter when observers have been notified of the last step. Returns `false` if that
  /// has already happened.
  @inlinable
  mutating func waitUntilDelivered(_ waiter: WaiterID) -> Bool {
    guard blockers.contains(.delivering) else { return false }
    waitersToResume.append(waiter)
    return true
  }

  /// Resumes the waiter when there are no effects or the store has ended. Returns `false` if that
  /// has already happened.
  @inlinable
  mutating func waitUntilIdle(_ waiter: WaiterID) -> Bool {
    !blockers.contains(.closed) && graph.waitUntilIdle(waiter)
  }
}
