/// The ids, the place and the limit of an effect. Immutable, and shared by copies of the effect.
@usableFromInline
final class EffectTraits: Sendable {
  /// The ids, in the order in which they were given.
  @usableFromInline let keys: [CancelKey]
  /// The ids whose earlier effects are cancelled first.
  @usableFromInline let keysInFlight: [CancelKey]
  /// The place in the composition at which the effect was returned, outermost child first.
  @usableFromInline let place: [ChildKey]
  @usableFromInline let limit: EffectLimit?
  /// Whether the effect continues when a child ends.
  @usableFromInline let outlives: Bool

  @inlinable
  init(
    keys: [CancelKey] = [], keysInFlight: [CancelKey] = [], place: [ChildKey] = [],
    limit: EffectLimit? = nil, outlives: Bool = false
  ) {
    self.keys = keys
    self.keysInFlight = keysInFlight
    self.place = place
    self.limit = limit
    self.outlives = outlives
  }

  @inlinable
  func nested(under child: ChildKey) -> EffectTraits {
    EffectTraits(
      keys: keys.map { $0.nested(under: child) },
      keysInFlight: keysInFlight.map { $0.nested(under: child) }, place: [child] + place,
      limit: limit?.nested(under: child), outlives: outlives)
  }
}

extension EffectTraits {
  /// The keys under which the index finds the effect: its ids, and its place if it ends with a
  /// child.
  var indexKeys: [CancelKey] {
    outlives || place.isEmpty ? keys : keys + [CancelKey(place: place, id: nil)]
  }

  /// Returns the traits of a member of a group. It also has the ids of the group, and outlives a
  /// child if the group does.
  @usableFromInline
  static func member(_ own: EffectTraits?, of group: EffectTraits?) -> EffectTraits? {
    guard let group, !group.keys.isEmpty || group.outlives else { return own }
    return EffectTraits(
      keys: group.keys + (own?.keys ?? []), place: own?.place ?? [], limit: own?.limit,
      outlives: group.outlives || own?.outlives == true)
  }

  static func limited(_ traits: EffectTraits?, by limit: EffectLimit) -> EffectTraits {
    EffectTraits(
      keys: traits?.keys ?? [], place: traits?.place ?? [], limit: limit,
      outlives: traits?.outlives == true)
  }
}

extension CancelKey {
  @inlinable
  func nested(under child: ChildKey) -> CancelKey { CancelKey(place: [child] + place, id: id) }
}

extension Effect {
  /// The ids whose earlier effects are cancelled first, including those of the members.
  @inlinable
  var keysInFlight: [CancelKey] {
    let own = traits?.keysInFlight ?? []
    guard operation.isGroup else { return own }
    var keys: [CancelKey] = []
    // Not recursive, because groups can be nested deeply.
    var rest = [self]
    while let effect = rest.popLast() {
      keys += effect.traits?.keysInFlight ?? []
      rest += effect.operation.members?.reversed() ?? []
    }
    return keys
  }

  /// Returns the effect with additional traits. `.none` has none.
  ///
  /// - Parameter cancelInFlight: Whether to cancel earlier effects with `key` first.
  @inlinable
  consuming func with(
    key: CancelKey? = nil, cancelInFlight: Bool = false, limit: EffectLimit? = nil,
    outlives: Bool = false
  ) -> Effect {
    var effect = self
    guard !effect.isNone else { return effect }
    let own = key.map { [$0] } ?? []
    guard let traits = effect.traits else {
      effect.traits = EffectTraits(
        keys: own, keysInFlight: cancelInFlight ? own : [], limit: limit, outlives: outlives)
      return effect
    }
    if let limit, traits.limit != nil {
      // Each limit needs a group of its own, so that both apply.
      return Effect(
        .merge([effect]), name: effect.name, location: effect.location,
        traits: EffectTraits(keys: own, limit: limit, outlives: outlives))
    }
    effect.traits = EffectTraits(
      keys: traits.keys + own, keysInFlight: traits.keysInFlight + (cancelInFlight ? own : []),
      place: traits.place, limit: limit ?? traits.limit, outlives: outlives || traits.outlives)
    return effect
  }
}
