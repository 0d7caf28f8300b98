import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R13 The ids of an effect in its descriptor")
struct DescriptorIDTests {
  private let pooled = Effect<String>.run(name: "load") { _ in }
    .limited(id: "pool", to: 2, whenFull: .wait).cancellable(id: "x")

  @Test("R13 all ids, in the order in which they were given")
  func all() {
    #expect(pooled.descriptor.ids == ["pool", "x"])
    #expect(pooled.descriptor.id == "pool")
    #expect(
      Effect<String>.run { _ in }.cancellable(id: "x").limited(id: "pool", whenFull: .drop)
        .cancellable(id: 7).descriptor.ids == ["x", "pool", "7"])
    #expect(Effect<String>.run { _ in }.descriptor.ids == [])
    #expect(Effect<String>.run { _ in }.descriptor.id == nil)
  }

  @Test("R13 each with its place")
  func places() {
    #expect(
      [pooled].scoped({ $0 }, id: "left").descriptors().map(\.ids) == [["left/pool", "left/x"]])
  }

  @Test("R13 an id that is given twice is one; an equal text of another type is another id")
  func twice() {
    let effect = Effect<String>.run { _ in }.limited(id: "pool", whenFull: .wait)
    #expect(effect.cancellable(id: "pool").descriptor.ids == ["pool"])
    #expect(
      Effect<String>.run { _ in }.cancellable(id: 1).cancellable(id: "1").cancellable(id: 1)
        .descriptor.ids == ["1", "1"])
  }

  @Test("R13 of a cancel, what it cancels is first")
  func cancel() {
    let cancel = Effect<String>.cancel(id: "old").cancellable(id: "new", cancelInFlight: true)
    #expect(cancel.descriptor.ids == ["old", "new"])
    #expect(Effect<String>.cancel(id: "old").descriptor.ids == ["old"])
    #expect(Effect<String>.cancel(id: "x").cancellable(id: "x").descriptor.ids == ["x"])
  }

  @Test("R13 descriptors with other ids are not equal")
  func equality() {
    #expect(
      pooled.descriptor == EffectDescriptor(kind: .run, name: "load", ids: ["pool", "x"]))
    #expect(pooled.descriptor != EffectDescriptor(kind: .run, name: "load", id: "pool"))
    #expect(
      EffectDescriptor(kind: .run, id: "pool") == EffectDescriptor(kind: .run, ids: ["pool"]))
    let several: Set = [
      pooled.descriptor, pooled.descriptor,
      EffectDescriptor(kind: .run, name: "load", ids: ["pool", "y"]),
    ]
    #expect(several.count == 2)
  }

  private struct Loading: Reducer {
    let clock: TestClock

    func reduce(_ state: inout Int, _ action: String, _: Void) -> [Effect<String>] {
      state += 1
      guard action == "load" else { return [.cancel(id: action)] }
      return [
        .run(name: "load") { [clock] _ in try await clock.sleep(for: .seconds(1)) }
          .limited(id: "pool", to: 2, whenFull: .wait).cancellable(id: "x")
      ]
    }
  }

  @Test("R13 running effects and subscriptions are listed with all of their ids")
  func listed() {
    let clock = TestClock()
    let store = Store(
      initialState: 0,
      reducer: Loading(clock: clock).subscribing { state, _ in
        state == 0
          ? [
            .run(name: "watch") { _ in try await clock.sleep(for: .seconds(9)) }
              .cancellable(id: "watch").cancellable(id: "all")
          ] : []
      }, dependencies: (), executor: clock.executor)
    #expect(store.effects.map(\.descriptor.ids) == [["watch", "all"]])
    store.send("load")
    #expect(
      store.effects.filter { $0.phase == .running }.map(\.descriptor.ids) == [["pool", "x"]])
    store.send("x")
    clock.executor.run()
    #expect(store.effects.isEmpty)
  }
}
