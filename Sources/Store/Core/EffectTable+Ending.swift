extension EffectTable {
  /// The entry's own work has ended, by itself or after it was cancelled.
  @inlinable
  mutating func endWork(
    _ index: Int32, failure: (any Error)? = nil, _ outbox: inout Outbox<Action>
  ) {
    let phase = places[index].phase
    guard phase != .finished, phase != .free else { return }
    if let meter = outbox.meter, phase == .running {
      report(failure.map { .failed($0) } ?? .finished, index, meter)
    }
    places[index].phase = .finished
    // What it sent last may still be in the queue, and is dropped when its id is cancelled first.
    if places[index].queued == 0, places[index].flags.contains(.registered) { unregister(index) }
    if !places[index].flags.isDisjoint(with: [.placed, .waiting]) { leavePlace(index, &outbox) }
    let parent = places[index].parent
    if places[index].flags.contains(.member), parent >= 0 {
      places[index].flags.remove(.member)
      places[parent].members -= 1
      if places[parent].members == 0 {
        endWork(parent, &outbox)
      } else if places[parent].current == index {
        places[parent].current = -1
        advance(parent, &outbox)
      }
    }
    if places[index].phase == .finished { settle(index, &outbox) }
  }

  /// What an effect that runs is, and the step that returned it.
  @usableFromInline
  func running(_ token: EffectToken) -> (work: EffectWork<Action>, step: Int)? {
    guard let index = index(of: token), places[index].phase == .running else { return nil }
    return (places[work: index], places[index].step)
  }

  /// From here on no id finds the entry.
  @inlinable
  mutating func unregister(_ index: Int32) {
    guard places[index].flags.contains(.registered) else { return }
    places[index].flags.remove(.registered)
    registry.live -= 1
    if registry.live == 0, registry.tokens > 64 { registry.removeAll() }
  }

  @inlinable
  func isRegistered(_ token: EffectToken) -> Bool { token.isRegistered(in: places.entries) }

  /// Gives up a place, or a place in the queue for one, and starts whoever is next.
  @inlinable
  mutating func leavePlace(_ index: Int32, _ outbox: inout Outbox<Action>) {
    places[index].flags.subtract([.placed, .waiting])
    // The first member of a throttled group has the group's place.
    let holder =
      places[work: index].effect?.traits?.limit != nil || places[index].parent < 0
      ? index : places[index].parent
    guard let limit = places[work: holder].effect?.traits?.limit,
      let next = limits.leave(token(index), limit.key), let entry = self.index(of: next)
    else { return }
    places[entry].flags.remove(.waiting)
    places[entry].flags.insert(.placed)
    start(entry, &outbox)
  }

  /// Removes an entry of which nothing is left, and those above it that only waited for it.
  @inlinable
  mutating func settle(_ index: Int32, _ outbox: inout Outbox<Action>) {
    var index = index
    while index >= 0, places[index].phase == .finished, places[index].queued == 0 {
      let parent = places[index].parent
      if places[index].firstChild >= 0 {
        if places[index].flags.contains(.handle) { return }
        moveChildrenUp(index)
      }
      remove(index, &outbox)
      index = parent
    }
  }

  @inlinable
  mutating func moveChildrenUp(_ index: Int32) {
    let parent = places[index].parent
    var child = places[index].firstChild
    places[index].firstChild = -1
    places[index].lastChild = -1
    while child >= 0 {
      let next = places[child].next
      if parent >= 0 {
        link(child, under: parent)
      } else {
        places[child].parent = -1
        places[child].previous = -1
        places[child].next = -1
      }
      child = next
    }
  }
}
