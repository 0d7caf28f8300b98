import Testing

@testable import SwiftBoardStore

@Suite("The graph of effects")
struct EffectGraphTests {
  private static let key = CancelKey(id: CancelID("id"))

  private static func limit(_ overflow: OverflowPolicy) -> EffectLimit {
    EffectLimit(key: key, scope: .store, count: 1, overflow: overflow)
  }

  /// What an effect is when an event comes.
  enum Situation: CaseIterable {
    case pending, waiting, running, cancelled, endedWithActions
  }

  /// A graph with one effect in that situation, which bears the key, and no commands.
  private static func graph(_ situation: Situation) -> (graph: EffectGraph, effect: EffectID) {
    var graph = EffectGraph()
    let effect: EffectID
    switch situation {
    case .waiting:
      let limit = limit(.wait(capacity: nil, dropsOldest: false))
      let first = graph.add(.leaf, under: .none, list: 1, traits: EffectTraits(limit: limit))
      graph.start(first)
      effect = graph.add(
        .leaf, under: .none, list: 1, traits: EffectTraits(keys: [key], limit: limit))
      graph.start(effect)
    default:
      effect = graph.add(.leaf, under: .none, list: 1, traits: EffectTraits(keys: [key]))
    }
    switch situation {
    case .pending, .waiting: break
    case .running: graph.start(effect)
    case .cancelled:
      graph.start(effect)
      graph.cancel(key)
    case .endedWithActions:
      graph.start(effect)
      graph.pin(effect)
      graph.end(effect)
    }
    graph.commands = Queue()
    return (graph, effect)
  }

  private static func phase(_ graph: EffectGraph, _ effect: EffectID) -> EffectNode.Phase {
    graph.tree.contains(effect) ? graph.tree[effect.slot].phase : .free
  }

  // MARK: One event in each phase

  @Test(
    "start",
    arguments: [
      (.pending, .running, true), (.waiting, .waiting, false), (.running, .running, false),
      (.cancelled, .cancelled, false),
      (.endedWithActions, .ended(isCancelled: false), false),
    ] as [(Situation, EffectNode.Phase, Bool)])
  func start(situation: Situation, phase: EffectNode.Phase, starts: Bool) {
    var (graph, effect) = Self.graph(situation)
    graph.start(effect)
    #expect(Self.phase(graph, effect) == phase)
    #expect(graph.commands.elements == (starts ? [.start(effect)] : []))
  }

  @Test(
    "end",
    arguments: [
      (.pending, .free, true), (.waiting, .free, true), (.running, .free, true),
      (.cancelled, .free, true), (.endedWithActions, .ended(isCancelled: false), false),
    ] as [(Situation, EffectNode.Phase, Bool)])
  func end(situation: Situation, phase: EffectNode.Phase, releases: Bool) {
    var (graph, effect) = Self.graph(situation)
    graph.end(effect)
    #expect(Self.phase(graph, effect) == phase)
    #expect(graph.commands.elements == (releases ? [.release(effect)] : []))
  }

  @Test(
    "cancel by id",
    arguments: [
      (.pending, .free, 2), (.waiting, .free, 2), (.running, .cancelled, 1),
      (.cancelled, .cancelled, 0), (.endedWithActions, .ended(isCancelled: true), 0),
    ] as [(Situation, EffectNode.Phase, Int)])
  func cancel(situation: Situation, phase: EffectNode.Phase, commands: Int) {
    var (graph, effect) = Self.graph(situation)
    graph.cancel(Self.key)
    #expect(Self.phase(graph, effect) == phase)
    #expect(graph.commands.elements == Array([.cancel(effect), .release(effect)].prefix(commands)))
  }

  @Test("cancel of the tree does what a cancel by id does", arguments: Situation.allCases)
  func cancelTree(situation: Situation) {
    var (byID, effect) = Self.graph(situation)
    var (tree, _) = Self.graph(situation)
    byID.cancel(Self.key)
    tree.cancelTree(effect)
    #expect(Self.phase(byID, effect) == Self.phase(tree, effect))
    #expect(byID.commands.elements == tree.commands.elements)
  }

  @Test("cancel of all does what a cancel by id does", arguments: Situation.allCases)
  func cancelAll(situation: Situation) {
    var (byID, effect) = Self.graph(situation)
    var (all, _) = Self.graph(situation)
    byID.cancel(Self.key)
    all.cancelAll()
    #expect(Self.phase(byID, effect) == Self.phase(all, effect))
  }

  @Test("cancel of those that wait touches no others", arguments: Situation.allCases)
  func cancelWaiting(situation: Situation) {
    var (graph, effect) = Self.graph(situation)
    let before = Self.phase(graph, effect)
    graph.cancelWaiting()
    #expect(Self.phase(graph, effect) == (situation == .waiting ? .free : before))
  }

  @Test("an event about a node that is gone changes nothing, also when its slot is taken again")
  func gone() {
    var (graph, effect) = Self.graph(.running)
    graph.end(effect)
    let next = graph.addTask()
    #expect(next.slot == effect.slot)
    graph.commands = Queue()
    graph.start(effect)
    graph.end(effect)
    graph.cancelTree(effect)
    graph.unpin(effect)
    #expect(graph.commands.isEmpty)
    #expect(graph.tree.isTask(next) && !graph.tree.contains(effect))
  }

  // MARK: Groups

  /// A group with three members under a task.
  private static func group(
    _ form: EffectNode.Form, limit: EffectLimit? = nil
  ) -> (graph: EffectGraph, group: EffectID, members: [EffectID]) {
    var graph = EffectGraph()
    let task = graph.addTask()
    let group = graph.add(form, under: task, list: 1, traits: EffectTraits(limit: limit))
    let members = (0..<3).map { number in
      graph.add(
        .leaf, under: group, list: 1,
        traits: EffectTraits(keys: [CancelKey(id: CancelID(number))]))
    }
    return (graph, group, members)
  }

  @Test("the members of a merge start together, and the group ends with the last")
  func merge() {
    var (graph, group, members) = Self.group(.merge)
    graph.start(group)
    #expect(graph.commands.elements == members.map { .start($0) })
    for member in [1, 0] {
      graph.end(members[member])
      #expect(graph.tree.isRunning(group))
    }
    graph.end(members[2])
    #expect(graph.tree.count == 0)
  }

  @Test("the members of a concatenate start one after the other, also behind a cancelled one")
  func concatenate() {
    var (graph, group, members) = Self.group(.concatenate)
    graph.start(group)
    #expect(graph.commands.elements == [.start(members[0])])
    graph.cancel(CancelKey(id: CancelID(1)))
    graph.commands = Queue()
    graph.end(members[0])
    #expect(graph.commands.elements == [.release(members[0]), .start(members[2])])
    graph.end(members[2])
    #expect(graph.tree.count == 0)
  }

  @Test("R5 a cancel in a group leaves what stands behind it in the same value")
  func cancelInGroup() {
    var (graph, group, members) = Self.group(.merge)
    graph.start(group)
    for number in 0...2 { graph.cancel(CancelKey(id: CancelID(number)), by: members[1]) }
    #expect(graph.tree.isCancelled(members[0]))
    #expect(graph.tree.isRunning(members[2]))
  }

  @Test("a group that waits starts no member, and is dropped as one")
  func groupWithoutPermit() {
    let limit = Self.limit(.drop)
    var (graph, group, members) = Self.group(.merge, limit: limit)
    let first = graph.add(.leaf, under: .none, list: 1, traits: EffectTraits(limit: limit))
    graph.start(first)
    graph.commands = Queue()
    graph.start(group)
    #expect(graph.commands.elements.first == .drop(group))
    #expect(members.allSatisfy { !graph.tree.contains($0) })
    graph.end(first)
    #expect(graph.tree.count == 0 && graph.limits.isEmpty)
  }

  // MARK: Waiting

  @Test("a wait is over when nothing is under the node")
  func wait() {
    var graph = EffectGraph()
    let task = graph.addTask()
    let effect = graph.add(.leaf, under: task, list: 1)
    graph.start(effect)
    let (waits, isIdleAwaited) = (graph.wait(for: task, 1), graph.waitUntilIdle(2))
    #expect(waits && isIdleAwaited)
    graph.commands = Queue()
    graph.end(effect)
    #expect(graph.commands.elements == [.release(effect), .resume(1), .resume(2)])
    let (waitsAgain, isIdleAwaitedAgain) = (graph.wait(for: task, 3), graph.waitUntilIdle(4))
    #expect(!waitsAgain && !isIdleAwaitedAgain)
  }

  @Test("R11 while the store ends nothing waits for a permit")
  func draining() {
    let limit = Self.limit(.wait(capacity: nil, dropsOldest: false))
    var graph = EffectGraph()
    let effects = (0..<2).map { _ in
      graph.add(.leaf, under: .none, list: 1, traits: EffectTraits(limit: limit))
    }
    graph.isDraining = true
    for effect in effects { graph.start(effect) }
    #expect(graph.tree.isRunning(effects[0]))
    #expect(!graph.tree.contains(effects[1]))
  }

  @Test("a node is small: what few nodes have is elsewhere")
  func size() {
    #expect(MemoryLayout<EffectNode>.stride == 56)
  }
}
