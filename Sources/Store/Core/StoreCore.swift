/// The shell around the machine: takes the lock, reduces, starts tasks, and does outside the lock what runs foreign code.
///
/// Effects hold the core, the `Store` holds it too, and the store's end closes it: so a dropped store cancels its effects although they
/// keep the core alive, and no reference is weak.
@usableFromInline
final class StoreCore<R: Reducer>: EffectHost {
  @usableFromInline typealias Machine = StoreMachine<R.State, R.Action>
  @usableFromInline typealias After = Aftermath<R.State, R.Action>

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
    var after: After?
    let token = lock.withLock { machine -> EffectToken in
      guard !machine.isPublishing, !machine.isTapped, !machine.isClosed else {
        return sendWithAudience(action, origin, &machine, &after)
      }
      let effects = reducer.reduce(&machine.state, action, dependencies)
      machine.steps &+= 1
      if effects.isEmpty { return .none }
      var work = After()
      let token = admit(effects, of: action, &machine, &work)
      run(&machine, &work)
      after = work
      return token
    }
    if let after { deliver(after) }
    return token == .none ? .finished : StoreTask(target: self, token: token)
  }

  /// A send that somebody watches, that finds a step being published, or that comes too late.
  @usableFromInline
  func sendWithAudience(
    _ action: R.Action, _ origin: StepOrigin, _ machine: inout Machine, _ after: inout After?
  ) -> EffectToken {
    var work = After()
    defer { after = work }
    if machine.isClosed {
      report(
        StoreIssue(
          message: "An action was sent after the store was shut down, and was dropped: "
            + brief(action), location: SourceLocation(), step: machine.steps), &machine, &work)
      return .none
    }
    let root = machine.table.insert(shape: .root, phase: .running, parent: -1, hasHandle: true)
    let token = machine.table.token(root)
    let item = Machine.Item(
      action: action, origin: origin, owner: token, source: .none, endsWork: true)
    machine.enqueue(item)
    run(&machine, &work)
    return machine.table.index(of: token) == nil ? .none : token
  }

  /// An action from an effect that goes on.
  @usableFromInline
  func send(_ action: R.Action, from effect: EffectToken, wantsHandle: Bool) -> StoreTask {
    var work = After()
    let token = lock.withLock { machine -> EffectToken in
      guard let index = machine.table.index(of: effect),
        machine.table.entries[Int(index)].phase == .running
      else { return .none }
      var owner = effect
      if wantsHandle {
        let root = machine.table.insert(
          shape: .root, phase: .running, parent: index, hasHandle: true)
        owner = machine.table.token(root)
      }
      machine.enqueue(
        Machine.Item(
          action: action, origin: nil, owner: owner, source: effect, endsWork: wantsHandle))
      run(&machine, &work)
      return wantsHandle && machine.table.index(of: owner) != nil ? owner : .none
    }
    deliver(work)
    return token == .none ? .finished : StoreTask(target: self, token: token)
  }

  /// The one action of an effect, with which its work ends; `nil` for an effect that ends without one.
  @inlinable
  func complete(_ effect: EffectToken, _ action: R.Action?) {
    var work = After()
    lock.withLock { machine in
      guard let index = machine.table.index(of: effect) else { return }
      guard let action, machine.table.entries[Int(index)].phase == .running else {
        machine.table.endWork(index, &work.outbox)
        run(&machine, &work)
        return
      }
      let item = Machine.Item(
        action: action, origin: nil, owner: effect, source: effect, endsWork: true)
      if machine.isPublishing || machine.queueHead < machine.queue.count {
        machine.enqueue(item)
      } else {
        process(item, &machine, &work)
      }
      run(&machine, &work)
    }
    deliver(work)
  }

  @usableFromInline
  func fail(_ effect: EffectToken, _ error: any Error) {
    var work = After()
    lock.withLock { machine in
      guard let index = machine.table.index(of: effect) else { return }
      let entry = machine.table.entries[Int(index)]
      if entry.phase == .running, !(error is CancellationError), let effect = entry.effect {
        let cause = entry.cause.map { " It was started by the action \(brief($0))." } ?? ""
        report(
          StoreIssue(
            message: "The effect “\(effect.descriptor.name)” threw an error that nobody caught: "
              + "\(error).\(cause) Catch it in the effect, or turn it into an action with catch(_:).",
            location: effect.location, step: entry.step), &machine, &work)
      }
      machine.table.endWork(index, &work.outbox)
      run(&machine, &work)
    }
    deliver(work)
  }

  // MARK: Under the lock

  /// Takes the effects of an action that came from outside; gives the token of what `finish()` has to wait for.
  @inlinable
  func admit(
    _ effects: [Effect<R.Action>], of action: R.Action, _ machine: inout Machine,
    _ work: inout After
  ) -> EffectToken {
    let now = ContinuousClock.now
    let index: Int32
    if effects.count == 1, effects[0].isTask {
      index = machine.table.register(
        effects[0], parent: -1, hasHandle: true, step: machine.steps, cause: action, since: now,
        &work.outbox)
    } else {
      index = machine.table.insert(shape: .root, phase: .running, parent: -1, hasHandle: true)
      for effect in effects {
        _ = machine.table.register(
          effect, parent: index, step: machine.steps, cause: action, since: now, &work.outbox)
      }
      collect(&machine, &work)
      machine.table.endWork(index, &work.outbox)
      if machine.table.entries[Int(index)].phase == .free { return .none }
    }
    return machine.table.token(index)
  }

  /// Reduces one action and takes its effects.
  @inlinable
  func process(_ item: Machine.Item, _ machine: inout Machine, _ work: inout After) {
    let owner = machine.table.index(of: item.owner) ?? -1
    if let source = machine.table.index(of: item.source),
      machine.table.entries[Int(source)].phase == .cancelled
    {
      finish(item, owner, &machine, &work)
      return
    }
    // From here on the effect is done: cancelling its id is about others.
    if item.endsWork, owner >= 0 { machine.table.unregister(owner) }
    let effects: [Effect<R.Action>]
    if machine.isTapped {
      effects = reduceWithAudience(item, &machine, &work)
    } else {
      effects = reducer.reduce(&machine.state, item.action, dependencies)
      machine.steps &+= 1
    }
    if !effects.isEmpty {
      let now = ContinuousClock.now
      for effect in effects {
        _ = machine.table.register(
          effect, parent: owner, step: machine.steps, cause: item.action, since: now,
          &work.outbox)
      }
      if owner >= 0, machine.table.entries[Int(owner)].phase == .cancelled {
        for child in machine.table.members(of: owner) {
          machine.table.cancelTree(child, &work.outbox)
        }
      }
    }
    collect(&machine, &work)
    finish(item, owner, &machine, &work)
  }

  @inlinable
  func finish(
    _ item: Machine.Item, _ owner: Int32, _ machine: inout Machine, _ work: inout After
  ) {
    work.reduced.append(item.action)
    guard owner >= 0 else { return }
    if item.endsWork {
      machine.table.endWork(owner, &work.outbox)
      collect(&machine, &work)
    } else {
      machine.table.settle(owner, &work.outbox)
    }
  }

  @usableFromInline
  func reduceWithAudience(
    _ item: Machine.Item, _ machine: inout Machine, _ work: inout After
  ) -> [Effect<R.Action>] {
    machine.hooks?.willReduce?(machine.steps + 1)
    let effects = reducer.reduce(&machine.state, item.action, dependencies)
    machine.steps &+= 1
    let step = Step(
      number: machine.steps, origin: item.origin ?? origin(of: item.source, machine),
      action: item.action, effects: effects.isEmpty ? [] : effects.descriptors())
    machine.hooks?.didReduce?(step, machine.state)
    if !machine.observers.isEmpty {
      work.publication = After.Publication(
        step: step, state: machine.state, observers: machine.observers)
    }
    return effects
  }

  @usableFromInline
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
  func collect(_ machine: inout Machine, _ work: inout After) {
    while !work.outbox.starts.isEmpty || !work.outbox.queued.isEmpty {
      let starts = work.outbox.starts
      let queued = work.outbox.queued
      work.outbox.starts = Few()
      work.outbox.queued = Few()
      starts.forEach { start in
        guard let index = machine.table.index(of: start.token) else { return }
        if machine.table.entries[Int(index)].phase == .running {
          machine.table.entries[Int(index)].task = task(start)
        } else {
          machine.table.endWork(index, &work.outbox)
        }
      }
      queued.forEach { queued in
        // The table counted it already.
        machine.queue.append(
          Machine.Item(
            action: queued.action,
            origin: machine.isTapped
              ? .effect(name: queued.name ?? "send", id: queued.id, step: queued.step) : nil,
            owner: queued.owner < 0 ? .none : machine.table.token(queued.owner),
            source: queued.source, endsWork: queued.source != .none))
      }
    }
    if !work.outbox.raised.isEmpty {
      let raised = work.outbox.raised
      work.outbox.raised = Few()
      raised.forEach { report($0, &machine, &work) }
    }
  }

  @usableFromInline
  func report(_ issue: StoreIssue, _ machine: inout Machine, _ work: inout After) {
    work.outbox.issues.append(issue)
    machine.hooks?.issue?(issue)
  }

  /// Reduces what is queued, until a step has to be published.
  @inlinable
  func run(_ machine: inout Machine, _ work: inout After) {
    collect(&machine, &work)
    while !machine.isPublishing {
      if work.publication != nil {
        machine.isPublishing = true
        return
      }
      guard let item = machine.dequeue() else { return }
      process(item, &machine, &work)
    }
  }

  @inlinable
  func task(_ start: Outbox<R.Action>.Start) -> Task<Void, Never> {
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
  func deliver(_ first: After) {
    perform(first)
    guard first.publication != nil else { return }
    publish(first)
  }

  /// Tells observers, then goes on with what was queued meanwhile.
  @usableFromInline
  func publish(_ first: After) {
    var publication = first.publication
    while let current = publication {
      for observer in current.observers {
        observer.body(current.step, current.state)
      }
      // The snapshot goes before the next step is reduced, or that would copy what it changes.
      publication = nil
      var work = After()
      lock.withLock { machine in
        machine.isPublishing = false
        run(&machine, &work)
      }
      perform(work)
      publication = work.publication
    }
  }

  @inlinable
  func perform(_ work: After) {
    work.outbox.cancels.forEach { $0.cancel() }
    work.outbox.issues.forEach { onIssue($0) }
    work.outbox.resumes.forEach { $0.resume() }
  }

  // MARK: Handles

  @usableFromInline
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

  @usableFromInline
  func cancel(_ token: EffectToken) {
    var work = After()
    lock.withLock { machine in
      machine.table.cancelTree(token, &work.outbox)
      run(&machine, &work)
    }
    deliver(work)
  }

  @usableFromInline
  func isFinished(_ token: EffectToken) -> Bool {
    lock.withLock { $0.table.index(of: token) == nil }
  }

  @usableFromInline
  func cancelAll(closing: Bool) {
    var work = After()
    lock.withLock { machine in
      if closing { machine.isClosed = true }
      machine.table.cancelAll(&work.outbox)
      if closing {
        // What is queued is not reduced any more; its owners are told, so that nobody waits for it.
        while let item = machine.dequeue() {
          finish(item, machine.table.index(of: item.owner) ?? -1, &machine, &work)
        }
        for continuation in machine.table.idleWaiters { work.outbox.resumes.append(continuation) }
        machine.table.idleWaiters = []
      }
      run(&machine, &work)
    }
    deliver(work)
  }

  @usableFromInline
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
