/// The shell around the machine: takes the lock, reduces, starts tasks, and does outside the lock what runs foreign code.
///
/// Effects hold the core, the `Store` holds it too, and the store's end closes it: so a dropped store cancels its effects although they
/// keep the core alive, and none of them is weak.
///
/// Here: actions in. `+Reducing` is what happens under the lock, `+Effects` the tasks, `+Chains` those that several effects
/// share, `+Handles` waiting and cancelling.
@usableFromInline
final class StoreCore<R: Reducer>: EffectHost, @unchecked Sendable {
  // Unchecked as its superclass is; its fields are constants of Sendable types.
  @usableFromInline typealias Machine = StoreMachine<R.State, R.Action>
  @usableFromInline typealias Leaving = Departure<R.State, R.Action>

  @usableFromInline let lock: LineLock<Machine>
  @usableFromInline let reducer: R
  @usableFromInline let dependencies: R.Dependencies
  @usableFromInline let executor: (any TaskExecutor)?
  @usableFromInline let onIssue: @Sendable (StoreIssue) -> Void

  @inlinable
  init(
    state: R.State, reducer: R, dependencies: R.Dependencies, executor: (any TaskExecutor)?,
    isHeld: Bool = false, onIssue: @escaping @Sendable (StoreIssue) -> Void
  ) {
    self.reducer = reducer
    self.dependencies = dependencies
    self.executor = executor
    self.onIssue = onIssue
    let declares = reducer.declaresSubscriptions(in: CompositionPath())
    lock = LineLock(Machine(state: state, declares: declares, isHeld: isHeld))
    super.init { host, request in
      // It is the core that this closure belongs to.
      unsafeDowncast(host, to: StoreCore.self).answer(request)
    }
    if declares { leave { machine in subscribe(&machine) } }
  }

  deinit {
    // Whoever publishes holds the core: nothing is being told.
    lock.withLock { machine in
      machine.hooks?.release()
      machine.table.places.deallocate()
      guard let publication = machine.publication else { return }
      publication.deinitialize(count: 1)
      publication.deallocate()
    }
  }

  @inlinable
  func send(_ action: R.Action, origin: StepOrigin, location: SourceLocation) -> StoreTask {
    let (token, leaving) = lock.withLock { machine -> (EffectToken, Leaving) in
      guard machine.isPlain else {
        if machine.isHooked, origin.isNameless {
          guard let token = sendHooked(action, origin, &machine) else { return (.none, .nothing) }
          return (token, machine.depart())
        }
        let token = sendSlowly(action, origin, location, &machine)
        return (token, machine.depart())
      }
      let effects = reducer.reduce(&machine.state, action, dependencies)
      machine.steps &+= 1
      if effects.isEmpty { return (.none, .nothing) }
      let token = admit(effects, of: action, &machine)
      run(&machine)
      return (token, machine.depart())
    }
    if !leaving.isNothing { deliver(leaving) }
    return token == .none ? .finished : StoreTask(target: self, token: token)
  }

  /// Reduces several actions, in one critical section for as long as they cause nothing else.
  @inlinable
  func send(all actions: [R.Action], origin: StepOrigin, location: SourceLocation) {
    var rest = actions.makeIterator()
    while let (action, isReduced) = reducePlainly(&rest) {
      if isReduced { deliverLeft() } else { _ = send(action, origin: origin, location: location) }
    }
  }

  /// Reduces until an action has effects, which are admitted, or the store is not plain; gives the last action taken, and whether it was
  /// reduced.
  @inlinable
  func reducePlainly(
    _ actions: inout some IteratorProtocol<R.Action>
  ) -> (action: R.Action, isReduced: Bool)? {
    lock.withLock { machine in
      guard machine.isPlain else { return actions.next().map { ($0, false) } }
      var steps = machine.steps
      defer { machine.steps = steps }
      // A reduction changes the state and nothing else: the store stays plain until effects are admitted.
      while let action = actions.next() {
        let effects = reducer.reduce(&machine.state, action, dependencies)
        steps &+= 1
        if effects.isEmpty { continue }
        machine.steps = steps
        _ = admit(effects, of: action, &machine)
        run(&machine)
        steps = machine.steps
        return (action, true)
      }
      return nil
    }
  }

  /// A send that nobody but hooks hears of; `nil` where it has no effects and leaves nothing.
  @inlinable
  func sendHooked(
    _ action: R.Action, _ origin: StepOrigin, _ machine: inout Machine
  ) -> EffectToken? {
    machine.withHooks { if $0.hasWillReduce { $0.willReduce(machine.steps &+ 1) } }
    let effects = reducer.reduce(&machine.state, action, dependencies)
    machine.steps &+= 1
    if effects.isEmpty {
      machine.tellHooks(Step(number: machine.steps, action: action, details: nil))
      return nil
    }
    let details = StepDetails(origin: origin, effects: effects.descriptors())
    machine.tellHooks(Step(number: machine.steps, action: action, details: details))
    let token = admit(effects, of: action, &machine)
    run(&machine)
    return token
  }

  /// A send that somebody watches, that finds a step being published, or that comes too late.
  @inlinable
  func sendSlowly(
    _ action: R.Action, _ origin: StepOrigin, _ location: SourceLocation, _ machine: inout Machine
  ) -> EffectToken {
    if machine.isClosed {
      dropLate(action, location, &machine)
      return .none
    }
    if machine.isPublishing {
      let root = machine.table.insert(shape: .root, phase: .running, parent: -1, flags: .handle)
      let token = machine.table.token(root)
      machine.enqueue(
        Machine.Item(
          action: action, origin: origin, owner: token, source: .none, endsWork: true))
      return token
    }
    let effects = reduceWithAudience(action, origin, &machine)
    if effects.isEmpty, !machine.declares {
      machine.isPublishing = machine.hasPublication
      return .none
    }
    let token = effects.isEmpty ? .none : admit(effects, of: action, &machine)
    if machine.declares { subscribe(&machine) }
    run(&machine)
    return token
  }

  @usableFromInline
  func dropLate(_ action: R.Action, _ location: SourceLocation, _ machine: inout Machine) {
    machine.outbox.meter?(.actionDropped(action))
    machine.outbox.partings.append(.late(action, location, step: machine.steps))
  }

  /// Tells of an action that came too late. Outside the lock: its text is somebody's code.
  @usableFromInline
  func reportLate(_ action: R.Action, _ location: SourceLocation, _ step: Int) {
    let issue = StoreIssue(
      message: "An action was sent after the store was shut down, and was dropped: "
        + brief(action), location: location, step: step)
    lock.withLock { machine in machine.withHooks { $0.issue(issue) } }
    onIssue(issue)
  }

  /// An action from an effect that goes on.
  @inlinable
  func send(_ action: R.Action, from effect: EffectToken, wantsHandle: Bool) -> StoreTask {
    let (token, leaving) = lock.withLock { machine -> (EffectToken, Leaving) in
      guard let index = machine.table.index(of: effect),
        machine.table.places[index].phase == .running
      else {
        machine.outbox.meter?(.actionDropped(action))
        return (.none, .nothing)
      }
      var owner = effect
      if wantsHandle {
        let root = machine.table.insert(
          shape: .root, phase: .running, parent: index, flags: .handle)
        owner = machine.table.token(root)
      }
      let item = Machine.Item(
        action: action, origin: nil, owner: owner, source: effect, endsWork: wantsHandle)
      if machine.isPublishing {
        machine.enqueue(item)
      } else {
        machine.hold(item)
        process(item, &machine)
        run(&machine)
      }
      let isLive = wantsHandle && machine.table.index(of: owner) != nil
      return (isLive ? owner : .none, machine.depart())
    }
    if !leaving.isNothing { deliver(leaving) }
    return token == .none ? .finished : StoreTask(target: self, token: token)
  }

  // MARK: Out of the lock

  /// Changes the machine, goes on with what is queued, and delivers what that leaves.
  @inlinable
  func leave(_ change: (inout Machine) -> Void) {
    let leaving = lock.withLock { machine -> Leaving in
      change(&machine)
      run(&machine)
      return machine.depart()
    }
    if !leaving.isNothing { deliver(leaving) }
  }

  @inlinable
  func deliverLeft() {
    let leaving = lock.withLock { $0.depart() }
    if !leaving.isNothing { deliver(leaving) }
  }

  @inlinable
  func deliver(_ first: Leaving) {
    var leaving = first
    while true {
      let partings = leaving.takePartings()
      part(partings)
      if let publication = leaving.publication { publication.pointee.tell() }
      // Who waited finds that observers have been told.
      resume(partings)
      guard leaving.publication != nil else { return }
      let next = lock.withLock { machine -> (leaving: Leaving, ends: [@Sendable () -> Void])? in
        machine.endPublication()
        guard machine.hasMore || machine.isClosed else { return nil }
        machine.resumePublicationWaiters()
        run(&machine)
        return (machine.depart(), machine.takeEnds())
      }
      guard let next else { return }
      for end in next.ends { end() }
      if next.leaving.isNothing { return }
      leaving = next.leaving
    }
  }

  @inlinable
  func part(_ partings: [Parting<R.Action>]) {
    // By index: what is not looked for is not copied.
    for index in partings.indices {
      if case .cancel(let task) = partings[index] { task.cancel() }
    }
    for index in partings.indices {
      switch partings[index] {
      case .issue(let issue): onIssue(issue)
      case .late(let action, let location, let step): reportLate(action, location, step)
      default: break
      }
    }
  }

  @inlinable
  func resume(_ partings: [Parting<R.Action>]) {
    for index in partings.indices {
      if case .resume(let continuation) = partings[index] { continuation.resume() }
    }
  }
}

/// An action in a message: what it says of itself, cut where that is long.
@usableFromInline
func brief(_ action: Any) -> String {
  let text = String(describing: action)
  return text.count <= 200 ? text : text.prefix(200) + "…"
}
