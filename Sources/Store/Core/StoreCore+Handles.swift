extension StoreCore {
  @inlinable
  nonisolated(nonsending) func wait(for token: EffectToken) async {
    await withUnsafeContinuation { continuation in
      let isOver = lock.withLock { machine -> Bool in
        guard let index = machine.table.index(of: token) else {
          // Its last step may be on its way to the observers: who waited finds that they have been told.
          guard machine.isPublishing, !machine.isHeld else { return true }
          machine.waitForPublication(continuation)
          return false
        }
        machine.table.entries[Int(index)].flags.insert(.awaited)
        machine.table.waiters[index, default: Few()].append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  @inlinable
  func cancel(_ token: EffectToken) {
    leave { machine in machine.table.cancelTree(token, &machine.outbox) }
  }

  @inlinable
  func isFinished(_ token: EffectToken) -> Bool {
    lock.withLock { $0.table.index(of: token) == nil }
  }

  @inlinable
  func isSettled(_ token: EffectToken) -> Bool {
    lock.withLock { machine in
      machine.table.index(of: token) == nil && (!machine.isPublishing || machine.isHeld)
    }
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
