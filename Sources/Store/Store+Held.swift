// For test stores alone: a store that is held keeps what effects send in its queue until
// `reduceNext()` is called. Turns, cancelling, ids, origins and tasks are the store's own, so that
// a lazily stepped test meets the same rules as the program. It has one caller, and no observer of
// a held store may send to it.

extension Store {
  /// An action of an effect that waits for `reduceNext()`.
  package struct WaitingAction: Sendable {
    package let action: Action
    package let origin: StepOrigin
    /// The current turn is not over before it is reduced.
    package let isOfTurn: Bool
  }

  /// Creates a held store: actions of effects wait in the queue until `reduceNext()` takes them,
  /// including the actions of subscriptions that the initial state declares.
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

  /// Reduces an action of the test's at once, before what waits. In an open turn it joins the turn:
  /// what it causes at once comes behind what waits there. A store that has ended drops the action,
  /// which is an issue at the line of the call.
  package func sendHeld(
    _ action: Action, origin: StepOrigin, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> StoreTask {
    let location = SourceLocation(fileID: fileID, line: line)
    var task = EffectID.none
    let outcome = runtime.lock.withLock { shared in
      shared.machine.obstacles.contains(.closed)
        ? runtime.send(action, origin, location, task: &task, &shared)
        : runtime.reduce(action, origin, task: &task, &shared)
    }
    runtime.deliver(outcome)
    return StoreTask(runtime: runtime, id: task)
  }

  /// What waits, in the order in which it will be reduced, without the actions of effects that were
  /// cancelled meanwhile.
  package var waiting: [WaitingAction] {
    runtime.lock.withLock { $0.machine.waiting }
  }

  /// The action that is reduced next. O(1) plus the number of queued actions of cancelled effects.
  package var nextWaiting: WaitingAction? {
    runtime.lock.withLock { $0.machine.nextWaiting }
  }

  /// Reduces the next action that waits. False if none does.
  @discardableResult
  package func reduceNext() -> Bool {
    var outcome = StoreRuntime<R>.Outcome()
    let isReduced = runtime.lock.withLock { shared in
      let next = shared.machine.takeNext(ignoring: .held)
      if let next { runtime.reduce(next, &shared) }
      outcome = runtime.finish(&shared)
      return next != nil
    }
    runtime.deliver(outcome)
    return isReduced
  }

  /// The effects whose work has not ended; one that only waits for its last action to be reduced
  /// has.
  package var unendedEffects: [RunningEffect<Action>] {
    effects.filter { $0.descriptor.kind != .send }
  }

  /// Cancels every effect; what they sent and nothing took is dropped.
  package func cancelEffects() {
    runtime.handle { $0.cancelAll() }
  }

  /// Cancels every effect and drops what waits. Nothing is reduced any more.
  package func closeHeld() {
    runtime.handle { $0.close() }
  }
}

extension StoreMachine {
  /// What waits, in the order in which it will be reduced.
  var waiting: [Store<R>.WaitingAction] {
    turn.elements.filter { !isDropped($0) }.map { describe($0, isOfTurn: true) }
      + arrivals.elements.filter { !isDropped($0) }.map { describe($0, isOfTurn: false) }
  }

  /// The first of `waiting`.
  var nextWaiting: Store<R>.WaitingAction? {
    if let next = turn.first(where: { !isDropped($0) }) { return describe(next, isOfTurn: true) }
    return arrivals.first { !isDropped($0) }.map { describe($0, isOfTurn: false) }
  }

  private func describe(
    _ action: QueuedAction<R.Action>, isOfTurn: Bool
  ) -> Store<R>.WaitingAction {
    .init(action: action.action, origin: origin(of: action.sender), isOfTurn: isOfTurn)
  }
}

extension StoreTask {
  /// A handle to nothing.
  package static var ended: StoreTask { .finished }
}
