extension StoreCore {
  /// A task for the work. Written out for each form: a shared closure or function would cost a frame and a switch of executors for
  /// each effect, and a preference that is `nil` is not free.
  @inlinable
  func task(
    _ token: EffectToken, _ operation: Effect<R.Action>.Operation
  ) -> EffectTask {
    switch (operation, executor) {
    case (.task(let operation), nil):
      EffectTask.detached { [self] in
        if Task.isCancelled { return end(token) }
        do {
          _ = complete(token, try await operation(), chain: .begins)
        } catch { fail(token, error) }
      }
    case (.task(let operation), let executor?):
      EffectTask.detached(executorPreference: executor) { [self] in
        if Task.isCancelled { return end(token) }
        do {
          _ = complete(token, try await operation(), chain: .never)
        } catch { fail(token, error) }
      }
    case (.run(let operation), nil):
      EffectTask.detached { [self] in
        if Task.isCancelled { return end(token) }
        do {
          try await operation(sender(token))
          end(token)
        } catch { fail(token, error) }
      }
    case (.run(let operation), let executor?):
      EffectTask.detached(executorPreference: executor) { [self] in
        if Task.isCancelled { return end(token) }
        do {
          try await operation(sender(token))
          end(token)
        } catch { fail(token, error) }
      }
    default:
      EffectTask.detached {}
    }
  }

  @inlinable
  func sender(_ token: EffectToken) -> Send<R.Action> {
    Send { [self] action, wantsHandle in send(action, from: token, wantsHandle: wantsHandle) }
  }

  /// The one action of a task, with which its work ends.
  ///
  /// - Returns: What the task is to do next, where it goes on: the one effect that the action led to.
  @inlinable
  func complete(_ effect: EffectToken, _ action: R.Action, chain: Chaining) -> Link? {
    let (leaving, link) = lock.withLock { machine -> (Leaving, Link?) in
      guard let index = machine.table.index(of: effect) else { return (.nothing, nil) }
      guard machine.table.places[index].phase == .running else {
        machine.outbox.meter?(.actionDropped(action))
        machine.table.endWork(index, &machine.outbox)
        run(&machine)
        return (machine.depart(), nil)
      }
      if machine.isPlain || machine.isHooked, machine.table.isAlone(index) {
        let link = completeAlone(action, index, chain, &machine)
        return (machine.depart(), link)
      }
      // In a held store the action waits for the test, and the effect has ended: what comes after
      // it in a sequence need not wait.
      let item = Machine.Item(
        action: action, origin: nil, owner: effect, source: effect, endsWork: !machine.isHeld)
      if machine.isPublishing {
        machine.enqueue(item)
        if machine.isHeld {
          machine.table.endWork(index, &machine.outbox)
          run(&machine)
        }
      } else {
        machine.hold(item)
        process(item, &machine)
        run(&machine)
      }
      return (machine.depart(), nil)
    }
    if !leaving.isNothing { deliver(leaving) }
    return link
  }

  /// The common case, a task without ids in a store that at most hooks watch: it ends, or goes on as the one task that its action leads to.
  @inlinable
  func completeAlone(
    _ action: R.Action, _ index: Int32, _ chain: Chaining, _ machine: inout Machine
  ) -> Link? {
    let effects: [Effect<R.Action>]
    if machine.isPlain {
      effects = reducer.reduce(&machine.state, action, dependencies)
      machine.steps &+= 1
    } else {
      let origin = origin(of: machine.table.token(index), machine)
      effects = reduceWithAudience(action, origin, &machine)
    }
    if effects.isEmpty {
      machine.table.endWork(index, &machine.outbox)
    } else if effects.count == 1, effects[0].traits == nil, effects[0].operation.isTask,
      !machine.table.isAskedFor(index)
    {
      // Nobody can tell the new effect's entry from the old one's, since that is gone with its generation. Field by field: the effect as a
      // whole would be copied.
      let operation = effects[0].operation
      let source = source(action, machine)
      machine.table.renew(
        index, operation, name: effects[0].name, location: effects[0].location, from: source,
        &machine.outbox)
      return goOn(index, operation, chain, now: source.since, &machine)
    } else {
      let effect = machine.table.token(index)
      let item = Machine.Item(
        action: action, origin: nil, owner: effect, source: effect, endsWork: true)
      machine.hold(item)
      take(effects, of: item, index, isOrphan: false, &machine)
      run(&machine)
    }
    return nil
  }

  /// An effect ends without an action.
  @inlinable
  func end(_ effect: EffectToken) {
    leave { machine in
      guard let index = machine.table.index(of: effect) else { return }
      machine.table.endWork(index, &machine.outbox)
    }
  }

  /// Lets go of a cancelled effect, whose task has ended. False if the effect runs.
  @inlinable
  func endUnlessRunning(_ effect: EffectToken) -> Bool {
    let leaving = lock.withLock { machine -> Leaving? in
      guard let index = machine.table.index(of: effect) else { return .nothing }
      if machine.table.places[index].phase == .running { return nil }
      machine.table.endWork(index, &machine.outbox)
      run(&machine)
      return machine.depart()
    }
    guard let leaving else { return false }
    if !leaving.isNothing { deliver(leaving) }
    return true
  }

  @inlinable
  func fail(_ token: EffectToken, _ error: any Error) {
    // Most errors are those of the cancelled: asking an error what it is takes longer than this.
    if endUnlessRunning(token) { return }
    if error is CancellationError { return end(token) }
    // Described outside the lock: the error's and the action's own texts are somebody's code.
    let failed = lock.withLock { $0.table.running(token) }
    let issue = failed.map { uncaught(error, $0.work, step: $0.step) }
    leave { machine in
      guard let index = machine.table.index(of: token) else { return }
      if let issue, machine.table.places[index].phase == .running {
        report(issue, &machine)
        machine.table.endWork(index, failure: error, &machine.outbox)
      } else {
        machine.table.endWork(index, &machine.outbox)
      }
    }
  }

  @usableFromInline
  func uncaught(_ error: any Error, _ work: EffectWork<R.Action>, step: Int) -> StoreIssue {
    let cause = work.cause.map { " It was started by the action \(brief($0))." }
    let error = String(describing: error)
    return StoreIssue(
      message:
        "The effect “\(work.effect?.descriptor.name ?? "")” threw an error that nobody caught: "
        + "\(error).\(cause ?? "") "
        + "Catch it in the effect, or turn it into an action with catch(_:).",
      location: work.effect?.location ?? SourceLocation(), step: step,
      failedEffect: work.effect?.descriptor, errorText: error)
  }
}

extension Effect {
  /// A task that waits for nobody.
  @inlinable
  var startsAlone: Bool { operation.isTask && traits?.limit == nil }
}

extension Effect.Operation {
  @inlinable
  var isTask: Bool {
    switch self {
    case .task, .run: true
    default: false
    }
  }
}
