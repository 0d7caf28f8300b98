/// The running and waiting effects of each limit.
///
/// - Complexity: O(1). Removing an effect that is not the first is O(number running or waiting
///   under its limit).
struct LimitTable: Sendable {
  enum Verdict: Sendable, Equatable {
    case start
    /// Start, and cancel this effect.
    case replace(EffectID)
    case wait
    /// Wait, and cancel this effect, which returns its permit when its work has ended.
    case waitFor(EffectID)
    /// Wait, and drop this waiting effect.
    case waitInsteadOf(EffectID)
    case drop
  }

  private var permits: [CancelKey: Permits] = [:]

  /// Whether no effect runs or waits under any limit.
  var isEmpty: Bool { permits.isEmpty }

  /// Requests a permit.
  mutating func enter(_ effect: EffectID, _ limit: EffectLimit) -> Verdict {
    permits[limit.key, default: Permits()].enter(effect, limit)
  }

  /// Removes an effect that runs or waits. Returns the effect that receives its permit, if there is
  /// one.
  mutating func release(_ effect: EffectID, _ key: CancelKey) -> EffectID? {
    guard let index = permits.index(forKey: key) else { return nil }
    let next = permits.values[index].release(effect)
    if permits.values[index].isEmpty { permits.remove(at: index) }
    return next
  }

  /// Notes that the effect was cancelled and keeps its permit until its work has ended.
  mutating func noteCancelled(_ effect: EffectID, _ key: CancelKey) {
    guard let index = permits.index(forKey: key) else { return }
    permits.values[index].noteCancelled(effect)
  }

  /// Passes a permit to another effect.
  mutating func pass(_ effect: EffectID, to other: EffectID, _ key: CancelKey) {
    guard let index = permits.index(forKey: key) else { return }
    permits.values[index].pass(effect, to: other)
  }
}

/// The permits of one limit.
private struct Permits: Sendable {
  /// The running effects, oldest first.
  private var running: [EffectID] = []
  /// The effects that were cancelled and have not ended.
  private var ending: [EffectID] = []
  private var waiting = Queue<EffectID>()
  private var count = 1

  var isEmpty: Bool { running.isEmpty && ending.isEmpty && waiting.isEmpty }

  mutating func enter(_ effect: EffectID, _ limit: EffectLimit) -> LimitTable.Verdict {
    count = limit.count
    guard running.count + ending.count >= count else {
      running.append(effect)
      return .start
    }
    switch limit.overflow {
    case .drop:
      return .drop
    case .cancelOldest where running.isEmpty:
      // All permits are about to be returned. The newest effects wait for them.
      let oldest = waiting.count >= count ? waiting.popFirst() : nil
      waiting.append(effect)
      return oldest.map { .waitInsteadOf($0) } ?? .wait
    case .cancelOldest where limit.countsCancelled:
      let oldest = running.removeFirst()
      ending.append(oldest)
      waiting.append(effect)
      return .waitFor(oldest)
    case .cancelOldest:
      let oldest = running.removeFirst()
      running.append(effect)
      return .replace(oldest)
    case .wait(let capacity, let dropsOldest):
      guard let capacity, waiting.count >= capacity else {
        waiting.append(effect)
        return .wait
      }
      guard dropsOldest, let oldest = waiting.popFirst() else { return .drop }
      waiting.append(effect)
      return .waitInsteadOf(oldest)
    }
  }

  mutating func release(_ effect: EffectID) -> EffectID? {
    if let index = running.firstIndex(of: effect) {
      running.remove(at: index)
    } else if let index = ending.firstIndex(of: effect) {
      ending.remove(at: index)
    } else {
      _ = waiting.remove(effect)
      return nil
    }
    guard running.count + ending.count < count, let next = waiting.popFirst() else { return nil }
    running.append(next)
    return next
  }

  mutating func noteCancelled(_ effect: EffectID) {
    guard let index = running.firstIndex(of: effect) else { return }
    running.remove(at: index)
    ending.append(effect)
  }

  mutating func pass(_ effect: EffectID, to other: EffectID) {
    guard let index = running.firstIndex(of: effect) else { return }
    running[index] = other
  }
}
