extension StoreRuntime {
  /// Returns a new task that runs an effect.
  @inlinable
  func task(
    _ id: EffectID, _ operation: Effect<R.Action>.Operation, inheritsTaskLocals: Bool
  ) -> EffectTask {
    // The cases without an executor are written out, because a function in between would allocate
    // for each effect.
    switch (operation, executor) {
    case (.task(let operation), nil) where inheritsTaskLocals:
      EffectTask {
        if Task.isCancelled { return self.end(id) }
        do { self.end(id, with: try await operation()) } catch { self.end(id, throwing: error) }
      }
    case (.task(let operation), nil):
      EffectTask.detached {
        if Task.isCancelled { return self.end(id) }
        do { self.end(id, with: try await operation()) } catch { self.end(id, throwing: error) }
      }
    case (_, let executor) where inheritsTaskLocals:
      EffectTask(executorPreference: executor) { await self.run(id, operation) }
    case (_, let executor):
      EffectTask.detached(executorPreference: executor) { await self.run(id, operation) }
    }
  }

  @inlinable
  func run(_ id: EffectID, _ operation: Effect<R.Action>.Operation) async {
    // An effect that was cancelled before it began does not run its body.
    if Task.isCancelled { return end(id) }
    do {
      switch operation {
      case .task(let operation):
        end(id, with: try await operation())
      case .run(let operation):
        try await operation(
          Send { [self] action, wantsTask in send(action, from: id, wantsTask: wantsTask) })
        end(id)
      case .none, .send, .cancel, .issue, .merge, .concatenate:
        end(id)
      }
    } catch {
      end(id, throwing: error)
    }
  }

  /// Ends an effect's task, with its action if it has one.
  @inlinable
  func end(
    _ id: EffectID, with action: R.Action? = nil, failure: EffectFailure? = nil
  ) {
    perform { shared, deferred in
      shared.tasks[Int(id.slot)] = nil
      if let action {
        if let next = shared.machine.complete(id, action) { reduce(next, &shared, &deferred) }
      } else {
        shared.machine.endWork(id, failure)
      }
    }
    // A reduced action is released here, outside the lock.
    withExtendedLifetime(action) {}
  }

  @inlinable
  func end(_ id: EffectID, throwing error: any Error) {
    // What a cancelled effect throws is no issue. Mostly it is a `CancellationError`.
    if error is CancellationError { return end(id) }
    guard let work = lock.withLock({ $0.machine.runningWork(id) }) else { return end(id) }
    // Outside the lock, because the descriptions of the error and of the action are user code.
    let issue = StoreIssue(uncaught: error, of: work.effect, cause: work.cause, step: work.step)
    end(id, failure: (issue, error))
  }

  @inlinable
  func send(_ action: R.Action, from effect: EffectID, wantsTask: Bool) -> StoreTask {
    // A child task of the effect may be cancelled alone, such as the loser of a race.
    guard !Task.isCancelled else {
      handle { $0.meter(.actionDropped(action)) }
      return .finished
    }
    var task = EffectID.none
    perform { shared, deferred in
      if let next = shared.machine.send(action, from: effect, wantsTask: wantsTask, task: &task) {
        reduce(next, &shared, &deferred)
      }
    }
    withExtendedLifetime(action) {}
    return task == .none ? .finished : StoreTask(runtime: self, id: task)
  }

  // MARK: Tasks of `send`

  @inlinable
  func answer(_ request: Request) -> Bool {
    switch request {
    case .cancel(let id):
      handle { $0.cancel(task: id) }
      return true
    case .isFinished(let id):
      return lock.withLock { !$0.machine.graph.tree.contains(id) }
    case .isDelivered(let id):
      return lock.withLock {
        !$0.machine.graph.tree.contains(id) && !$0.machine.blockers.contains(.delivering)
      }
    case .wait(let task, let waiter):
      return !addWaiter(waiter) { $0.wait(for: task, $1) }
    case .removeObserver(let id):
      removeObserver(id)
      return true
    }
  }

  /// Waits for what `add` adds a waiter for, unless it returns `false`.
  nonisolated(nonsending) func wait(
    _ add: (inout StoreMachine<R>, WaiterID) -> Bool
  ) async {
    await withUnsafeContinuation { continuation in
      if !addWaiter({ continuation.resume() }, add) { continuation.resume() }
    }
  }

  /// Adds a waiter. Returns `false` if there is nothing to wait for.
  @usableFromInline
  func addWaiter(
    _ resume: @escaping @Sendable () -> Void, _ add: (inout StoreMachine<R>, WaiterID) -> Bool
  ) -> Bool {
    lock.withLock { shared in
      let waiter = shared.nextID()
      guard add(&shared.machine, waiter) else { return false }
      shared.waiters[waiter] = resume
      return true
    }
  }
}
