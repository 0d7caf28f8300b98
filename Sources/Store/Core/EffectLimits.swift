/// Who runs and who waits under each limit. Tells what is to be done; does nothing itself.
///
/// - Complexity: O(1); taking one out of the middle is O(number running or waiting under its limit).
@usableFromInline
struct EffectLimits: Sendable {
  @usableFromInline
  struct Places: Sendable {
    /// Oldest first.
    @usableFromInline var running: [EffectToken] = []
    @usableFromInline var waiting: [EffectToken] = []
    /// Those before it have had their turn.
    @usableFromInline var head = 0
    @usableFromInline var count = 1

    @inlinable
    init() {}
  }

  @usableFromInline
  enum Verdict: Sendable {
    case start
    /// Start, and cancel this one.
    case replace(EffectToken)
    case wait
    /// Wait, and drop this one, which waited.
    case waitInPlace(of: EffectToken)
    case drop
  }

  @usableFromInline var places: [CancelKey: Places] = [:]

  @inlinable
  init() {}

  @usableFromInline
  mutating func enter(_ token: EffectToken, _ limit: EffectLimit) -> Verdict {
    places[limit.key, default: Places()].enter(token, limit)
  }

  /// The effect runs no more, or waits no more. Gives the one whose turn it is now, which has the place already.
  @usableFromInline
  mutating func leave(_ token: EffectToken, _ key: CancelKey) -> EffectToken? {
    guard let index = places.index(forKey: key) else { return nil }
    let next = places.values[index].leave(token)
    if places.values[index].isEmpty { places.remove(at: index) }
    return next
  }

  /// The place goes on with another of the same effect's entries.
  @usableFromInline
  mutating func pass(_ token: EffectToken, to other: EffectToken, _ key: CancelKey) {
    guard let index = places.index(forKey: key),
      let position = places.values[index].running.firstIndex(of: token)
    else { return }
    places.values[index].running[position] = other
  }
}

extension EffectLimits.Places {
  @usableFromInline
  mutating func enter(_ token: EffectToken, _ limit: EffectLimit) -> EffectLimits.Verdict {
    count = limit.count
    guard running.count >= limit.count else {
      running.append(token)
      return .start
    }
    switch limit.overflow {
    case .drop:
      return .drop
    case .cancelOldest:
      let oldest = running.removeFirst()
      running.append(token)
      return .replace(oldest)
    case .wait(let capacity, let dropsOldest):
      guard let capacity, waiting.count - head >= capacity else {
        waiting.append(token)
        return .wait
      }
      guard dropsOldest, let oldest = takeFirst() else { return .drop }
      waiting.append(token)
      return .waitInPlace(of: oldest)
    }
  }

  @usableFromInline
  mutating func leave(_ token: EffectToken) -> EffectToken? {
    if let position = running.firstIndex(of: token) {
      running.remove(at: position)
    } else if let position = waiting[head...].firstIndex(of: token) {
      if position == head { _ = takeFirst() } else { waiting.remove(at: position) }
      return nil
    }
    guard running.count < count, let next = takeFirst() else { return nil }
    running.append(next)
    return next
  }

  var isEmpty: Bool { running.isEmpty && head == waiting.count }

  private mutating func takeFirst() -> EffectToken? {
    guard head < waiting.count else { return nil }
    let first = waiting[head]
    head += 1
    if head == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 1024, head * 2 >= waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
    return first
  }
}
