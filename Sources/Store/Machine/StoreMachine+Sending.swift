extension StoreMachine {
  /// An action from outside that something keeps from being reduced at once.
  ///
  /// - Returns: The task that what it causes will belong to; `.none` where the store has ended.
  @inlinable
  mutating func enqueue(
    _ action: R.Action, origin: StepOrigin, location: SourceLocation
  ) -> EffectID {
    if obstacles.contains(.closed) {
      if audience.contains(.meter) { commands.append(.meter(.actionDropped(action))) }
      commands.append(.reportLate(action, location, step: steps))
      return .none
    }
    let task = graph.addTask()
    enqueue(QueuedAction(action, from: .outside(origin), task: task, inheritsTaskLocals: false))
    return task
  }

  /// An action from an effect that continues.
  ///
  /// - Parameters:
  ///   - wantsTask: Whether what the action causes gets a task of its own.
  ///   - task: Set to that task.
  /// - Returns: The action, if it is to be reduced at once.
  @inlinable
  mutating func send(
    _ action: R.Action, from effect: EffectID, wantsTask: Bool, task: inout EffectID
  ) -> QueuedAction<R.Action>? {
    guard graph.tree.isRunning(effect) else {
      if audience.contains(.meter) { commands.append(.meter(.actionDropped(action))) }
      return nil
    }
    var owner = graph.tree.task(of: effect)
    if wantsTask {
      owner = graph.addTask(under: owner)
      task = owner
    }
    return arrive(action, from: .effect(effect), task: owner)
  }

  /// The one action of a task effect, with which its work ends.
  ///
  /// In a held store the work ends at once: what comes after it in a sequence does not wait until a
  /// test receives the action. So its permit is free, and a `.cancel` after it in the sequence
  /// reached, before the action is reduced, and not after as elsewhere.
  ///
  /// - Returns: The action, if it is to be reduced at once.
  @inlinable
  mutating func complete(_ effect: EffectID, _ action: R.Action) -> QueuedAction<R.Action>? {
    guard graph.tree.isRunning(effect) else {
      if audience.contains(.meter) { commands.append(.meter(.actionDropped(action))) }
      end(effect, nil)
      return nil
    }
    let task = graph.tree.task(of: effect)
    guard obstacles.contains(.held) else {
      return arrive(action, from: .ending(effect), task: task)
    }
    let next = arrive(action, from: .effect(effect), task: task)
    end(effect, nil)
    return next
  }

  /// - Returns: The action, if nothing keeps it from being reduced at once; else it is queued.
  @inlinable
  mutating func arrive(
    _ action: R.Action, from sender: QueuedAction<R.Action>.Sender, task: EffectID
  ) -> QueuedAction<R.Action>? {
    let isNext = obstacles.isEmpty
    let action = QueuedAction(action, from: sender, task: task, inheritsTaskLocals: isNext)
    guard isNext else {
      enqueue(action)
      return nil
    }
    graph.pin(action.task)
    graph.pin(action.effect)
    return action
  }

  /// The work of an effect has ended.
  ///
  /// - Parameters:
  ///   - failure: The issue of what it threw, if it threw something other than a cancellation.
  ///   - inheritsTaskLocals: The calling thread is the one on which the work ran.
  @inlinable
  mutating func end(
    _ effect: EffectID, _ failure: (issue: StoreIssue, error: any Error)?,
    inheritsTaskLocals: Bool = true
  ) {
    guard graph.tree.contains(effect) else { return }
    if graph.tree.isRunning(effect) {
      if let failure { report(failure.issue) }
      if audience.contains(.meter) {
        meter(effect) { effect in
          failure.map { .effectFailed(effect, $0.error) } ?? .effectFinished(effect)
        }
      }
    }
    inheritingGroup = inheritsTaskLocals ? graph.tree.outermost(of: effect) : 0
    graph.end(effect)
    carryOut()
    inheritingGroup = 0
  }

  /// The action has been reduced or dropped, with which the work of its sender may end. What
  /// follows a `.send` in a sequence belongs to the turn; what follows work that took time opens
  /// one.
  @inlinable
  mutating func endSender(of action: QueuedAction<R.Action>) {
    guard case .ending(let id) = action.sender else { return }
    let wasInStep = isInStep
    isInStep = !graph.tree.hasTask(id)
    end(id, nil, inheritsTaskLocals: action.inheritsTaskLocals)
    isInStep = wasInStep
  }

  @inlinable
  mutating func enqueue(_ action: QueuedAction<R.Action>) {
    graph.pin(action.task)
    graph.pin(action.effect)
    if isInStep { turn.append(action) } else { arrivals.append(action) }
  }

  /// Lets go of an action that is not reduced.
  @inlinable
  mutating func drop(_ dropped: QueuedAction<R.Action>) {
    if audience.contains(.meter) { commands.append(.meter(.actionDropped(dropped.action))) }
    graph.unpin(dropped.effect)
    endSender(of: dropped)
    graph.unpin(dropped.task)
    carryOut()
    release(dropped.action)
  }

  @inlinable
  mutating func release(_ action: R.Action) {
    if !_isPOD(R.Action.self) { commands.append(.release(.action(action))) }
  }

  // MARK: The end

  /// Nothing new starts because the state declares it.
  ///
  /// - Parameter work: What is cancelled at once beside the subscriptions.
  @usableFromInline
  mutating func drain(cancelling work: ShutdownWork) {
    graph.isDraining = true
    // First, so that what waits does not get the permits of subscriptions.
    switch work {
    case .queued: graph.cancelWaiting()
    case .all: graph.cancelAll()
    }
    carryOut()
    endSubscriptions()
  }

  /// Cancels what a `send` set going.
  @usableFromInline
  mutating func cancel(task: EffectID) {
    graph.cancelTree(task)
    carryOut()
  }

  /// Cancels every effect.
  @usableFromInline
  mutating func cancelAll() {
    graph.cancelAll()
    carryOut()
  }

  /// Cancels every effect and drops what waits. No action is taken any more.
  @usableFromInline
  mutating func close() {
    guard !obstacles.contains(.closed) else { return }
    obstacles.insert(.closed)
    cancelAll()
    endSubscriptions()
    while let action = takeQueued() { drop(action) }
    graph.resumeIdleWaiters()
    carryOut()
    if !obstacles.contains(.telling) { commands.append(.end) }
  }

  // MARK: Waiting

  /// Resumes the waiter when the task has ended and observers have been notified of its last step.
  /// False if that is so already.
  @usableFromInline
  mutating func wait(for task: EffectID, _ waiter: EffectGraph.WaiterID) -> Bool {
    if graph.wait(for: task, waiter) { return true }
    guard obstacles.contains(.telling) else { return false }
    overdue.append(waiter)
    return true
  }

  /// Resumes the waiter when there is no effect any more, or when the store has ended. False if
  /// that is so already.
  @usableFromInline
  mutating func waitUntilIdle(_ waiter: EffectGraph.WaiterID) -> Bool {
    !obstacles.contains(.closed) && graph.waitUntilIdle(waiter)
  }
}
