/// A machine behind a lock, with its tasks and observers. It performs the machine's commands.
///
/// Both the effects and the `Store` hold the runtime, and the release of the store closes it. A
/// released store therefore cancels its effects although they keep the runtime alive, and no
/// reference is weak.
///
/// `+Effects` runs tasks, and `+Observing` adds and removes observers.
@usableFromInline
final class StoreRuntime<R: Reducer>: AnyStoreRuntime, @unchecked Sendable {
  // Unchecked like its superclass. Its fields are constants of Sendable types, except
  // `pendingNotification`.

  /// The data protected by the lock.
  @usableFromInline
  struct Shared: Sendable {
    @usableFromInline var machine: StoreMachine<R>
    /// The tasks of effects, by slot.
    @usableFromInline var tasks: [EffectTask?] = []
    @usableFromInline var listeners = Listeners<R.State, R.Action>()
    /// The closures that resume waiters. Under `heldEvents`, the one that is called after each
    /// event of a store that is held until the end of a replay.
    @usableFromInline var waiters: [WaiterID: @Sendable () -> Void] = [:]
    /// The last number given to an observer or a waiter.
    @usableFromInline var lastID = 0

    @inlinable static var heldEvents: WaiterID { 0 }

    @inlinable
    init(_ machine: StoreMachine<R>) { self.machine = machine }

    @inlinable
    mutating func nextID() -> Int {
      lastID += 1
      return lastID
    }
  }

  @usableFromInline let lock: Lock<Shared>
  /// The step to deliver to observers. The thread that sets it, under the lock, is the only one to
  /// use it: nothing is reduced until it has taken the step and notified observers, except by the
  /// one caller of a held store. Under the lock, the first observer would cost one more lock pair.
  @exclusivity(unchecked)
  @usableFromInline nonisolated(unsafe) var pendingNotification:
    PendingNotification<R.State, R.Action>?
  @usableFromInline let executor: (any TaskExecutor)?
  @usableFromInline let onIssue: @Sendable (StoreIssue) -> Void

  @inlinable
  init(
    _ machine: StoreMachine<R>, hooks: StepHooks<R.State, R.Action>?,
    executor: (any TaskExecutor)?, onIssue: @escaping @Sendable (StoreIssue) -> Void
  ) {
    self.executor = executor
    self.onIssue = onIssue
    var shared = Shared(machine)
    shared.changeListeners { _ = $0.setHooks(hooks) }
    lock = Lock(shared)
    super.init { runtime, request in
      // A runtime passes only itself to its closure.
      unsafeDowncast(runtime, to: StoreRuntime.self).answer(request)
    }
  }

  deinit {
    lock.withLock { _ = $0.listeners.setHooks(nil) }
  }

  // MARK: Events

  /// Reduces an action; see `Store.send`.
  @inlinable
  func send(_ action: R.Action, origin: StepOrigin, location: SourceLocation) -> StoreTask {
    var task = EffectID.none
    let deferred = lock.withLock { send(action, origin, location, task: &task, &$0) }
    if !deferred.isEmpty { deliver(deferred) }
    return task == .none ? .finished : StoreTask(runtime: self, id: task)
  }

  /// Sends `actions` in one critical section, until there is work to do after it.
  @inlinable
  func send(all actions: [R.Action], origin: StepOrigin, location: SourceLocation) {
    var rest = actions.makeIterator()
    while true {
      let deferred = lock.withLock { shared -> Deferred in
        while true {
          var task = EffectID.none
          let deferred: Deferred
          if shared.machine.recipients.isEmpty, shared.machine.blockers.isEmpty {
            guard let (action, effects) = shared.machine.reduce(&rest) else { return Deferred() }
            deferred = conclude(effects, action, origin, task: &task, &shared)
          } else {
            guard let action = rest.next() else { return Deferred() }
            deferred = send(action, origin, location, task: &task, &shared)
          }
          if !deferred.isEmpty { return deferred }
        }
      }
      if deferred.isEmpty { return }
      deliver(deferred)
    }
  }

  /// Passes an event to the machine and performs its commands.
  @inlinable
  @discardableResult
  func handle<Result: Sendable>(_ event: (inout StoreMachine<R>) -> Result) -> Result {
    perform { shared, _ in event(&shared.machine) }
  }

  /// Calls `event` under the lock, then performs the machine's commands.
  @inlinable @inline(__always)
  func perform<Result: Sendable>(_ event: (inout Shared, inout Deferred) -> Result) -> Result {
    var deferred = Deferred()
    let result = lock.withLock { shared in
      let result = event(&shared, &deferred)
      finish(&shared, &deferred)
      return result
    }
    if !deferred.isEmpty { deliver(deferred) }
    return result
  }

  // MARK: Under the lock

  @inlinable @inline(__always)
  func send(
    _ action: R.Action, _ origin: StepOrigin, _ location: SourceLocation, task: inout EffectID,
    _ shared: inout Shared
  ) -> Deferred {
    guard shared.machine.blockers.isEmpty else {
      task = shared.machine.enqueue(action, origin: origin, location: location)
      var deferred = Deferred()
      finish(&shared, &deferred)
      return deferred
    }
    return reduce(action, origin, task: &task, &shared)
  }

  /// Reduces an action of the program, if nothing blocks it.
  @inlinable @inline(__always)
  func reduce(
    _ action: R.Action, _ origin: StepOrigin, task: inout EffectID, _ shared: inout Shared
  ) -> Deferred {
    if shared.machine.recipients.contains(.beforeReduction) {
      shared.listeners.willReduce(action, step: shared.machine.steps &+ 1)
    }
    let effects = shared.machine.reduce(action)
    if shared.machine.recipients.isEmpty, effects.hasNoEffects() { return Deferred() }
    return conclude(effects, action, origin, task: &task, &shared)
  }

  /// Concludes a reduction with effects or recipients. Not inlined, so that a `send` without
  /// either stays short.
  @inlinable @inline(never)
  func conclude(
    _ effects: [Effect<R.Action>], _ action: R.Action, _ origin: StepOrigin,
    task: inout EffectID, _ shared: inout Shared
  ) -> Deferred {
    var deferred = Deferred()
    // If only hooks and observers are called, the machine has nothing to decide.
    if shared.machine.recipients.isSubset(of: .hooksAndObservers), origin.isNameless,
      effects.isEmpty
    {
      tell(
        Step(number: shared.machine.steps, action: action, details: nil), &shared, &deferred)
      if deferred.blocksReductions { shared.machine.blockers.insert(.delivering) }
      return deferred
    }
    let step = shared.machine.conclude(
      effects, of: action, origin: origin.sent, task: &task, inheritsTaskLocals: true)
    if let step { tell(step, &shared, &deferred) }
    if shared.machine.isDue { finish(&shared, &deferred) }
    return deferred
  }

  /// Performs the machine's commands and reduces queued actions, until a step has to be delivered
  /// to observers, tasks have to be cancelled or issues have to be reported, which is done outside
  /// the lock. What cancellation handlers and `onIssue` send is queued until then, with and without
  /// observers, so that watching does not change the order (R2), and nothing recurses.
  @inlinable @inline(never)
  func finish(_ shared: inout Shared, _ deferred: inout Deferred) {
    while true {
      performCommands(&shared, &deferred)
      if deferred.canSend, shared.machine.blockers.isEmpty || shared.machine.isDue {
        shared.machine.blockers.insert(.delivering)
        deferred.blocksReductions = true
        return
      }
      guard shared.machine.isDue else {
        if shared.machine.blockers.contains(.replayed) {
          shared.waiters[Shared.heldEvents].map { deferred.add($0) }
        }
        return
      }
      if let next = shared.machine.takeNext() { reduce(next, &shared, &deferred) }
    }
  }

  @inlinable
  func reduce(
    _ next: QueuedAction<R.Action>, _ shared: inout Shared, _ deferred: inout Deferred
  ) {
    if shared.machine.recipients.contains(.beforeReduction) {
      shared.listeners.willReduce(next.action, step: shared.machine.steps &+ 1)
    }
    if let step = shared.machine.reduce(next) { tell(step, &shared, &deferred) }
  }

  /// Tells the hooks of a step, and defers the notification of observers.
  @inlinable
  func tell(_ step: Step<R.Action>, _ shared: inout Shared, _ deferred: inout Deferred) {
    if shared.machine.recipients.contains(.hooks) {
      shared.listeners.tellHooks(step, &shared.machine.state)
    }
    guard shared.machine.recipients.contains(.observers),
      let observers = shared.listeners.functionOfObservers()
    else { return }
    pendingNotification = PendingNotification(step, shared.machine.state, observers)
    deferred.notifiesObservers = true
    deferred.blocksReductions = true
  }

  /// Performs the machine's commands, or defers them until the lock has been released.
  @inlinable
  func performCommands(_ shared: inout Shared, _ deferred: inout Deferred) {
    while let command = shared.machine.commands.popFirst() {
      switch command {
      case .start(let id, let inheritsTaskLocals):
        guard let operation = shared.machine.begin(id, inheritsTaskLocals: inheritsTaskLocals)
        else { continue }
        shared.tasks.extend(to: id.slot, with: nil)
        shared.tasks[Int(id.slot)] = task(id, operation, inheritsTaskLocals: inheritsTaskLocals)
      case .cancel(let id):
        if Int(id.slot) < shared.tasks.count, let task = shared.tasks[Int(id.slot)].take() {
          deferred.add { task.cancel() }
          deferred.canSend = true
        }
      case .resume(let id):
        if deferred.canSend, shared.machine.blockers.isEmpty {
          // After what the handlers before it send.
          shared.machine.waitersToResume.append(id)
        } else if let waiter = shared.waiters.removeValue(forKey: id) {
          deferred.add(waiter)
        }
      case .report(let issue):
        shared.listeners.tellHooks(issue)
        deferred.add { [onIssue] in onIssue(issue) }
        deferred.canSend = true
      case .reportLate(let action, let location, let step):
        deferred.add { self.reportLate(action, location, step) }
      case .meter(let event):
        shared.listeners.meter?(event)
      case .release(let value):
        deferred.release(value)
      case .end:
        shared.endObservers(&deferred)
      }
    }
  }

  // MARK: After the lock

  @inlinable @inline(never)
  func deliver(_ first: Deferred) {
    var deferred = first
    while true {
      if let items = deferred.items.take() { for item in items { item() } }
      guard deferred.blocksReductions else { return }
      deferred.blocksReductions = false
      deferred.canSend = false
      if deferred.notifiesObservers { pendingNotification.take()?.tell() }
      deferred.notifiesObservers = false
      lock.withLock { shared in
        shared.machine.delivered()
        if shared.machine.isDue { finish(&shared, &deferred) }
      }
    }
  }

  /// Reports an action that was sent after the end of the store. Outside the lock, because the
  /// description of the action is user code.
  @usableFromInline
  func reportLate(_ action: R.Action, _ location: SourceLocation, _ step: Int) {
    let issue = StoreIssue.late(action, at: location, step: step)
    lock.withLock { $0.listeners.tellHooks(issue) }
    onIssue(issue)
  }
}
