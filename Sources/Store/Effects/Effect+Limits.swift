/// The handling of an effect beyond the limit of its id.
public struct OverflowPolicy: Sendable {
  @usableFromInline let overflow: EffectLimit.Overflow

  @inlinable
  init(_ overflow: EffectLimit.Overflow) {
    self.overflow = overflow
  }

  /// The one that has run longest is cancelled: the newest run.
  public static var cancelOldest: OverflowPolicy { OverflowPolicy(.cancelOldest) }

  /// The new one is dropped, and never starts: the oldest run.
  public static var drop: OverflowPolicy { OverflowPolicy(.drop) }

  /// The new one waits for a permit; none is lost.
  public static var wait: OverflowPolicy {
    OverflowPolicy(.wait(capacity: nil, dropsOldest: false))
  }

  /// The new one waits for a permit; where `capacity` wait already, it is dropped, or the one that
  /// has waited longest is. A capacity below 0 counts as 0, which is `drop`.
  public static func wait(capacity: Int, dropsOldest: Bool = false) -> OverflowPolicy {
    OverflowPolicy(.wait(capacity: max(0, capacity), dropsOldest: dropsOldest))
  }
}

/// Among which effects a limit counts.
public enum LimitScope: Sendable, Hashable {
  /// All effects of the store that are limited by an equal id, wherever in the composition they are
  /// returned.
  case store
  /// The effects of the same position in the composition: each element of a `forEach` has a limit
  /// of its own.
  case place
}

extension Effect {
  /// Runs at most `count` effects of one id at once. The id also cancels them, including waiting
  /// ones, as `cancellable(id:)` does.
  ///
  /// Give every effect of an id the same count, scope and policy: each is judged by its own. An
  /// effect that is limited already, or throttled, keeps that limit; this one counts it as a whole,
  /// as a group of one. A group whose members are limited by the same id counts as one effect.
  ///
  /// - Parameters:
  ///   - count: At least 1; less counts as 1.
  ///   - scope: Among which effects the limit counts; the whole store by default. The id cancels
  ///     within its own place in either case.
  ///   - countsCancelled: Whether a cancelled effect counts until its task has ended. Set it where
  ///     the limit bounds real work, such as connections; otherwise the next effect starts at once.
  /// - Complexity: O(1) to begin, O(count) to end; with `cancelOldest` O(count) to begin, and
  ///   O(number waiting) for one that is cancelled while it waits.
  @inlinable
  public func limited(
    id: some Hashable & Sendable, to count: Int = 1, in scope: LimitScope = .store,
    countsCancelled: Bool = false, whenFull policy: OverflowPolicy
  ) -> Effect {
    guard !isNone else { return self }
    let key = CancelKey(id: CancelID(id))
    return with(
      key: key,
      limit: EffectLimit(
        key: key, scope: scope, count: max(1, count), overflow: policy.overflow,
        countsCancelled: countsCancelled))
  }
}
