/// A store as a value: state, effects, and the actions that wait. It makes every decision.
///
/// Events come in as calls of its methods, and what is to be done comes out in `commands`, in
/// order. It holds no lock, starts no task, and calls no closure but the reducer. A copy of it is a
/// copy.
///
/// An action arrives, is taken when there is no obstacle, is reduced, and makes a step; its effects
/// join the graph. The step is returned to the caller, which notifies hooks and observers.
///
/// **Turns (R2).** An action from outside a reduction opens a turn. The turn is the action and all
/// that it causes at once: they are in `turn`, while actions that come meanwhile wait in
/// `arrivals`.
///
/// `+Sending` receives actions, `+Effects` handles effects, `+Subscriptions` handles what the state
/// declares, and `+Children` ends effects of removed children.
@usableFromInline
struct StoreMachine<R: Reducer>: Sendable {
  @usableFromInline typealias State = R.State
  @usableFromInline typealias Action = R.Action
  @usableFromInline typealias Command = StoreCommand<R.Action>

  /// What keeps an action from being reduced as soon as it arrives.
  @usableFromInline
  struct Obstacles: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Observers are being notified of a step.
    @inlinable static var telling: Obstacles { Obstacles(rawValue: 1) }
    /// A test takes the steps one by one.
    @inlinable static var held: Obstacles { Obstacles(rawValue: 2) }
    /// The store has ended.
    @inlinable static var closed: Obstacles { Obstacles(rawValue: 4) }
  }

  /// What has to be made known of each step.
  @usableFromInline
  struct Audience: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable static var hooks: Audience { Audience(rawValue: 1) }
    @inlinable static var observers: Audience { Audience(rawValue: 2) }
    @inlinable static var meter: Audience { Audience(rawValue: 4) }
    /// The reducer declares subscriptions, which are checked after each step.
    @inlinable static var subscriptions: Audience { Audience(rawValue: 8) }
    /// Effects of children run: after each step, removed children are searched for.
    @inlinable static var children: Audience { Audience(rawValue: 16) }
    /// A hook or the meter is called before the reduction.
    @inlinable static var upcoming: Audience { Audience(rawValue: 32) }
  }

  @usableFromInline let reducer: R
  @usableFromInline let dependencies: R.Dependencies
  @usableFromInline var state: R.State
  /// The number of the last step.
  @usableFromInline var steps: Int
  @usableFromInline var obstacles: Obstacles
  @usableFromInline var audience: Audience = []

  /// The rest of the current turn.
  @usableFromInline var turn = Queue<QueuedAction<R.Action>>()
  /// Actions that open turns, in the order in which they came.
  @usableFromInline var arrivals = Queue<QueuedAction<R.Action>>()

  @usableFromInline var graph = EffectGraph()
  /// What the effects of the graph hold, by slot.
  @usableFromInline var works: [EffectWork<R.Action>?] = []
  /// What runs because the state declares it, by id.
  @usableFromInline var subscriptions: [CancelKey: Subscription] = [:]
  /// The ids in the order in which they were declared.
  @usableFromInline var subscriptionOrder: [CancelKey] = []
  @usableFromInline var subscriptionPhase = SubscriptionPhase.heldBack
  /// A step is under way: what it causes at once belongs to the turn.
  @usableFromInline var isInStep = false
  /// The outermost group whose effects start in the task that caused them, and so with its
  /// task-local values (R4); 0 for none.
  @usableFromInline var inheritingGroup: UInt32 = 0

  /// Commands to perform, oldest first. The caller removes the ones that it has performed.
  @usableFromInline var commands = Queue<Command>()
  /// Waits that are over once observers have been notified.
  @usableFromInline var overdue: [EffectGraph.WaiterID] = []

  /// - Parameter steps: The number of the last step that was taken elsewhere: 0 for a new store.
  @inlinable
  init(
    state: R.State, reducer: R, dependencies: R.Dependencies, steps: Int = 0, isHeld: Bool = false
  ) {
    self.state = state
    self.reducer = reducer
    self.dependencies = dependencies
    self.steps = steps
    obstacles = isHeld ? .held : []
    if reducer.declaresSubscriptions(in: CompositionPath()) { audience.insert(.subscriptions) }
  }
}

// MARK: Reducing

extension StoreMachine {
  /// Reduces an action. The only place that calls the reducer.
  @inlinable
  @inline(__always)
  mutating func reduce(_ action: R.Action) -> [Effect<R.Action>] {
    steps &+= 1
    return reducer.reduce(&state, action, dependencies)
  }

  /// Reduces actions until one has effects.
  ///
  /// - Returns: That action and its effects; `nil` when all are reduced.
  @inlinable
  @inline(__always)
  mutating func reduce(
    _ actions: inout IndexingIterator<[R.Action]>
  ) -> (action: R.Action, effects: [Effect<R.Action>])? {
    while let action = actions.next() {
      let effects = reduce(action)
      if !effects.hasNoEffects() { return (action, effects) }
    }
    return nil
  }

  /// Something is to be done, or an action waits that can be reduced.
  @inlinable
  @inline(__always)
  var isDue: Bool {
    !commands.isEmpty || obstacles.isEmpty && !(turn.isEmpty && arrivals.isEmpty)
  }

  /// Takes the next action of the turn, or otherwise the next that arrived, if it can be reduced.
  /// Drops actions of cancelled effects.
  ///
  /// - Parameter ignored: What does not count as an obstacle.
  @inlinable
  mutating func takeNext(ignoring ignored: Obstacles = []) -> QueuedAction<R.Action>? {
    guard obstacles.subtracting(ignored).isEmpty else { return nil }
    while let next = takeQueued() {
      guard isDropped(next) else { return next }
      drop(next)
    }
    return nil
  }

  /// Whether the action is dropped when it is taken: its effect was cancelled (R5).
  @inlinable
  func isDropped(_ action: QueuedAction<R.Action>) -> Bool { graph.tree.isCancelled(action.effect) }

  @inlinable
  mutating func takeQueued() -> QueuedAction<R.Action>? {
    turn.isEmpty ? arrivals.popFirst() : turn.popFirst()
  }

  /// Reduces an action that was taken.
  ///
  /// - Returns: The step, if hooks or observers are to be notified.
  @inlinable
  mutating func reduce(_ next: QueuedAction<R.Action>) -> Step<R.Action>? {
    let origin =
      audience.isDisjoint(with: [.hooks, .observers])
      ? StepOrigin.program("") : origin(of: next.sender)
    // Its effects are cancelled with the task; what the step itself cancels is the task's earlier
    // ones.
    let isCancelled = graph.tree.isCancelledTask(next.task)
    // From here on the sender is done with the action: cancelling its id is about others.
    graph.unpin(next.effect)
    if case .ending(let id) = next.sender { graph.forgetKeys(id) }
    carryOut()
    let effects = reduce(next.action)
    var task = next.task
    let step = conclude(
      effects, of: next.action, origin: origin, task: &task,
      inheritsTaskLocals: next.inheritsTaskLocals)
    if isCancelled { graph.cancelChildren(next.task) }
    endSender(of: next)
    graph.unpin(next.task)
    carryOut()
    release(next.action)
    return step
  }

  /// Takes what a reduction returned.
  @inlinable
  @inline(__always)
  mutating func conclude(
    _ effects: [Effect<R.Action>], of action: R.Action, origin: StepOrigin, task: inout EffectID,
    inheritsTaskLocals: Bool
  ) -> Step<R.Action>? {
    var step: Step<R.Action>?
    if !audience.isDisjoint(with: [.hooks, .observers]) {
      // An origin without a name costs nothing to copy, which most steps without effects have.
      let isBare = effects.isEmpty && origin.isNameless
      step = Step(
        number: steps, action: action,
        details: isBare ? nil : StepDetails(origin: origin, effects: effects.descriptors()))
    }
    if audience.contains(.meter) {
      commands.append(.meter(.didReduce(step: steps, effects: effects.count)))
    }
    // From here on, so that nothing that the step ends is known before observers are notified.
    if audience.contains(.observers) { obstacles.insert(.telling) }
    if !effects.isEmpty || !audience.isDisjoint(with: [.children, .subscriptions]) {
      update(effects, of: action, task: &task, inheritsTaskLocals: inheritsTaskLocals)
    }
    return step
  }

  /// Takes effects, and ends and starts what the state has nothing for any more, or newly declares.
  @inlinable
  @inline(never)
  mutating func update(
    _ effects: [Effect<R.Action>], of action: R.Action, task: inout EffectID,
    inheritsTaskLocals: Bool
  ) {
    isInStep = true
    // Between an effect that the step ends and one that it starts the store is not idle.
    var open = EffectID.none
    if !graph.idleWaiters.isEmpty { makeTask(&open) }
    if !effects.isEmpty {
      take(effects, of: action, task: &task, inheritsTaskLocals: inheritsTaskLocals)
      if graph.hasEffectsOfChildren { audience.insert(.children) }
    }
    if audience.contains(.children) { endAbsentChildren() }
    if audience.contains(.subscriptions) { updateSubscriptions() }
    if open != .none {
      graph.unpin(open)
      carryOut()
    }
    isInStep = false
  }

  /// Observers have been notified of the step.
  @inlinable
  mutating func notified() {
    obstacles.remove(.telling)
    if !overdue.isEmpty {
      for waiter in overdue { commands.append(.resume(waiter)) }
      overdue = []
    }
    if obstacles.contains(.closed) { commands.append(.end) }
  }

  @inlinable
  @inline(__always)
  func origin(of sender: QueuedAction<R.Action>.Sender) -> StepOrigin {
    switch sender {
    case .outside(let origin): return origin
    case .immediate(let step): return .effect(name: "send", id: nil, step: step)
    case .effect(let id), .ending(let id):
      guard graph.tree.contains(id) else { return .program("") }
      guard let work = works[Int(id.slot)] else { return .program("") }
      return work.effect.origin(step: work.step)
    }
  }
}
