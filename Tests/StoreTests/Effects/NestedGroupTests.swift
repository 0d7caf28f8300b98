import SwiftBoardStore
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
}
