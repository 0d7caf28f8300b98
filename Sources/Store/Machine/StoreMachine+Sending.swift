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
      commands.append(.reportLate(action, location, step: steps))
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
  /// Its permits are free before the action is reduced, because the effects that the action causes
  /// may need them. What follows in a sequence starts after the action. In a held store it starts
  /// at once, so that it does not wait until a test receives the action; but a `.cancel` waits,
  /// because it applies to what the action causes.
  ///
  /// - Returns: The action, if it is to be reduced at once.
  @inlinable
  mutating func complete(_ effect: EffectID, _ action: R.Action) -> QueuedAction<R.Action>? {
    guard graph.tree.isRunning(effect) else {
      meter(.actionDropped(action))
      end(effect, nil)
      return nil
    }
    let task = graph.tree.task(of: effect)
    guard blockers.contains(.held), !isFollowedByCancel(effect) else {
      if graph.hasPermits { graph.returnPermits(endingWith: effect) }
      return arrive(action, from: .ending(effect), task: task)
    }
    let next = arrive(action, from: .effect(effect), task: task)
    end(effect, nil)
    return next
  }

  /// Returns whether a `.cancel` is in the member that follows an effect in its sequence.
  @inlinable
  @inline(never)
  func isFollowedByCancel(_ effect: EffectID) -> Bool {
    graph.tree.successors(of: effect).contains { id in
      if case .cancel? = works[Int(id.slot)]?.effect.operation { true } else { false }
    }
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
    queuedTurns.append(action)
    return nil
  }

  /// Ends the work of an effect.
  ///
  /// - Parameters:
  ///   - failure: The issue of the error, if the effect threw an error other than a cancellation.
  ///   - inheritsTaskLocals: Whether the calling thread is the one that ran the work.
  @inlinable
  mutating func end(
    _ effect: EffectID, _ failure: (issue: StoreIssue, error: any Error)?,
    inheritsTaskLocals: Bool = true
  ) {
    if blockers.contains(.replayed), failure == nil, endAfterQueuedActions(effect) { return }
    if graph.tree.isRunning(effect) {
      if let failure { report(failure.issue) }
      meter(effect) { effect in
        failure.map { .effectFailed(effect, $0.error) } ?? .effectFinished(effect)
      }
    }
    inheritingList = inheritsTaskLocals ? graph.tree.list(of: effect) : 0
    change { $0.end(effect) }
    inheritingList = 0
  }

  /// Lets the work of an effect end with the last of its queued actions. Returns `false` if it has
  /// none.
  @usableFromInline
  mutating func endAfterQueuedActions(_ effect: EffectID) -> Bool {
    guard graph.tree.isRunning(effect) else { return false }
    return queuedTurns.changeLast(where: {
      if case .effect(effect) = $0.sender { true } else { false }
    }) {
      QueuedAction(
        $0.action, from: .ending(effect), task: $0.task, inheritsTaskLocals: $0.inheritsTaskLocals)
    }
  }

  /// Ends the work of the action's sender, if it ends with the action, which has been reduced or
  /// dropped. The effects that follow a `.send` in a sequence belong to the turn. Actions of
  /// effects that follow work that took time open turns.
  @inlinable
  mutating func endSender(of action: QueuedAction<R.Action>) {
    guard case .ending(let id) = action.sender else { return }
    let wasInStep = isInStep
    isInStep = !graph.tree.hasTask(id)
    if !graph.startsAfterReduction.isEmpty { graph.resumeStarts(after: id) }
    end(id, nil, inheritsTaskLocals: action.inheritsTaskLocals)
    isInStep = wasInStep
  }

  @inlinable
  mutating func enqueue(_ action: QueuedAction<R.Action>) {
    pin(action)
    if isInStep { turn.append(action) } else { queuedTurns.append(action) }
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
    switch work {
    case .queued: change { $0.cancelWaiting() }
    case .all: cancelAll()
    }
    endSubscriptions()
  }

  /// Cancels the effects that a `send` caused.
  @inlinable
  mutating func cancel(task: EffectID) {
    change { $0.cancelTree(task) }
  }

  /// Cancels every effect.
  @inlinable
  mutating func cancelAll() {
    change { $0.cancelAll() }
  }

  /// Cancels every effect and drops the queued actions. No more actions are accepted.
  @inlinable
  mutating func close() {
    guard !blockers.contains(.closed) else { return }
    blockers.insert(.closed)
    cancelAll()
    endSubscriptions()
    while let action = takeQueued() { drop(action) }
    change { $0.resumeIdleWaiters() }
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
    if graph.wait(for: task, waiter) { return true }
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
