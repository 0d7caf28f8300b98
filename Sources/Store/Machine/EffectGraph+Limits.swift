extension EffectGraph {
  /// Asks for a permit under the node's limit. False if it has to wait, or never starts.
  mutating func requestPermit(_ slot: Int32) -> Bool {
    guard let limit = tree[slot].limit, !isCounted(slot, limit.key) else { return true }
    switch limits.enter(tree.id(slot), limit) {
    case .start:
      tree[slot].hasPermit = true
      return true
    case .replace(let oldest):
      tree[slot].hasPermit = true
      tree[oldest.slot].hasPermit = false
      cancel(leafEffects(oldest.slot))
      return tree.contains(tree.id(slot)) && tree[slot].phase == .pending
    case .wait:
      tree[slot].phase = .waiting
    case .waitFor(let oldest):
      tree[slot].phase = .waiting
      cancel(leafEffects(oldest.slot))
    case .waitInsteadOf(let oldest):
      tree[slot].phase = .waiting
      tree[oldest.slot].phase = .pending
      drop(oldest.slot)
    case .drop:
      drop(slot)
    }
    if isDraining, tree[slot].phase == .waiting { cancel(leafEffects(slot)) }
    return false
  }

  /// Whether a group that the node is in has a permit under the same limit, and counts for it. A
  /// permit of its own would be one that it keeps from itself.
  private func isCounted(_ slot: Int32, _ key: CancelKey) -> Bool {
    var member = slot
    while tree.isMember(member) {
      member = tree[member].parent
      if tree[member].hasPermit, tree[member].limit?.key == key { return true }
    }
    return false
  }

  /// Gives the permit back, or the place in the queue for one.
  mutating func releasePermit(_ slot: Int32, wasWaiting: Bool) {
    guard let limit = tree[slot].limit, tree[slot].hasPermit || wasWaiting else { return }
    tree[slot].hasPermit = false
    guard let next = limits.release(tree.id(slot), limit.key), tree.contains(next) else { return }
    tree[next.slot].phase = .pending
    tree[next.slot].hasPermit = true
    startLater(next)
  }

  /// A cancelled effect gives its permit back at once, or when its work has ended where the limit
  /// counts it.
  mutating func returnPermitOfCancelled(_ slot: Int32) {
    guard let limit = tree[slot].limit, tree[slot].hasPermit else { return }
    if limit.countsCancelled {
      limits.noteCancelled(tree.id(slot), limit.key)
    } else {
      releasePermit(slot, wasWaiting: false)
    }
  }

  /// The first member of a throttled group holds the permit, not the group: the interval. If that
  /// was cancelled while the group waited, what is first then may be a group, or have a limit of
  /// its own; that permit stays where it is.
  mutating func passPermitToFirst(_ group: Int32) {
    guard let limit = tree[group].limit, limit.isHeldByInterval, tree[group].hasPermit,
      tree[group].firstChild >= 0
    else { return }
    let first = tree[group].firstChild
    guard tree[first].form == .leaf, tree[first].limit == nil else { return }
    tree[group].hasPermit = false
    tree[first].traits = EffectTraits.limited(tree[first].traits, by: limit)
    tree[first].hasPermit = true
    limits.pass(tree.id(group), to: tree.id(first), limit.key)
  }

  /// Ends an effect or a group that never starts, as one.
  private mutating func drop(_ slot: Int32) {
    commands.append(.drop(tree.id(slot)))
    for leaf in leafEffects(slot) where tree.contains(leaf) { discard(leaf.slot) }
  }
}
