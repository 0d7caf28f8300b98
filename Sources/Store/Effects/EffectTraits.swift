/// The ids, the place and the limit of an effect: constant, and shared by its copies.
@usableFromInline
final class EffectTraits: Sendable {
  /// The ids, in the order in which they were given.
  @usableFromInline let keys: [CancelKey]
  /// The ids whose earlier effects are cancelled first.
  @usableFromInline let keysInFlight: [CancelKey]
  /// The position in the composition at which the effect was returned, outermost first.
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

extension EffectTraits {
  /// The place of the child whose end cancels the effect; empty if none does.
  var endingPlace: [ScopeKey] { outlives ? [] : path }

  /// Whether an id or the end of a child is to find the effect.
  var isIndexed: Bool { !keys.isEmpty || !endingPlace.isEmpty }

  /// The traits of a member of a group: it has the group's ids as well, and outlives a child where
  /// the group does.
  @usableFromInline
  static func member(_ own: EffectTraits?, of group: EffectTraits?) -> EffectTraits? {
    guard let group, !group.keys.isEmpty || group.outlives else { return own }
    return EffectTraits(
      keys: group.keys + (own?.keys ?? []), path: own?.path ?? [], limit: own?.limit,
      outlives: group.outlives || own?.outlives == true)
  }

  static func limited(_ traits: EffectTraits?, by limit: EffectLimit) -> EffectTraits {
    EffectTraits(
      keys: traits?.keys ?? [], path: traits?.path ?? [], limit: limit,
      outlives: traits?.outlives == true)
  }
}

extension CancelKey {
  @inlinable
  func nested(under scope: ScopeKey) -> CancelKey { CancelKey(path: [scope] + path, id: id) }
}

extension Effect {
  /// The ids, its own and its members', whose earlier effects are cancelled first.
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

  /// - Parameter cancelInFlight: Whether effects that have `key` already are cancelled first.
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
    if let limit, traits.limit != nil {
      // Each limit with a group of its own, so that both hold.
      return Effect(
        .merge([effect]), name: effect.name, location: effect.location,
        traits: EffectTraits(keys: own, limit: limit, outlives: outlives))
    }
    effect.traits = EffectTraits(
      keys: traits.keys + own, keysInFlight: traits.keysInFlight + (cancelInFlight ? own : []),
      path: traits.path, limit: limit ?? traits.limit, outlives: outlives || traits.outlives)
    return effect
  }
}
