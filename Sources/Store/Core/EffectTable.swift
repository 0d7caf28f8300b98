/// The effects of one store as a pure state machine: every event changes the table and writes what is to be done into an
/// outbox. It starts, cancels and waits for nothing itself, so each transition can be tested without concurrency.
///
/// An entry goes pending → running → (cancelled →) finished → free. Entries form a tree: members of a group under the group, effects
/// that an effect's actions caused under that effect. An entry leaves when its own work and everything under it have
/// ended; one that nobody can ask for leaves as soon as its own work has ended, and its children move up, so that a
/// chain of effects stays as short as what runs of it.
@usableFromInline
struct EffectTable<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline typealias Entry = EffectEntry<Action>

  @usableFromInline var entries: [Entry] = []
  @usableFromInline var firstFree: Int32 = -1
  @usableFromInline var count = 0
  @usableFromInline var registry = CancelRegistry()
  @usableFromInline var waiters: [EffectToken: [CheckedContinuation<Void, Never>]] = [:]
  @usableFromInline var idleWaiters: [CheckedContinuation<Void, Never>] = []

  @inlinable
  init() {}

  // MARK: Entries

  @inlinable
  func token(_ index: Int32) -> EffectToken {
    EffectToken(index: index, generation: entries[Int(index)].generation)
  }

  /// The entry's place, if it is still the one that the token names.
  @inlinable
  func index(of token: EffectToken) -> Int32? {
    guard token.index >= 0, Int(token.index) < entries.count,
      entries[Int(token.index)].generation == token.generation
    else { return nil }
    return token.index
  }

  @inlinable
  mutating func insert(
    shape: Entry.Shape, phase: Entry.Phase, parent: Int32, isMember: Bool = false,
    hasHandle: Bool = false
  ) -> Int32 {
    let index: Int32
    if firstFree >= 0 {
      index = firstFree
      firstFree = entries[Int(index)].next
    } else {
      index = Int32(entries.count)
      entries.append(Entry())
    }
    entries[Int(index)].shape = shape
    entries[Int(index)].phase = phase
    entries[Int(index)].isMember = isMember
    entries[Int(index)].hasHandle = hasHandle
    entries[Int(index)].next = -1
    count += 1
    link(index, under: parent)
    return index
  }

  @inlinable
  mutating func link(_ index: Int32, under parent: Int32) {
    entries[Int(index)].parent = parent
    entries[Int(index)].next = -1
    entries[Int(index)].previous = -1
    guard parent >= 0 else { return }
    let last = entries[Int(parent)].lastChild
    entries[Int(index)].previous = last
    if last >= 0 {
      entries[Int(last)].next = index
    } else {
      entries[Int(parent)].firstChild = index
    }
    entries[Int(parent)].lastChild = index
  }

  @inlinable
  mutating func unlink(_ index: Int32) {
    let parent = entries[Int(index)].parent
    guard parent >= 0 else { return }
    let previous = entries[Int(index)].previous
    let next = entries[Int(index)].next
    if previous >= 0 {
      entries[Int(previous)].next = next
    } else {
      entries[Int(parent)].firstChild = next
    }
    if next >= 0 {
      entries[Int(next)].previous = previous
    } else {
      entries[Int(parent)].lastChild = previous
    }
  }

  @inlinable
  mutating func remove(_ index: Int32, _ outbox: inout Outbox<State, Action>) {
    unlink(index)
    unregister(index)
    if !waiters.isEmpty, let waiting = waiters.removeValue(forKey: token(index)) {
      for continuation in waiting { outbox.leavings.resumes.append(continuation) }
    }
    let i = Int(index)
    if let effect = entries[i].effect.take(), !entries[i].isHandedOver, effect.holdsWork {
      outbox.leavings.remains.append(EffectRemains(effect: effect))
    }
    if let cause = entries[i].cause.take() { outbox.bury(cause) }
    entries[i].task = nil
    entries[i].generation &+= 1
    entries[i].phase = .free
    entries[i].parent = -1
    entries[i].previous = -1
    entries[i].isHandedOver = false
    entries[i].members = 0
    entries[i].current = -1
    entries[i].next = firstFree
    firstFree = index
    count -= 1
    if count == 0, !idleWaiters.isEmpty {
      for continuation in idleWaiters { outbox.leavings.resumes.append(continuation) }
      idleWaiters = []
    }
  }

  // MARK: Registering

  /// Takes an effect that a reduction returned, and starts it.
  @inlinable
  mutating func register(
    _ effect: Effect<Action>, parent: Int32, hasHandle: Bool = false, step: Int, cause: Action,
    since: ContinuousClock.Instant?, _ outbox: inout Outbox<State, Action>
  ) -> Int32 {
    switch effect.operation {
    case .none:
      return -1
    case .cancel(let key):
      cancel(key, &outbox)
      return -1
    case .issue(let message):
      outbox.raised.append(
        StoreIssue(message: message, location: effect.location, step: step))
      return -1
    case .send(let action) where effect.registrations.isEmpty && effect.path.isEmpty:
      queue(action, of: effect, owner: parent, source: .none, step: step, &outbox)
      return -1
    default:
      let index = admit(
        effect, parent: parent, isMember: false, hasHandle: hasHandle, step: step, cause: cause,
        since: since, &outbox)
      start(index, &outbox)
      return index
    }
  }

  /// Makes an entry, with entries for the members of a group, and registers their ids: from here on they can be cancelled.
  @inlinable
  mutating func admit(
    _ effect: Effect<Action>, parent: Int32, isMember: Bool, hasHandle: Bool, step: Int,
    cause: Action, since: ContinuousClock.Instant?, _ outbox: inout Outbox<State, Action>
  ) -> Int32 {
    for registration in effect.registrations where registration.cancelInFlight {
      cancel(registration.key, &outbox)
    }
    let shape: Entry.Shape
    switch effect.operation {
    case .merge: shape = .parallel
    case .concatenate: shape = .sequence
    default: shape = .leaf
    }
    let index = insert(
      shape: shape, phase: .pending, parent: parent, isMember: isMember, hasHandle: hasHandle)
    entries[Int(index)].step = step
    entries[Int(index)].since = since
    entries[Int(index)].cause = cause
    entries[Int(index)].effect = effect
    if !effect.registrations.isEmpty || !effect.path.isEmpty {
      registry.insert(index, registrations: effect.registrations, path: effect.path)
      entries[Int(index)].isRegistered = true
    }
    switch effect.operation {
    case .merge(let members), .concatenate(let members):
      entries[Int(index)].members = Int32(members.count)
      for member in members {
        _ = admit(
          member, parent: index, isMember: true, hasHandle: false, step: step, cause: cause,
          since: since, &outbox)
      }
    default: break
    }
    return index
  }

  @inlinable
  mutating func queue(
    _ action: Action, of effect: Effect<Action>, owner: Int32, source: EffectToken, step: Int,
    _ outbox: inout Outbox<State, Action>
  ) {
    if owner >= 0 { entries[Int(owner)].queued += 1 }
    let key = effect.registrations.first?.key
    outbox.queued.append(
      Outbox.Queued(
        action: action, owner: owner, source: source, name: effect.name, key: key, step: step))
  }

  // MARK: Starting

  @inlinable
  mutating func start(_ index: Int32, _ outbox: inout Outbox<State, Action>) {
    guard entries[Int(index)].phase == .pending, let effect = entries[Int(index)].effect else {
      return
    }
    entries[Int(index)].phase = .running
    switch effect.operation {
    case .task, .run:
      outbox.starts.append(Outbox.Start(token: token(index), operation: effect.operation))
      // The task holds it from here on, so that its end is never under the lock.
      entries[Int(index)].effect?.operation = effect.operation.emptied
      entries[Int(index)].isHandedOver = true
    case .send(let action):
      queue(
        action, of: effect, owner: index, source: token(index), step: entries[Int(index)].step,
        &outbox)
    case .merge:
      var child = entries[Int(index)].firstChild
      while child >= 0 {
        let next = entries[Int(child)].next
        start(child, &outbox)
        child = next
      }
    case .concatenate:
      advance(index, &outbox)
    case .cancel(let key):
      cancel(key, &outbox)
      endWork(index, &outbox)
    case .issue(let message):
      outbox.raised.append(
        StoreIssue(
          message: message, location: effect.location, step: entries[Int(index)].step))
      endWork(index, &outbox)
    case .none:
      endWork(index, &outbox)
    }
  }

  /// Starts the members of a sequence until one has work that takes time.
  @inlinable
  mutating func advance(_ sequence: Int32, _ outbox: inout Outbox<State, Action>) {
    let generation = entries[Int(sequence)].generation
    var child = entries[Int(sequence)].firstChild
    while child >= 0, entries[Int(sequence)].generation == generation,
      entries[Int(sequence)].phase == .running
    {
      let next = entries[Int(child)].next
      if entries[Int(child)].phase == .pending, entries[Int(child)].isMember {
        let childGeneration = entries[Int(child)].generation
        entries[Int(sequence)].current = -1
        start(child, &outbox)
        if entries[Int(child)].generation == childGeneration,
          entries[Int(child)].phase == .running
        {
          entries[Int(sequence)].current = child
          return
        }
      }
      child = next
    }
  }

  @inlinable
  mutating func started(_ token: EffectToken, _ task: Task<Void, Never>) {
    guard let index = index(of: token) else { return }
    entries[Int(index)].task = task
  }

  // MARK: Ending

  /// The entry's own work has ended, by itself or after it was cancelled.
  @inlinable
  mutating func endWork(_ index: Int32, _ outbox: inout Outbox<State, Action>) {
    let i = Int(index)
    guard entries[i].phase != .finished, entries[i].phase != .free else { return }
    entries[i].phase = .finished
    // What it sent last may still be in the queue, and is dropped when its id is cancelled first.
    if entries[i].queued == 0 { unregister(index) }
    let parent = entries[i].parent
    if entries[i].isMember, parent >= 0 {
      entries[i].isMember = false
      entries[Int(parent)].members -= 1
      if entries[Int(parent)].members == 0 {
        if entries[Int(parent)].phase != .pending { endWork(parent, &outbox) }
      } else if entries[Int(parent)].current == index {
        entries[Int(parent)].current = -1
        advance(parent, &outbox)
      }
    }
    if entries[i].phase == .finished { settle(index, &outbox) }
  }

  @inlinable
  mutating func unregister(_ index: Int32) {
    guard entries[Int(index)].isRegistered, let effect = entries[Int(index)].effect else { return }
    entries[Int(index)].isRegistered = false
    registry.remove(index, registrations: effect.registrations, path: effect.path)
  }

  /// Removes an entry of which nothing is left, and those above it that only waited for it.
  @inlinable
  mutating func settle(_ index: Int32, _ outbox: inout Outbox<State, Action>) {
    var index = index
    while index >= 0, entries[Int(index)].phase == .finished, entries[Int(index)].queued == 0 {
      let parent = entries[Int(index)].parent
      if entries[Int(index)].firstChild >= 0 {
        if entries[Int(index)].hasHandle { return }
        moveChildrenUp(index)
      }
      remove(index, &outbox)
      index = parent
    }
  }

  @inlinable
  mutating func moveChildrenUp(_ index: Int32) {
    let parent = entries[Int(index)].parent
    var child = entries[Int(index)].firstChild
    entries[Int(index)].firstChild = -1
    entries[Int(index)].lastChild = -1
    while child >= 0 {
      let next = entries[Int(child)].next
      link(child, under: parent)
      child = next
    }
  }

  // MARK: Cancelling

  /// Cancels what bears the key; what it has caused goes on.
  @inlinable
  mutating func cancel(_ key: CancelKey, _ outbox: inout Outbox<State, Action>) {
    for index in registry.indices(key) {
      cancelWork(index, &outbox)
    }
  }

  /// Cancels an entry's own work, a group's members included.
  @inlinable
  mutating func cancelWork(_ index: Int32, _ outbox: inout Outbox<State, Action>) {
    let i = Int(index)
    switch entries[i].phase {
    case .finished:
      if entries[i].queued > 0 { outbox.silenced.insert(token(index)) }
    case .free, .cancelled:
      return
    case .pending, .running:
      let wasPending = entries[i].phase == .pending
      entries[i].phase = .cancelled
      if entries[i].shape == .leaf {
        if !wasPending { outbox.silenced.insert(token(index)) }
        if let task = entries[i].task {
          unregister(index)
          entries[i].effect?.registrations = []
          entries[i].effect?.path = []
          outbox.leavings.cancels.append(task)
        } else if wasPending {
          endWork(index, &outbox)
        }
        // A `.send` in the queue stays until it is taken out, and is dropped there.
      } else if entries[i].shape != .root {
        let generation = entries[i].generation
        for child in members(of: index) {
          guard self.index(of: child) != nil else { continue }
          cancelWork(child.index, &outbox)
        }
        if entries[i].generation == generation, entries[i].members == 0 {
          endWork(index, &outbox)
        }
      }
    }
  }

  @inlinable
  func members(of index: Int32) -> [EffectToken] {
    var tokens: [EffectToken] = []
    var child = entries[Int(index)].firstChild
    while child >= 0 {
      tokens.append(token(child))
      child = entries[Int(child)].next
    }
    return tokens
  }

  /// Cancels an entry and everything under it.
  @inlinable
  mutating func cancelTree(_ token: EffectToken, _ outbox: inout Outbox<State, Action>) {
    var stack = [token]
    while let token = stack.popLast() {
      guard let index = index(of: token) else { continue }
      stack.append(contentsOf: members(of: index))
      cancelWork(index, &outbox)
    }
  }

  /// Cancels everything.
  @inlinable
  mutating func cancelAll(_ outbox: inout Outbox<State, Action>) {
    for index in entries.indices where entries[index].phase != .free {
      cancelWork(Int32(index), &outbox)
    }
  }
}
