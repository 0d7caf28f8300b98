extension EffectGraph {
  /// Adds a task, under the task that caused it if there is one.
  @usableFromInline
  mutating func addTask(under parent: EffectID = .none) -> EffectID {
    let slot = tree.insert(
      .task, .running, list: 0, under: tree.contains(parent) ? parent.slot : -1)
    return tree.id(slot)
  }

  /// Adds an effect or a group that a reducer returned. From then on, effects are found by their
  /// ids.
  ///
  /// - Parameters:
  ///   - parent: A group or a task, or `.none` for an effect that stands for its task.
  ///   - list: The number of the list with which it was returned.
  ///   - traits: Traits that include the ids of all groups that contain it.
  @usableFromInline
  mutating func add(
    _ form: EffectNode.Form, under parent: EffectID, list: UInt32,
    traits: EffectTraits? = nil
  ) -> EffectID {
    let slot = tree.insert(form, .pending, list: list, under: parent.slot)
    if let traits {
      tree[slot].traits = traits
      if form == .leaf {
        tree[slot].isIndexed = true
        index.insert(tree.id(slot), keys: traits.indexKeys)
      }
    }
    if tree.isMember(slot) {
      tree[parent.slot].unfinished += 1
      tree[parent.slot].uncancelled += 1
    }
    return tree.id(slot)
  }

  /// Keeps the node until `unpin` is called.
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

  /// Removes the effect from the index, so that no id finds it.
  @usableFromInline
  mutating func forgetKeys(_ slot: Int32) {
    guard tree[slot].isIndexed, let traits = tree[slot].traits else { return }
    tree[slot].isIndexed = false
    index.remove(tree.id(slot), keys: traits.indexKeys)
  }

  /// Removes a finished node, and the ancestors that only waited for it.
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
    if !waiters.isEmpty, let found = waiters.removeValue(forKey: tree.id(slot)) {
      for waiter in found { commands.append(.resume(waiter)) }
    }
    tree.remove(slot)
    if tree.count == 0, !idleWaiters.isEmpty { resumeIdleWaiters() }
  }
}
