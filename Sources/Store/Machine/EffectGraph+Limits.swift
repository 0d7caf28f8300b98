extension EffectGraph {
  /// Requests a permit under the node's limit. Returns `false` if the node has to wait, or never
  /// starts.
  mutating func requestPermit(_ slot: Int32) -> Bool {
    guard let limit = tree[slot].limit, !isCounted(slot, limit.permitKey) else { return true }
    switch limits[limit.permitKey, default: Permits()].enter(tree.id(slot), limit) {
    case .start(let displaced):
      tree[slot].hasPermit = true
      guard let displaced else { return true }
      tree[displaced.slot].hasPermit = false
      cancel(leafEffects(displaced.slot))
      return tree[slot].phase == .pending
    case .wait(let displaced):
      tree[slot].phase = .waiting
      if let displaced { evict(displaced.slot) }
    case .drop:
      drop(slot)
    }
    if isDraining, tree[slot].phase == .waiting { cancel(leafEffects(slot)) }
    return false
  }

  /// Ends a node whose position in the queue, or whose permit, another node takes.
  private mutating func evict(_ slot: Int32) {
    guard tree[slot].phase == .waiting else { return cancel(leafEffects(slot)) }
    tree[slot].phase = .pending
    drop(slot)
  }

  /// Returns whether a group that contains the node has a permit under the same limit, or the
  /// interval of a throttled one has. The node needs no other, and would wait for its own group.
  private func isCounted(_ slot: Int32, _ key: PermitKey) -> Bool {
    var member = slot
    while tree.isMember(member) {
      member = tree[member].parent
      guard tree[member].limit?.permitKey == key else { continue }
      let first = tree[member].firstChild
      if tree[member].hasPermit { return true }
      if first >= 0, tree[first].hasPermit, tree[first].limit?.permitKey == key { return true }
    }
    return false
  }

  /// Returns the permit, or leaves the queue of waiting nodes.
  mutating func releasePermit(_ slot: Int32, wasWaiting: Bool) {
    if let next = passPermitOn(slot, wasWaiting: wasWaiting) { proceedLater(next) }
  }

  /// Does the same, and returns the node that has got the permit, if there is one.
  mutating func passPermitOn(_ slot: Int32, wasWaiting: Bool) -> EffectID? {
    guard let limit = tree[slot].limit, tree[slot].hasPermit || wasWaiting else { return nil }
    tree[slot].hasPermit = false
    return passPermitOn(of: tree.id(slot), limit.permitKey)
  }

  private mutating func passPermitOn(of holder: EffectID, _ key: PermitKey) -> EffectID? {
    let next = limits[key]?.release(holder)
    if limits[key]?.isEmpty == true { limits[key] = nil }
    guard let next, tree.contains(next) else { return nil }
    tree[next.slot].phase = .pending
    tree[next.slot].hasPermit = true
    return next
  }

  /// Whether an effect runs or waits under a limit.
  @usableFromInline var hasPermits: Bool { !limits.isEmpty }

  /// Returns the permits of an effect whose work has ended with an action that has not been reduced
  /// yet, and of the groups that end with it. The nodes that get them start after the reduction.
  @usableFromInline
  mutating func returnPermits(endingWith id: EffectID) {
    var slot = id.slot
    while true {
      if let next = passPermitOn(slot, wasWaiting: false) {
        startsAfterReduction.append((ending: id, next: next))
      }
      guard tree.isMember(slot), tree[tree[slot].parent].unfinished == 1 else { return }
      slot = tree[slot].parent
    }
  }

  /// Lets the queued actions of an effect keep the permit of a node: its own, or that of a group
  /// that contains it.
  mutating func keepPermit(of slot: Int32, by effect: EffectID, endsWithAction: Bool) {
    guard let limit = tree[slot].limit, tree[slot].hasPermit else { return }
    tree[slot].hasPermit = false
    keptPermits.append(
      KeptPermit(
        effect: effect, holder: tree.id(slot), key: limit.permitKey,
        endsWithAction: endsWithAction))
  }

  /// Returns the permits that the last queued action of an effect has kept, before its reduction
  /// those of work that ended with it. The nodes that get them start after the reduction.
  mutating func returnKeptPermits(of id: EffectID, beforeReduction: Bool) {
    let nexts = passKeptPermitsOn { $0.effect == id && ($0.endsWithAction || !beforeReduction) }
    for next in nexts { startsAfterReduction.append((ending: id, next: next)) }
  }

  /// Passes a permit on before the action that keeps it is reduced.
  mutating func passOn(_ kept: KeptPermit) {
    let nexts = passKeptPermitsOn { $0.holder == kept.holder && $0.key == kept.key }
    for next in nexts { proceedLater(next) }
    run()
  }

  /// Passes on permits that queued actions have kept. Returns the nodes that have got them.
  mutating func passKeptPermitsOn(where isReturned: (KeptPermit) -> Bool) -> [EffectID] {
    let returned = keptPermits.filter(isReturned)
    keptPermits.removeAll(where: isReturned)
    return returned.compactMap { passPermitOn(of: $0.holder, $0.key) }
  }

  /// Starts the nodes that have got permits of an effect before the reduction.
  @usableFromInline
  mutating func startNext(after id: EffectID) {
    resumeStarts(after: id)
    run()
  }

  /// Starts the nodes that have got permits of an effect before the reduction, with the next event.
  @usableFromInline
  mutating func resumeStarts(after id: EffectID) {
    for start in startsAfterReduction where start.ending == id { proceedLater(start.next) }
    startsAfterReduction.removeAll { $0.ending == id }
  }

  /// Returns the permit of a cancelled effect at once, or when its work has ended if the limit
  /// counts cancelled effects.
  mutating func returnPermitOfCancelled(_ slot: Int32) {
    guard let limit = tree[slot].limit, tree[slot].hasPermit else { return }
    if limit.countsCancelled {
      limits[limit.permitKey]?.noteCancelled(tree.id(slot))
    } else {
      releasePermit(slot, wasWaiting: false)
    }
  }

  /// Passes the permit of a throttled group to its first member, which is the interval. If the
  /// interval was cancelled while the group waited, the first member may be a group, or have a
  /// limit of its own. The group keeps the permit in that case.
  mutating func passPermitToFirst(_ group: Int32) {
    guard let limit = tree[group].limit, limit.isHeldByInterval, tree[group].hasPermit,
      tree[group].firstChild >= 0
    else { return }
    let first = tree[group].firstChild
    guard tree[first].form == .leaf, tree[first].limit == nil else { return }
    tree[group].hasPermit = false
    tree[first].traits = EffectTraits.limited(tree[first].traits, by: limit)
    tree[first].hasPermit = true
    limits[limit.permitKey]?.pass(tree.id(group), to: tree.id(first))
  }

  /// Ends an effect, or a group as a whole, that never starts.
  private mutating func drop(_ slot: Int32) {
    commands.append(.drop(tree.id(slot)))
    for leaf in leafEffects(slot) where tree.contains(leaf) { discard(leaf.slot) }
  }
}
