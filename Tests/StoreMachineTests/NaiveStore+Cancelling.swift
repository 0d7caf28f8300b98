@testable import SwiftBoardStore

extension NaiveStore {
  func key(cancelledBy script: ScriptedEffect, inside path: [Int]) -> Key {
    if case .cancel(let id) = script.kind { return Key(path: path + script.path, id: id) }
    return Key(path: path + script.path, id: nil)
  }

  /// The ids of an effect and of its members whose earlier effects are cancelled first.
  func keysInFlight(_ script: ScriptedEffect, inside path: [Int]) -> [Key] {
    let path = path + script.path
    return script.ids.filter(\.cancelsInFlight).map { Key(path: path, id: $0.id) }
      + script.members.flatMap { keysInFlight($0, inside: path) }
  }

  /// R6: the effects that bear an id at its place or inside it; without an id all of that place
  /// that end with it (R7).
  func found(_ key: Key) -> [Int] {
    effects.indices.filter { index in
      let effect = effects[index]
      guard !effect.isGroup, !effect.isDone, effect.isOpen || isStillQueued(index) else {
        return false
      }
      if key.id == nil {
        return !effect.outlives && !effect.path.isEmpty && effect.path.starts(with: key.path)
      }
      return effect.keys.contains { $0.id == key.id && $0.path.starts(with: key.path) }
    }
  }

  /// Whether it has ended, and an action that it sent has not been reduced.
  private func isStillQueued(_ effect: Int) -> Bool {
    effects[effect].isEnded && queue.contains { $0.effect == effect }
  }

  mutating func cancel(_ key: Key) { cancel(found(key)) }

  /// First those that have not begun, which would else get the permits of the others.
  mutating func cancel(_ cancelled: [Int]) {
    for effect in cancelled where [.pending, .waiting].contains(effects[effect].status) {
      discard(effect)
    }
    for effect in cancelled {
      switch effects[effect].status {
      case .pending, .waiting: discard(effect)
      case .running:
        effects[effect].status = .cancelled
        effects[effect].isCancelled = true
        if effects[effect].hasTask { outcome.cancelled.append(effects[effect].script.number) }
        returnPermitOfCancelled(effect)
        if let group = effects[effect].group { noteCancelledMembers(of: group) }
        later += passKeptPermitsOn(of: effect).map { .begin($0) }
      case .ended:
        effects[effect].isCancelled = true
        later += passKeptPermitsOn(of: effect).map { .begin($0) }
      case .cancelled: break
      }
    }
  }

  /// Ends what never starts.
  mutating func discard(_ effect: Int) {
    guard !effects[effect].isEnded else { return }
    effects[effect].isCancelled = true
    finish(effect)
  }

  /// A group of which only cancelled members are left is cancelled itself.
  mutating func noteCancelledMembers(of group: Int) {
    let left = members(group).filter { !effects[$0].isEnded }
    guard effects[group].isOpen, !left.isEmpty,
      left.allSatisfy({ effects[$0].status == .cancelled })
    else { return }
    effects[group].status = .cancelled
    returnPermitOfCancelled(group)
    if let outer = effects[group].group { noteCancelledMembers(of: outer) }
  }

  /// R10: cancels a task and all that it caused.
  mutating func cancelTask(_ task: Int) {
    guard isAlive(task) else { return }
    for inner in tasks.indices where self.task(inner, isIn: task) && isAlive(inner) {
      tasks[inner].isCancelled = true
    }
    reportingFailures { $0.cancelEffects(ofTask: task) }
    carryOut()
  }

  mutating func cancelEffects(ofTask task: Int) {
    cancel(
      effects.indices.filter { !effects[$0].isGroup && self.task(effects[$0].task, isIn: task) })
  }

  mutating func cancelAll() {
    reportingFailures { $0.cancelEffects() }
    carryOut()
  }

  mutating func cancelEffects() { cancel(effects.indices.filter { !effects[$0].isGroup }) }

  /// R9: the error of an effect whose end waits is reported when a cancel comes from outside.
  mutating func reportingFailures(_ cancel: (inout NaiveStore) -> Void) {
    let failed = turns.joined().compactMap { entry in
      if case .end(let effect, fails: true) = entry, effects[effect].status == .running {
        effect
      } else {
        nil as Int?
      }
    }
    let earlier = outcome.issues
    outcome.issues = []
    cancel(&self)
    outcome.issues =
      earlier
      + failed.filter { effects[$0].status != .running }.map {
        .init(line: effects[$0].script.number, step: effects[$0].step)
      } + outcome.issues
  }

  mutating func cancelWaiting() {
    let waiting = effects.indices.filter { effects[$0].status == .waiting }
    cancel((waiting + afterReduction.map(\.next)).flatMap { leaves($0) })
    carryOut()
  }

  /// The effects of a group, of its members and so on; or the effect itself.
  func leaves(_ effect: Int) -> [Int] {
    effects[effect].isGroup ? members(effect).flatMap { leaves($0) } : [effect]
  }
}
