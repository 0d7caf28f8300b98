extension EffectTable {
  /// Cancels what bears the key; what it has caused goes on.
  @inlinable
  mutating func cancel(_ key: CancelKey, _ outbox: inout Outbox<Action>) {
    switch registry.bucket(key) {
    case nil: break
    case .one(let token):
      if isRegistered(token) { cancelWork(token.index, &outbox) }
    case .many(let tokens):
      // In the order in which they were returned; by token, since one may end another. What has not begun goes first: it would get the
      // places of those that run.
      let tokens = tokens.filter { isRegistered($0) }
      for token in tokens where isRegistered(token) {
        if places[token.index].phase == .pending { cancelWork(token.index, &outbox) }
      }
      for token in tokens where isRegistered(token) { cancelWork(token.index, &outbox) }
    }
  }

  /// Cancels an entry's own work, a group's members included.
  @inlinable
  mutating func cancelWork(_ index: Int32, _ outbox: inout Outbox<Action>) {
    switch places[index].phase {
    case .finished:
      if places[index].queued > 0 { outbox.silenced.append(token(index)) }
    case .free, .cancelled:
      return
    case .pending:
      if let meter = outbox.meter { report(.cancelled, index, meter) }
      discard(index, &outbox)
    case .running:
      if let meter = outbox.meter { report(.cancelled, index, meter) }
      places[index].phase = .cancelled
      if places[index].flags.contains(.placed) { leavePlace(index, &outbox) }
      if places[index].shape == .leaf {
        outbox.silenced.append(token(index))
        if let task = places[work: index].task.take() {
          unregister(index)
          outbox.partings.append(.cancel(task))
        }
        // A `.send` in the queue stays until it is taken out, and is dropped there.
      } else if places[index].shape != .root {
        endMembers(index, &outbox)
      }
    }
  }

  /// Ends what has not begun, a group with all its members.
  @inlinable
  mutating func discard(_ index: Int32, _ outbox: inout Outbox<Action>) {
    places[index].phase = .cancelled
    if places[index].shape == .leaf {
      endWork(index, &outbox)
    } else {
      endMembers(index, &outbox)
    }
  }

  @inlinable
  mutating func endMembers(_ index: Int32, _ outbox: inout Outbox<Action>) {
    let generation = places[index].generation
    for child in members(of: index) {
      guard let child = self.index(of: child), places[child].flags.contains(.member)
      else { continue }
      cancelWork(child, &outbox)
    }
    if places[index].generation == generation, places[index].members == 0 {
      endWork(index, &outbox)
    }
  }

  /// Cancels an entry and everything under it.
  @inlinable
  mutating func cancelTree(_ token: EffectToken, _ outbox: inout Outbox<Action>) {
    var stack = [token]
    while let token = stack.popLast() {
      guard let index = index(of: token) else { continue }
      stack.append(contentsOf: members(of: index))
      cancelWork(index, &outbox)
    }
  }

  /// Cancels the commonest of effects: a task that runs, with nothing under it, of which nothing waits to be reduced.
  ///
  /// - Returns: The task, to be cancelled outside the lock; `nil` where it is another kind of effect, and nothing was done.
  @inlinable
  mutating func cancelAlone(_ token: EffectToken) -> EffectTask? {
    guard let index = index(of: token) else { return nil }
    let entry = places[index]
    guard entry.phase == .running, entry.shape == .leaf, entry.firstChild < 0, entry.queued == 0,
      !entry.flags.contains(.placed), let task = places[work: index].task.take()
    else { return nil }
    places[index].phase = .cancelled
    unregister(index)
    return task
  }

  /// Cancels everything.
  @inlinable
  mutating func cancelAll(_ outbox: inout Outbox<Action>) {
    for index in 0..<places.count where places[index].phase != .free {
      cancelWork(index, &outbox)
    }
  }
}
