/// The permits of one limit: its running and waiting effects.
///
/// - Complexity: O(1). Removing an effect that is not the first is O(number running or waiting).
struct Permits: Sendable {
  /// The answer to a request for a permit.
  enum Answer: Sendable, Equatable {
    /// Start, and cancel the other effect.
    case start(evicting: EffectID? = nil)
    /// Wait. Drop the other effect if it waits too. Otherwise cancel it; it returns its permit when
    /// its work has ended.
    case wait(evicting: EffectID? = nil)
    case drop
  }

  /// The running effects, oldest first.
  private var running: [EffectID] = []
  /// The effects that were cancelled and have not ended.
  private var ending: [EffectID] = []
  private var waiting = Queue<EffectID>()
  private var count = 1

  /// Whether no effect runs or waits.
  var isEmpty: Bool { running.isEmpty && ending.isEmpty && waiting.isEmpty }

  /// The effect that receives the next permit.
  var next: EffectID? { waiting.first }

  /// Requests a permit.
  mutating func enter(_ effect: EffectID, _ limit: EffectLimit) -> Answer {
    count = limit.count
    guard running.count + ending.count >= count else {
      running.append(effect)
      return .start()
    }
    switch limit.overflow {
    case .drop:
      return .drop
    case .cancelOldest where running.isEmpty:
      // All permits are about to be returned. The newest effects wait for them.
      let oldest = waiting.count >= count ? waiting.popFirst() : nil
      waiting.append(effect)
      return .wait(evicting: oldest)
    case .cancelOldest where limit.countsCancelled:
      let oldest = running.removeFirst()
      ending.append(oldest)
      waiting.append(effect)
      return .wait(evicting: oldest)
    case .cancelOldest:
      let oldest = running.removeFirst()
      running.append(effect)
      return .start(evicting: oldest)
    case .wait(let capacity, let dropsOldest):
      guard let capacity, waiting.count >= capacity else {
        waiting.append(effect)
        return .wait()
      }
      guard dropsOldest, let oldest = waiting.popFirst() else { return .drop }
      waiting.append(effect)
      return .wait(evicting: oldest)
    }
  }

  /// Removes an effect that runs or waits. Returns the effect that receives its permit, if there is
  /// one.
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

  /// Notes that the effect was cancelled and keeps its permit until its work has ended.
  mutating func noteCancelled(_ effect: EffectID) {
    guard let index = running.firstIndex(of: effect) else { return }
    running.remove(at: index)
    ending.append(effect)
  }

  /// Passes a permit to another effect.
  mutating func pass(_ effect: EffectID, to other: EffectID) {
    guard let index = running.firstIndex(of: effect) else { return }
    running[index] = other
  }
}

/// A permit that the queued actions of an ended effect keep.
@usableFromInline
struct KeptPermit: Sendable {
  /// The effect with the queued actions.
  let effect: EffectID
  /// The effect, or a group that ended with it.
  let holder: EffectID
  let key: PermitKey
  /// Whether the work ended with the action, so that the permit is returned before the action is
  /// reduced. Otherwise the work ended later.
  let endsWithAction: Bool
}
