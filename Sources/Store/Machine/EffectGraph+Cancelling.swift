extension EffectGraph {
  /// Cancels the effects that have the key. Effects that their actions have caused continue.
  ///
  /// - Parameter effect: The `.cancel` effect, if it has a node.
  @usableFromInline
  mutating func cancel(_ key: CancelKey, by effect: EffectID = .none) {
    var found = index.effects(key)
    if effect != .none {
      // An effect that follows the `.cancel` in the same list is not cancelled (R5).
      found.removeAll { tree.list(of: $0) == tree.list(of: effect) && $0.isAfter(effect) }
    }
    cancel(found)
    run()
  }

  /// Cancels the effects that have one of the keys. Cancels them together, so that none of them
  /// starts because another is cancelled.
  @usableFromInline
  mutating func cancel(all keys: [CancelKey]) {
    cancel(keys.flatMap { index.effects($0) })
    run()
  }

  /// Cancels a node and everything under it.
  @usableFromInline
  mutating func cancelTree(_ id: EffectID) {
    if tree.contains(id) { cancel(trees: [id]) }
  }

  /// Cancels the nodes under a node, but not the node itself.
  @usableFromInline
  mutating func cancelChildren(_ id: EffectID) {
    if tree.contains(id) { cancel(trees: tree.members(id.slot)) }
  }

  /// Cancels nodes and everything under them. Cancels them together, so that none of them starts
  /// because another is cancelled.
  private mutating func cancel(trees roots: [EffectID]) {
    var leafEffects: [EffectID] = []
    for root in roots {
      for slot in tree.nodes(under: root.slot) {
        if tree[slot].form == .task || slot == root.slot { tree[slot].isTaskCancelled = true }
        if tree[slot].form == .leaf { leafEffects.append(tree.id(slot)) }
      }
    }
    cancel(leafEffects)
    run()
  }

  /// Cancels every effect.
  @usableFromInline
  mutating func cancelAll() {
    cancel(tree.nodes.indices.map(Int32.init).filter { tree[$0].form == .leaf }.map { tree.id($0) })
    run()
  }

  /// Cancels the effects that wait for a permit, or have got one and wait for a reduction.
  @usableFromInline
  mutating func cancelWaiting() {
    let waiting = tree.nodes.indices.map(Int32.init).filter { tree[$0].phase == .waiting }
    let resumed = startsAfterReduction.map(\.next).filter { tree.contains($0) }.map(\.slot)
    cancel((waiting + resumed).flatMap { leafEffects($0) })
    run()
  }

  /// Returns the effects of a group, or the effect itself.
  func leafEffects(_ slot: Int32) -> [EffectID] {
    tree.nodes(under: slot).filter {
      tree[$0].form == .leaf && tree[$0].list == tree[slot].list
    }
    .map { tree.id($0) }
  }

  /// Cancels effects in the order returned. Effects that have not begun are cancelled first,
  /// because they would otherwise receive the permits of the others.
  mutating func cancel(_ effects: [EffectID]) {
    let effects = effects.count < 2 ? effects : effects.sorted { $1.isAfter($0) }
    for id in effects where tree.contains(id) {
      if tree[id.slot].phase == .pending || tree[id.slot].phase == .waiting { cancel(id.slot) }
    }
    for id in effects where tree.contains(id) { cancel(id.slot) }
  }

  private mutating func cancel(_ slot: Int32) {
    switch tree[slot].phase {
    case .free, .cancelled, .ended(isCancelled: true):
      return
    case .ended:
      // The actions that it sent are still queued. They are dropped when they are taken.
      tree[slot].phase = .ended(isCancelled: true)
      forgetKeys(slot)
      returnKeptPermits(ofCancelled: tree.id(slot))
    case .pending, .waiting:
      commands.append(.cancel(tree.id(slot)))
      discard(slot)
    case .running, .returned:
      commands.append(.cancel(tree.id(slot)))
      markCancelled(slot)
      returnKeptPermits(ofCancelled: tree.id(slot))
    }
  }

  /// Returns the permits that the queued actions of a cancelled effect have kept.
  private mutating func returnKeptPermits(ofCancelled id: EffectID) {
    guard !keptPermits.isEmpty else { return }
    for next in passKeptPermitsOn(where: { $0.effect == id }) { proceedLater(next) }
  }

  /// Ends an effect that never starts.
  mutating func discard(_ slot: Int32) {
    markCancelled(slot)
    endWork(slot)
  }

  /// Marks a node as cancelled, and the groups whose remaining members were all cancelled.
  mutating func markCancelled(_ slot: Int32) {
    var slot = slot
    while true {
      switch tree[slot].phase {
      case .pending, .waiting: releasePermit(slot, wasWaiting: tree[slot].phase == .waiting)
      case .running, .returned: break
      case .free, .cancelled, .ended: return
      }
      tree[slot].phase = .cancelled
      forgetKeys(slot)
      returnPermitOfCancelled(slot)
      guard tree.isMember(slot) else { return }
      slot = tree[slot].parent
      tree[slot].uncancelled -= 1
      guard tree[slot].uncancelled == 0 else { return }
    }
  }
}
