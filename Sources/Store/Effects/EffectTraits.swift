/// The ids, the place and the limit of an effect: constant, and shared by its copies.
@usableFromInline
final class EffectTraits: Sendable {
  /// The ids, in the order in which they were given.
  @usableFromInline let keys: [CancelKey]
  /// Those of the ids whose earlier effects are cancelled first.
  @usableFromInline let keysInFlight: [CancelKey]
  /// Where in the composition the effect was returned, outermost first.
  @usableFromInline let path: [ScopeKey]
  @usableFromInline let limit: EffectLimit?
  /// The end of a child does not end it.
  @usableFromInline let outlives: Bool

  @inlinable
  init(
    keys: [CancelKey] = [], keysInFlight: [CancelKey] = [], path: [ScopeKey] = [],
    limit: EffectLimit? = nil, outlives: Bool = false
  ) {
    self.keys = keys
    self.keysInFlight = keysInFlight
    self.path = path
    self.limit = limit
    self.outlives = outlives
  }

  @inlinable
  func nested(under scope: ScopeKey) -> EffectTraits {
    EffectTraits(
      keys: keys.map { $0.nested(under: scope) },
      keysInFlight: keysInFlight.map { $0.nested(under: scope) }, path: [scope] + path,
      limit: limit?.nested(under: scope), outlives: outlives)
  }
}

extension CancelKey {
  @inlinable
  func nested(under scope: ScopeKey) -> CancelKey { CancelKey(path: [scope] + path, id: id) }
}

/// How many effects of one id run at once, and what becomes of the others. A class, since most effects have none.
@usableFromInline
final class EffectLimit: Sendable {
  @usableFromInline
  enum Overflow: Sendable, Equatable {
    case cancelOldest
    case drop
    /// Wait for a permit; of those that wait at most `capacity` stay.
    case wait(capacity: Int?, dropsOldest: Bool)
  }

  @usableFromInline let key: CancelKey
  @usableFromInline let scope: LimitScope
  @usableFromInline let count: Int
  @usableFromInline let overflow: Overflow
  /// A cancelled effect counts until its task has ended.
  @usableFromInline let countsCancelled: Bool
  /// The permit is given back when the group's first member ends, not when all have.
  @usableFromInline let isHeldByFirst: Bool

  @inlinable
  init(
    key: CancelKey, scope: LimitScope, count: Int, overflow: Overflow,
    countsCancelled: Bool = false, isHeldByFirst: Bool = false
  ) {
    self.key = key
    self.scope = scope
    self.count = count
    self.overflow = overflow
    self.countsCancelled = countsCancelled
    self.isHeldByFirst = isHeldByFirst
  }

  @inlinable
  func nested(under scope: ScopeKey) -> EffectLimit {
    switch self.scope {
    case .store:
      self
    case .place:
      EffectLimit(
        key: key.nested(under: scope), scope: .place, count: count, overflow: overflow,
        countsCancelled: countsCancelled, isHeldByFirst: isHeldByFirst)
    }
  }
}

extension Effect {
  /// Those of its ids, and of its members', whose earlier effects are cancelled first.
  @inlinable
  var keysInFlight: [CancelKey] {
    let own = traits?.keysInFlight ?? []
    guard operation.members != nil else { return own }
    var keys: [CancelKey] = []
    // Without recursion, since groups nest as deep as they like.
    var rest = [self]
    while let effect = rest.popLast() {
      keys += effect.traits?.keysInFlight ?? []
      rest += effect.operation.members?.reversed() ?? []
    }
    return keys
  }

  /// - Parameter cancelInFlight: Whether effects that bear `key` already are cancelled first.
  @inlinable
  consuming func with(
    key: CancelKey? = nil, cancelInFlight: Bool = false, limit: EffectLimit? = nil,
    outlives: Bool = false
  ) -> Effect {
    var effect = self
    let own = key.map { [$0] } ?? []
    guard let traits = effect.traits else {
      effect.traits = EffectTraits(
        keys: own, keysInFlight: cancelInFlight ? own : [], limit: limit, outlives: outlives)
      return effect
    }
    effect.traits = EffectTraits(
      keys: traits.keys + own, keysInFlight: traits.keysInFlight + (cancelInFlight ? own : []),
      path: traits.path, limit: limit ?? traits.limit, outlives: outlives || traits.outlives)
    return effect
  }
}
