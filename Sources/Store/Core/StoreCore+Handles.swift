extension StoreCore {
  @inlinable
  func answer(_ request: HandleRequest) -> Bool {
    switch request {
    case .cancel(let token):
      cancel(token)
      return true
    case .isFinished(let token):
      return lock.withLock { $0.table.index(of: token) == nil }
    case .isSettled(let token):
      return lock.withLock { $0.table.index(of: token) == nil && !$0.isTelling }
    case .wait(let token, let waiter):
      return lock.withLock { $0.wait(for: token, waiter) }
    case .removeObserver(let id):
      removeObserver(id)
      return true
    }
  }

  @inlinable
  func cancel(_ token: EffectToken) {
    let (task, leaving) = lock.withLock { machine -> (EffectTask?, Leaving) in
      // With nothing queued there is nothing to be silenced, and nothing else can begin.
      if machine.outbox.meter == nil, machine.queue.isEmpty,
        let task = machine.table.cancelAlone(token)
      {
        return (task, .nothing)
      }
      machine.table.cancelTree(token, &machine.outbox)
      run(&machine)
      return (nil, machine.depart())
    }
    task?.cancel()
    if !leaving.isNothing { deliver(leaving) }
  }

  @inlinable
  func cancelAll(closing: Bool) {
    var ends: [@Sendable () -> Void] = []
    leave { machine in
      if closing { machine.isClosed = true }
      // Nobody gets the places of those who are cancelled.
      machine.table.limits.places = [:]
      machine.table.cancelAll(&machine.outbox)
      guard closing else { return }
      endSubscriptions(&machine)
      collect(&machine)
      // What is queued is not reduced any more; its owners are told, so that nobody waits for it.
      while let item = machine.dequeue() {
        drop(item, &machine)
        machine.outbox.bury(item.action)
        collect(&machine)
      }
      for continuation in machine.table.idleWaiters {
        machine.outbox.partings.append(.resume(continuation))
      }
      machine.table.idleWaiters = []
      ends = machine.takeEnds()
      machine.dismissObservers()
    }
    for end in ends { end() }
  }

  /// Ends what runs only because the state declares it.
  @inlinable
  func endSubscriptions(_ machine: inout Machine) {
    for key in machine.subscriptionOrder {
      if let token = machine.subscriptions[key] { endSubscription(token, &machine) }
    }
    machine.subscriptions = [:]
    machine.subscriptionOrder = []
  }

  @inlinable
  nonisolated(nonsending) func waitUntilIdle() async {
    await withUnsafeContinuation { continuation in
      let isIdle = lock.withLock { machine -> Bool in
        if machine.table.count == 0 || machine.isClosed { return true }
        machine.table.idleWaiters.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }
}
