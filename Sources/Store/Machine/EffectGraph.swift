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
  /// The permits of the limits under which effects run or wait.
  var limits: [PermitKey: Permits] = [:]
  /// The waiters for the end of a node and of all nodes under it.
  var waiters: [EffectID: [WaiterID]] = [:]
  @usableFromInline var idleWaiters: [WaiterID] = []
  /// Whether the store is shutting down. An effect that would have to wait for a permit is
  /// cancelled.
  @usableFromInline var isDraining = false
  /// The permits of effects that have ended, which their queued actions keep in a held store.
  @usableFromInline var keptPermits: [KeptPermit] = []
  /// The nodes that have got permits of effects whose last action has not been reduced yet.
  @usableFromInline var startsAfterReduction: [(ending: EffectID, next: EffectID)] = []
  /// The nodes to start, and the sequences to continue, in the current event. The last is next.
  private var pending: [EffectID] = []
  /// The sequences to continue when nothing is pending.
  private var later = Queue<EffectID>()
}

// MARK: Events

extension EffectGraph {
  /// Starts an effect or a group, or lets it wait for a permit.
  @usableFromInline
  mutating func start(_ id: EffectID) {
    pending.append(id)
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

  /// Starts the pending nodes and continues the pending sequences. Not recursive, because groups
  /// can be nested deeply.
  mutating func run() {
    while let id = pending.popLast() ?? later.popFirst() {
      guard tree.contains(id) else { continue }
      switch tree[id.slot].phase {
      case .pending: begin(id.slot)
      case .running where tree[id.slot].form == .concatenate: advance(id.slot)
      default: break
      }
    }
  }

  /// Starts or continues `id` after all that is pending. Does so once, even if many members of a
  /// sequence end together.
  mutating func proceedLater(_ id: EffectID) {
    if later.storage.last != id { later.append(id) }
  }

  private mutating func begin(_ slot: Int32) {
    if tree[slot].limit != nil, !tree[slot].hasPermit, !requestPermit(slot) { return }
    tree[slot].phase = .running
    switch tree[slot].form {
    case .task:
      break
    case .leaf:
      commands.append(.start(tree.id(slot)))
    case .merge:
      passPermitToFirst(slot)
      pending += tree.members(slot).reversed()
    case .concatenate:
      pending.append(tree.id(slot))
    }
  }

  /// Starts the next member of a sequence, unless one has work that has not ended.
  private mutating func advance(_ sequence: Int32) {
    var member = tree[sequence].firstChild
    while member >= 0, tree[member].hasEnded { member = tree[member].next }
    if member >= 0, tree[member].phase == .pending { pending.append(tree.id(member)) }
  }

  /// Ends the work of a node, and of the groups that only waited for it.
  mutating func endWork(_ slot: Int32) {
    var slot = slot
    while true {
      let before = tree[slot].phase
      if before == .free || tree[slot].hasEnded { return }
      tree[slot].phase = .ended(isCancelled: before == .cancelled)
      releasePermit(slot, wasWaiting: before == .waiting)
      let parent = tree[slot].parent
      guard tree.isMember(slot) else { return removeIfDone(slot) }
      tree[parent].unfinished -= 1
      if before != .cancelled { tree[parent].uncancelled -= 1 }
      let groupHasEnded = tree[parent].unfinished == 0
      if !groupHasEnded {
        if tree[parent].uncancelled == 0 { markCancelled(parent) }
        if tree[parent].form == .concatenate, tree[parent].phase == .running {
          proceedLater(tree.id(parent))
        }
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
