extension StoreCore {
  /// Takes the effects of an action that came from outside; gives the token of what `finish()` has to wait for.
  @inlinable
  func admit(
    _ effects: [Effect<R.Action>], of action: R.Action, _ machine: inout Machine
  ) -> EffectToken {
    let source = source(action, machine)
    if effects.count == 1, effects[0].operation.isTask {
      if effects[0].traits?.limit == nil, machine.outbox.isClear {
        return startAlone(effects[0], parent: -1, flags: .handle, source, &machine)
      }
      let index = machine.table.register(
        effects[0], parent: -1, flags: .handle, from: source, &machine.outbox)
      // One that is dropped at once leaves nothing to wait for.
      return machine.table.places[index].phase == .free ? .none : machine.table.token(index)
    }
    if effects.count == 1, case .cancel(let key) = effects[0].operation {
      machine.table.cancel(key, &machine.outbox)
      collect(&machine)
      return .none
    }
    let index = machine.table.insert(shape: .root, phase: .running, parent: -1, flags: .handle)
    let token = machine.table.token(index)
    // By index: of those that cancel, of which there may be many, nothing but the key is copied.
    for position in effects.indices {
      if case .cancel(let key) = effects[position].operation {
        machine.table.cancel(key, &machine.outbox)
      } else {
        _ = machine.table.register(
          effects[position], parent: index, from: source, &machine.outbox)
      }
    }
    collect(&machine)
    machine.table.endWork(index, &machine.outbox)
    return token
  }

  @inlinable
  func source(_ cause: R.Action, _ machine: borrowing Machine) -> EffectTable<R.Action>.Source {
    EffectTable<R.Action>.Source(step: machine.steps, cause: cause, since: coarseNanoseconds())
  }

  /// The common case, a task that starts at once, without the ways round the table.
  @inlinable
  func startAlone(
    _ effect: Effect<R.Action>, parent: Int32, flags: EffectEntry.Flags,
    _ source: EffectTable<R.Action>.Source, _ machine: inout Machine
  ) -> EffectToken {
    machine.table.cancelInFlight(for: effect, &machine.outbox)
    // What gets a place that this cancelling freed was returned earlier.
    if !machine.outbox.starts.isEmpty { collect(&machine) }
    let token = enter(effect, parent: parent, flags: flags, source, &machine)
    if let traits = effect.traits { machine.table.register(token, traits) }
    launch(token, effect.operation, &machine)
    return token
  }

  @inlinable
  func launch(
    _ token: EffectToken, _ operation: Effect<R.Action>.Operation, _ machine: inout Machine
  ) {
    machine.table.places[work: token.index].task = task(token, operation)
  }

  @inlinable
  func enter(
    _ effect: Effect<R.Action>, parent: Int32, flags: EffectEntry.Flags,
    _ source: EffectTable<R.Action>.Source, _ machine: inout Machine
  ) -> EffectToken {
    let index = machine.table.insert(
      shape: .leaf, phase: .running, parent: parent, flags: flags.union(.handedOver))
    machine.table.places[index].step = source.step
    machine.table.places[index].since = source.since
    machine.table.places[work: index].cause = source.cause
    machine.table.places[work: index].effect = effect.emptied
    return machine.table.token(index)
  }

  /// Reduces one action, which is held, and takes its effects.
  @inlinable
  func process(_ item: Machine.Item, _ machine: inout Machine) {
    let owner = machine.table.index(of: item.owner) ?? -1
    if machine.isDropped(item) {
      drop(item, &machine)
      return
    }
    // As it is now: what the step itself cancels is the effect, not what the step returns.
    let isOrphan = owner >= 0 && machine.table.places[owner].phase == .cancelled
    // From here on the effect is done: cancelling its id is about others.
    if item.endsWork, owner >= 0, machine.table.places[owner].flags.contains(.registered) {
      machine.table.unregister(owner)
    }
    let effects: [Effect<R.Action>]
    if machine.isPlain {
      effects = reducer.reduce(&machine.state, item.action, dependencies)
      machine.steps &+= 1
    } else {
      effects = reduceWithAudience(
        item.action, item.origin ?? origin(of: item.source, machine), &machine)
    }
    take(effects, of: item, owner, isOrphan: isOrphan, &machine)
  }

  /// Takes what the reduction of an action returned, and lets go of the action.
  @inlinable
  func take(
    _ effects: [Effect<R.Action>], of item: Machine.Item, _ owner: Int32, isOrphan: Bool,
    _ machine: inout Machine
  ) {
    if !effects.isEmpty {
      let source = source(item.action, machine)
      if effects.count == 1, item.endsWork, !isOrphan, machine.isPlain, effects[0].traits == nil,
        effects[0].operation.isTask, owner < 0 || machine.table.startsNobody(owner)
      {
        // A link in a chain. Its task comes last, so that whoever takes it on another thread finds the lock free or nearly so.
        let token = enter(effects[0], parent: owner, flags: [], source, &machine)
        machine.release(item)
        finish(item, owner, &machine)
        launch(token, effects[0].operation, &machine)
        return
      }
      for effect in effects {
        if effect.startsAlone, machine.outbox.isClear {
          _ = startAlone(effect, parent: owner, flags: [], source, &machine)
        } else {
          _ = machine.table.register(effect, parent: owner, from: source, &machine.outbox)
        }
      }
      if isOrphan {
        for child in machine.table.members(of: owner) {
          machine.table.cancelTree(child, &machine.outbox)
        }
      }
    }
    collect(&machine)
    if machine.declares { subscribe(&machine) }
    machine.release(item)
    finish(item, owner, &machine)
  }

  /// Lets go of an action that is not reduced.
  @inlinable
  func drop(_ item: Machine.Item, _ machine: inout Machine) {
    machine.outbox.meter?(.actionDropped(item.action))
    machine.release(item)
    finish(item, machine.table.index(of: item.owner) ?? -1, &machine)
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
    _ action: R.Action, _ origin: StepOrigin, _ machine: inout Machine
  ) -> [Effect<R.Action>] {
    if let meter = machine.outbox.meter {
      meter(.willReduce(action: action, step: machine.steps + 1))
    }
    machine.withHooks { if $0.hasWillReduce { $0.willReduce(machine.steps + 1) } }
    let effects = reducer.reduce(&machine.state, action, dependencies)
    machine.steps &+= 1
    if let meter = machine.outbox.meter {
      meter(.didReduce(step: machine.steps, effects: effects.count))
    }
    let step = Step(
      number: machine.steps, action: action,
      details: effects.isEmpty && origin.isNameless
        ? nil : StepDetails(origin: origin, effects: effects.descriptors()))
    machine.tellHooks(step)
    if let publication = machine.publication {
      if machine.isHeld { machine.renewObservers() }
      if publication.pointee.observers.count > 0 {
        publication.pointee.told.initialize(to: Publication.Told(step: step, state: machine.state))
        machine.hasPublication = true
      }
    }
    return effects
  }

  @inlinable
  func origin(of effect: EffectToken, _ machine: borrowing Machine) -> StepOrigin {
    guard let index = machine.table.index(of: effect),
      let effect = machine.table.places[work: index].effect
    else { return .program("") }
    let descriptor = effect.descriptor
    return .effect(
      name: descriptor.name, id: descriptor.id, step: machine.table.places[index].step)
  }

  /// Starts what the state declares and does not run yet, and cancels what it declares no more.
  @inlinable
  func subscribe(_ machine: inout Machine) {
    guard !machine.isDraining, !machine.isClosed else { return }
    var declared: Set<CancelKey> = []
    var added: [(CancelKey, Effect<R.Action>)] = []
    for effect in reducer.subscriptions(machine.state, dependencies) {
      guard let key = effect.registrations.first?.key else {
        if effect.isNone { continue }
        // Kept by its line while it is declared, so that it is said once.
        let line = CancelKey(id: CancelID(effect.location))
        if declared.insert(line).inserted, machine.subscriptions[line] == nil {
          report(unnamed(effect, machine.steps), &machine)
          machine.subscriptions[line] = EffectToken.none
          machine.subscriptionOrder.append(line)
        }
        continue
      }
      if declared.insert(key).inserted {
        if machine.subscriptions[key] == nil { added.append((key, effect)) }
      } else if machine.subscriptions[key] == nil {
        report(twice(effect, machine.steps), &machine)
      }
    }
    if machine.subscriptions.count > declared.count - added.count {
      for key in machine.subscriptionOrder where !declared.contains(key) {
        if let token = machine.subscriptions.removeValue(forKey: key) {
          endSubscription(token, &machine)
        }
      }
      machine.subscriptionOrder.removeAll { !declared.contains($0) }
    }
    let source = EffectTable<R.Action>.Source(
      step: machine.steps, cause: nil, since: coarseNanoseconds())
    for (key, effect) in added {
      // The root stays while the state declares it, also when the work under it has ended: that is not begun anew.
      let root = machine.table.insert(shape: .root, phase: .running, parent: -1)
      machine.subscriptions[key] = machine.table.token(root)
      machine.subscriptionOrder.append(key)
      _ = machine.table.register(effect, parent: root, from: source, &machine.outbox)
    }
    collect(&machine)
  }

  @inlinable
  func endSubscription(_ token: EffectToken, _ machine: inout Machine) {
    machine.table.cancelTree(token, &machine.outbox)
    if let index = machine.table.index(of: token) {
      machine.table.endWork(index, &machine.outbox)
    }
  }

  @usableFromInline
  func twice(_ effect: Effect<R.Action>, _ step: Int) -> StoreIssue {
    StoreIssue(
      message:
        "Two subscriptions of one state have the same id, “\(effect.descriptor.id ?? "")”, and the "
        + "second was not started. Give them different ids, or give each feature a place of its own with Scope.",
      location: effect.location, step: step)
  }

  @usableFromInline
  func unnamed(_ effect: Effect<R.Action>, _ step: Int) -> StoreIssue {
    StoreIssue(
      message:
        "A subscription has no id, and was not started. The store tells by ids which of those "
        + "that the state declares run already: give it one with cancellable(id:).",
      location: effect.location, step: step)
  }

  /// Carries out what the table asks for at once: tasks are made, actions queued.
  @inlinable
  func collect(_ machine: inout Machine) {
    if !machine.outbox.starts.isEmpty { startAll(&machine) }
    if !machine.outbox.queued.isEmpty { queueAll(&machine) }
    if !machine.outbox.silenced.isEmpty {
      machine.silence(machine.outbox.silenced)
      machine.outbox.silenced.removeAll(keepingCapacity: machine.outbox.silenced.count <= 64)
    }
    if !machine.outbox.raised.isEmpty {
      let raised = machine.outbox.raised
      machine.outbox.raised = []
      for issue in raised { report(issue, &machine) }
    }
  }

  @inlinable
  func startAll(_ machine: inout Machine) {
    // By index: starting one thing may ask for more.
    var index = 0
    while index < machine.outbox.starts.count {
      let start = machine.outbox.starts[index]
      index += 1
      guard let entry = machine.table.index(of: start.token) else { continue }
      if machine.table.places[entry].phase == .running {
        machine.table.places[work: entry].task = task(start.token, start.operation)
      } else {
        machine.outbox.bury(Effect(start.operation, location: SourceLocation()))
        machine.table.endWork(entry, &machine.outbox)
      }
    }
    machine.outbox.starts.removeAll(keepingCapacity: index <= 64)
  }

  @inlinable
  func queueAll(_ machine: inout Machine) {
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

  @inlinable
  func report(_ issue: StoreIssue, _ machine: inout Machine) {
    machine.outbox.partings.append(.issue(issue))
    machine.withHooks { $0.issue(issue) }
  }

  /// Reduces what is queued, until a step has to be published.
  @inlinable
  func run(_ machine: inout Machine) {
    collect(&machine)
    while !machine.isPublishing {
      if machine.hasPublication {
        machine.isPublishing = true
        return
      }
      guard let item = machine.dequeue() else { return }
      if machine.isClosed { drop(item, &machine) } else { process(item, &machine) }
      machine.outbox.bury(item.action)
    }
  }
}
