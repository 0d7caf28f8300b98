import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Assertions on effects")
struct EffectAssertionTests {
  let failures = Failures()

  @Test("R13 what a step returns is stated with it, in both stores")
  func stated() {
    let store = searchStore()
    store.send(.typed("a"), effects: [.task("search", id: "search")]) { $0.text = "a" }
    store.send(.poll, effects: [.run("poll", id: "poll")])
    store.advance(by: .milliseconds(300))
    store.receive(.found(["a!"]), effects: []) { $0.results = ["a!"] }
    store.send(.close, effects: [.cancel(id: "search"), .cancel(id: "poll")])
    store.finish()
    let loose = looseStore()
    loose.send(.twice("a"), effects: [.send(), .send()])
    loose.receive(.found, effects: []) { $0.results = ["a"] }
  }

  @Test("other effects than stated, with their difference, at the line")
  func differ() {
    let store = searchStore(report: failures.report)
    let line = #line + 1
    store.send(.typed("a"), effects: [.task("search"), .send()]) { $0.text = "a" }
    store.advance(by: .seconds(1))
    store.receive(.found(["a!"]), effects: [.run("more")]) { $0.results = ["a!"] }
    #expect(failures.kinds == [.effectsDiffer, .effectsDiffer])
    #expect(failures.lines == [line, line + 2])
    #expect(
      failures.messages == [
        """
        The effects of `typed("a")` are not the expected ones (- expected, + returned):

        - task “search”
        - send
        + task “search” (id search)
        """,
        """
        The effects of `found(["a!"])` are not the expected ones (- expected, + returned):

        - run “more”
        """,
      ])
  }

  @Test("all ids of an effect count, and stand in the difference")
  func severalIDs() {
    struct Pool: Reducer {
      func reduce(_ state: inout Int, _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
        [
          .run(name: "load") { _ in }.limited(id: "pool", to: 2, whenFull: .wait)
            .cancellable(id: "x\(action)")
        ]
      }
    }
    let store = TestStore(
      initialState: 0, reducer: Pool(), dependencies: (), report: failures.report)
    store.send(1, effects: [.run("load", ids: ["pool", "x1"])])
    #expect(failures.kinds == [])
    store.send(2, effects: [.run("load", ids: ["pool", "x1"])])
    store.send(3, effects: [.run("load", id: "pool")])
    #expect(
      failures.messages == [
        """
        The effects of `2` are not the expected ones (- expected, + returned):

        - run “load” (ids pool, x1)
        + run “load” (ids pool, x2)
        """,
        """
        The effects of `3` are not the expected ones (- expected, + returned):

        - run “load” (id pool)
        + run “load” (ids pool, x3)
        """,
      ])
    #expect(EffectDescriptor.task("a", ids: ["x"]) == .task("a", id: "x"))
    #expect(EffectDescriptor(kind: .task, ids: ["a", "b"]) == .task(ids: ["a", "b"]))
    #expect(EffectDescriptor.task(ids: ["a", "b"]) != .task(ids: ["b", "a"]))
  }

  /// Saves in two places, and then tells.
  struct Saver: Reducer {
    func reduce(_ state: inout Int, _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
      state += action
      return action > 1
        ? []
        : [
          .none,
          .concatenate(
            .merge(
              .task(name: "disk") { 2 }, .run(name: "cloud") { _ in }.cancellable(id: 7)
            ), .send(3)
          ).cancellable(id: "save"),
        ]
    }
  }

  @Test("a pure reduction: state and effects as values, without a store")
  func reduction() {
    let saved: EffectDescriptor = .concatenate(
      .merge(.task("disk"), .run("cloud", id: "7")), .send(), id: "save")
    let reduction = Saver().reducing(40, 1, ())
    #expect(reduction.before == 40)
    #expect(reduction.state == 41)
    #expect(reduction.effects == [saved])
    reduction.assert(effects: [saved], report: report) { $0 = 41 }
    let several = Saver().reducing(0, 1, 2, 1, dependencies: ())
    #expect(several.state == 4)
    #expect(several.effects == [saved, saved])
    Saver().reducing(0, 2, ()).assert(effects: [], report: report) { $0 += 2 }
    Saver().reducing(0, dependencies: ()).assert(report: report)
  }

  @Test("a pure reduction that is another, with the difference of state and effects")
  func reductionDiffers() {
    let line = #line + 1
    Saver().reducing(40, 1, ()).assert(
      effects: [
        .concatenate(.merge(.task("disk"), .run("cloud")), .task("tell"), id: "save")
      ], report: failures.report
    ) { $0 = 42 }
    Saver().reducing(40, 1, ()).assert(report: failures.report) { _ in throw Broken() }
    Saver().reducing(40, 1, ()).assert(report: failures.report)
    #expect(failures.kinds == [.stateDiffers, .effectsDiffer, .closureThrew, .stateDiffers])
    #expect(failures.lines == [line, line, line + 5, line + 6])
    #expect(
      failures.messages == [
        "The reduced state is not the expected one (- expected, + actual):\n\n- 42\n+ 41",
        """
        The returned effects are not the expected ones (- expected, + returned):

          concatenate (id save)
            merge
              task “disk”
        -     run “cloud”
        -   task “tell”
        +     run “cloud” (id 7)
        +   send
        """,
        "The closure for the reduced state threw: the disk is full",
        "The reduced state is not the expected one (- expected, + actual):\n\n- 40\n+ 41",
      ])
  }
}
