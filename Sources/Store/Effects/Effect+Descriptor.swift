extension Effect {
  /// What the effect is, for tests, recordings and lists. Builds strings: O(length of its ids), and O(number of members) for a group.
  public var descriptor: EffectDescriptor {
    let kind: EffectDescriptor.Kind
    var parts: [EffectDescriptor] = []
    var id = registrations.first?.key.text
    switch operation {
    case .none, .merge: kind = .merge
    case .concatenate: kind = .concatenate
    case .send: kind = .send
    case .task: kind = .task
    case .run: kind = .run
    case .issue: kind = .issue
    case .cancel(let key):
      kind = .cancel
      id = key.text
    }
    switch operation {
    case .merge(let effects), .concatenate(let effects): parts = effects.map(\.descriptor)
    default: break
    }
    return EffectDescriptor(kind: kind, name: name, id: id, parts: parts, location: location)
  }
}

extension Sequence {
  /// The descriptors of effects, in order, without `.none`. O(n) descriptors: see `Effect.descriptor`.
  @inlinable
  public func descriptors<Action>() -> [EffectDescriptor] where Element == Effect<Action> {
    var descriptors: [EffectDescriptor] = []
    for effect in self where !effect.isNone { descriptors.append(effect.descriptor) }
    return descriptors
  }
}
