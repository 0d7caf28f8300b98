@testable import SwiftBoardStore

extension NaiveStore {
  /// The limit of an effect, and the id that it counts by.
  private func limit(_ effect: Int) -> (key: Key, limit: ScriptedLimits.Limit)? {
    let script = effects[effect].script
    var id = script.limit
    if id == nil, case .throttle(_, _, let throttle) = script.kind { id = throttle }
    guard let id else { return nil }
    return (Key(path: limits[id].isOfPlace ? effects[effect].path : [], id: id), limits[id])
  }

  private func permits(_ key: Key, _ states: Permit.State...) -> [Int] {
    permits.indices.filter { permits[$0].key == key && states.contains(permits[$0].state) }
  }

  /// Whether the effect may start. If not it waits, or never does.
  mutating func requestPermit(_ effect: Int) -> Bool {
    if takePermit(effect) { return true }
    // R11: while a store ends, nothing waits.
    if isDraining, effects[effect].status == .waiting { cancel(leaves(effect)) }
    return false
  }

  private mutating func takePermit(_ effect: Int) -> Bool {
    guard let (key, limit) = limit(effect),
      !permits.contains(where: { $0.effect == effect && $0.state == .held }),
      !isCounted(effect, key)
    else { return true }
    func permit(_ state: Permit.State) -> Permit {
      Permit(key: key, limit: limit, effect: effect, state: state)
    }
    if permits(key, .held, .returning).count < limit.count {
      permits.append(permit(.held))
      return true
    }
    let waiting = permits(key, .waiting)
    switch limit.overflow {
    case .drop:
      drop(effect)
    case .cancelOldest where limit.countsCancelled:
      effects[effect].status = .waiting
      permits.append(permit(.waiting))
      if let oldest = permits(key, .held).first {
        var returning = permits.remove(at: oldest)
        returning.state = .returning
        permits.append(returning)
        cancel(leaves(returning.effect))
      } else if waiting.count >= limit.count {
        drop(permits.remove(at: waiting[0]).effect)
      }
    case .cancelOldest:
      let oldest = permits.remove(at: permits(key, .held)[0])
      permits.append(permit(.held))
      cancel(leaves(oldest.effect))
      return effects[effect].status == .pending
    case .wait(let capacity, let dropsOldest):
      if let capacity, waiting.count >= capacity {
        guard dropsOldest, !waiting.isEmpty else {
          drop(effect)
          return false
        }
        let oldest = permits.remove(at: waiting[0]).effect
        effects[effect].status = .waiting
        permits.append(permit(.waiting))
        drop(oldest)
      } else {
        effects[effect].status = .waiting
        permits.append(permit(.waiting))
      }
    }
    return false
  }

  /// Whether a group that it is in has a permit for it, or the interval of the group has.
  private func isCounted(_ effect: Int, _ key: Key) -> Bool {
    guard let group = effects[effect].group else { return false }
    let interval = members(group).first
    let isHeld = permits.contains {
      ($0.effect == group || $0.effect == interval) && $0.key == key && $0.state != .waiting
    }
    return isHeld && limit(group)?.key == key || isCounted(group, key)
  }

  /// Gives up the permit, or the place of one that waits for it.
  mutating func leaveLimit(_ effect: Int) {
    if let next = passPermitOn(effect) { later.append(.begin(next)) }
  }

  private mutating func passPermitOn(_ effect: Int) -> Int? {
    guard let index = permits.firstIndex(where: { $0.effect == effect && $0.keeper == nil }) else {
      return nil
    }
    return passPermitOn(at: index)
  }

  mutating func passPermitOn(at index: Int) -> Int? {
    let left = permits.remove(at: index)
    guard left.state != .waiting,
      permits(left.key, .held, .returning).count < left.limit.count,
      let next = permits(left.key, .waiting).first
    else { return nil }
    var permit = permits.remove(at: next)
    permit.state = .held
    permits.append(permit)
    effects[permit.effect].status = .pending
    return permit.effect
  }

  /// Gives up the permits of an effect whose last action has come, and of the groups of which it is
  /// the last.
  mutating func returnPermits(endingWith ending: Int) {
    var effect = ending
    while true {
      if let next = passPermitOn(effect) { afterReduction.append((ending, next)) }
      guard let group = effects[effect].group,
        members(group).allSatisfy({ $0 == effect || $0 == ending || effects[$0].isEnded })
      else { return }
      effect = group
    }
  }

  /// The queued actions of an effect keep its permit, and those of the groups of which it is the
  /// last.
  mutating func keepPermits(endingWith ending: Int, withAction: Bool) {
    var effect = ending
    while true {
      let leaves = leaves(effect)
      let last = queue.last { item in
        item.effect.map { leaves.contains($0) && !effects[$0].isCancelled } ?? false
      }
      for index in permits.indices where permits[index].effect == effect {
        guard permits[index].state != .waiting, permits[index].keeper == nil else { continue }
        permits[index].keeper = last?.effect
        permits[index].keptOrder = (permits.map(\.keptOrder).max() ?? 0) + 1
        permits[index].endsWithAction = withAction && last?.effect == ending
      }
      guard let group = effects[effect].group,
        members(group).allSatisfy({ $0 == effect || effects[$0].isEnded })
      else { return }
      effect = group
    }
  }

  func hasQueuedActions(_ effect: Int) -> Bool { queue.contains { $0.effect == effect } }

  /// Gives up the permits that an action has kept, if it is the last of its effect.
  mutating func returnKeptPermits(by item: Item, beforeReduction: Bool) {
    guard let effect = item.effect, !hasQueuedActions(effect) else { return }
    for next in passKeptPermitsOn(of: effect, beforeReduction: beforeReduction) {
      afterReduction.append((effect, next))
    }
  }

  mutating func passKeptPermitsOn(of effect: Int, beforeReduction: Bool = false) -> [Int] {
    var nexts: [Int] = []
    while let index = permits.indices.filter({
      permits[$0].keeper == effect && (permits[$0].endsWithAction || !beforeReduction)
    }).min(by: { permits[$0].keptOrder < permits[$1].keptOrder }) {
      if let next = passPermitOn(at: index) { nexts.append(next) }
    }
    return nexts
  }

  mutating func startNext(after effect: Int) {
    later += afterReduction.filter { $0.ending == effect }.map { .begin($0.next) }
    afterReduction.removeAll { $0.ending == effect }
    carryOut()
  }

  mutating func returnPermitOfCancelled(_ effect: Int) {
    guard let index = permits.firstIndex(where: { $0.effect == effect && $0.keeper == nil }) else {
      return
    }
    if permits[index].limit.countsCancelled, permits[index].state != .waiting {
      permits[index].state = .returning
    } else {
      leaveLimit(effect)
    }
  }

  /// Of a throttled group the interval holds the permit, unless it was cancelled while the group
  /// waited.
  mutating func passPermitToFirst(_ group: Int) {
    guard let index = permits.firstIndex(where: { $0.effect == group }),
      let first = members(group).first, !effects[first].isEnded
    else { return }
    permits[index].effect = first
  }

  private mutating func drop(_ effect: Int) {
    outcome.droppedEffects.append(effects[effect].script.number)
    for leaf in leaves(effect) { discard(leaf) }
  }
}
