// For test stores alone: a store that is held keeps what effects send in its queue until it is told to go on. Cancelling, ids, origins
// and handles are the store's own, so that a lazily stepped test meets the same rules as the program. It has one caller, and no observer of
// a held store may send to it.

extension Store {
  /// An action of an effect that waits for `reduceNext()`.
  package struct WaitingAction: Sendable {
    package let action: Action
    package let origin: StepOrigin
  }

  /// A store that is held: actions of effects wait in the queue until `reduceNext()` takes them, those of what the initial state declares
  /// too.
  package convenience init(
    initialState: State, reducer: R, dependencies: R.Dependencies, executor: any TaskExecutor,
    isHeld: Bool, onIssue: @escaping @Sendable (StoreIssue) -> Void
  ) {
    self.init(
      core: StoreCore(
        state: initialState, reducer: reducer, dependencies: dependencies, executor: executor,
        isHeld: isHeld, onIssue: onIssue))
  }

  /// Reduces an action of the test's at once, before what waits.
  package func sendHeld(_ action: Action, origin: StepOrigin) -> StoreTask {
    let (token, left) = core.lock.withLock {
      machine -> (EffectToken, Departure<State, Action>) in
      let root = machine.table.insert(shape: .root, phase: .running, parent: -1, flags: .handle)
      let token = machine.table.token(root)
      let item = StoreMachine<State, Action>.Item(
        action: action, origin: origin, owner: token, source: .none, endsWork: true)
      machine.hold(item)
      core.process(item, &machine)
      core.run(&machine)
      return (token, machine.depart())
    }
    if !left.isNothing { core.deliver(left) }
    return StoreTask(target: core, token: token)
  }

  /// What waits, oldest first, without the actions of effects that were cancelled meanwhile.
  package var waiting: [WaitingAction] {
    core.lock.withLock { machine in
      machine.queue[machine.queueHead...].filter { !machine.isDropped($0) }.map {
        WaitingAction(action: $0.action, origin: $0.origin ?? core.origin(of: $0.source, machine))
      }
    }
  }

  /// The oldest action that waits.
  package var nextWaiting: WaitingAction? {
    core.lock.withLock { machine in
      machine.queue[machine.queueHead...].first { !machine.isDropped($0) }.map {
        WaitingAction(action: $0.action, origin: $0.origin ?? core.origin(of: $0.source, machine))
      }
    }
  }

  /// Reduces the oldest action that waits. False where none does.
  @discardableResult
  package func reduceNext() -> Bool {
    let (isReduced, left) = core.lock.withLock { machine -> (Bool, Departure<State, Action>) in
      var isReduced = false
      while !isReduced, let item = machine.dequeue() {
        isReduced = !machine.isDropped(item)
        core.process(item, &machine)
        machine.outbox.bury(item.action)
      }
      core.run(&machine)
      return (isReduced, machine.depart())
    }
    if !left.isNothing { core.deliver(left) }
    return isReduced
  }

  /// The effects whose work has not ended; one that only waits for its last action to be reduced has.
  package var unendedEffects: [RunningEffect<Action>] {
    core.lock.withLock { machine in
      let ended = Set(machine.queue[machine.queueHead...].filter(\.endsWork).map(\.source))
      return (0..<machine.table.places.count).compactMap { index in
        ended.contains(machine.table.token(index))
          ? nil : RunningEffect(machine.table.places[index], machine.table.places[work: index])
      }
    }
  }

  /// Cancels every effect; what they sent and nobody took is dropped.
  package func cancelEffects() {
    core.cancelAll(closing: false)
  }

  /// Cancels every effect and drops what waits. Nothing is reduced any more.
  package func closeHeld() {
    core.cancelAll(closing: true)
  }
}

extension StoreTask {
  /// A handle to nothing.
  package static var ended: StoreTask { .finished }
}
