import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Metrics")
struct MeterTests {
  @Test("each reduction and each turn in the life of an effect is told, in order")
  func events() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "work": [.task(name: "ok") { "done" }]
      case "fail": [.task(name: "bad") { throw Broken() }]
      case "wait":
        [
          .task(name: "slow") {
            try await gate.wait()
            return "never"
          }.cancellable(id: 1)
        ]
      case "cancel": [.cancel(id: 1)]
      case "twice":
        [
          .task(name: "first") { "1" }.limited(id: 2, whenFull: .drop),
          .task(name: "second") { "2" }.limited(id: 2, whenFull: .drop),
        ]
      default: []
      }
    }
    let told = Journal<String>()
    stage.store.setMeter { event in
      switch event {
      case .willReduce(let action, let step): told.note("\(step) will \(action)")
      case .didReduce(let step, let effects): told.note("\(step) did, \(effects)")
      case .effectStarted(let effect): told.note("started \(effect.descriptor.name)")
      case .effectFinished(let effect): told.note("finished \(effect.descriptor.name)")
      case .effectFailed(let effect, let error):
        told.note("failed \(effect.descriptor.name): \(error)")
      case .effectCancelled(let effect): told.note("cancelled \(effect.descriptor.name)")
      case .effectDropped(let effect): told.note("dropped \(effect.descriptor.name)")
      case .actionDropped(let action): told.note("dropped action \(action)")
      }
    }
    for action in ["work", "fail", "wait", "cancel", "twice"] {
      stage.store.send(action)
      stage.executor.run()
    }
    #expect(
      told.entries == [
        "1 will work", "1 did, 1", "started ok", "2 will done", "2 did, 0", "finished ok",
        "3 will fail", "3 did, 1", "started bad", "failed bad: the disk is on fire",
        "4 will wait", "4 did, 1", "started slow",
        "5 will cancel", "5 did, 1", "cancelled slow",
        "6 will twice", "6 did, 2", "started first", "dropped second",
        "7 will 1", "7 did, 0", "finished first",
      ])
    stage.store.setMeter(nil)
    stage.store.send("work")
    #expect(told.entries.count == 23)
  }

  @Test("the events of one effect bear one number, those of another a different one")
  func numbers() {
    let stage = Stage { $0 == "go" ? [.task { "a" }, .task { "b" }] : [] }
    let started = Journal<UInt64>()
    let finished = Journal<UInt64>()
    stage.store.setMeter { event in
      switch event {
      case .effectStarted(let effect): started.note(effect.number)
      case .effectFinished(let effect): finished.note(effect.number)
      default: break
      }
    }
    stage.store.send("go")
    stage.executor.run()
    #expect(started.entries.count == 2)
    #expect(Set(started.entries).count == 2)
    #expect(started.entries == finished.entries)
  }

  @Test("an action of a cancelled effect, and one after the end, are told as dropped")
  func dropped() async {
    let gate = Gate()
    let stage = Stage { action in
      action == "go"
        ? [
          .run { send in
            // Deaf to its cancellation.
            try? await gate.wait()
            send("late")
          }.cancellable(id: 1)
        ] : action == "stop" ? [.cancel(id: 1)] : []
    }
    let told = Journal<String>()
    stage.store.setMeter { if case .actionDropped(let action) = $0 { told.note(action) } }
    stage.store.send("go")
    stage.executor.run()
    stage.store.send("stop")
    stage.executor.run()
    #expect(told.entries == ["late"])
    await stage.store.shutdown(deadline: .zero)
    stage.store.send("after")
    #expect(told.entries == ["late", "after"])
  }

  @Test(
    "what starts because something was dropped is told to the meter")
  func startedByDrop() {
    let gate = Gate()
    let stage = Stage { action in
      guard action.count == 1 else { return [] }
      return [
        .concatenate([
          .run(name: action) { _ in try await gate.wait() }
            .limited(id: "x", whenFull: .wait(capacity: 1, dropsOldest: true)),
          .run(name: "after \(action)") { _ in },
        ])
      ]
    }
    let told = Journal<String>()
    stage.store.setMeter {
      switch $0 {
      case .effectStarted(let effect): told.note("started \(effect.descriptor.name)")
      case .effectFinished(let effect): told.note("finished \(effect.descriptor.name)")
      case .effectDropped(let effect): told.note("dropped \(effect.descriptor.name)")
      default: break
      }
    }
    for action in ["a", "b", "c"] {
      stage.store.send(action)
      stage.executor.run()
    }
    #expect(
      told.entries == ["started a", "dropped b", "started after b", "finished after b"])
  }
}
