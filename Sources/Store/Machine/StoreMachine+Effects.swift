/// The values that the machine keeps for an effect of the graph.
@usableFromInline
struct EffectWork<Action: Sendable>: Sendable {
  /// The effect. Its operation is removed when a task takes it over, so that it is never released
  /// under the lock. A group does not contain the work of its members.
  @usableFromInline var effect: Effect<Action>
  /// The action whose reduction returned the effect.
  @usableFromInline let cause: Action?
  /// The step that returned the effect.
  @usableFromInline let step: Int
  /// The time at which the effect was returned, by `coarseNanoseconds()`.
  @usableFromInline let since: Int64

  @inlinable
  init(_ effect: consuming Effect<Action>, cause: Action?, step: Int) {
    self.effect = effect
    self.cause = cause
    self.step = step
    since = coarseNanoseconds()
  }

  /// Returns the operation and removes it from the effect. From then on a task holds it.
  @inlinable
  mutating func handToTask() -> Effect<Action>.Operation {
    let operation = effect.operation
    effect.operation = operation.emptied
    return operation
  }
}

extension StoreMachine {
  /// Adds effects to the graph in the order returned (R4, R5).
  ///
  /// - Parameter task: The task that the effects belong to. If it is `.none` and there are effects,
  ///   it is set to a new one.
  @inlinable
  mutating func take(
    _ effects: [Effect<R.Action>], of cause: R.Action?, task: inout EffectID,
    inheritsTaskLocals: Bool
  ) {
    let isNew = task == .none
    let list = graph.tree.nextSerial
    inheritingList = inheritsTaskLocals ? list : 0
    // By index, because copying an effect costs several retains.
    for index in effects.indices {
      // The effect is added afterwards, because it would cancel itself. Without traits, only the
      // members of a group can have such ids.
      if effects[index].traits != nil || effects[index].operation.isGroup {
        let keys = effects[index].keysInFlight
        if !keys.isEmpty { change { $0.cancel(all: keys) } }
      }
      switch effects[index].operation {
      case .none:
        continue
      case .cancel(let key) where effects[index].traits?.limit == nil:
        change { $0.cancel(key) }
      case .task, .run:
        // A single effect stands for the task.
        let standsForTask = task == .none && effects.count == 1
        if !standsForTask { makeTask(&task) }
        let id = add(effects[index], under: task, list, traits: effects[index].traits, cause)
        if effects[index].traits?.limit != nil {
          change { $0.start(id) }
        } else {
          // The same, without the way through the graph's commands.
          startTask(id, inheritsTaskLocals)
        }
        if standsForTask { task = id }
      case .send(let action) where effects[index].traits == nil:
        makeTask(&task)
        enqueue(
          QueuedAction(
            action, from: .immediate(step: steps), task: task,
            inheritsTaskLocals: inheritsTaskLocals))
      case .send, .cancel, .issue, .merge, .concatenate:
        makeTask(&task)
        let id = addGroup(effects[index], under: task, list, cause)
        change { $0.start(id) }
      }
    }
    inheritingList = 0
    if isNew, graph.tree.isTask(task) { change { $0.unpin(task) } }
    // There is nothing to wait for.
    if isNew, !graph.tree.contains(task) { task = .none }
  }

  /// Creates and pins the task that effects belong to, unless there is one.
  @inlinable
  mutating func makeTask(_ task: inout EffectID) {
    guard task == .none else { return }
    task = graph.addTask()
    graph.pin(task)
  }

  /// Adds one effect to the graph.
  ///
  /// - Parameter traits: Traits that include the ids of the groups that contain the effect.
  @inlinable
  mutating func add(
    _ effect: consuming Effect<R.Action>, under parent: EffectID, _ list: UInt32,
    traits: EffectTraits?, _ cause: R.Action?
  ) -> EffectID {
    let form: EffectNode.Form =
      switch effect.operation {
      case .merge: .merge
      case .concatenate: .concatenate
      default: .leaf
      }
    let id = graph.add(form, under: parent, list: list, traits: traits)
    if form != .leaf { effect = effect.withoutWork }
    works.extend(to: id.slot, with: nil)
    works[Int(id.slot)] = EffectWork(effect, cause: cause, step: steps)
    return id
  }

  /// Adds a group with all its members. An effect has the ids of the groups that contain it.
  @inlinable
  mutating func addGroup(
    _ effect: Effect<R.Action>, under task: EffectID, _ list: UInt32, _ cause: R.Action?
  ) -> EffectID {
    var group: EffectID?
    var rest = [(effect: effect, parent: task, traits: effect.traits)]
    while let (effect, parent, traits) = rest.popLast() {
      let id = add(effect, under: parent, list, traits: traits, cause)
      group = group ?? id
      guard let members = effect.operation.members else { continue }
      // The last member is pushed first, so that members are added in order.
      rest += members.reversed().map { ($0, id, EffectTraits.member($0.traits, of: traits)) }
    }
    return group ?? .none
  }

  /// Passes an event to the graph, and performs the graph's commands before the next event, because
  /// that can start effects and can reuse the slots of ended ones.
  @inlinable
  mutating func change(_ event: (inout EffectGraph) -> Void) {
    event(&graph)
    if !graph.commands.isEmpty { carryOut() }
  }

  /// Performs the commands of the graph.
  @inlinable
  mutating func carryOut() {
    while let command = graph.commands.popFirst() {
      switch command {
      case .start(let id): start(id)
      case .cancel(let id):
        if graph.tree.hasTask(id) { commands.append(.cancel(id)) }
        meter(id) { .effectCancelled($0) }
      case .drop(let id): meter(id, ofAnyKind: true) { .effectDropped($0) }
      case .release(let id): release(id)
      case .resume(let waiter):
        if blockers.contains(.delivering) {
          waitersToResume.append(waiter)
        } else {
          commands.append(.resume(waiter))
        }
      }
    }
  }

  /// Starts an effect's operation.
  @inlinable
  mutating func start(_ id: EffectID) {
    guard graph.tree.isRunning(id), let work = works[Int(id.slot)] else {
      // An earlier effect has cancelled this one. Without a task, this is the only place that ends
      // it.
      return graph.end(id)
    }
    // Whether it inherits the task-local values of the calling thread.
    let inherits = inheritingList != 0 && graph.tree.list(of: id) == inheritingList
    switch work.effect.operation {
    case .task, .run:
      startTask(id, inherits)
    case .send(let action):
      if blockers.contains(.held), graph.tree.memberInSequence(id) != nil { heldSends.append(id) }
      let task = graph.tree.task(of: id)
      enqueue(QueuedAction(action, from: .ending(id), task: task, inheritsTaskLocals: inherits))
    case .cancel(let key):
      graph.cancel(key, by: id)
      graph.end(id)
    case .issue(let message):
      commands.append(
        .report(StoreIssue(message: message, location: work.effect.location, step: work.step)))
      graph.end(id)
    case .none, .merge, .concatenate:
      graph.end(id)
    }
  }

  /// Requests a task for an effect's operation. In a test, all tasks inherit the test's task-local
  /// values, which attribute an issue to it.
  @inlinable
  mutating func startTask(_ id: EffectID, _ inheritsTaskLocals: Bool) {
    graph.startTask(id)
    commands.append(.start(id, inheritsTaskLocals: inheritsTaskLocals || blockers.contains(.held)))
    meter(id) { .effectStarted($0) }
  }

  /// Returns the operation to create a task for. Returns `nil` if a later effect of the same step
  /// has cancelled this one. In that case its work ends here, and its body never runs.
  @inlinable
  mutating func begin(_ id: EffectID, inheritsTaskLocals: Bool) -> Effect<R.Action>.Operation? {
    let operation = works[Int(id.slot)]?.handToTask()
    if graph.tree.isRunning(id) { return operation }
    if let operation { commands.append(.release(operation)) }
    endFromQueue(id, nil, inheritsTaskLocals: inheritsTaskLocals)
    return nil
  }

  @inlinable
  mutating func release(_ id: EffectID) {
    if _isPOD(R.Action.self), graph.tree.hasTask(id) {
      works[Int(id.slot)] = nil
    } else if let work = works[Int(id.slot)].take() {
      commands.append(.release(work))
    }
  }

  /// Returns the work of an effect, or `nil` if the effect is not running.
  @inlinable
  func runningWork(_ id: EffectID) -> EffectWork<R.Action>? {
    graph.tree.isRunning(id) ? works[Int(id.slot)] : nil
  }

  // MARK: Metering

  /// Reports an event to the meter, if there is one.
  @inlinable
  mutating func meter(_ event: @autoclosure () -> StoreEvent<R.Action>) {
    if recipients.contains(.meter) { commands.append(.meter(event())) }
  }

  /// Reports an event of an effect to the meter, if there is one. Effects whose work takes no time
  /// have events only if `ofAnyKind` is set.
  @inlinable
  mutating func meter(
    _ id: EffectID, ofAnyKind: Bool = false, _ event: (MeteredEffect) -> StoreEvent<R.Action>
  ) {
    guard recipients.contains(.meter), let work = works[Int(id.slot)],
      ofAnyKind || work.effect.operation.isTask
    else { return }
    commands.append(.meter(event(MeteredEffect(id, work))))
  }
}
