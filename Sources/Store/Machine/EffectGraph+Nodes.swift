extension EffectGraph {
  /// Adds a task, under the task that caused it if there is one.
  @usableFromInline
  mutating func addTask(under parent: EffectID = .none) -> EffectID {
    let slot = tree.insert(
      .task, .running, outermost: 0, under: tree.contains(parent) ? parent.slot : -1)
    return tree.id(slot)
  }

  /// Adds an effect or a group that a reducer returned. Effects are found by their ids from here
  /// on.
  ///
  /// - Parameters:
  ///   - parent: A group or a task; `.none` for an effect that stands for its task.
  ///   - outermost: The serial number of the outermost group it is in; `nil` if it is in none.
  ///   - keys: The ids of an effect and of all groups it is in.
  @usableFromInline
  mutating func add(
    _ form: EffectNode.Form, under parent: EffectID, outermost: UInt32?, keys: [CancelKey],
    endsWith: [ScopeKey], limit: EffectLimit?
  ) -> EffectID {
    let slot = tree.insert(form, .pending, outermost: outermost, under: parent.slot)
    tree[slot].limit = limit
    if form == .leaf, !(keys.isEmpty && endsWith.isEmpty) {
      tree[slot].keys = keys
      tree[slot].endsWith = endsWith
      index.insert(tree.id(slot), keys: keys, place: endsWith)
    }
    if tree.isMember(slot) {
      tree[parent.slot].unfinished += 1
      tree[parent.slot].uncancelled += 1
    }
    return tree.id(slot)
  }

  /// Keeps the node until `unpin`.
  @usableFromInline
  mutating func pin(_ id: EffectID) {
    if tree.contains(id) { tree[id.slot].pins += 1 }
  }

  @usableFromInline
  mutating func unpin(_ id: EffectID) {
    guard tree.contains(id) else { return }
    tree[id.slot].pins -= 1
    removeIfDone(id.slot)
  }

  /// From here on no id finds the effect.
  @usableFromInline
  mutating func forgetKeys(_ id: EffectID) {
    if tree.contains(id) { forgetKeys(id.slot) }
  }

  func hasKeys(_ slot: Int32) -> Bool { !tree[slot].keys.isEmpty || !tree[slot].endsWith.isEmpty }

  mutating func forgetKeys(_ slot: Int32) {
    guard hasKeys(slot) else { return }
    index.remove(tree.id(slot), keys: tree[slot].keys, place: tree[slot].endsWith)
    tree[slot].keys = []
    tree[slot].endsWith = []
  }

  /// Removes a finished node, and the nodes above it that only waited for it.
  mutating func removeIfDone(_ slot: Int32) {
    var slot = slot
    while slot >= 0, tree[slot].pins == 0, tree[slot].hasEnded || tree[slot].form == .task {
      forgetKeys(slot)
      if tree[slot].form != .task, !tree[slot].isReleased {
        tree[slot].isReleased = true
        commands.append(.release(tree.id(slot)))
      }
      guard tree[slot].firstChild < 0 else { return }
      let parent = tree[slot].parent
      remove(slot)
      slot = parent
    }
  }

  private mutating func remove(_ slot: Int32) {
    let id = tree.id(slot)
    let isAwaited = tree[slot].isAwaited
    tree.remove(slot)
    if isAwaited, let ended = waiters.removeValue(forKey: id) {
      for waiter in ended { commands.append(.resume(waiter)) }
    }
    if tree.count == 0, !idleWaiters.isEmpty { resumeIdleWaiters() }
  }
}
