/// The handling of an effect beyond the limit of its id.
public enum OverflowPolicy: Sendable, Hashable {
  /// Cancels the effect that has run longest, so that the newest run.
  case cancelOldest
  /// Drops the new effect, which never starts, so that the oldest run.
  case drop
  /// Lets the new effect wait for a permit. If `capacity` effects already wait, drops the new one,
  /// or with `dropsOldest` the one that has waited longest. A capacity below 0 counts as 0, which
  /// is equivalent to `drop`. Without a capacity, no effect is dropped.
  case wait(capacity: Int?, dropsOldest: Bool = false)

  /// Lets the new effect wait for a permit. No effect is dropped.
  public static var wait: OverflowPolicy { .wait(capacity: nil) }
}

/// The effects that a limit counts.
public enum LimitScope: Sendable, Hashable {
  /// All effects of the store that are limited by an equal id, at any place in the composition.
  case store
  /// The effects of the same place in the composition. Each element of a `forEach` has a limit
  /// of its own.
  case place
}

extension EffectProtocol {
  /// Runs at most `count` effects of one id at once. The id also cancels them, including waiting
  /// ones, like `cancellable(id:)`.
  ///
  /// Use the same count, scope and policy for every effect of an id. Each effect is handled
  /// according to its own values. An effect that is already limited or throttled keeps that limit.
  /// This limit counts it as a group of one. A group whose members are limited by the same id
  /// counts as one effect.
  ///
  /// - Parameters:
  ///   - count: The maximum number of running effects. Less than 1 counts as 1.
  ///   - scope: The effects that the limit counts, by default those of the whole store. The id
  ///     cancels effects of its own place in either case.
  ///   - countsCancelled: Whether a cancelled effect counts until its task has ended. Set it if the
  ///     limit bounds resources such as connections. Otherwise the next effect starts at once.
  /// - Complexity: O(1) to begin, O(count) to end. With `cancelOldest`, O(count) to begin. O(number
  ///   waiting) for an effect that is cancelled while it waits.
  @inlinable
  public func limited(
    id: some Hashable & Sendable, to count: Int = 1, in scope: LimitScope = .store,
    countsCancelled: Bool = false, whenFull policy: OverflowPolicy
  ) -> Self {
    let key = CancelKey(id: CancelID(id))
    let limit = EffectLimit(
      key: key, scope: scope, count: max(1, count), overflow: policy,
      countsCancelled: countsCancelled)
    return changed { $0.with(key: key, limit: limit) }
  }
}
