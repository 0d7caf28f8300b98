@testable import SwiftBoardStore

/// A machine with what `StoreRuntime` does for it, without lock, tasks and observers: tasks are
/// entries of a list, and end when an event says so.
struct MachineDriver {
  typealias Machine = StoreMachine<ScriptedReducer>

  /// Who watches the steps.
  enum Watching {
    case nobody
    /// Hooks, a meter, and observers that are told at once, before the next event.
    case everybody
    /// Hooks, a meter, and observers that come, go and are told as the events say.
    case events
  }

  /// Whether the store is held, as that of a test.
  enum Holding {
    case not
    /// What waits is reduced by `reduceNext` events.
    case untilEvents
    /// What waits is reduced as soon as it can be.
    case notWaiting
  }

  typealias Running = (effect: Int, id: EffectID, returnsAction: Bool)

  let watching: Watching
  let holding: Holding
  var machine: Machine
  /// The effects whose task has not ended, by number.
  var running: [Running] = []
  /// The effects that got a task.
  var started: [EffectID: Int] = [:]
  /// What `send` returned, by action.
  var tasks: [(action: Int, id: EffectID)] = []
  var lastWait = 0
  /// All that was reduced.
  var steps: [MachineOutcome.SeenStep] = []
  private var outcome = MachineOutcome()

  init(_ limits: ScriptedLimits, _ watching: Watching, _ holding: Holding = .not) {
    self.watching = watching
    self.holding = holding
    machine = Machine(
      state: ScriptedReducer.State(), reducer: ScriptedReducer(limits: limits), dependencies: (),
      isHeld: holding != .not)
    switch watching {
    case .nobody: break
    case .everybody: machine.recipients.formUnion([.hooks, .meter, .observers])
    case .events: machine.recipients.formUnion([.hooks, .meter])
    }
  }
}

// MARK: Events

extension MachineDriver {
  /// Whether what the event names is there.
  func canHandle(_ event: MachineEvent) -> Bool {
    switch event {
    case .effectSends(let effect, _, _):
      running.contains { $0.effect == effect && !$0.returnsAction }
    case .effectReturns(let effect, _):
      running.contains { $0.effect == effect && $0.returnsAction }
    case .effectEnds(let effect), .effectFails(let effect):
      running.contains { $0.effect == effect }
    case .cancelTask(let action), .waitForTask(let action):
      tasks.contains { $0.action == action }
    case .told: machine.blockers.contains(.delivering)
    // A held store has one caller, which is the one that tells.
    case .send: holding == .not || !machine.blockers.contains(.delivering)
    case .reduceNext, .timePasses:
      holding == .untilEvents && !machine.blockers.contains(.delivering)
    case .cancelAll, .observe, .startSubscriptions, .waitUntilIdle, .drainQueued,
      .drainAll, .close:
      true
    }
  }

  /// Hands the machine an event that it can handle, and does what it says.
  mutating func handle(_ event: MachineEvent) -> MachineOutcome {
    outcome = MachineOutcome()
    switch event {
    case .send(let action): send(action)
    case .effectSends(let effect, let action, let wantsTask):
      let id = running[index(effect)].id
      var task = EffectID.none
      reduce(machine.send(action, from: id, wantsTask: wantsTask, task: &task))
      if wantsTask { tasks.append((action.number, task)) }
    case .effectReturns(let effect, let action):
      reduce(machine.complete(running.remove(at: index(effect)).id, action))
    case .effectEnds(let effect):
      machine.endWork(running.remove(at: index(effect)).id, nil)
    case .effectFails(let effect):
      fail(running.remove(at: index(effect)).id)
    case .cancelTask(let action): machine.cancel(task: task(action))
    case .cancelAll: machine.cancelAll()
    case .reduceNext: reduce(machine.takeNext(ignoring: .held))
    case .timePasses: _ = machine.startOverdueWork()
    case .observe(let isObserved):
      if watching == .events {
        machine.recipients.remove(.observers)
        if isObserved { machine.recipients.insert(.observers) }
      }
    case .told: if watching == .events { machine.delivered() }
    case .startSubscriptions: machine.startSubscriptions()
    case .waitForTask(let action):
      lastWait += 1
      if !machine.wait(for: task(action), lastWait) { outcome.resumed.append(lastWait) }
    case .waitUntilIdle:
      lastWait += 1
      if !machine.waitUntilIdle(lastWait) { outcome.resumed.append(lastWait) }
    case .drainQueued: machine.drain(cancelling: .queued)
    case .drainAll: machine.drain(cancelling: .all)
    case .close: machine.close()
    }
    finish()
    steps += outcome.steps
    outcome.sortWhatHasNoOrder()
    return outcome
  }

  private mutating func send(_ action: ScriptedAction) {
    let origin = StepOrigin.program("test")
    let isAtOnce =
      holding == .not ? machine.blockers.isEmpty : !machine.blockers.contains(.closed)
    guard isAtOnce else {
      let location = ScriptedEffect.location(action.number)
      tasks.append(
        (action.number, machine.enqueue(action, origin: origin, location: location)))
      return
    }
    let effects = machine.reduce(action)
    var task = EffectID.none
    let step = machine.conclude(
      effects, of: action, origin: origin, task: &task, inheritsTaskLocals: true)
    note(step, action, origin)
    tasks.append((action.number, task))
    if holding != .not { machine.performDeferredEnds() }
  }

  private mutating func fail(_ id: EffectID) {
    var failure: (issue: StoreIssue, error: any Error)?
    if let work = machine.runningWork(id) {
      let location = work.effect.location
      failure = (
        StoreIssue(message: "", location: location, step: work.step), CancellationError()
      )
    }
    machine.endWork(id, failure)
  }

  /// Reduces what waits, as far as that is possible.
  private mutating func finish() {
    carryOut()
    while true {
      while isDue {
        reduce(machine.takeNext(ignoring: holding == .notWaiting ? .held : []))
        carryOut()
      }
      guard watching == .everybody, machine.blockers.contains(.delivering) else { return }
      machine.delivered()
      carryOut()
    }
  }

  /// Whether an action can be reduced, or an end that waits.
  private var isDue: Bool {
    if machine.isDue { return true }
    let blockers = machine.blockers.subtracting(holding == .notWaiting ? .held : [])
    return blockers.isEmpty && hasWaiting
  }

  private mutating func reduce(_ next: QueuedAction<ScriptedAction>?) {
    guard let next else { return }
    let step = machine.reduce(next)
    note(step, next.action, step?.origin)
  }

  /// Without hooks and observers the machine makes no step; then the origin is not known.
  private mutating func note(
    _ step: Step<ScriptedAction>?, _ action: ScriptedAction, _ origin: StepOrigin?
  ) {
    let seen = MachineOutcome.SeenStep(
      action: step?.action.number ?? action.number,
      origin: step?.origin ?? origin ?? .program("unknown"))
    outcome.steps.append(seen)
  }

  private mutating func carryOut() {
    while let command = machine.commands.popFirst() {
      switch command {
      case .start(let id, let inheritsTaskLocals):
        let effect = number(id)
        let operation = machine.works[Int(id.slot)]?.effect.operation
        let returnsAction = if case .task = operation { true } else { false }
        running.append((effect, id, returnsAction))
        started[id] = effect
        outcome.started.append(.init(effect: effect, inheritsTaskLocals: inheritsTaskLocals))
      case .cancel(let id): outcome.cancelled.append(started[id] ?? 0)
      case .resume(let wait): outcome.resumed.append(wait)
      case .report(let issue):
        outcome.issues.append(.init(line: Int(issue.location.line), step: issue.step))
      case .reportLate(_, let location, let step):
        outcome.issues.append(.init(line: Int(location.line), step: step))
      case .meter(.effectDropped(let effect)):
        outcome.droppedEffects.append(Int(effect.descriptor.location.line))
      case .meter(.actionDropped(let action)): outcome.droppedActions.append(action.number)
      case .meter, .release: break
      case .end: outcome.ends += 1
      }
    }
  }
}

// MARK: Looking

extension MachineDriver {
  private func index(_ effect: Int) -> Int {
    running.firstIndex { $0.effect == effect } ?? running.endIndex
  }

  private func task(_ action: Int) -> EffectID {
    tasks.first { $0.action == action }?.id ?? .none
  }

  /// Whether anything follows from the end of the effect's work: a sequence or a permit.
  func endMatters(_ effect: Int) -> Bool {
    let (id, tree) = (running[index(effect)].id, machine.graph.tree)
    return tree.contains(id) && (tree.isMember(id.slot) || tree[id.slot].limit != nil)
  }

  /// The actions of which tasks wait.
  var waitingTasks: [Int] {
    let waiting = waitingActions
    return tasks.filter { task in waiting.contains { $0.task == task.id } }.map { $0.action }
  }

  private func number(_ id: EffectID) -> Int { number(Int(id.slot)) }

  private func number(_ slot: Int) -> Int {
    guard let line = machine.works[slot]?.effect.location.line else { return 0 }
    return Int(line)
  }

  var contents: MachineContents {
    var contents = MachineContents()
    let tree = machine.graph.tree
    for slot in 0..<tree.nodes.count where tree.nodes[slot].form == .leaf {
      switch tree.nodes[slot].phase {
      case .pending: contents.pending.append(number(slot))
      case .waiting: contents.waiting.append(number(slot))
      case .running: contents.running.append(number(slot))
      case .cancelled: contents.cancelled.append(number(slot))
      case .free, .returned, .ended: break
      }
    }
    contents.queue = queue
    if holding != .not {
      contents.received = machine.waiting.map {
        .init(step: .init(action: $0.action.number, origin: $0.origin), isOfTurn: $0.isOfTurn)
      }
    }
    for task in tasks where tree.contains(task.id) { contents.tasks.append(task.action) }
    contents.isIdle = tree.count == 0
    contents.sortWhatHasNoOrder()
    return contents
  }

  var hasWaiting: Bool {
    !machine.turn.isEmpty || !machine.nextTurns.isEmpty || !machine.queuedEvents.isEmpty
  }

  private var waitingActions: [QueuedAction<ScriptedAction>] {
    machine.turn.elements + machine.nextTurns.elements
      + machine.queuedEvents.elements.compactMap(\.action)
  }

  var queue: [Int] { hasWaiting ? waitingActions.map { $0.action.number } : [] }

  /// What must hold after every event; empty if all does.
  var brokenInvariants: [String] {
    var broken: [String] = []
    func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
      if !holds { broken.append(text()) }
    }
    let graph = machine.graph
    expect(machine.commands.isEmpty && graph.commands.isEmpty, "commands are left")
    expect(!machine.isInStep && machine.inheritingList == 0, "a step is left open")
    var (count, hasUnended) = (0, false)
    for slot in 0..<graph.tree.nodes.count {
      let phase = graph.tree.nodes[slot].phase
      if phase == .free {
        expect(
          slot >= machine.works.count || machine.works[slot] == nil,
          "slot \(slot) is free and holds work")
        continue
      }
      count += 1
      if graph.isDraining {
        expect(phase != .waiting, "an effect waits while the store ends")
      }
      if graph.tree.nodes[slot].form == .leaf, !graph.tree.nodes[slot].hasEnded {
        hasUnended = true
      }
    }
    expect(count == graph.tree.count, "\(count) nodes are counted as \(graph.tree.count)")
    if !hasUnended, !hasWaiting {
      let declared = machine.subscriptions.filter { $0.task != .none }.count
      expect(graph.tree.count == declared, "\(graph.tree.count) nodes are left of \(declared)")
      expect(graph.index.root.isEmpty, "ids of ended effects are left")
      expect(graph.limits.isEmpty, "permits of ended effects are left")
      expect(graph.waiters.isEmpty || declared > 0, "waits for ended tasks are left")
    }
    return broken
  }

  /// All that a machine holds, to tell whether it has changed.
  var everything: String {
    let graph = machine.graph
    return """
      \(machine.state.seen) \(machine.steps) \(machine.blockers) \(machine.recipients) \(queue) \
      \(graph.tree.nodes.map { "\($0.serial) \($0.phase) \($0.pins) \($0.parent)" }) \
      \(graph.waiters.values.joined().sorted()) \(graph.idleWaiters) \(machine.waitersToResume) \
      \(machine.subscriptions.count) \
      \(machine.works.map { $0?.effect.location.line }) \(running.map(\.effect)) \(graph.isDraining)
      """
  }
}
