extension EffectTable {
  /// The entry's own work has ended, by itself or after it was cancelled.
  @inlinable
  mutating func endWork(
    _ index: Int32, failure: (any Error)? = nil, _ outbox: inout Outbox<Action>
  ) {
    let i = Int(index)
    let phase = entries[i].phase
    guard phase != .finished, phase != .free else { return }
    if let meter = outbox.meter, phase == .running {
      report(failure.map { .failed($0) } ?? .finished, index, meter)
    }
    entries[i].phase = .finished
    // What it sent last may still be in the queue, and is dropped when its id is cancelled first.
    if entries[i].queued == 0, entries[i].flags.contains(.registered) { unregister(index) }
    if !entries[i].flags.isDisjoint(with: [.placed, .waiting]) { leavePlace(index, &outbox) }
    let parent = entries[i].parent
    if entries[i].flags.contains(.member), parent >= 0 {
      entries[i].flags.remove(.member)
      entries[Int(parent)].members -= 1
      if entries[Int(parent)].members == 0 {
        endWork(parent, &outbox)
      } else if entries[Int(parent)].current == index {
        entries[Int(parent)].current = -1
        advance(parent, &outbox)
      }
    }
    if entries[i].phase == .finished { settle(index, &outbox) }
  }

  /// What an effect that runs is, and the step that returned it.
  @usableFromInline
  func running(_ token: EffectToken) -> (work: EffectWork<Action>, step: Int)? {
    guard let index = index(of: token), entries[Int(index)].phase == .running else { return nil }
    return (works[Int(index)], entries[Int(index)].step)
  }

  /// From here on no id finds the entry.
  @inlinable
  mutating func unregister(_ index: Int32) {
    guard entries[Int(index)].flags.contains(.registered) else { return }
    entries[Int(index)].flags.remove(.registered)
    registry.live -= 1
    if registry.live == 0, registry.tokens > 64 { registry.removeAll() }
  }

  @inlinable
  func isRegistered(_ token: EffectToken) -> Bool { token.isRegistered(in: entries) }

  /// Gives up a place, or a place in the queue for one, and starts whoever is next.
  @inlinable
  mutating func leavePlace(_ index: Int32, _ outbox: inout Outbox<Action>) {
    let i = Int(index)
    entries[i].flags.subtract([.placed, .waiting])
    // The first member of a throttled group has the group's place.
    let holder =
      works[i].effect?.traits?.limit != nil || entries[i].parent < 0
      ? i : Int(entries[i].parent)
    guard let limit = works[holder].effect?.traits?.limit,
      let next = limits.leave(token(index), limit.key), let entry = self.index(of: next)
    else { return }
    entries[Int(entry)].flags.remove(.waiting)
    entries[Int(entry)].flags.insert(.placed)
    start(entry, &outbox)
  }

  /// Removes an entry of which nothing is left, and those above it that only waited for it.
  @inlinable
  mutating func settle(_ index: Int32, _ outbox: inout Outbox<Action>) {
    var index = index
    while index >= 0, entries[Int(index)].phase == .finished, entries[Int(index)].queued == 0 {
      let parent = entries[Int(index)].parent
      if entries[Int(index)].firstChild >= 0 {
        if entries[Int(index)].flags.contains(.handle) { return }
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
      if parent >= 0 {
        link(child, under: parent)
      } else {
        entries[Int(child)].parent = -1
        entries[Int(child)].previous = -1
        entries[Int(child)].next = -1
      }
      child = next
    }
  }
}
