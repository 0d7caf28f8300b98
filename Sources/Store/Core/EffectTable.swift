/// The effects of one store as a pure state machine: every event changes the table and writes what is to be done into an
/// outbox. It starts, cancels and waits for nothing itself, so each transition can be tested without concurrency.
///
/// An entry goes pending → running → (cancelled →) finished → free. Entries form a tree: members of a group under the group, effects
/// that an effect's actions caused under that effect. An entry leaves when its own work and everything under it have
/// ended; one that nobody can ask for leaves as soon as its own work has ended, and its children move up, so that a
/// chain of effects stays as short as what runs of it.
///
/// `+Registering` takes effects in and starts them, `+Ending` and `+Cancelling` let them go.
@usableFromInline
struct EffectTable<Action: Sendable>: Sendable {
  @usableFromInline typealias Entry = EffectEntry

  @usableFromInline var entries: [Entry] = []
  @usableFromInline var works: [EffectWork<Action>] = []
  @usableFromInline var firstFree: Int32 = -1
  @usableFromInline var count = 0
  @usableFromInline var registry = CancelRegistry()
  @usableFromInline var limits = EffectLimits()
  /// By the entry they wait for; under -1 those who wait for a publication to end.
  @usableFromInline var waiters: [Int32: Few<UnsafeContinuation<Void, Never>>] = [:]
  @usableFromInline var idleWaiters: [UnsafeContinuation<Void, Never>] = []

  @inlinable
  init() {}

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
    shape: Entry.Shape, phase: Entry.Phase, parent: Int32, flags: Entry.Flags = []
  ) -> Int32 {
    let index: Int32
    if firstFree >= 0 {
      index = firstFree
      let i = Int(index)
      firstFree = entries[i].next
      entries[i].phase = phase
      entries[i].shape = shape
      entries[i].flags = flags
      entries[i].next = -1
    } else {
      index = Int32(entries.count)
      if entries.count == entries.capacity { grow() }
      entries.append(Entry(phase: phase, shape: shape, flags: flags))
      works.append(EffectWork())
    }
    count += 1
    if parent >= 0 { link(index, under: parent) }
    return index
  }

  /// By half, not by doubling: a table that was once full keeps its size.
  @inlinable
  mutating func grow() {
    let capacity = max(8, entries.count + entries.count / 2)
    entries.reserveCapacity(capacity)
    works.reserveCapacity(capacity)
  }

  @inlinable
  mutating func link(_ index: Int32, under parent: Int32) {
    let last = entries[Int(parent)].lastChild
    entries[Int(index)].parent = parent
    entries[Int(index)].next = -1
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
  mutating func remove(_ index: Int32, _ outbox: inout Outbox<Action>) {
    let i = Int(index)
    unlink(index)
    if entries[i].flags.contains(.registered) { unregister(index) }
    if entries[i].flags.contains(.awaited), let waiting = waiters.removeValue(forKey: index) {
      waiting.forEach { outbox.partings.append(.resume($0)) }
    }
    if entries[i].flags.contains(.handedOver) {
      works[i].effect = nil
    } else if let effect = works[i].effect.take(), effect.holdsWork {
      outbox.bury(effect)
    }
    if _isPOD(Action.self) {
      works[i].cause = nil
    } else if let cause = works[i].cause.take() {
      outbox.bury(cause)
    }
    works[i].task = nil
    entries[i].generation &+= 1
    entries[i].phase = .free
    entries[i].flags = []
    entries[i].parent = -1
    entries[i].previous = -1
    entries[i].members = 0
    entries[i].current = -1
    entries[i].next = firstFree
    firstFree = index
    count -= 1
    if count == 0, !idleWaiters.isEmpty {
      for continuation in idleWaiters { outbox.partings.append(.resume(continuation)) }
      idleWaiters = []
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
}
