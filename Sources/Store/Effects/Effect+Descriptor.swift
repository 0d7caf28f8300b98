extension Effect {
  /// A description of the effect, for tests, recordings and lists. Builds strings: O(length of its
  /// ids), and O(number of members) for a group.
  public var descriptor: EffectDescriptor {
    folded { $0.descriptor(parts: $1) }
  }

  private func descriptor(parts: [EffectDescriptor]) -> EffectDescriptor {
    let ids: [String]
    if case .cancel(let key) = operation {
      // The cancellation of a whole place without a name has no id. Its own ids must not take the
      // position of that id.
      ids = key.text == nil ? [] : self.ids(behind: key)
    } else {
      ids = self.ids()
    }
    return EffectDescriptor(
      kind: operation.kind, name: name, ids: ids, parts: parts, location: location)
  }

  /// Returns the effect as the sender of an action.
  @usableFromInline
  func origin(step: Int) -> StepOrigin {
    .effect(name: name ?? operation.kind.rawValue, id: traits?.keys.first?.text, step: step)
  }

  /// Returns the id that the effect cancels, followed by its own ids in order, without duplicates.
  private func ids(behind cancelled: CancelKey? = nil) -> [String] {
    var keys = cancelled.map { [$0] } ?? []
    for key in traits?.keys ?? [] where !keys.contains(key) { keys.append(key) }
    return keys.compactMap(\.text)
  }
}

extension Effect.Operation {
  @usableFromInline
  var kind: EffectDescriptor.Kind {
    switch self {
    case .none, .merge: .merge
    case .concatenate: .concatenate
    case .send: .send
    case .task: .task
    case .run: .run
    case .issue: .issue
    case .cancel: .cancel
    }
  }
}

extension Sequence {
  /// Returns the descriptors of the effects, in order, without `.none`. O(n) descriptors; see
  /// `Effect.descriptor`.
  @inlinable
  public func descriptors<Action>() -> [EffectDescriptor] where Element == Effect<Action> {
    var descriptors: [EffectDescriptor] = []
    for effect in self where !effect.isNone { descriptors.append(effect.descriptor) }
    return descriptors
  }
}
