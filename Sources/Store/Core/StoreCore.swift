/// The shell around the machine: takes the lock, reduces, starts tasks, and does outside the lock what runs foreign code.
///
/// Effects hold the core, the `Store` holds it too, and the store's end closes it: so a dropped store cancels its effects although they
/// keep the core alive, and no reference is weak.
@usableFromInline
final class StoreCore<R: Reducer>: EffectHost {
  @usableFromInline typealias Machine = StoreMachine<R.State, R.Action>
  @usableFromInline typealias Left = Leavings<R.State, R.Action>

  @usableFromInline let reducer: R
  @usableFromInline let dependencies: R.Dependencies
  @usableFromInline let executor: (any TaskExecutor)?
  @usableFromInline let onIssue: @Sendable (StoreIssue) -> Void
  @usableFromInline let lock: Lock<Machine>

  @inlinable
  init(
    state: R.State, reducer: R, dependencies: R.Dependencies, executor: (any TaskExecutor)?,
    onIssue: @escaping @Sendable (StoreIssue) -> Void
  ) {
    self.reducer = reducer
    self.dependencies = dependencies
    self.executor = executor
    self.onIssue = onIssue
    lock = Lock(Machine(state: state))
  }

  // MARK: Actions in

  @inlinable
  func send(_ action: R.Action, origin: StepOrigin) -> StoreTask {
    let (token, left) = lock.withLock { machine -> (EffectToken, Left?) in
      guard !machine.isTapped, !machine.isPublishing, !machine.isClosed else {
        let token = sendSlowly(action, origin, &machine)
        return (token, machine.takeLeavings())
      }
      let effects = reducer.reduce(&machine.state, action, dependencies)
      machine.steps &+= 1
      if effects.isEmpty { return (.none, nil) }
      let token = admit(effects, of: action, &machine)
      run(&machine)
      return (token, machine.takeLeavings())
    }
    if let left { deliver(left) }
    return token == .none ? .finished : StoreTask(target: self, token: token)
  }

  /// A send that somebody watches, that finds a step being published, or that comes too late.
  @inlinable
  func sendSlowly(
    _ action: R.Action, _ origin: StepOrigin, _ machine: inout Machine
  ) -> EffectToken {
    if machine.isClosed {
      report(
        StoreIssue(
          message: "An action was sent after the store was shut down, and was dropped: "
            + brief(action), location: SourceLocation(), step: machine.steps), &machine)
      return .none
    }
    if machine.isPublishing {
      let root = machine.table.insert(shape: .root, phase: .running, parent: -1, hasHandle: true)
      let token = machine.table.token(root)
      machine.enqueue(
        Machine.Item(
          action: action, origin: origin, owner: token, source: .none, endsWork: true))
      return token
    }
    let effects = reduceWithAudience(action, origin, source: .none, &machine)
    let token = effects.isEmpty ? .none : admit(effects, of: action, &machine)
    run(&machine)
    return token
  }

  /// An action from an effect that goes on.
  @inlinable
  func send(_ action: R.Action, from effect: EffectToken, wantsHandle: Bool) -> StoreTask {
    let (token, left) = lock.withLock { machine -> (EffectToken, Left?) in
      guard let index = machine.table.index(of: effect),
        machine.table.entries[Int(index)].phase == .running
      else { return (.none, nil) }
      var owner = effect
      if wantsHandle {
        let root = machine.table.insert(
          shape: .root, phase: .running, parent: index, hasHandle: true)
        owner = machine.table.token(root)
      }
      let item = Machine.Item(
        action: action, origin: nil, owner: owner, source: effect, endsWork: wantsHandle)
      if machine.isPublishing {
        machine.enqueue(item)
      } else {
        process(item, &machine)
        run(&machine)
      }
      let isLive = wantsHandle && machine.table.index(of: owner) != nil
      return (isLive ? owner : .none, machine.takeLeavings())
    }
    if let left { deliver(left) }
    return token == .none ? .finished : StoreTask(target: self, token: token)
  }

  /// The one action of an effect, with which its work ends; `nil` for an effect that ends without one.
  @inlinable
  func complete(_ effect: EffectToken, _ action: R.Action?) {
    let left = lock.withLock { machine -> Left? in
      guard let index = machine.table.index(of: effect) else { return nil }
      guard let action, machine.table.entries[Int(index)].phase == .running else {
        machine.table.endWork(index, &machine.outbox)
        run(&machine)
        return machine.takeLeavings()
      }
      let item = Machine.Item(
        action: action, origin: nil, owner: effect, source: effect, endsWork: true)
      if machine.isPublishing {
        machine.enqueue(item)
      } else {
        process(item, &machine)
        run(&machine)
      }
      return machine.takeLeavings()
    }
    if let left { deliver(left) }
  }

  @inlinable
  func fail(_ effect: EffectToken, _ error: any Error) {
    let left = lock.withLock { machine -> Left? in
      guard let index = machine.table.index(of: effect) else { return nil }
      if machine.table.entries[Int(index)].phase == .running, !(error is CancellationError),
        let effect = machine.table.entries[Int(index)].effect
      {
        let cause = machine.table.entries[Int(index)].cause
          .map { " It was started by the action \(brief($0))." }
        report(
          StoreIssue(
            message: "The effect “\(effect.descriptor.name)” threw an error that nobody caught: "
              + "\(error).\(cause ?? "") "
              + "Catch it in the effect, or turn it into an action with catch(_:).",
            location: effect.location, step: machine.table.entries[Int(index)].step), &machine)
      }
      machine.table.endWork(index, &machine.outbox)
      run(&machine)
      return machine.takeLeavings()
    }
    if let left { deliver(left) }
  }

  // MARK: Under the lock

  /// Takes the effects of an action that came from outside; gives the token of what `finish()` has to wait for.
  @inlinable
  func admit(
    _ effects: [Effect<R.Action>], of action: R.Action, _ machine: inout Machine
  ) -> EffectToken {
    let now = ContinuousClock.now
    let index: Int32
    if effects.count == 1, effects[0].isTask {
      index = machine.table.register(
        effects[0], parent: -1, hasHandle: true, step: machine.steps, cause: action, since: now,
        &machine.outbox)
    } else {
      index = machine.table.insert(shape: .root, phase: .running, parent: -1, hasHandle: true)
      let token = machine.table.token(index)
      for effect in effects {
        _ = machine.table.register(
          effect, parent: index, step: machine.steps, cause: action, since: now,
          &machine.outbox)
      }
      collect(&machine)
      machine.table.endWork(index, &machine.outbox)
      return token
    }
    return machine.table.token(index)
  }

  /// Reduces one action and takes its effects.
  @inlinable
  func process(_ item: Machine.Item, _ machine: inout Machine) {
    let owner = machine.table.index(of: item.owner) ?? -1
    if machine.isDropped(item) {
      finish(item, owner, &machine)
      return
    }
    // From here on the effect is done: cancelling its id is about others.
    if item.endsWork, owner >= 0 { machine.table.unregister(owner) }
    let effects: [Effect<R.Action>]
    if machine.isTapped {
      effects = reduceWithAudience(item.action, item.origin, source: item.source, &machine)
    } else {
      effects = reducer.reduce(&machine.state, item.action, dependencies)
      machine.steps &+= 1
    }
    if !effects.isEmpty {
      let now = ContinuousClock.now
      for effect in effects {
        _ = machine.table.register(
          effect, parent: owner, step: machine.steps, cause: item.action, since: now,
          &machine.outbox)
      }
      if owner >= 0, machine.table.entries[Int(owner)].phase == .cancelled {
        for child in machine.table.members(of: owner) {
          machine.table.cancelTree(child, &machine.outbox)
        }
      }
    }
    collect(&machine)
    finish(item, owner, &machine)
  }

  @inlinable
  func finish(_ item: Machine.Item, _ owner: Int32, _ machine: inout Machine) {
    guard owner >= 0 else { return }
    if item.endsWork {
      machine.table.endWork(owner, &machine.outbox)
      collect(&machine)
    } else {
      machine.table.settle(owner, &machine.outbox)
    }
  }

  @inlinable
  func reduceWithAudience(
    _ action: R.Action, _ origin: StepOrigin?, source: EffectToken, _ machine: inout Machine
  ) -> [Effect<R.Action>] {
    machine.hooks?.willReduce?(machine.steps + 1)
    let effects = reducer.reduce(&machine.state, action, dependencies)
    machine.steps &+= 1
    let step = Step(
      number: machine.steps, origin: origin ?? self.origin(of: source, machine),
      action: action, effects: effects.isEmpty ? [] : effects.descriptors())
    machine.hooks?.didReduce?(step, machine.state)
    if !machine.observers.isEmpty {
      let left = machine.outbox.leavings
      left.step = step
      left.state = machine.state
      left.observers = machine.observers
    }
    return effects
  }

  @inlinable
  func origin(of effect: EffectToken, _ machine: borrowing Machine) -> StepOrigin {
    guard let index = machine.table.index(of: effect),
      let effect = machine.table.entries[Int(index)].effect
    else { return .program("") }
    let descriptor = effect.descriptor
    return .effect(
      name: descriptor.name, id: descriptor.id, step: machine.table.entries[Int(index)].step)
  }

  /// Carries out what the table asks for at once: tasks are made, actions queued.
  @inlinable
  func collect(_ machine: inout Machine) {
    // By index: starting one thing may ask for more.
    var index = 0
    while index < machine.outbox.starts.count {
      let start = machine.outbox.starts[index]
      index += 1
      guard let entry = machine.table.index(of: start.token) else { continue }
      if machine.table.entries[Int(entry)].phase == .running {
        machine.table.entries[Int(entry)].task = task(start)
      } else {
        machine.table.endWork(entry, &machine.outbox)
      }
    }
    if index > 0 { machine.outbox.starts.removeAll(keepingCapacity: index <= 64) }
    if !machine.outbox.queued.isEmpty {
      for queued in machine.outbox.queued {
        // The table counted it already.
        machine.queue.append(
          Machine.Item(
            action: queued.action,
            origin: machine.isTapped
              ? .effect(name: queued.name ?? "send", id: queued.key?.text, step: queued.step)
              : nil,
            owner: queued.owner < 0 ? .none : machine.table.token(queued.owner),
            source: queued.source, endsWork: queued.source != .none))
      }
      machine.outbox.queued.removeAll(keepingCapacity: true)
    }
    if !machine.outbox.silenced.isEmpty {
      machine.silence(machine.outbox.silenced)
      machine.outbox.silenced.removeAll()
    }
    if !machine.outbox.raised.isEmpty {
      let raised = machine.outbox.raised
      machine.outbox.raised = []
      for issue in raised { report(issue, &machine) }
    }
  }

  @inlinable
  func report(_ issue: StoreIssue, _ machine: inout Machine) {
    machine.outbox.leavings.issues.append(issue)
    machine.hooks?.issue?(issue)
  }

  /// Reduces what is queued, until a step has to be published.
  @inlinable
  func run(_ machine: inout Machine) {
    collect(&machine)
    while !machine.isPublishing {
      if machine.outbox.left?.step != nil {
        machine.isPublishing = true
        return
      }
      guard let item = machine.dequeue() else { return }
      process(item, &machine)
      machine.outbox.bury(item.action)
    }
  }

  @inlinable
  func task(_ start: Outbox<R.State, R.Action>.Start) -> Task<Void, Never> {
    let token = start.token
    switch start.operation {
    case .task(let operation):
      return Task.detached(executorPreference: executor) { [self] in
        do {
          complete(token, try await operation())
        } catch {
          fail(token, error)
        }
      }
    case .run(let operation):
      return Task.detached(executorPreference: executor) { [self] in
        do {
          try await operation(
            Send { [self] action, wantsHandle in
              send(action, from: token, wantsHandle: wantsHandle)
            })
          complete(token, nil)
        } catch {
          fail(token, error)
        }
      }
    default:
      return Task.detached {}
    }
  }

  // MARK: Outside the lock

  @inlinable
  func deliver(_ first: Left) {
    var left = first
    while true {
      for task in left.cancels { task.cancel() }
      for issue in left.issues { onIssue(issue) }
      guard let step = left.step else {
        for continuation in left.resumes { continuation.resume() }
        return
      }
      left.step = nil
      if let state = left.state.take() {
        for observer in left.observers { observer.body(step, state) }
        // The snapshot ends here: kept until the next step, it would make that copy what it changes.
      }
      // Who waited finds that observers have been told.
      for continuation in left.resumes { continuation.resume() }
      let next = lock.withLock { machine -> Left? in
        machine.isPublishing = machine.isHeld
        run(&machine)
        return machine.takeLeavings()
      }
      guard let next else { return }
      left = next
    }
  }

  // MARK: Handles

  @inlinable
  func wait(for token: EffectToken) async {
    await withCheckedContinuation { continuation in
      let isOver = lock.withLock { machine -> Bool in
        guard machine.table.index(of: token) != nil else { return true }
        machine.table.waiters[token, default: []].append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  @inlinable
  func cancel(_ token: EffectToken) {
    let left = lock.withLock { machine -> Left? in
      machine.table.cancelTree(token, &machine.outbox)
      run(&machine)
      return machine.takeLeavings()
    }
    if let left { deliver(left) }
  }

  @inlinable
  func isFinished(_ token: EffectToken) -> Bool {
    lock.withLock { $0.table.index(of: token) == nil }
  }

  @inlinable
  func cancelAll(closing: Bool) {
    let left = lock.withLock { machine -> Left? in
      if closing { machine.isClosed = true }
      machine.table.cancelAll(&machine.outbox)
      if closing {
        // What is queued is not reduced any more; its owners are told, so that nobody waits for it.
        while let item = machine.dequeue() {
          finish(item, machine.table.index(of: item.owner) ?? -1, &machine)
          machine.outbox.bury(item.action)
        }
        for continuation in machine.table.idleWaiters {
          machine.outbox.leavings.resumes.append(continuation)
        }
        machine.table.idleWaiters = []
      }
      run(&machine)
      return machine.takeLeavings()
    }
    if let left { deliver(left) }
  }

  @inlinable
  func waitUntilIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = lock.withLock { machine -> Bool in
        if machine.table.count == 0 || machine.isClosed { return true }
        machine.table.idleWaiters.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }
}

extension Effect {
  @inlinable
  var isTask: Bool {
    switch operation {
    case .task, .run: true
    default: false
    }
  }
}

/// An action in a message: what it says of itself, cut where that is long.
@usableFromInline
func brief(_ action: Any) -> String {
  let text = String(describing: action)
  return text.count <= 200 ? text : text.prefix(200) + "…"
}
