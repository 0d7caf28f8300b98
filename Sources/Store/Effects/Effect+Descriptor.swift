extension Effect {
  /// What the effect is, for tests, recordings and lists. Builds strings: O(length of its ids), and O(number of members) for a group.
  public var descriptor: EffectDescriptor {
    let kind: EffectDescriptor.Kind
    var parts: [EffectDescriptor] = []
    let ids: [String]
    switch operation {
    case .none, .merge: kind = .merge
    case .concatenate: kind = .concatenate
    case .send: kind = .send
    case .task: kind = .task
    case .run: kind = .run
    case .issue: kind = .issue
    case .cancel: kind = .cancel
    }
    if case .cancel(let key) = operation {
      // A whole place that has no name has no id, and none that the effect was given takes its place.
      ids = key.text == nil ? [] : self.ids(behind: key)
    } else {
      ids = self.ids()
    }
    switch operation {
    case .merge(let effects), .concatenate(let effects): parts = effects.map(\.descriptor)
    default: break
    }
    return EffectDescriptor(kind: kind, name: name, ids: ids, parts: parts, location: location)
  }

  /// The ids that the effect was given, in that order, behind the one that it cancels; none twice.
  private func ids(behind cancelled: CancelKey? = nil) -> [String] {
    var keys = cancelled.map { [$0] } ?? []
    registrations.forEach { registration in
      if !keys.contains(registration.key) { keys.append(registration.key) }
    }
    return keys.compactMap { $0.text }
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
