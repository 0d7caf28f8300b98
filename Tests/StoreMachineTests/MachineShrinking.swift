@testable import SwiftBoardStore

extension MachineScenario {
  /// A scenario with a difference that has no needless event, effect, id or limit.
  ///
  /// - Parameter attempts: How many simpler scenarios are tried at most.
  func shrunk(attempts: Int = 20_000) -> MachineScenario {
    var smallest = self
    var left = attempts
    func isWrong(_ scenario: MachineScenario) -> Bool {
      left -= 1
      return scenario.difference(copies: 1) != nil
    }
    if smallest.isHeld {
      var unheld = smallest
      unheld.isHeld = false
      if isWrong(unheld) { smallest = unheld }
    }
    var hasChanged = true
    while hasChanged, left > 0 {
      hasChanged = false
      for size in [16, 8, 4, 2, 1] {
        var start = 0
        while start < smallest.events.count {
          var shorter = smallest
          shorter.events.removeSubrange(start..<min(start + size, smallest.events.count))
          if left > 0, isWrong(shorter) {
            smallest = shorter
            hasChanged = true
          } else {
            start += size
          }
        }
      }
      var event = 0
      while event < smallest.events.count {
        let simpler = smallest.events[event].simpler.lazy.map { simpler in
          var scenario = smallest
          scenario.events[event] = simpler
          return scenario
        }
        if left > 0, let found = simpler.first(where: isWrong) {
          smallest = found
          hasChanged = true
        } else {
          event += 1
        }
      }
    }
    return smallest
  }
}

extension MachineEvent {
  /// The event with something left out.
  var simpler: [MachineEvent] {
    switch self {
    case .send(let action): action.simpler.map { .send($0) }
    case .effectSends(let effect, let action, let wantsTask):
      (wantsTask ? [.effectSends(effect: effect, action, wantsTask: false)] : [])
        + action.simpler.map { .effectSends(effect: effect, $0, wantsTask: wantsTask) }
    case .effectReturns(let effect, let action):
      [.effectEnds(effect: effect)]
        + action.simpler.map { .effectReturns(effect: effect, $0) }
    case .effectFails(let effect): [.effectEnds(effect: effect)]
    default: []
    }
  }
}

extension ScriptedAction {
  var simpler: [ScriptedAction] {
    var all = shorter(effects).map { changed(\.effects, $0) }
    if let declared {
      all.append(changed(\.declared, nil))
      all += shorter(declared).map { changed(\.declared, $0) }
    }
    return all
  }

  private func changed<T>(_ part: WritableKeyPath<Self, T>, _ value: T) -> Self {
    var copy = self
    copy[keyPath: part] = value
    return copy
  }
}

extension ScriptedEffect {
  var simpler: [ScriptedEffect] {
    var all: [ScriptedEffect] = []
    func add(_ change: (inout ScriptedEffect) -> Void) {
      var copy = self
      change(&copy)
      all.append(copy)
    }
    switch kind {
    case .merge(let members), .concatenate(let members):
      all += members
      for members in shorter(members) where members.count > 1 {
        if case .merge = kind {
          add { $0.kind = .merge(members) }
        } else {
          add { $0.kind = .concatenate(members) }
        }
      }
    case .throttle(let interval, let members, let id):
      all += members
      for members in shorter(members) where !members.isEmpty {
        add { $0.kind = .throttle(interval: interval, members, id: id) }
      }
    case .send(let action):
      for action in action.simpler { add { $0.kind = .send(action) } }
    case .task, .run, .cancel, .cancelPlace, .issue: break
    }
    for index in ids.indices {
      add { $0.ids.remove(at: index) }
      if ids[index].cancelsInFlight { add { $0.ids[index].cancelsInFlight = false } }
    }
    if limit != nil { add { $0.limit = nil } }
    if outlives { add { $0.outlives = false } }
    if child != nil { add { $0.child = nil } }
    return all
  }
}

/// The lists with one effect less, and those with one of them simpler.
private func shorter(_ effects: [ScriptedEffect]) -> [[ScriptedEffect]] {
  effects.indices.flatMap { index in
    var without = effects
    without.remove(at: index)
    let simpler = effects[index].simpler.map { effect in
      var copy = effects
      copy[index] = effect
      return copy
    }
    return [without] + simpler
  }
}
