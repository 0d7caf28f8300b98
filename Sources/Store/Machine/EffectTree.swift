/// The nodes of an effect graph as a tree.
///
/// The nodes are stored in an array and refer to each other by slot. Free slots are reused.
///
/// - Complexity: O(1) to insert and to remove.
@usableFromInline
struct EffectTree: Sendable {
  var nodes: [EffectNode] = []
  /// The number of nodes.
  @usableFromInline var count: Int32 = 0
  private var firstFree: Int32 = -1
  private var lastSerial: UInt32 = 0

  /// The serial number of the next node, which is also the number of a list whose first node it is.
  @usableFromInline var nextSerial: UInt32 { lastSerial == .max ? 1 : lastSerial + 1 }

  /// Returns whether the node exists.
  @usableFromInline
  func contains(_ id: EffectID) -> Bool {
    id.slot >= 0 && id.slot < nodes.count && nodes[Int(id.slot)].serial == id.serial
      && nodes[Int(id.slot)].phase != .free
  }

  subscript(slot: Int32) -> EffectNode {
    _read { yield nodes[Int(slot)] }
    _modify { yield &nodes[Int(slot)] }
  }

  func id(_ slot: Int32) -> EffectID { EffectID(slot: slot, serial: self[slot].serial) }

  mutating func insert(
    _ form: EffectNode.Form, _ phase: EffectNode.Phase, list: UInt32, under parent: Int32
  ) -> Int32 {
    lastSerial = nextSerial
    if firstFree < 0 {
      firstFree = Int32(nodes.count)
      nodes.extend(to: firstFree, with: EffectNode(serial: 0, form: form, phase: .free, list: 0))
    }
    let slot = firstFree
    firstFree = self[slot].next
    self[slot] = EffectNode(serial: lastSerial, form: form, phase: phase, list: list)
    count += 1
    if parent >= 0 { link(slot, under: parent) }
    return slot
  }

  mutating func remove(_ slot: Int32) {
    unlink(slot)
    self[slot].phase = .free
    self[slot].traits = nil
    self[slot].next = firstFree
    firstFree = slot
    count -= 1
  }

  private mutating func link(_ slot: Int32, under parent: Int32) {
    let last = self[parent].lastChild
    self[slot].parent = parent
    self[slot].previous = last
    if last >= 0 { self[last].next = slot } else { self[parent].firstChild = slot }
    self[parent].lastChild = slot
  }

  private mutating func unlink(_ slot: Int32) {
    let parent = self[slot].parent
    guard parent >= 0 else { return }
    let (previous, next) = (self[slot].previous, self[slot].next)
    if previous >= 0 { self[previous].next = next } else { self[parent].firstChild = next }
    if next >= 0 { self[next].previous = previous } else { self[parent].lastChild = previous }
  }

  /// Returns whether the node belongs to a group, which waits for its work.
  func isMember(_ slot: Int32) -> Bool {
    let parent = self[slot].parent
    guard parent >= 0 else { return false }
    return self[parent].form == .merge || self[parent].form == .concatenate
  }

  /// Returns the nodes directly under this one, in order.
  func members(_ slot: Int32) -> [EffectID] {
    var members: [EffectID] = []
    var member = self[slot].firstChild
    while member >= 0 {
      members.append(id(member))
      member = self[member].next
    }
    return members
  }

  /// Returns the node and all nodes under it.
  func nodes(under slot: Int32) -> [Int32] {
    var tree = [slot]
    var position = 0
    while position < tree.count {
      tree += members(tree[position]).map(\.slot)
      position += 1
    }
    return tree
  }
}

// MARK: Looking

extension EffectTree {
  /// Returns whether the effect's work may continue.
  @usableFromInline
  func isRunning(_ id: EffectID) -> Bool { contains(id) && self[id.slot].phase == .running }

  /// Returns whether the effect's work has ended, and its end waits.
  @usableFromInline
  func hasReturned(_ id: EffectID) -> Bool { contains(id) && self[id.slot].phase == .returned }

  /// Returns whether the effect was cancelled, so that none of its actions is reduced.
  @usableFromInline
  func isCancelled(_ id: EffectID) -> Bool {
    guard contains(id) else { return false }
    switch self[id.slot].phase {
    case .cancelled, .ended(isCancelled: true): return true
    default: return false
    }
  }

  /// Returns whether a task was created for the effect's operation. Valid until its slot is reused.
  @usableFromInline
  func hasTask(_ id: EffectID) -> Bool { self[id.slot].hasTask }

  /// Returns whether the node is a task, and not an effect that stands for one.
  @usableFromInline
  func isTask(_ id: EffectID) -> Bool { contains(id) && self[id.slot].form == .task }

  /// Returns whether the node is a task, or an effect that stands for one, and was cancelled.
  @usableFromInline
  func isCancelledTask(_ id: EffectID) -> Bool { contains(id) && self[id.slot].isTaskCancelled }

  /// Returns the node to which the effects caused by an effect belong: its task, or the effect
  /// itself if it stands for the task.
  @usableFromInline
  func task(of id: EffectID) -> EffectID {
    guard contains(id) else { return .none }
    var slot = id.slot
    while self[slot].form != .task, self[slot].parent >= 0 { slot = self[slot].parent }
    return self.id(slot)
  }

  /// Returns the number of the list with which the node was returned, or 0 for a removed node.
  @usableFromInline
  func list(of id: EffectID) -> UInt32 { contains(id) ? self[id.slot].list : 0 }
}

extension Array {
  /// Appends copies of `element` until the array has one for `slot`.
  ///
  /// The capacity grows by a quarter. An array has as many slots as there were effects at the same
  /// time, and doubling its capacity would take more memory than an effect's node. Amortized O(1).
  @inlinable
  mutating func extend(to slot: Int32, with element: Element) {
    guard count <= Int(slot) else { return }
    if capacity <= Int(slot) { reserveCapacity(Int(slot) + 1 + Int(slot) / 4) }
    while count <= Int(slot) { append(element) }
  }
}
