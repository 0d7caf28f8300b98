/// The maximum number of effects with one key that run at once, and the handling of the others. The
/// key is not necessarily one of the effect's ids.
///
/// It is a class because most effects have no limit. `Permits` counts them.
@usableFromInline
final class EffectLimit: Sendable {
  @usableFromInline let key: CancelKey
  @usableFromInline let scope: LimitScope
  @usableFromInline let count: Int
  @usableFromInline let overflow: OverflowPolicy
  /// Whether a cancelled effect counts until its task has ended.
  @usableFromInline let countsCancelled: Bool
  /// Whether the permit of a throttled group is returned when its first member ends, which is the
  /// interval.
  @usableFromInline let isHeldByInterval: Bool

  @inlinable
  init(
    key: CancelKey, scope: LimitScope, count: Int, overflow: OverflowPolicy,
    countsCancelled: Bool = false, isHeldByInterval: Bool = false
  ) {
    self.key = key
    self.scope = scope
    self.count = count
    self.overflow = overflow
    self.countsCancelled = countsCancelled
    self.isHeldByInterval = isHeldByInterval
  }

  /// What is counted together: the root's own limits are no limits of the whole store.
  var permitKey: PermitKey { PermitKey(key: key, scope: scope) }

  @inlinable
  func nested(under child: ChildKey) -> EffectLimit {
    switch scope {
    case .store:
      self
    case .place:
      EffectLimit(
        key: key.nested(under: child), scope: .place, count: count, overflow: overflow,
        countsCancelled: countsCancelled, isHeldByInterval: isHeldByInterval)
    }
  }
}

/// What a limit counts: effects with a key, in the whole store or in one place.
struct PermitKey: Hashable, Sendable {
  let key: CancelKey
  let scope: LimitScope
}
