import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R13 Effects can be looked at")
struct RunningEffectTests {
  @Test("R13 what was returned is comparable")
  func descriptors() {
    let effects = Script { _ in
      [
        .task(name: "load", { "x" }).cancellable(id: "load"), .send("y"), .none,
        .cancel(id: "old"),
      ]
    }
    var state = Script.State()
    #expect(
      effects.reduce(&state, "a", ()).descriptors() == [
        EffectDescriptor(kind: .task, name: "load", id: "load"),
        EffectDescriptor(kind: .send), EffectDescriptor(kind: .cancel, id: "old"),
      ])
  }

  @Test("R13 what runs is listed with name, id, place, action and step")
  func running() throws {
    let gate = Gate()
    let stage = Stage { action in
      action == "b"
        ? [
          .concatenate(
            .task(name: "load", fileID: "Board/Load.swift", line: 3) {
              try await gate.wait()
              return "done"
            }.cancellable(id: 9), .task(name: "then") { "x" })
        ] : []
    }
    stage.store.send("a")
    // Real time: `since` is of the continuous clock.
    let before = ContinuousClock.now
    stage.store.send("b")
    stage.executor.run()
    let running = stage.store.effects
    #expect(running.map(\.phase) == [.running, .pending])
    #expect(running.map(\.descriptor.name) == ["load", "then"])
    let first = try #require(running.first)
    #expect(first.descriptor.id == "9")
    #expect(first.descriptor.location.description == "Board/Load.swift:3")
    #expect(first.cause == "b" && first.step == 2)
    // The clock of effects moves in steps; how long one is, is up to the machine.
    #expect(first.since >= before - .seconds(3600) && first.since <= .now)
  }

  @Test("R13 hooks and observers see who sent what, and what was returned")
  func steps() {
    let stage = Stage { action in
      switch action {
      case "a": [.task(name: "load") { "b" }.cancellable(id: 1), .send("s")]
      default: []
      }
    }
    let steps = Journal<Step<String>>()
    let before = Journal<Int>()
    stage.store.send("unwatched")
    stage.store.setHooks { state, last in
      #expect(state.seen == ["unwatched"] && last == 1)
      return StepHooks(
        willReduce: { before.note($0) }, didReduce: { step, _ in steps.note(step) })
    }
    stage.store.send("a", origin: .user(line: "go", at: "x.sb:1"))
    stage.executor.run()
    #expect(before.entries == [2, 3, 4])
    #expect(steps.entries.map(\.number) == [2, 3, 4])
    #expect(
      steps.entries.map(\.origin) == [
        .user(line: "go", at: "x.sb:1"), .effect(name: "send", id: nil, step: 2),
        .effect(name: "load", id: "1", step: 2),
      ])
    #expect(steps.entries[0].effects.map(\.kind) == [.task, .send])
    stage.store.setHooks { _, _ in nil }
    stage.store.send("a")
    #expect(steps.entries.count == 3)
  }

  @Test("an observation ends when it is cancelled")
  func observation() {
    let stage = Stage()
    let told = Journal<String>()
    let observation = stage.store.observe { step, _ in told.note(step.action) }
    stage.store.send("a")
    observation.cancel()
    stage.store.send("b")
    #expect(told.entries == ["a"])
  }
}
