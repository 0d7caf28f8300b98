extension EffectTable {
  /// Which reduction an effect comes from.
  @usableFromInline
  struct Source {
    @usableFromInline let step: Int
    @usableFromInline let cause: Action?
    @usableFromInline let since: Int64

    @inlinable
    init(step: Int, cause: Action?, since: Int64) {
      self.step = step
      self.cause = cause
      self.since = since
    }
  }

  /// Takes an effect that a reduction returned, and starts it. -1 for what needs no entry.
  @inlinable
  mutating func register(
    _ effect: Effect<Action>, parent: Int32, flags: Entry.Flags = [], from source: Source,
    _ outbox: inout Outbox<Action>
  ) -> Int32 {
    switch effect.operation {
    case .none:
      return -1
    case .cancel(let key):
      cancel(key, &outbox)
      return -1
    case .issue(let message):
      outbox.raised.append(
        StoreIssue(message: message, location: effect.location, step: source.step))
      return -1
    case .send(let action) where effect.traits == nil:
      queue(action, of: effect, owner: parent, source: .none, step: source.step, &outbox)
      return -1
    default:
      // All of a group's before any of it is there: it would cancel itself.
      cancelInFlight(for: effect, &outbox)
      let index = admit(effect, parent: parent, flags: flags, from: source, &outbox)
      start(index, &outbox)
      return index
    }
  }

  /// Whether it is a task that nothing is registered, grouped, queued or caused under.
  @inlinable
  func isAlone(_ index: Int32) -> Bool {
    let entry = places[index]
    return entry.flags.isSubset(of: [.handedOver, .handle, .awaited]) && entry.firstChild < 0
      && entry.queued == 0
  }

  /// Whether its end lets nobody else begin.
  @inlinable
  func startsNobody(_ index: Int32) -> Bool {
    places[index].flags.isDisjoint(with: [.member, .placed])
  }

  /// Whether somebody may ask for it by token.
  @inlinable
  func isAskedFor(_ index: Int32) -> Bool {
    !places[index].flags.isDisjoint(with: [.handle, .awaited])
  }

  /// Puts another task in the place of one that has ended; the old token finds nothing from here on.
  @inlinable
  mutating func renew(
    _ index: Int32, _ operation: Effect<Action>.Operation, name: String?,
    location: SourceLocation, from source: Source, _ outbox: inout Outbox<Action>
  ) {
    places[index].generation &+= 1
    places[index].step = source.step
    places[index].since = source.since
    if !_isPOD(Action.self), let cause = places[work: index].cause.take() { outbox.bury(cause) }
    places[work: index].cause = source.cause
    places[work: index].effect?.become(operation, name: name, location: location)
  }

  @inlinable
  mutating func cancelInFlight(for effect: Effect<Action>, _ outbox: inout Outbox<Action>) {
    if let traits = effect.traits, traits.cancelsInFlight {
      traits.registrations.forEach {
        if $0.cancelInFlight { cancel($0.key, &outbox) }
      }
    }
    switch effect.operation {
    case .merge(let members), .concatenate(let members):
      for member in members { cancelInFlight(for: member, &outbox) }
    default: break
    }
  }

  /// Makes an entry, with entries for the members of a group, and registers their ids: from here on they can be cancelled.
  @inlinable
  mutating func admit(
    _ effect: Effect<Action>, parent: Int32, flags: Entry.Flags, from source: Source,
    _ outbox: inout Outbox<Action>
  ) -> Int32 {
    let shape: Entry.Shape
    switch effect.operation {
    case .merge: shape = .parallel
    case .concatenate: shape = .sequence
    default: shape = .leaf
    }
    let index = insert(shape: shape, phase: .pending, parent: parent, flags: flags)
    places[index].step = source.step
    places[index].since = source.since
    places[work: index].cause = source.cause
    places[work: index].effect = effect
    if let traits = effect.traits { register(token(index), traits) }
    switch effect.operation {
    case .merge(let members), .concatenate(let members):
      places[index].members = Int32(members.count)
      for member in members {
        _ = admit(member, parent: index, flags: .member, from: source, &outbox)
      }
    default: break
    }
    return index
  }

  /// From here on its ids find the entry.
  @inlinable
  mutating func register(_ token: EffectToken, _ traits: EffectTraits) {
    registry.insert(token, traits, places.entries)
    places[token.index].flags.insert(.registered)
  }

  @inlinable
  mutating func queue(
    _ action: Action, of effect: Effect<Action>, owner: Int32, source: EffectToken, step: Int,
    _ outbox: inout Outbox<Action>
  ) {
    if owner >= 0 { places[owner].queued += 1 }
    let key = effect.traits?.registrations.first?.key
    outbox.queued.append(
      Outbox.Queued(
        action: action, owner: owner, source: source, name: effect.name, key: key, step: step))
  }

  /// Starts an entry, or lets it wait for a place under its limit.
  @inlinable
  mutating func start(_ index: Int32, _ outbox: inout Outbox<Action>) {
    guard places[index].phase == .pending, let effect = places[work: index].effect else { return }
    if let limit = effect.traits?.limit, places[index].flags.isDisjoint(with: [.placed, .waiting]) {
      guard takePlace(index, limit, &outbox) else { return }
    }
    places[index].phase = .running
    if let meter = outbox.meter { report(.started, index, meter) }
    switch effect.operation {
    case .task, .run:
      outbox.starts.append(Outbox.Start(token: token(index), operation: effect.operation))
      // The task holds it from here on, so that its end is never under the lock.
      places[work: index].effect = effect.emptied
      places[index].flags.insert(.handedOver)
    case .send(let action):
      queue(
        action, of: effect, owner: index, source: token(index), step: places[index].step, &outbox)
    case .merge:
      if let limit = effect.traits?.limit, limit.isHeldByFirst {
        let first = places[index].firstChild
        places[index].flags.remove(.placed)
        places[first].flags.insert(.placed)
        limits.pass(token(index), to: token(first), limit.key)
      }
      let generation = places[index].generation
      for child in members(of: index) {
        guard places[index].generation == generation, places[index].phase == .running else {
          return
        }
        guard self.index(of: child) != nil else { continue }
        start(child.index, &outbox)
      }
    case .concatenate:
      advance(index, &outbox)
    case .cancel(let key):
      cancel(key, &outbox)
      endWork(index, &outbox)
    case .issue(let message):
      outbox.raised.append(
        StoreIssue(message: message, location: effect.location, step: places[index].step))
      endWork(index, &outbox)
    case .none:
      endWork(index, &outbox)
    }
  }

  /// Whether the entry may start now.
  @inlinable
  mutating func takePlace(
    _ index: Int32, _ limit: EffectLimit, _ outbox: inout Outbox<Action>
  ) -> Bool {
    switch limits.enter(token(index), limit) {
    case .start:
      places[index].flags.insert(.placed)
      return true
    case .replace(let oldest):
      places[index].flags.insert(.placed)
      if let old = self.index(of: oldest) {
        let generation = places[index].generation
        places[old].flags.remove(.placed)
        cancelWork(old, &outbox)
        // What that let begin may have cancelled the new one, too.
        return places[index].generation == generation
          && places[index].phase == .pending
      }
      return true
    case .wait:
      places[index].flags.insert(.waiting)
      return false
    case .waitInPlace(let oldest):
      places[index].flags.insert(.waiting)
      if let old = self.index(of: oldest) {
        places[old].flags.remove(.waiting)
        drop(old, &outbox)
      }
      return false
    case .drop:
      drop(index, &outbox)
      return false
    }
  }

  /// Lets go of an effect that never starts.
  @inlinable
  mutating func drop(_ index: Int32, _ outbox: inout Outbox<Action>) {
    if let meter = outbox.meter {
      report(.dropped, index, meter)
      silence(index)
    }
    discard(index, &outbox)
  }

  /// The members of what was told of as a whole are not told of one by one.
  @inlinable
  mutating func silence(_ index: Int32) {
    places[index].flags.insert(.silent)
    for child in members(of: index) { silence(child.index) }
  }

  /// Starts the members of a sequence until one has work that takes time.
  @inlinable
  mutating func advance(_ sequence: Int32, _ outbox: inout Outbox<Action>) {
    let generation = places[sequence].generation
    var child = places[sequence].firstChild
    while child >= 0, places[sequence].generation == generation,
      places[sequence].phase == .running
    {
      guard places[child].phase == .pending, places[child].flags.contains(.member)
      else {
        child = places[child].next
        continue
      }
      let started = token(child)
      places[sequence].current = -1
      start(child, &outbox)
      guard places[sequence].generation == generation else { return }
      if index(of: started) != nil,
        places[child].phase == .running || places[child].flags.contains(.waiting)
      {
        places[sequence].current = child
        return
      }
      // From the front: what was started, or cancelled by it, has left, and who comes next may be gone as well.
      child = places[sequence].firstChild
    }
  }
}
