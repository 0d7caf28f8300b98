/// The effects of one store as a pure state machine: every event changes the table and writes what is to be done into an
/// outbox. It starts, cancels and waits for nothing itself: no transition depends on threads. Its places are memory that whoever has the table
/// gives back.
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

  @usableFromInline var places = EffectPlaces<Action>()
  @usableFromInline var firstFree: Int32 = -1
  @usableFromInline var count: Int32 = 0
  @usableFromInline var registry = CancelRegistry()
  @usableFromInline var limits = EffectLimits()
  /// By the entry they wait for; under -1 those who wait for a publication to end.
  @usableFromInline var waiters: [Int32: Few<UnsafeContinuation<Void, Never>>] = [:]
  @usableFromInline var idleWaiters: [UnsafeContinuation<Void, Never>] = []

  @inlinable
  init() {}

  @inlinable
  func token(_ index: Int32) -> EffectToken {
    EffectToken(index: index, generation: places[index].generation)
  }

  /// The entry's place, if it is still the one that the token names.
  @inlinable
  func index(of token: EffectToken) -> Int32? {
    guard token.index >= 0, token.index < places.count,
      places[token.index].generation == token.generation
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
      firstFree = places[index].next
      places[index].phase = phase
      places[index].shape = shape
      places[index].flags = flags
      places[index].next = -1
    } else {
      index = places.count
      places.append(Entry(phase: phase, shape: shape, flags: flags))
    }
    count += 1
    if parent >= 0 { link(index, under: parent) }
    return index
  }

  @inlinable
  mutating func link(_ index: Int32, under parent: Int32) {
    let last = places[parent].lastChild
    places[index].parent = parent
    places[index].next = -1
    places[index].previous = last
    if last >= 0 {
      places[last].next = index
    } else {
      places[parent].firstChild = index
    }
    places[parent].lastChild = index
  }

  @inlinable
  mutating func unlink(_ index: Int32) {
    let parent = places[index].parent
    guard parent >= 0 else { return }
    let previous = places[index].previous
    let next = places[index].next
    if previous >= 0 {
      places[previous].next = next
    } else {
      places[parent].firstChild = next
    }
    if next >= 0 {
      places[next].previous = previous
    } else {
      places[parent].lastChild = previous
    }
  }

  @inlinable
  mutating func remove(_ index: Int32, _ outbox: inout Outbox<Action>) {
    unlink(index)
    if places[index].flags.contains(.registered) { unregister(index) }
    if places[index].flags.contains(.awaited), let waiting = waiters.removeValue(forKey: index) {
      waiting.forEach { outbox.partings.append(.resume($0)) }
    }
    if places[index].flags.contains(.handedOver) {
      places[work: index].effect = nil
    } else if let effect = places[work: index].effect.take(), effect.holdsWork {
      outbox.bury(effect)
    }
    if _isPOD(Action.self) {
      places[work: index].cause = nil
    } else if let cause = places[work: index].cause.take() {
      outbox.bury(cause)
    }
    places[work: index].task = nil
    places[index].generation &+= 1
    places[index].phase = .free
    places[index].flags = []
    places[index].parent = -1
    places[index].previous = -1
    places[index].members = 0
    places[index].current = -1
    places[index].next = firstFree
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
    var child = places[index].firstChild
    while child >= 0 {
      tokens.append(token(child))
      child = places[child].next
    }
    return tokens
  }
}
