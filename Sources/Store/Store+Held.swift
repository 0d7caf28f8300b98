// For test stores and live replays: a held store keeps the actions of effects in its queue until
// `reduceNext()` is called. It uses the store's own turns, cancellation, ids, origins and tasks, so
// that a test or a replay that steps through actions meets the same rules as the program. A held
// store has one caller. Actions from elsewhere wait in the queue.

extension Store {
  /// An action that waits for `reduceNext()`.
  package struct WaitingAction: Sendable {
    /// The queued action.
    package let action: Action
    /// The sender of the action.
    package let origin: StepOrigin
    /// Whether the action belongs to the current turn, which ends only after it is reduced.
    package let isOfTurn: Bool
    /// Whether the work of the sending effect ends with the action.
    package let endsEffect: Bool
  }

  /// Creates a held store. Actions of effects, including the subscriptions that the initial state
  /// declares, wait in the queue until `reduceNext()` is called.
  package convenience init(
    initialState: State, reducer: R, dependencies: R.Dependencies, executor: any TaskExecutor,
    isHeld: Bool, onIssue: @escaping @Sendable (StoreIssue) -> Void
  ) {
    self.init(
      runtime: StoreRuntime(
        StoreMachine(
          state: initialState, reducer: reducer, dependencies: dependencies, isHeld: isHeld),
        hooks: nil, executor: executor, onIssue: onIssue))
    startSubscriptions()
  }

  /// Holds a store that runs, for a replay. From now on actions wait in the queue until
  /// `reduceNext()` is called. What follows an effect in a sequence starts after the effect's
  /// actions were reduced, as in a store that is not held.
  ///
  /// Returns after observers have been notified of the last step.
  ///
  /// - Parameter onEvent: Called when an action may have been queued or an effect may have ended,
  ///   outside the lock, on any thread.
  package func hold(onEvent: @escaping @Sendable () -> Void) async {
    runtime.perform { shared, _ in
      shared.machine.blockers.insert(.replayed)
      shared.machine.endQueuedWork()
      shared.waiters[StoreRuntime<R>.Shared.heldEvents] = onEvent
    }
    await StoreTask(runtime: runtime, id: .none).finish()
  }

  /// Ends `hold` and reduces the queued actions.
  package func endHold() {
    runtime.perform { shared, deferred in
      let onEvent = shared.waiters.removeValue(forKey: StoreRuntime<R>.Shared.heldEvents)
      if let onEvent { deferred.release(onEvent) }
      shared.machine.blockers.remove(.replayed)
    }
  }

  /// Reduces an action of the caller at once, before the queued ones. In an open turn it joins the
  /// turn: the actions that it causes at once are queued behind those of the turn. A store that has
  /// ended drops the action and reports an issue at the calling line.
  package func sendHeld(
    _ action: Action, origin: StepOrigin, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> StoreTask {
    let location = SourceLocation(fileID: fileID, line: line)
    var task = EffectID.none
    let deferred = runtime.lock.withLock { shared in
      shared.machine.blockers.contains(.closed)
        ? runtime.send(action, origin, location, task: &task, &shared)
        : runtime.reduce(action, origin, task: &task, &shared)
    }
    runtime.deliver(deferred)
    runtime.handle { $0.performDeferredEnds() }
    return StoreTask(runtime: runtime, id: task)
  }

  /// The queued actions, in the order in which they will be reduced, without the actions of effects
  /// that were cancelled in the meantime.
  package var waiting: [WaitingAction] {
    runtime.lock.withLock { $0.machine.waiting }
  }

  /// The action that is reduced next, or `nil` if there is none. O(number of queued actions of
  /// cancelled effects).
  package var nextWaiting: WaitingAction? {
    runtime.lock.withLock { $0.machine.nextWaiting }
  }

  /// Reduces the next queued action. Returns whether there was one.
  @discardableResult
  package func reduceNext() -> Bool {
    runtime.perform { shared, deferred in
      let next = shared.machine.takeNext(ignoring: .heldOrReplayed)
      if let next { runtime.reduce(next, &shared, &deferred) }
      return next != nil
    }
  }

  /// Reduces an action of `waiting` before the others. While a turn is open, only its next action
  /// can be chosen.
  ///
  /// - Parameter index: The index of the action.
  /// - Returns: `false` if there is another action by now, because effects were cancelled.
  package func reduce(_ action: WaitingAction, at index: Int) -> Bool {
    let isThere = runtime.lock.withLock { shared in
      if index > 0 { shared.machine.moveToFront(index) }
      return shared.machine.nextWaiting?.origin == action.origin
    }
    return isThere && reduceNext()
  }

  /// Starts the work that in a running store would have started before time passes, although
  /// actions wait in the queue: what follows a `.send` in a sequence, and what follows work that
  /// has ended.
  ///
  /// Where the order of actions depends on a waiting action, nothing starts: a `.send` or a
  /// `.cancel` that follows a `.send`, and a `.cancel` that follows work.
  ///
  /// - Returns: Whether something may have started.
  package func startOverdueWork() -> Bool {
    runtime.perform { shared, _ in shared.machine.startOverdueWork() }
  }

  /// The effects whose work has not ended. The work of an effect has ended if only its last action
  /// remains to be reduced.
  package var unendedEffects: [RunningEffect<Action>] {
    effects.filter { $0.descriptor.kind != .send }
  }

  /// Cancels every effect and drops their queued actions.
  package func cancelEffects() {
    runtime.handle { $0.cancelAll() }
  }

  /// Cancels every effect and drops the queued actions. The store reduces no more actions.
  package func closeHeld() {
    runtime.handle { $0.close() }
  }
}

extension StoreMachine {
  /// The queued actions, in the order in which they will be reduced.
  var waiting: [Store<R>.WaitingAction] {
    turn.elements.filter { !isDropped($0) }.map { describe($0, isOfTurn: true) }
      + (nextTurns.elements + queuedEvents.elements.compactMap(\.action))
      .filter { !isDropped($0) }.map { describe($0, isOfTurn: false) }
  }

  /// The first action of `waiting`.
  var nextWaiting: Store<R>.WaitingAction? {
    if let next = turn.first(where: { !isDropped($0) }) { return describe(next, isOfTurn: true) }
    let next =
      nextTurns.first { !isDropped($0) }
      ?? queuedEvents.first { event in event.action.map { !isDropped($0) } ?? false }?.action
    return next.map { describe($0, isOfTurn: false) }
  }

  /// Moves an action of `waiting` to the front, unless a turn is open.
  mutating func moveToFront(_ index: Int) {
    guard !isTurnOpen else { return }
    // One queue, so that each action can be moved before each other.
    var events = nextTurns.removeAll().map(QueuedEvent.action) + queuedEvents.elements
    let waiting = events.indices.filter { index in
      events[index].action.map { !isDropped($0) } ?? false
    }
    if waiting.indices.contains(index) { events.insert(events.remove(at: waiting[index]), at: 0) }
    queuedEvents = Queue(events)
  }

  /// Ends the work whose end is in the queue, by the rules of a held store.
  mutating func endQueuedWork() {
    for event in queuedEvents.removeAll() {
      switch event {
      case .action: queuedEvents.append(event)
      case .end(let id, let failure): endWorkOfHeld(id, failure)
      }
    }
  }

  @usableFromInline
  mutating func endWorkOfHeld(_ effect: EffectID, _ failure: EffectFailure?) {
    let isReplayed = blockers.contains(.replayed)
    if isReplayed, endAfterQueuedActions(effect, failure) { return }
    if !isTurnOpen, isReplayed || canEndEarly(effect) || isQueueEmpty {
      return endEarly(effect, failure)
    }
    // In the queue it marks the place of what follows.
    if !isReplayed { queuedEvents.append(.end(effect, failure)) }
    graph.markReturned(effect)
    deferredEnds.append((effect, failure))
    performDeferredEnds()
  }

  /// Ends work whose actions may be queued.
  private mutating func endEarly(_ effect: EffectID, _ failure: EffectFailure?) {
    keepPermits(endingWith: effect, withAction: false)
    end(effect, failure, inheritsTaskLocals: false)
  }

  /// Lets queued actions keep the permits that the end of an effect would return: its own, and
  /// those of the groups that end with it. The last action of each keeps its permit.
  @usableFromInline
  mutating func keepPermits(endingWith effect: EffectID, withAction: Bool) {
    guard graph.hasPermits, graph.tree.contains(effect) else { return }
    var slot = effect.slot
    while true {
      if graph.tree[slot].hasPermit, let last = lastQueuedSender(under: slot) {
        graph.keepPermit(of: slot, by: last, endsWithAction: withAction && last == effect)
      }
      guard graph.tree.isMember(slot), graph.tree[graph.tree[slot].parent].unfinished == 1 else {
        return
      }
      slot = graph.tree[slot].parent
    }
  }

  /// Returns the effect, of a group or a single one, whose queued action is the last to be reduced.
  private func lastQueuedSender(under slot: Int32) -> EffectID? {
    let effects = graph.leafEffects(slot)
    let queued = turn.elements + nextTurns.elements + queuedEvents.elements.compactMap(\.action)
    return queued.last { effects.contains($0.effect) && !isDropped($0) }?.effect
  }

  private func hasQueuedActions(of effect: EffectID) -> Bool {
    turn.first { $0.effect == effect } != nil || nextTurns.first { $0.effect == effect } != nil
      || queuedEvents.first { $0.action?.effect == effect } != nil
  }

  /// Returns the permits that the queued actions of an effect have kept, if none is left.
  @usableFromInline
  mutating func returnKeptPermits(of effect: EffectID, beforeReduction: Bool) {
    guard !hasQueuedActions(of: effect) else { return }
    graph.returnKeptPermits(of: effect, beforeReduction: beforeReduction)
  }

  /// Lets the work of an effect end after the last of its queued actions. Returns `false` if it has
  /// none, or was cancelled.
  private mutating func endAfterQueuedActions(
    _ effect: EffectID, _ failure: EffectFailure?
  ) -> Bool {
    guard !graph.tree.isCancelled(effect) else { return false }
    let isFound = queuedEvents.changeLast { event in
      guard case .action(let action) = event, case .effect(effect) = action.sender else {
        return nil
      }
      return .action(action.from(.last(effect, failure)))
    }
    if isFound { graph.markReturned(effect) }
    return isFound
  }

  /// Whether an action of the turn remains to be reduced.
  @usableFromInline
  var isTurnOpen: Bool { turn.first { !isDropped($0) } != nil }

  /// Performs the ends that waited for the turn of a held store, if the turn is over.
  @inlinable
  mutating func performDeferredEnds() {
    if !deferredEnds.isEmpty { performEndsOfHeld() }
  }

  @usableFromInline
  mutating func performEndsOfHeld() {
    if blockers.contains(.held) {
      while !isTurnOpen, hasDueEnd, endWorkInQueue() {}
    } else {
      while !isTurnOpen, let (id, failure) = deferredEnds.popFirst() {
        endFromQueue(id, failure)
      }
    }
  }

  private var isQueueEmpty: Bool { turn.isEmpty && nextTurns.isEmpty && queuedEvents.isEmpty }

  /// Whether `endWorkInQueue` would perform an end.
  private var hasDueEnd: Bool {
    if turn.isEmpty, nextTurns.isEmpty, case .end? = queuedEvents.first { return true }
    return deferredEnds.first { id, _ in canEndEarly(id) } != nil
  }

  /// Performs the ends in the queue that are next, and those that need not wait for the actions
  /// before them. The actions that follow come where the end was.
  ///
  /// - Returns: Whether there was such an end.
  private mutating func endWorkInQueue() -> Bool {
    var hasEnded = false
    deferredEnds = Queue()
    for event in queuedEvents.removeAll() {
      guard case .end(let id, let failure) = event else {
        queuedEvents.append(event)
        continue
      }
      if isQueueEmpty || canEndEarly(id) {
        endEarly(id, failure)
        hasEnded = true
      } else {
        queuedEvents.append(event)
        deferredEnds.append((id, failure))
      }
    }
    return hasEnded
  }

  /// Returns whether an effect can end before the queued actions are reduced: the next member of
  /// its sequence starts in the right order nevertheless.
  ///
  /// If another effect starts that member, only its end matters. But it must not be that of a
  /// `.send`, since what follows joins the turn of its action. A `.cancel` applies to what the
  /// queued actions cause.
  @usableFromInline
  func canEndEarly(_ effect: EffectID) -> Bool {
    guard let member = graph.tree.memberInSequence(effect) else { return true }
    let others = graph.tree.nodes(under: member).filter { slot in
      let node = graph.tree[slot]
      return node.form == .leaf && slot != effect.slot
        && [.pending, .waiting, .running].contains(node.phase)
    }
    return others.allSatisfy { works[Int($0)]?.effect.operation.isTask == true }
      && !isFollowedByCancel(effect)
  }

  /// Returns whether a `.cancel` is in the member that follows an effect in a sequence.
  @inlinable @inline(never)
  func isFollowedByCancel(_ effect: EffectID) -> Bool {
    graph.tree.successors(of: effect).contains { isCancel($0) }
  }

  @usableFromInline
  func isCancel(_ id: EffectID) -> Bool {
    if case .cancel? = works[Int(id.slot)]?.effect.operation { true } else { false }
  }

  /// Returns whether a `.cancel` is in an effect or group.
  private func hasCancel(_ id: EffectID) -> Bool {
    graph.leafEffects(id.slot).contains { isCancel($0) }
  }

  /// Ends the work that waits for the actions of a held store, where no `.cancel` follows and,
  /// after a `.send`, only work.
  mutating func startOverdueWork() -> Bool {
    heldSends.removeAll { !graph.tree.isRunning($0) || graph.tree.memberInSequence($0) == nil }
    let ended = Set(heldSends.filter(isSendBeforeWork))
    var isStarted = false
    if !ended.isEmpty {
      let actions = turn.elements + nextTurns.elements + queuedEvents.elements.compactMap(\.action)
      turn = Queue(turn.elements.map { $0.ended(by: ended) })
      nextTurns = Queue(nextTurns.elements.map { $0.ended(by: ended) })
      queuedEvents = Queue(
        queuedEvents.elements.map { $0.action.map { .action($0.ended(by: ended)) } ?? $0 })
      for case .ending(let id) in actions.map(\.sender) where ended.contains(id) {
        endFromQueue(id, nil)
        isStarted = true
      }
    }
    if !deferredEnds.isEmpty, endWorkInQueue() { isStarted = true }
    // What waits for a permit does not wait for the order in which the effect ends.
    for (id, _) in deferredEnds.elements {
      change { if $0.passPermitOn(before: id) { isStarted = true } }
    }
    for kept in graph.keptPermits where !(graph.limits[kept.key]?.next.map(hasCancel) ?? true) {
      change { $0.passOn(kept) }
      isStarted = true
    }
    return isStarted
  }

  /// Returns whether an effect is a `.send` in a sequence whose next member is only work.
  private func isSendBeforeWork(_ id: EffectID) -> Bool {
    let tree = graph.tree
    guard tree.isRunning(id), !tree.hasTask(id), tree.isMember(id.slot), tree[id.slot].next >= 0,
      tree[tree[id.slot].parent].form == .concatenate,
      works[Int(id.slot)]?.effect.traits?.limit == nil
    else { return false }
    return tree.successors(of: id).allSatisfy {
      works[Int($0.slot)]?.effect.operation.isTask ?? false
    }
  }

  private func describe(
    _ action: QueuedAction<R.Action>, isOfTurn: Bool
  ) -> Store<R>.WaitingAction {
    var endsEffect: Bool { if case .ending = action.sender { true } else { false } }
    return .init(
      action: action.action, origin: origin(of: action.sender), isOfTurn: isOfTurn,
      endsEffect: endsEffect)
  }
}

extension EffectTree {
  /// Returns the effects of the member that follows an effect in a sequence, or a group that
  /// contains it, if there is one. Others may have to end before it starts, too.
  @usableFromInline
  func successors(of id: EffectID) -> [EffectID] {
    guard let member = memberInSequence(id) else { return [] }
    return nodes(under: self[member].next).filter { self[$0].form == .leaf }.map { self.id($0) }
  }

  /// Returns the effect or the innermost group of it that another member of a sequence follows.
  @usableFromInline
  func memberInSequence(_ id: EffectID) -> Int32? {
    var slot = id.slot
    while isMember(slot) {
      let parent = self[slot].parent
      if self[parent].form == .concatenate, self[slot].next >= 0 { return slot }
      slot = parent
    }
    return nil
  }
}

extension EffectGraph {
  /// Passes the permit of an effect on whose end waits. Returns whether another effect starts.
  mutating func passPermitOn(before end: EffectID) -> Bool {
    guard tree.hasReturned(end), let next = passPermitOn(end.slot, wasWaiting: false) else {
      return false
    }
    proceedLater(next)
    run()
    return true
  }
}

extension QueuedAction {
  /// Returns the action for a sender whose work ends before the action, if that is one of these.
  fileprivate func ended(by effects: Set<EffectID>) -> QueuedAction {
    effects.contains(effect) ? from(.effect(effect)) : self
  }
}
