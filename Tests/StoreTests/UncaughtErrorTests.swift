import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

struct Broken: Error, CustomStringConvertible {
  var description: String { "the disk is on fire" }
}

@Suite("R9 Errors are never swallowed")
struct UncaughtErrorTests {
  @Test("R9 an uncaught error is an issue with effect, place and action", arguments: [true, false])
  func uncaught(isTask: Bool) throws {
    let stage = Stage { action in
      guard action == "save" else { return [] }
      return isTask
        ? [.task(name: "db.save", fileID: "Board/Db.swift", line: 7) { throw Broken() }]
        : [.run(name: "db.save", fileID: "Board/Db.swift", line: 7) { _ in throw Broken() }]
    }
    let told = Journal<StoreIssue>()
    stage.store.setHooks { _, _ in StepHooks(issue: { told.note($0) }) }
    let handle = stage.store.send("save")
    stage.executor.run()
    let issue = try #require(stage.issues.entries.first)
    #expect(stage.issues.entries.count == 1)
    #expect(told.entries == [issue])
    #expect(issue.location.description == "Board/Db.swift:7")
    #expect(issue.step == 1)
    for part in ["db.save", "the disk is on fire", "save"] {
      #expect(issue.message.contains(part))
    }
    #expect(handle.isFinished)
  }

  @Test("R9 a caught error is an action")
  func caught() {
    let stage = Stage { action in
      action == "save"
        ? [
          .concatenate(
            .task { throw Broken() },
            .run { send in
              send("half")
              throw Broken()
            }
          ).catch { "failed: \($0)" }
        ] : []
    }
    stage.store.send("save")
    stage.executor.run()
    #expect(
      stage.seen == [
        "save", "failed: the disk is on fire", "half", "failed: the disk is on fire",
      ])
    #expect(stage.issues.entries == [])
  }

  @Test("R9 cancellation is no error")
  func cancellation() {
    let stage = Stage { action in
      switch action {
      case "a": [.task { throw CancellationError() }.catch { _ in "never" }]
      case "b": [.run { _ in throw CancellationError() }]
      default: []
      }
    }
    stage.store.send("a")
    stage.store.send("b")
    stage.executor.run()
    #expect(stage.seen == ["a", "b"])
    #expect(stage.issues.entries == [])
  }

  @Test("R9 an issue that a reducer returns is told once to handler and hooks")
  func returned() {
    let stage = Stage { $0 == "a" ? [.issue("odd"), .send("b")] : [] }
    let told = Journal<StoreIssue>()
    stage.store.setHooks { _, _ in StepHooks(issue: { told.note($0) }) }
    stage.store.send("a")
    #expect(stage.issues.entries.map(\.message) == ["odd"])
    #expect(told.entries.map(\.message) == ["odd"])
  }

  @Test("an error whose text asks the store is described outside the lock")
  func describedOutside() {
    struct Loss: Error, CustomStringConvertible {
      let steps: @Sendable () -> Int
      var description: String { "lost after step \(steps())" }
    }
    let box = Mutex<Store<Script>?>(nil)
    let issues = Journal<StoreIssue>()
    let executor = ManualExecutor()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "a"
          ? [.task { throw Loss { box.withLock { $0 }?.stepCount ?? -1 } }] : []
      }, dependencies: (), executor: executor, onIssue: { issues.note($0) })
    box.withLock { $0 = store }
    store.send("a")
    executor.run()
    #expect(issues.entries.count == 1)
    #expect(issues.entries.first?.message.contains("lost after step 1") == true)
    box.withLock { $0 = nil }
  }
}
