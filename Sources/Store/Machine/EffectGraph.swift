/// The effects of one store as a value: which run, which wait, and which belong together.
///
/// Events are calls of its methods. Its commands are added to `commands`, in order. It knows
/// neither actions nor tasks, so that every transition can be tested separately.
///
/// Its nodes form a tree. The members of a group are under the group, and the effects that one
/// `send` caused are under its task. If a `send` caused a single effect, that effect stands for the
/// task. A node stays until its work has ended, its actions have left the queue, and there are no
/// nodes under it.
///
/// `+Nodes` adds and removes nodes; `+Cancelling` and `+Limits` handle the events of the same
/// names.
@usableFromInline
struct EffectGraph: Sendable {
  @usableFromInline
  enum Command: Sendable, Equatable {
    /// Start the effect's operation.
    case start(EffectID)
    /// The effect was cancelled, before or after its start.
    case cancel(EffectID)
    /// The effect or the group never starts, because its limit is reached.
    case drop(EffectID)
    /// The effect is finished. Release its work.
    case release(EffectID)
    case resume(WaiterID)
  }

  /// Commands to perform, oldest first. The caller removes the ones that it has performed.
  @usableFromInline var commands = Queue<Command>()

  @usableFromInline var tree = EffectTree()
  @usableFromInline var index = EffectIndex()
  var limits = LimitTable()
  /// The waiters for the end of a node and of all nodes under it.
  var waiters: [EffectID: [WaiterID]] = [:]
  @usableFromInline var idleWaiters: [WaiterID] = []
  /// Whether the store is shutting down. An effect that would have to wait for a permit is
  /// cancelled.
  @usableFromInline var isDraining = false
  /// The nodes that have got permits of effects whose last action has not been reduced yet.
  @usableFromInline var startsAfterReduction: [(ending: EffectID, next: EffectID)] = []
  /// The remaining transitions of the current event. The last is next.
  private var pendingTransitions: [Transition] = []

  private enum Transition: Sendable, Equatable {
    case start(EffectID)
    case advance(EffectID)
  }

  @usableFromInline
  init() {}
}

// MARK: Events

extension EffectGraph {
  /// Starts an effect or a group, or lets it wait for a permit.
  @usableFromInline
  mutating func start(_ id: EffectID) {
    pendingTransitions.append(.start(id))
    run()
  }

  /// Records that a task runs the effect's operation. An effect without a limit needs no `start`.
  @usableFromInline
  mutating func startTask(_ id: EffectID) {
    tree[id.slot].phase = .running
    tree[id.slot].hasTask = true
  }

  /// Records that the effect's work has ended, and that its end waits.
  @usableFromInline
  mutating func markReturned(_ id: EffectID) {
    if tree.isRunning(id) { tree[id.slot].phase = .returned }
  }

  /// Ends the work of an effect, which was or was not cancelled.
  @usableFromInline
  mutating func end(_ id: EffectID) {
    guard tree.contains(id) else { return }
    endWork(id.slot)
    run()
  }

  /// Performs the remaining transitions. Not recursive, because groups can be nested to any depth.
  mutating func run() {
    while let transition = pendingTransitions.popLast() {
      switch transition {
      case .start(let id): if tree.contains(id) { begin(id.slot) }
      case .advance(let id): if tree.contains(id) { advance(id.slot) }
      }
    }
  }

  /// Starts `id` after all transitions in progress.
  mutating func startLater(_ id: EffectID) {
    pendingTransitions.insert(.start(id), at: 0)
  }

  /// Starts the next member of a sequence after all transitions in progress. Does so once, even if
  /// many members end together.
  private mutating func advanceLater(_ sequence: EffectID) {
    if pendingTransitions.first != .advance(sequence) {
      pendingTransitions.insert(.advance(sequence), at: 0)
    }
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
      pendingTransitions += tree.members(slot).reversed().map { .start($0) }
    case .concatenate:
      pendingTransitions.append(.advance(tree.id(slot)))
    }
  }

  /// Starts the next member of a sequence, unless one has work that has not ended.
  private mutating func advance(_ sequence: Int32) {
    guard tree[sequence].phase == .running else { return }
    var member = tree[sequence].firstChild
    while member >= 0, tree[member].hasEnded { member = tree[member].next }
    if member >= 0, tree[member].phase == .pending {
      pendingTransitions.append(.start(tree.id(member)))
    }
  }

  /// Ends the work of a node, and of the groups that only waited for it.
  mutating func endWork(_ slot: Int32) {
    var slot = slot
    while true {
      let before = tree[slot].phase
      switch before {
      case .free, .ended: return
      case .pending, .waiting, .running, .returned, .cancelled: break
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
        if tree[parent].uncancelled == 0 { markCancelled(parent) }
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
  /// Resumes the waiter when the node and all nodes under it have ended. Returns `false` if that
  /// has already happened.
  @usableFromInline
  mutating func wait(for id: EffectID, _ waiter: WaiterID) -> Bool {
    guard tree.contains(id) else { return false }
    waiters[id, default: []].append(waiter)
    tree[id.slot].isAwaited = true
    return true
  }

  /// Resumes the waiter when there are no nodes. Returns `false` if that has already happened.
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
