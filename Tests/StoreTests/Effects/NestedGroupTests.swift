import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("Groups in groups")
struct NestedGroupTests {
  static func nested(
    _ depth: Int, isFront: Bool, _ group: (Effect<Int>, Effect<Int>) -> Effect<Int>
  ) -> Effect<Int> {
    var effect = Effect<Int>.send(1)
    for number in 2...depth {
      effect = isFront ? group(effect, .send(number)) : group(.send(number), effect)
    }
    return effect
  }

  static func check(isFront: Bool, _ group: (Effect<Int>, Effect<Int>) -> Effect<Int>) {
    let depth = 2000
    let effects: [Effect<Int>] = [nested(depth, isFront: isFront, group)]
    let store = Store(
      initialState: [],
      reducer: Reduce<[Int], Int, Void> { state, action, _ in
        state.append(action)
        return action == 0 ? effects.scoped({ $0 }, id: "place") : []
      }, dependencies: ())
    store.send(0)
    let order = isFront ? Array(1...depth) : (1...depth).reversed()
    precondition(store.state == [0] + order)
    precondition(effects[0].descriptor.parts.count == depth)
  }

  // In a process of its own: an overflow of the stack ends it.
  @Test("concatenate and merge may be nested 2 000 deep, and keep the order of their members")
  func deep() async {
    await #expect(processExitsWith: .success) {
      for isFront in [true, false] {
        NestedGroupTests.check(isFront: isFront) { .concatenate($0, $1) }
        NestedGroupTests.check(isFront: isFront) { .merge($0, $1) }
      }
    }
  }

  /// Groups of both kinds in turn, none of which is its members.
  static func alternating(_ depth: Int, hasIDs: Bool) -> Effect<Int> {
    var effect = Effect<Int>.task { 1 }
    for number in 2...depth {
      effect =
        number % 2 == 0
        ? .concatenate([.send(number), effect]) : .merge([effect, .send(number)])
      if hasIDs { effect = effect.cancellable(id: number % 7) }
    }
    return effect
  }

  /// Makes, maps, scopes, describes, runs and cancels an effect of `depth` groups.
  static func useAlternating(_ depth: Int, hasIDs: Bool) {
    struct Failure: Error {}
    let effect = alternating(depth, hasIDs: hasIDs)
    let clock = TestClock()
    let changed = effect.map { $0 + 1 }.catch { _ in 0 }.timeout(after: .seconds(1), clock: clock)
    let scoped = [changed].scoped({ $0 }, id: "place")
    precondition(scoped.descriptors().count == 1)
    let executor = ManualExecutor()
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { state, action, _ in
        state += 1
        return action == 0 ? scoped : []
      }, dependencies: (), executor: executor)
    store.setHooks { _, _ in StepHooks(didReduce: { _, _ in }) }
    let handle = store.send(0)
    executor.run()
    precondition(handle.isFinished && store.state == depth + 1)
    store.send(0).cancel()
    executor.run()
    precondition(store.effects.isEmpty)
  }

  // In a process of its own: an overflow of the stack ends it.
  @Test("groups of both kinds may be nested 2 000 deep, changed, described, run and cancelled")
  func deepAlternating() async {
    await #expect(processExitsWith: .success) {
      // The stack of a thread of the pool is not larger anywhere.
      onAnotherThread(stack: 1 << 20) {
        NestedGroupTests.useAlternating(2000, hasIDs: false)
        // Each effect has the ids of all groups that contain it.
        NestedGroupTests.useAlternating(500, hasIDs: true)
      }
    }
  }

  @Test("a group with an id, and one of the other kind, stays a group")
  func kept() {
    let inner = Effect<Int>.concatenate(.send(1), .send(2))
    let groups: [Effect<Int>] = [
      .concatenate(inner, .none, .send(3)), .concatenate(inner.cancellable(id: "x"), .send(3)),
      .merge(inner, .send(3)), .concatenate(.concatenate(inner)),
    ]
    let send = EffectDescriptor(kind: .send)
    let two = EffectDescriptor(kind: .concatenate, parts: [send, send])
    #expect(
      groups.descriptors() == [
        EffectDescriptor(kind: .concatenate, parts: [send, send, send]),
        EffectDescriptor(
          kind: .concatenate,
          parts: [EffectDescriptor(kind: .concatenate, id: "x", parts: [send, send]), send]),
        EffectDescriptor(kind: .merge, parts: [two, send]), two,
      ])
  }

  @Test(
    "what a member holds is released when it has ended, whatever goes on beside it",
    arguments: 0..<4)
  func release(form: Int) {
    final class Held: Sendable {}
    weak var released: Held?
    let gate = Gate()
    let executor = ManualExecutor()
    let held = Mutex<Held?>(nil)
    do {
      let object = Held()
      released = object
      held.withLock { $0 = object }
    }
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { _, _, _ in
        guard let held = held.withLock({ $0.take() }) else { return [] }
        let effects: [Effect<Int>] = [
          .run { _ in withExtendedLifetime(held) {} }, .run { _ in try await gate.wait() },
        ]
        switch form {
        case 0: return [.merge(effects)]
        case 1: return [.concatenate(effects)]
        case 2: return [.concatenate([.merge(effects), .run { _ in }])]
        default: return [.merge(effects).limited(id: "pool", whenFull: .drop)]
        }
      }, dependencies: (), executor: executor)
    store.send(1)
    executor.run()
    #expect(gate.waiters == 1)
    #expect(released == nil)
    gate.open()
    executor.run()
    #expect(store.effects.isEmpty)
  }
}
