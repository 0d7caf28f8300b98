@testable import SwiftBoardStore

extension NaiveStore {
  /// R4, R5: takes effects in the order returned.
  mutating func take(_ scripts: [ScriptedEffect], task: Int, inherits: Bool) {
    let list = effects.count
    if inherits { inheritingList = list }
    for script in scripts {
      let keys = keysInFlight(script, inside: [])
      let earlier = keys.flatMap { found($0) }
      cancel(effects.indices.filter { earlier.contains($0) })
      carryOut()
      switch script.kind {
      case .cancel where script.limit == nil, .cancelPlace where script.limit == nil:
        cancel(key(cancelledBy: script, inside: []))
        carryOut()
      case .issue where script.limit == nil:
        outcome.issues.append(.init(line: script.number, step: step))
      case .send(let action) where script.isPlain:
        enqueue(
          Item(
            action: action, sender: .immediate(step: step), task: task,
            inherits: inherits))
      default:
        begin(add(script, task: task, list: list))
        carryOut()
      }
    }
    inheritingList = nil
  }

  /// R5: adds an effect with its members, all of which ids find from here on.
  mutating func add(
    _ script: ScriptedEffect, task: Int, list: Int, group: Int? = nil, path: [Int] = [],
    keys: [Key] = [],
    outlives: Bool = false
  ) -> Int {
    let path = path + script.path
    var own = script.ids.map { Key(path: path, id: $0.id) }
    if case .throttle(_, _, let id) = script.kind { own.insert(Key(path: path, id: id), at: 0) }
    if let limit = script.limit { own.append(Key(path: path, id: limit)) }
    let index = effects.count
    effects.append(
      Effect(
        script: script, number: script.number, isGroup: !script.members.isEmpty, group: group,
        list: list, task: task, keys: keys + own,
        ownKeys: own, path: path, outlives: outlives || script.outlives, step: step))
    for member in script.members {
      _ = add(
        member, task: task, list: list, group: index, path: path, keys: keys + own,
        outlives: outlives || script.outlives)
    }
    return index
  }

  func members(_ group: Int) -> [Int] { effects.indices.filter { effects[$0].group == group } }

  /// Starts an effect, or the members of a group.
  mutating func begin(_ effect: Int) {
    guard effects[effect].status == .pending, requestPermit(effect) else { return }
    effects[effect].status = .running
    switch effects[effect].script.kind {
    case .concatenate: advance(effect)
    case .merge: for member in members(effect) { begin(member) }
    case .throttle:
      passPermitToFirst(effect)
      for member in members(effect) { begin(member) }
    default: due.append(effect)
    }
  }

  /// Starts the first member that has not ended.
  private mutating func advance(_ sequence: Int) {
    guard effects[sequence].status == .running else { return }
    if let next = members(sequence).first(where: { !effects[$0].isEnded }) { begin(next) }
  }

  /// Ends an effect, and the groups of which it was the last.
  mutating func finish(_ effect: Int) {
    guard !effects[effect].isEnded else { return }
    effects[effect].status = .ended
    leaveLimit(effect)
    guard let group = effects[effect].group else { return }
    if members(group).allSatisfy({ effects[$0].isEnded }) { return finish(group) }
    noteCancelledMembers(of: group)
    if case .concatenate = effects[group].script.kind { later.append(.advance(group)) }
  }

  /// Does what follows: first what starts, then what that does.
  mutating func carryOut() {
    beginLater()
    while let effect = due.first {
      due.removeFirst()
      perform(effect)
    }
  }

  mutating func beginLater() {
    while let next = later.first {
      later.removeFirst()
      switch next {
      case .begin(let effect): begin(effect)
      case .advance(let sequence): advance(sequence)
      }
    }
  }

  private mutating func perform(_ effect: Int) {
    guard effects[effect].status == .running else {
      // Cancelled before it could begin.
      finish(effect)
      return beginLater()
    }
    let script = effects[effect].script
    switch script.kind {
    case .task, .run:
      effects[effect].hasTask = true
      outcome.started.append(
        .init(
          effect: script.number,
          inheritsTaskLocals: isHeld || effects[effect].list == inheritingList))
    case .send(let action):
      enqueue(
        Item(
          action: action, sender: .ending(effect), task: effects[effect].task,
          inherits: effects[effect].list == inheritingList))
    case .cancel, .cancelPlace:
      // R5: what stands behind it in the same list is not meant.
      let key = key(cancelledBy: script, inside: effects[effect].path.dropLast(script.path.count))
      cancel(
        found(key).filter { effects[$0].list != effects[effect].list || $0 <= effect })
      beginLater()
      finish(effect)
      beginLater()
    case .issue:
      outcome.issues.append(.init(line: script.number, step: effects[effect].step))
      finish(effect)
      beginLater()
    case .merge, .concatenate, .throttle: break
    }
  }
}

// MARK: Subscriptions

extension NaiveStore {
  /// Ends what is declared no more, and starts what is declared and does not run.
  mutating func updateSubscriptions() {
    guard areSubscriptionsActive else { return }
    var kept: [Subscription] = []
    var added: [(Key, ScriptedEffect)] = []
    for script in declared {
      let key = script.firstID.map { Key(path: script.path, id: $0) }
      let isNew = key.map { key in !kept.contains { $0.key == key } } ?? false
      guard let key, isNew else {
        // Without an id, or with one that was declared already: said once.
        if !subscriptions.contains(where: { $0.line == script.number }) {
          outcome.issues.append(.init(line: script.number, step: step))
        }
        kept.append(Subscription(line: script.number))
        continue
      }
      if let running = subscriptions.first(where: { $0.key == key }) {
        kept.append(running)
      } else {
        kept.append(Subscription(key: key))
        added.append((key, script))
      }
    }
    for old in subscriptions {
      if !kept.contains(where: { $0.key == old.key }) { end(old) }
    }
    subscriptions = subscriptions.filter { old in
      kept.contains { $0.key == old.key && $0.line == old.line }
    }
    for new in kept where new.line != nil {
      if !subscriptions.contains(where: { $0.line == new.line }) { subscriptions.append(new) }
    }
    for (key, script) in added {
      tasks.append(Task(action: nil, parent: nil, isKept: true))
      let task = tasks.count - 1
      let effect = add(script, task: task, list: effects.count)
      subscriptions.append(Subscription(key: key, task: task, effect: effect))
      begin(effect)
      carryOut()
    }
  }

  mutating func endSubscriptions() {
    areSubscriptionsActive = false
    haveSubscriptionsEnded = true
    for subscription in subscriptions { end(subscription) }
    subscriptions = []
  }

  /// What its actions have caused goes on.
  private mutating func end(_ subscription: Subscription) {
    guard let task = subscription.task, let effect = subscription.effect else { return }
    cancel(leaves(effect))
    carryOut()
    tasks[task].isKept = false
  }
}

// MARK: Scripts

extension ScriptedEffect {
  var path: [Int] { child.map { [$0] } ?? [] }

  /// Nothing can cancel it.
  var isPlain: Bool { ids.isEmpty && limit == nil && !outlives && child == nil }

  /// The id of a subscription.
  var firstID: Int? {
    if case .throttle(_, _, let id) = kind { id } else { ids.first?.id ?? limit }
  }

  var members: [ScriptedEffect] {
    switch kind {
    case .merge(let members), .concatenate(let members): members
    case .throttle(let interval, let members, _):
      [ScriptedEffect(number: interval, kind: .run)] + members
    default: []
    }
  }
}
