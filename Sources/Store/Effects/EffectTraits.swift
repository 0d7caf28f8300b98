/// Ids, place and limit of an effect: constant, shared by its copies.
@usableFromInline
final class EffectTraits: Sendable {
  /// An id, and whether effects that bear it already are to be cancelled first.
  @usableFromInline
  struct Registration: Sendable {
    @usableFromInline var key: CancelKey
    @usableFromInline let cancelInFlight: Bool

    @inlinable
    init(key: CancelKey, cancelInFlight: Bool) {
      self.key = key
      self.cancelInFlight = cancelInFlight
    }
  }

  @usableFromInline let registrations: Few<Registration>
  /// Where in the composition the effect was returned, outermost first.
  @usableFromInline let path: [ScopeKey]
  @usableFromInline let limit: EffectLimit?
  /// The end of a child does not end it.
  @usableFromInline let outlives: Bool
  /// Whether any of its ids cancels those that bear it already.
  @usableFromInline let cancelsInFlight: Bool

  @inlinable
  init(
    registrations: Few<Registration> = Few(), path: [ScopeKey] = [], limit: EffectLimit? = nil,
    outlives: Bool = false
  ) {
    self.registrations = registrations
    self.path = path
    self.limit = limit
    self.outlives = outlives
    cancelsInFlight =
      registrations.first?.cancelInFlight == true
      || registrations.rest.contains { $0.cancelInFlight }
  }

  @inlinable
  func nested(under scope: ScopeKey) -> EffectTraits {
    let registrations = registrations.map { registration in
      var nested = registration
      nested.key.path.insert(scope, at: 0)
      return nested
    }
    let limit = limit?.nested(under: scope)
    return EffectTraits(
      registrations: registrations, path: [scope] + path, limit: limit, outlives: outlives)
  }
}

/// How many effects of one id run at once, and what becomes of those that are too many. A class: most effects have none.
@usableFromInline
final class EffectLimit: Sendable {
  @usableFromInline
  enum Overflow: Sendable, Equatable {
    case cancelOldest
    case drop
    /// Wait for a place; of those that wait at most `capacity` stay.
    case wait(capacity: Int?, dropsOldest: Bool)
  }

  @usableFromInline let key: CancelKey
  @usableFromInline let count: Int
  @usableFromInline let overflow: Overflow
  /// The place is free when the group's first member ends, not when all have.
  @usableFromInline let isHeldByFirst: Bool

  @inlinable
  init(key: CancelKey, count: Int, overflow: Overflow, isHeldByFirst: Bool = false) {
    self.key = key
    self.count = count
    self.overflow = overflow
    self.isHeldByFirst = isHeldByFirst
  }

  @inlinable
  func nested(under scope: ScopeKey) -> EffectLimit {
    EffectLimit(
      key: CancelKey(path: [scope] + key.path, id: key.id), count: count, overflow: overflow,
      isHeldByFirst: isHeldByFirst)
  }
}

extension Effect {
  @usableFromInline typealias Registration = EffectTraits.Registration

  @inlinable
  var registrations: Few<Registration> { traits?.registrations ?? Few() }

  @inlinable
  var path: [ScopeKey] { traits?.path ?? [] }

  @inlinable
  consuming func with(
    registration: Registration? = nil, limit: EffectLimit? = nil, outlives: Bool = false
  ) -> Effect {
    var effect = self
    if let traits = effect.traits {
      var registrations = traits.registrations
      if let registration { registrations.append(registration) }
      effect.traits = EffectTraits(
        registrations: registrations, path: traits.path, limit: limit ?? traits.limit,
        outlives: outlives || traits.outlives)
    } else {
      effect.traits = EffectTraits(
        registrations: Few(registration), limit: limit, outlives: outlives)
    }
    return effect
  }
}
