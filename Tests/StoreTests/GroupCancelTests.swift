import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R5 A cancel in a group")
struct GroupCancelTests {
  enum Form: CaseIterable, Sendable {
    case list, merge, concatenate, mergeInMerge, concatenateInMerge, mergeInConcatenate, withID

    func effects(_ members: [Effect<String>]) -> [Effect<String>] {
      switch self {
      case .list: members
      case .merge: [.merge(members)]
      case .concatenate: [.concatenate(members)]
      // Ids keep the groups apart: without one a group in a group of its kind is its members.
      case .mergeInMerge: [.merge(.merge(members).cancellable(id: "inner"), .task { "other" })]
      case .concatenateInMerge: [.merge(.concatenate(members), .task { "other" })]
      case .mergeInConcatenate: [.concatenate(.merge(members), .task { "other" })]
      case .withID: [.merge(members).cancellable(id: "group")]
      }
    }

    var others: [String] {
      switch self {
      case .mergeInMerge, .concatenateInMerge, .mergeInConcatenate: ["other"]
      case .list, .merge, .concatenate, .withID: []
      }
    }
  }

  private static func work(_ name: String) -> Effect<String> {
    .task(name: name) { name }.cancellable(id: "x")
  }

  @Test("R5 what stands behind a cancel in the same value runs", arguments: Form.allCases)
  func behind(form: Form) {
    let stage = Stage { action in
      action == "go" ? form.effects([.cancel(id: "x"), Self.work("new")]) : []
    }
    let handle = stage.store.send("go")
    stage.executor.run()
    #expect(stage.seen.first == "go")
    #expect(Set(stage.seen.dropFirst()) == Set(["new"] + form.others))
    #expect(stage.seen.count == 2 + form.others.count)
    #expect(handle.isFinished && stage.store.effects.isEmpty)
  }

  @Test("R5 what an earlier step returned is cancelled", arguments: Form.allCases)
  func earlier(form: Form) {
    let stage = Stage { action in
      switch action {
      case "begin": [Self.work("old")]
      case "go": form.effects([.cancel(id: "x"), Self.work("new")])
      default: []
      }
    }
    let old = stage.store.send("begin")
    stage.store.send("go")
    stage.executor.run()
    #expect(stage.seen.contains("new") && !stage.seen.contains("old"))
    #expect(old.isFinished)
  }

  @Test(
    "R5 what stands before a cancel in the same value is cancelled",
    arguments: [Form.list, .merge, .mergeInMerge, .withID])
  func before(form: Form) {
    let stage = Stage { action in
      action == "go"
        ? form.effects([Self.work("first"), .cancel(id: "x"), Self.work("second")]) : []
    }
    stage.store.send("go")
    stage.executor.run()
    #expect(Set(stage.seen) == Set(["go", "second"] + form.others))
  }

  @Test("R5 in a concatenate a cancel acts when it is reached, on what was returned before")
  func reached() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "go":
        [
          .concatenate(
            .task {
              try await gate.wait()
              return "first"
            }, .cancel(id: "x"), Self.work("third")),
          Self.work("beside"),
        ]
      case "late": [.run { _ in try await Gate().wait() }.cancellable(id: "x")]
      default: []
      }
    }
    stage.store.send("go")
    stage.executor.run()
    #expect(stage.seen == ["go", "beside"], "the cancel has not been reached")
    let late = stage.store.send("late")
    stage.executor.run()
    gate.open()
    stage.executor.run()
    #expect(stage.seen == ["go", "beside", "late", "first", "third"])
    #expect(late.isFinished, "an effect that is there when the cancel is reached is cancelled")
  }

  @Test(
    "R5 cancelInFlight in a group cancels earlier effects, and none of the group",
    arguments: Form.allCases)
  func cancelInFlight(form: Form) {
    let stage = Stage { action in
      guard action == "old" || action == "go" else { return [] }
      let names = action == "old" ? ["1", "2"] : ["3", "4"]
      return form.effects(
        names.map { name in
          .task(name: name) { name }.cancellable(
            id: name == "2" || name == "4" ? "y" : "x",
            cancelInFlight: true)
        })
    }
    stage.store.send("old")
    stage.store.send("go")
    stage.executor.run()
    #expect(!stage.seen.contains("1") && !stage.seen.contains("2"))
    #expect(stage.seen.contains("3") && stage.seen.contains("4"))
  }

  @Test(
    "R5 a group that cancels what is in flight runs all of its members", arguments: [true, false])
  func groupInFlight(isMerge: Bool) {
    let stage = Stage { action in
      guard action.count == 1 else { return [] }
      let members: [Effect<String>] = ["1", "2"].map { number in .task { action + number } }
      return [
        (isMerge ? Effect.merge(members) : .concatenate(members))
          .cancellable(id: "x", cancelInFlight: true)
      ]
    }
    stage.store.send("a")
    stage.store.send("b")
    stage.executor.run()
    #expect(stage.seen == ["a", "b", "b1", "b2"])
    #expect(stage.store.effects.isEmpty)
  }

  @Test(
    "a group whose members were all cancelled before its turn ends")
  func emptied() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "go":
        [
          .concatenate([
            .run { _ in try await gate.wait() },
            .merge([
              .task { "a" }.cancellable(id: "a"), .task { "b" }.cancellable(id: "b"),
            ]),
            .task { "last" },
          ])
        ]
      case "stop": [.cancel(id: "a"), .cancel(id: "b")]
      default: []
      }
    }
    let handle = stage.store.send("go")
    stage.executor.run()
    stage.store.send("stop")
    gate.open()
    stage.executor.run()
    #expect(stage.seen == ["go", "stop", "last"])
    #expect(handle.isFinished)
  }

  @Test(
    "a group may bear an id of which a member cancels what is in flight")
  func twice() {
    let stage = Stage { action in
      action == "go"
        ? [
          .merge([
            .task { "a" }.cancellable(id: "x", cancelInFlight: true), .task { "b" },
          ]).cancellable(id: "x")
        ] : []
    }
    let handle = stage.store.send("go")
    stage.executor.run()
    #expect(stage.store.effects.isEmpty)
    #expect(handle.isFinished)
  }

  @Test(
    "cancelling a group leaves what its members caused")
  func caused() {
    let gate = Gate()
    let stage = Stage { action in
      switch action {
      case "go":
        [
          .merge([.task { "next" }, .run(name: "other") { _ in try await gate.wait() }])
            .cancellable(id: "x")
        ]
      case "next":
        [
          .task(name: "caused") {
            try await gate.wait()
            return "caused"
          }
        ]
      case "stop": [.cancel(id: "x")]
      default: []
      }
    }
    stage.store.send("go")
    stage.executor.run()
    stage.store.send("stop")
    gate.open()
    stage.executor.run()
    #expect(stage.seen == ["go", "next", "stop", "caused"])
  }

  @Test("R5 a cancel in a sequence does not reach what stands behind it")
  func sequenceCancelsItself() {
    let executor = ManualExecutor()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "a"
          ? [
            .concatenate(
              .cancel(id: "x"), .task { "second" }.cancellable(id: "x"), .task { "third" })
          ] : []
      }, dependencies: (), executor: executor)
    let handle = store.send("a")
    executor.run()
    #expect(store.state.seen == ["a", "second", "third"])
    #expect(handle.isFinished)
  }

  @Test(
    "R5 what stands behind a cancel runs, even if it began before the cancel was reached",
    arguments: [Form.list, .merge, .mergeInMerge, .mergeInConcatenate, .withID])
  func begunBehind(form: Form) {
    let gate = Gate()
    let stage = Stage { action in
      action == "go"
        ? form.effects([
          .concatenate(.task { "first" }, .cancel(id: "x")),
          .task {
            try await gate.wait()
            return "behind"
          }.cancellable(id: "x"),
        ]) : []
    }
    stage.store.send("go")
    stage.executor.run()
    #expect(stage.seen.contains("first") && gate.waiters == 1)
    gate.open()
    stage.executor.run()
    #expect(stage.seen.contains("behind"))
  }

  @Test(
    "R5 cancelInFlight acts whatever the effect does, alone and in a group",
    arguments: [Form.list, .merge, .concatenate], 0..<3)
  func cancelInFlightAtOnce(form: Form, kind: Int) {
    let effects: [Effect<String>] = [.cancel(id: "none"), .issue("refused"), .send("sent")]
    let effect = effects[kind].cancellable(id: "x", cancelInFlight: true)
    let old = Effect<String>.run { _ in try await Gate().wait() }.cancellable(id: "x")
    let stage = Stage { action in
      switch action {
      case "begin": [old]
      case "go": form.effects([effect])
      default: []
      }
    }
    stage.store.send("begin")
    stage.executor.run()
    stage.store.send("go")
    stage.executor.run()
    #expect(stage.store.effects.isEmpty)
  }
}
