/// A store as a value: its state, its effects, and its queued actions. It makes every decision.
///
/// Events are calls of its methods. Its commands are added to `commands`, in order. It has no lock,
/// starts no task, and calls no closure except the reducer. A copy is independent.
///
/// An action arrives and, if nothing blocks it, is reduced in a step. Its effects are added to
/// the graph. The step is returned to the caller, which notifies hooks and observers.
///
/// **Turns (R2).** An action from outside a reduction opens a turn. The turn consists of the action
/// and the actions that it causes at once, which are in `turn`. Other actions, and the ends of
/// effects, wait in `nextTurns` and `queuedEvents`.
///
/// **Words.** An action is *enqueued* if it cannot be reduced at once, and is then *taken* from the
/// queue. It is *dropped* if its effect was cancelled meanwhile, or if the store has ended. An
/// effect is *added* when a reducer has returned it and *started* when its limit has a permit for
/// it. Its work *ends* when it has returned or thrown. The effect is *released* when none of its
/// actions is in the queue. A *task* is here what `send` returns, to which the effects belong that
/// the action causes; the Swift task that runs an effect is created by the runtime. A node of the
/// graph is *pinned* as long as an action in the queue or the current step needs it.
///
/// `+Sending` receives actions, `+Effects` handles effects, `+Subscriptions` handles the effects
/// that the state declares, and `+Children` ends effects of removed children.
@usableFromInline
struct StoreMachine<R: Reducer>: Sendable {
  /// The reasons not to reduce an action as soon as it arrives.
  @usableFromInline
  struct ReductionBlockers: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A thread does the work of a step that is done outside the lock, such as notifying observers.
    @inlinable static var delivering: ReductionBlockers { ReductionBlockers(rawValue: 1) }
    /// A test reduces the actions one by one.
    @inlinable static var held: ReductionBlockers { ReductionBlockers(rawValue: 2) }
    /// A replay chooses the next action. As in a store that is not held, the work of an effect ends
    /// after its actions have been reduced.
    @inlinable static var replayed: ReductionBlockers { ReductionBlockers(rawValue: 8) }
    /// A test or a replay decides when an action is reduced. Not a list of both, which would be
    /// allocated at every observed step.
    @inlinable static var heldOrReplayed: ReductionBlockers { ReductionBlockers(rawValue: 2 | 8) }
    /// The store has ended.
    @inlinable static var closed: ReductionBlockers { ReductionBlockers(rawValue: 4) }
  }

  @usableFromInline let reducer: R
  @usableFromInline let dependencies: R.Dependencies
  @usableFromInline var state: R.State
  /// The number of the last step.
  @usableFromInline var steps: Int
  @usableFromInline var blockers: ReductionBlockers
  @usableFromInline var recipients: StepRecipients = []

  /// The remaining actions of the current turn.
  @usableFromInline var turn = Queue<QueuedAction<R.Action>>()
  /// The actions that an end from the queue has caused. They come before the rest of the queue, as
  /// if there were no queue.
  @usableFromInline var nextTurns = Queue<QueuedAction<R.Action>>()
  /// The events that wait for the end of the turn, in the order in which they arrived.
  @usableFromInline var queuedEvents = Queue<QueuedEvent<R.Action>>()
  /// The ends that wait for the turn of a held store. In that of a test, `queuedEvents` has them in
  /// their place, too.
  @usableFromInline var deferredEnds = Queue<(EffectID, EffectFailure?)>()
  /// The `.send` effects of a held store, without those that no overdue work can follow.
  @usableFromInline var heldSends: [EffectID] = []

  @usableFromInline var graph = EffectGraph()
  /// The work of each effect in the graph, by slot.
  @usableFromInline var works: [EffectWork<R.Action>?] = []
  /// The subscriptions that the state declares, by id, in the order in which they were declared.
  @usableFromInline var subscriptions = IdentifiedArray<CancelKey, Subscription>()
  @usableFromInline var subscriptionPhase = SubscriptionPhase.heldBack
  /// Whether a step is in progress. Actions that it causes at once belong to the turn.
  @usableFromInline var isInStep = false
  /// Whether an end is in progress that was in the queue.
  @usableFromInline var isInQueuedEnd = false
  /// The list whose effects start in the task that caused them and inherit its task-local values
  /// (R4), or 0 for none.
  @usableFromInline var inheritingList: UInt32 = 0

  /// The lines that have sent an action after the end of the store.
  @usableFromInline var reportedLateSends: Set<SourceLocation> = []

  /// Commands to perform, oldest first. The caller removes the ones that it has performed.
  @usableFromInline var commands = Queue<StoreCommand<R.Action>>()
  /// The waiters to resume when the work of the step has been done.
  @usableFromInline var waitersToResume: [WaiterID] = []

  /// Creates a machine.
  ///
  /// - Parameter steps: The number of the last step that led to `state`, 0 for a new store.
  @inlinable
  init(
    state: R.State, reducer: R, dependencies: R.Dependencies, steps: Int = 0, isHeld: Bool = false
  ) {
    self.state = state
    self.reducer = reducer
    self.dependencies = dependencies
    self.steps = steps
    blockers = isHeld ? .held : []
    if reducer.declaresSubscriptions(in: CompositionPath()) { recipients.insert(.subscriptions) }
  }
}

// MARK: Reducing

extension StoreMachine {
  /// Reduces an action. Only this function calls the reducer.
  @inlinable @inline(__always)
  mutating func reduce(_ action: R.Action) -> [Effect<R.Action>] {
    steps &+= 1
    return reducer.reduce(&state, action, dependencies)
  }

  /// Reduces actions until one has effects.
  ///
  /// - Returns: That action and its effects, or `nil` if all are reduced.
  @inlinable @inline(__always)
  mutating func reduce(
    _ actions: inout IndexingIterator<[R.Action]>
  ) -> (action: R.Action, effects: [Effect<R.Action>])? {
    while let action = actions.next() {
      let effects = reduce(action)
      if !effects.hasNoEffects() { return (action, effects) }
    }
    return nil
  }

  /// Whether there are commands to perform, or queued actions that can be reduced or dropped.
  @inlinable @inline(__always)
  var isDue: Bool {
    if !commands.isEmpty { return true }
    return blockers.isEmpty
      ? !(turn.isEmpty && nextTurns.isEmpty && queuedEvents.isEmpty)
      : blockers.isSubset(of: .heldOrReplayed) && isNextCancelled
  }

  /// Whether the next action is that of a cancelled effect. A held store drops it without being
  /// asked for it, so that what follows the effect does not wait.
  @usableFromInline
  var isNextCancelled: Bool {
    let next = turn.first ?? nextTurns.first ?? queuedEvents.first?.action
    return next.map { isDropped($0) } ?? false
  }

  /// Takes the next action of the turn, or otherwise the next that arrived, if it can be reduced.
  /// Drops actions of cancelled effects.
  ///
  /// In a held store it only drops the next action, if its effect was cancelled.
  ///
  /// - Parameter ignored: The reasons that do not count.
  /// - Returns: The action. `nil` if there is none, or if an effect has ended. The commands that
  ///   follow from its end are performed before the next action, and the actions come before those
  ///   that the caller has seen in the queue.
  @inlinable
  mutating func takeNext(ignoring ignored: ReductionBlockers = []) -> QueuedAction<R.Action>? {
    guard blockers.subtracting(ignored).isEmpty else {
      if blockers.isSubset(of: .heldOrReplayed), isNextCancelled, let next = takeQueued()?.action {
        drop(next)
      }
      return nil
    }
    while let next = takeQueued() {
      switch next {
      case .end(let id, let failure):
        endFromQueue(id, failure)
        return nil
      case .action(let next):
        guard isDropped(next) else { return next }
        let turns = nextTurns.count
        drop(next)
        if nextTurns.count > turns { return nil }
      }
    }
    return nil
  }

  /// Returns whether the action is dropped when it is taken, because its effect was cancelled (R5),
  /// or, if its effect has no node, the task of the effect.
  @inlinable
  func isDropped(_ action: QueuedAction<R.Action>) -> Bool {
    if case .immediate = action.sender { return graph.tree.isCancelledTask(action.task) }
    return graph.tree.isCancelled(action.effect)
  }

  /// Takes the next event. An action is released after the unlock, because that can run user code.
  @inlinable
  mutating func takeQueued() -> QueuedEvent<R.Action>? {
    let next =
      turn.popFirst().map(QueuedEvent.action) ?? nextTurns.popFirst().map(QueuedEvent.action)
      ?? queuedEvents.popFirst()
    if let action = next?.action, !_isPOD(R.Action.self) {
      commands.append(.release(action.action))
    }
    return next
  }

  /// Reduces an action that was taken, or has just arrived.
  ///
  /// - Returns: The step, if hooks or observers are to be notified.
  @inlinable
  mutating func reduce(_ next: QueuedAction<R.Action>) -> Step<R.Action>? {
    let origin =
      recipients.isDisjoint(with: [.hooks, .observers])
      ? StepOrigin.program("") : origin(of: next.sender)
    // If the task was cancelled before, the effects of this step are cancelled too. If the step
    // itself cancels the task, only earlier effects are.
    let isCancelled = graph.tree.isCancelledTask(next.task)
    // The action has left the queue. If the step cancels the sender's id, it affects other effects.
    if !graph.keptPermits.isEmpty { returnKeptPermits(of: next.effect, beforeReduction: true) }
    change { $0.unpin(next.effect) }
    if case .ending(let id) = next.sender {
      // Free before the reduction, because the effects that the action causes may need them.
      if graph.hasPermits { graph.returnPermits(endingWith: id) }
      graph.forgetKeys(id.slot)
    }
    let effects = reduce(next.action)
    var task = next.task
    let step = conclude(
      effects, of: next.action, origin: origin, task: &task,
      inheritsTaskLocals: next.inheritsTaskLocals)
    if isCancelled { change { $0.cancelChildren(next.task) } }
    endSender(of: next)
    change { $0.unpin(next.task) }
    performDeferredEnds()
    return step
  }

  /// Adds the result of a reduction.
  ///
  /// - Returns: The step, if hooks or observers are to be notified.
  @inlinable @inline(__always)
  mutating func conclude(
    _ effects: [Effect<R.Action>], of action: R.Action, origin: StepOrigin, task: inout EffectID,
    inheritsTaskLocals: Bool
  ) -> Step<R.Action>? {
    var step: Step<R.Action>?
    if !recipients.isDisjoint(with: [.hooks, .observers]) {
      step = Step(
        number: steps, origin: origin, action: action, effects: effects.descriptors())
    }
    if recipients.contains(.meter) {
      commands.append(.meter(.didReduce(step: steps, effects: effects.count)))
    }
    // Set before effects end, so that waiters are resumed only after observers have been notified.
    if recipients.contains(.observers) { blockers.insert(.delivering) }
    if !effects.isEmpty || !recipients.isDisjoint(with: [.children, .subscriptions]) {
      update(effects, of: action, task: &task, inheritsTaskLocals: inheritsTaskLocals)
    }
    return step
  }

  /// Adds effects, ends those whose child or declaration is gone, and starts new subscriptions.
  @inlinable @inline(never)
  mutating func update(
    _ effects: [Effect<R.Action>], of action: R.Action, task: inout EffectID,
    inheritsTaskLocals: Bool
  ) {
    isInStep = true
    // The store is not idle between an effect that the step ends and one that it starts.
    var open = EffectID.none
    if !graph.idleWaiters.isEmpty { makeTask(&open) }
    if !effects.isEmpty {
      take(effects, of: action, task: &task, inheritsTaskLocals: inheritsTaskLocals)
      if graph.hasChildrenToSearch { recipients.insert(.children) }
    }
    if recipients.contains(.children) { endAbsentChildren() }
    if recipients.contains(.subscriptions) { updateSubscriptions() }
    if open != .none { change { $0.unpin(open) } }
    isInStep = false
  }

  /// Ends the work of the last step outside the lock.
  @inlinable
  mutating func delivered() {
    blockers.remove(.delivering)
    if !waitersToResume.isEmpty {
      for waiter in waitersToResume { commands.append(.resume(waiter)) }
      waitersToResume = []
    }
    if blockers.contains(.closed) { commands.append(.end) }
  }

  @inlinable @inline(__always)
  func origin(of sender: QueuedAction<R.Action>.Sender) -> StepOrigin {
    switch sender {
    case .outside(let origin): return origin.sent
    case .immediate(let step): return .effect(name: "send", id: nil, step: step)
    case .effect(let id), .ending(let id), .last(let id, _):
      guard graph.tree.contains(id), let work = works[Int(id.slot)] else { return .program("") }
      return work.effect.origin(step: work.step)
    }
  }
}
