/// The effects of one store as a value: which run, which wait, and which belong together.
///
/// Events come in as calls of its methods. What is to be done comes out in `commands`, in order. It
/// knows neither actions nor tasks, so that every transition can be tested alone.
///
/// Its nodes form a tree: the members of a group are under the group, the effects that one `send`
/// set going are under its task. An effect that is all that a `send` set going stands for the task
/// itself. A node stays until its work has ended, the actions it sent have left the queue, and
/// nothing is under it.
///
/// `+Nodes` adds and removes nodes; `+Cancelling` and `+Limits` handle the events of the same
/// names.
@usableFromInline
struct EffectGraph: Sendable {
  @usableFromInline
  enum Command: Sendable, Equatable {
    /// The effect's operation is due.
    case start(EffectID)
    /// The effect was cancelled, before or after its start.
    case cancel(EffectID)
    /// The effect or the group never starts: its limit is reached.
    case drop(EffectID)
    /// Nothing of the effect is to come; what it holds can go.
    case release(EffectID)
    case resume(WaiterID)
  }

  /// Names something that waits for the end of a node.
  @usableFromInline typealias WaiterID = Int

  /// Commands to perform, oldest first. The caller removes the ones that it has performed.
  @usableFromInline var commands = Queue<Command>()

  @usableFromInline var tree = EffectTree()
  @usableFromInline var index = EffectIndex()
  var limits = LimitTable()
  var waiters: [EffectID: [WaiterID]] = [:]
  @usableFromInline var idleWaiters: [WaiterID] = []
  /// The store is shutting down: an effect that would have to wait for a permit is cancelled.
  @usableFromInline var isDraining = false
  /// What follows from the current event; the last is next.
  private var agenda: [Transition] = []

  private enum Transition: Sendable, Equatable {
    case start(EffectID)
    case advance(EffectID)
  }

  @usableFromInline
  init() {}
}

// MARK: Events

extension EffectGraph {
  /// Starts an effect or a group, or has it wait for a permit.
  @usableFromInline
  mutating func start(_ id: EffectID) {
    agenda.append(.start(id))
    run()
  }

  /// Starts an effect that has no limit. The caller does what `start` would say.
  @usableFromInline
  mutating func startAlone(_ id: EffectID) {
    tree[id.slot].phase = .running
    tree[id.slot].hasTask = true
  }

  /// The operation of a started effect was handed to a task.
  @usableFromInline
  mutating func noteTask(_ id: EffectID) {
    tree[id.slot].hasTask = true
  }

  /// The work of an effect has ended, by itself or after it was cancelled.
  @usableFromInline
  mutating func end(_ id: EffectID) {
    guard tree.contains(id) else { return }
    endWork(id.slot)
    run()
  }

  /// Carries out what follows, without recursion: groups nest as deep as they like.
  mutating func run() {
    while let transition = agenda.popLast() {
      switch transition {
      case .start(let id): if tree.contains(id) { begin(id.slot) }
      case .advance(let id): if tree.contains(id) { advance(id.slot) }
      }
    }
  }

  /// Starts `id` when all that is under way has been started.
  mutating func startLater(_ id: EffectID) {
    agenda.insert(.start(id), at: 0)
  }

  /// Starts the next member of a sequence when all that is under way has been started: once, where
  /// many members end together.
  private mutating func advanceLater(_ sequence: EffectID) {
    if agenda.first != .advance(sequence) { agenda.insert(.advance(sequence), at: 0) }
  }

  private mutating func begin(_ slot: Int32) {
    guard tree[slot].phase == .pending else { return }
    if tree[slot].limit != nil, !tree[slot].hasPermit, !requestPermit(slot) { return }
    tree[slot].phase = .running
    switch tree[slot].form {
    case .task:
      break
    case .leaf:
      commands.append(.start(tree.id(slot)))
    case .merge:
      passPermitToFirst(slot)
      agenda += tree.members(slot).reversed().map { .start($0) }
    case .concatenate:
      agenda.append(.advance(tree.id(slot)))
    }
  }

  /// Starts the next member of a sequence, unless one has work that has not ended.
  private mutating func advance(_ sequence: Int32) {
    guard tree[sequence].phase == .running else { return }
    var member = tree[sequence].firstChild
    while member >= 0, tree[member].hasEnded { member = tree[member].next }
    if member >= 0, tree[member].phase == .pending { agenda.append(.start(tree.id(member))) }
  }

  /// Ends the work of a node, and of the groups that only waited for it.
  mutating func endWork(_ slot: Int32) {
    var slot = slot
    while true {
      let before = tree[slot].phase
      switch before {
      case .free, .ended: return
      case .pending, .waiting, .running, .cancelled: break
      }
      tree[slot].phase = .ended(isCancelled: before == .cancelled)
      releasePermit(slot, wasWaiting: before == .waiting)
      let parent = tree[slot].parent
      let isMember = tree.isMember(slot)
      if isMember {
        tree[parent].unfinished -= 1
        if before != .cancelled { tree[parent].uncancelled -= 1 }
      }
      let groupHasEnded = isMember && tree[parent].unfinished == 0
      if isMember, !groupHasEnded {
        if tree[parent].uncancelled == 0 { noteCancelled(group: parent) }
        if tree[parent].form == .concatenate { advanceLater(tree.id(parent)) }
      }
      removeIfDone(slot)
      guard groupHasEnded else { return }
      slot = parent
    }
  }
}

// MARK: Waiting

extension EffectGraph {
  /// Resumes the waiter when the node and all that is under it have ended. False if that is so
  /// already.
  @usableFromInline
  mutating func wait(for id: EffectID, _ waiter: WaiterID) -> Bool {
    guard tree.contains(id) else { return false }
    waiters[id, default: []].append(waiter)
    tree[id.slot].isAwaited = true
    return true
  }

  /// Resumes the waiter when there is no node any more. False if that is so already.
  @usableFromInline
  mutating func waitUntilIdle(_ waiter: WaiterID) -> Bool {
    if tree.count == 0 { return false }
    idleWaiters.append(waiter)
    return true
  }

  @usableFromInline
  mutating func resumeIdleWaiters() {
    for waiter in idleWaiters { commands.append(.resume(waiter)) }
    idleWaiters = []
  }
}
