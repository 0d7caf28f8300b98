/// What an effect of the graph holds.
@usableFromInline
struct EffectWork<Action: Sendable>: Sendable {
  /// Without its operation once that is a task's, so that its end is never under the lock; a group
  /// without the work of its members.
  @usableFromInline var effect: Effect<Action>
  /// The action whose reduction returned the effect.
  @usableFromInline let cause: Action?
  /// The step that returned it.
  @usableFromInline let step: Int
  /// When it was returned, by `coarseNanoseconds()`.
  @usableFromInline let since: Int64

  @inlinable
  init(_ effect: Effect<Action>, cause: Action?, step: Int) {
    self.effect = effect
    self.cause = cause
    self.step = step
    since = coarseNanoseconds()
  }

  /// The operation, which a task holds from here on.
  @inlinable
  mutating func handToTask() -> Effect<Action>.Operation {
    let operation = effect.operation
    effect.operation = operation.emptied
    return operation
  }
}

extension StoreMachine {
  /// Takes effects in the order returned (R4, R5).
  ///
  /// - Parameter task: What they belong to; made, and set, where it is `.none` and there is
  ///   something to belong to it.
  @inlinable
  mutating func take(
    _ effects: [Effect<R.Action>], of cause: R.Action?, task: inout EffectID,
    inheritsTaskLocals: Bool
  ) {
    let isNew = task == .none
    // By index, since to copy an effect costs several references.
    for index in effects.indices {
      switch effects[index].operation {
      case .none:
        continue
      case .cancel(let key):
        graph.cancel(key)
      case .issue(let message):
        report(StoreIssue(message: message, location: effects[index].location, step: steps))
      case .task, .run:
        if effects[index].traits != nil { cancelInFlight(effects[index]) }
        // The only one stands for the task.
        let standsForTask = task == .none && effects.count == 1
        if !standsForTask { makeTask(&task) }
        let id = start(effects[index], under: task, cause, inheritsTaskLocals)
        if standsForTask { task = id }
      case .send(let action) where effects[index].traits == nil:
        makeTask(&task)
        enqueue(
          QueuedAction(
            action, from: .immediate(step: steps), task: task,
            inheritsTaskLocals: inheritsTaskLocals))
      case .send, .merge, .concatenate:
        cancelInFlight(effects[index])
        makeTask(&task)
        start(addGroup(effects[index], under: task, cause), inheritsTaskLocals)
      }
      carryOut()
    }
    if isNew, graph.tree.isTask(task) { graph.unpin(task) }
    carryOut()
    // Nothing to wait for.
    if isNew, !graph.tree.contains(task) { task = .none }
  }

  /// Creates the task that effects belong to, which stays until it is unpinned.
  @inlinable
  mutating func makeTask(_ task: inout EffectID) {
    guard task == .none else { return }
    task = graph.addTask()
    graph.pin(task)
  }

  /// Adds an effect that is work and starts it, or has it wait for a permit.
  @inlinable
  mutating func start(
    _ effect: Effect<R.Action>, under task: EffectID, _ cause: R.Action?,
    _ inheritsTaskLocals: Bool
  ) -> EffectID {
    let id = add(effect, under: task, traits: effect.traits, cause)
    if effect.traits?.limit != nil {
      start(id, inheritsTaskLocals)
      return id
    }
    graph.startAlone(id)
    commands.append(.start(id, inheritsTaskLocals: inheritsTaskLocals))
    if audience.contains(.meter) { meter(id) { .effectStarted($0) } }
    return id
  }

  @inlinable
  mutating func start(_ id: EffectID, _ inheritsTaskLocals: Bool) {
    inheritingGroup = inheritsTaskLocals ? graph.tree.outermost(of: id) : 0
    graph.start(id)
    carryOut()
    inheritingGroup = 0
  }

  /// Adds one effect to the graph.
  ///
  /// - Parameter traits: With the ids of the groups that the effect is in.
  @inlinable
  mutating func add(
    _ effect: Effect<R.Action>, under parent: EffectID, outermost: UInt32? = nil,
    traits: EffectTraits?, _ cause: R.Action?
  ) -> EffectID {
    let form: EffectNode.Form =
      switch effect.operation {
      case .merge: .merge
      case .concatenate: .concatenate
      default: .leaf
      }
    let id = graph.add(form, under: parent, outermost: outermost, traits: traits)
    while works.count <= Int(id.slot) { works.append(nil) }
    works[Int(id.slot)] = EffectWork(
      form == .leaf ? effect : effect.withoutWork, cause: cause, step: steps)
    return id
  }

  /// Adds a group with its members, and theirs: an effect has the ids of the groups that it is in.
  @inlinable
  mutating func addGroup(
    _ effect: Effect<R.Action>, under task: EffectID, _ cause: R.Action?
  ) -> EffectID {
    var outermost = EffectID.none
    var rest = [(effect: effect, parent: task, traits: effect.traits)]
    while let (effect, parent, traits) = rest.popLast() {
      let id = add(
        effect, under: parent, outermost: outermost == .none ? nil : outermost.serial,
        traits: traits, cause)
      if outermost == .none { outermost = id }
      guard let members = effect.operation.members else { continue }
      // The last one is on top, so that they are added in order.
      rest += members.reversed().map { ($0, id, EffectTraits.member($0.traits, of: traits)) }
    }
    return outermost
  }

  /// Cancels what has the ids of an effect that asks for it, before any of the effect is there: it
  /// would cancel itself.
  @inlinable
  mutating func cancelInFlight(_ effect: Effect<R.Action>) {
    graph.cancel(all: effect.keysInFlight)
    // Before anything gets the slots of what was cancelled.
    carryOut()
  }

  /// Does what the graph asks for.
  @inlinable
  mutating func carryOut() {
    while let command = graph.commands.popFirst() {
      switch command {
      case .start(let id): start(id)
      case .cancel(let id): cancel(id)
      case .drop(let id): if audience.contains(.meter) { meterDropped(id) }
      case .release(let id): release(id)
      case .resume(let waiter):
        if obstacles.contains(.telling) {
          overdue.append(waiter)
        } else {
          commands.append(.resume(waiter))
        }
      }
    }
  }

  /// An effect's operation is due.
  @inlinable
  mutating func start(_ id: EffectID) {
    guard graph.tree.isRunning(id), let operation = works[Int(id.slot)]?.effect.operation else {
      // Cancelled by what came before it: without a task nothing else ends it.
      return graph.end(id)
    }
    switch operation {
    case .task, .run:
      graph.noteTask(id)
      commands.append(.start(id, inheritsTaskLocals: inherits(id)))
      if audience.contains(.meter) { meter(id) { .effectStarted($0) } }
    case .send(let action):
      enqueue(
        QueuedAction(
          action, from: .ending(id), task: graph.tree.task(of: id),
          inheritsTaskLocals: inherits(id)))
    case .cancel(let key):
      graph.cancel(key, by: id)
      graph.end(id)
    case .issue(let message):
      if let work = works[Int(id.slot)] {
        report(StoreIssue(message: message, location: work.effect.location, step: work.step))
      }
      graph.end(id)
    case .none, .merge, .concatenate:
      graph.end(id)
    }
  }

  /// The operation that a task is to be made for. `nil` if what stood after the effect in its step
  /// has cancelled it: then its work ends here, and its body never runs.
  @inlinable
  mutating func begin(_ id: EffectID, inheritsTaskLocals: Bool) -> Effect<R.Action>.Operation? {
    let operation = works[Int(id.slot)]?.handToTask()
    if graph.tree.isRunning(id) { return operation }
    if let operation { commands.append(.release(.operation(operation))) }
    end(id, nil, inheritsTaskLocals: inheritsTaskLocals)
    return nil
  }

  /// Whether an effect that starts now belongs to what the calling thread does.
  @inlinable
  func inherits(_ id: EffectID) -> Bool {
    inheritingGroup != 0 && graph.tree.outermost(of: id) == inheritingGroup
  }

  @inlinable
  mutating func cancel(_ id: EffectID) {
    if graph.tree.hasTask(id) { commands.append(.cancel(id)) }
    if audience.contains(.meter) { meter(id) { .effectCancelled($0) } }
  }

  @inlinable
  mutating func release(_ id: EffectID) {
    if _isPOD(R.Action.self), graph.tree.hasTask(id) {
      works[Int(id.slot)] = nil
    } else if let work = works[Int(id.slot)].take() {
      commands.append(.release(.work(work)))
    }
  }

  /// The state of a running effect.
  @usableFromInline
  func runningWork(_ id: EffectID) -> EffectWork<R.Action>? {
    graph.tree.isRunning(id) ? works[Int(id.slot)] : nil
  }

  @inlinable
  mutating func report(_ issue: StoreIssue) {
    commands.append(.report(issue))
  }

  // MARK: Metering

  /// Tells of work that takes time.
  @usableFromInline
  mutating func meter(_ id: EffectID, _ event: (MeteredEffect) -> StoreEvent<R.Action>) {
    guard let work = works[Int(id.slot)], work.effect.operation.isTask else { return }
    commands.append(.meter(event(MeteredEffect(id, work))))
  }

  /// Tells of a group as one.
  @usableFromInline
  mutating func meterDropped(_ id: EffectID) {
    guard let work = works[Int(id.slot)] else { return }
    commands.append(.meter(.effectDropped(MeteredEffect(id, work))))
  }
}
