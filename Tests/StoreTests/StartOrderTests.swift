import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("R4 Effects start in order")
struct StartOrderTests {
  @Test("R4 in the order returned, those of step n before those of n+1")
  func startOrder() {
    let begun = Journal<String>()
    let stage = Stage { action in
      guard action.count == 1 else { return [] }
      return (1...3).map { index in
        .task {
          begun.note("\(action)\(index)")
          return "\(action)\(index) done"
        }
      }
    }
    stage.store.send("a")
    stage.store.send("b")
    #expect(begun.entries == [], "nothing runs inside send")
    stage.executor.run()
    #expect(begun.entries == ["a1", "a2", "a3", "b1", "b2", "b3"])
  }

  @Test("R4 an effect that begins sees its step's state")
  func stateIsVisible() async {
    let seen = Journal<[String]>()
    let box = Mutex<Store<Script>?>(nil)
    let stage = Stage { action in
      action == "a"
        ? [
          .run { _ in
            let store = box.withLock { $0 }
            seen.note(store?.state.seen ?? [])
          }
        ] : []
    }
    box.withLock { $0 = stage.store }
    stage.store.send("a")
    stage.executor.run()
    box.withLock { $0 = nil }
    #expect(seen.entries == [["a"]])
  }

  @Test("R4 the members of a concatenation run one after the other, those of a merge side by side")
  func groups() async {
    let gate = Gate()
    let begun = Journal<String>()
    let stage = Stage { action in
      switch action {
      case "sequence":
        [
          .concatenate(
            .task {
              begun.note("1")
              try await gate.wait()
              return "one"
            },
            .send("two"),
            .merge(
              .task {
                begun.note("3a")
                return "three a"
              },
              .task {
                begun.note("3b")
                return "three b"
              }),
            .task {
              begun.note("4")
              return "four"
            })
        ]
      default: []
      }
    }
    let handle = stage.store.send("sequence")
    stage.executor.run()
    #expect(begun.entries == ["1"])
    gate.open()
    stage.executor.run()
    #expect(begun.entries == ["1", "3a", "3b", "4"])
    #expect(stage.seen == ["sequence", "one", "two", "three a", "three b", "four"])
    #expect(handle.isFinished)
    #expect(stage.store.effects.isEmpty)
  }

  @Test("R4 what gets a place by a cancelling starts before the task that cancelled")
  func placeBeforeNew() {
    let executor = ManualExecutor()
    let journal = Journal<String>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        let task = Effect<String>.run { _ in journal.note(action) }
        return switch action {
        case "new": [task.cancellable(id: "first", cancelInFlight: true)]
        case "first":
          [
            .run { _ in try await Gate().wait() }
              .cancellable(id: "first").limited(id: "places", to: 1, whenFull: .wait)
          ]
        default: [task.limited(id: "places", to: 1, whenFull: .wait)]
        }
      }, dependencies: (), executor: executor)
    store.send("first")
    store.send("waiting")
    store.send("new")
    executor.run()
    #expect(journal.entries == ["waiting", "new"])
  }

  @Test(
    "R4 a member's last action starts what it caused before the next member, watched or not",
    arguments: [false, true])
  func causedBeforeNext(isObserved: Bool) {
    let executor = ManualExecutor()
    let journal = Journal<String>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        switch action {
        case "a":
          [
            .concatenate(
              .task { "first" },
              .task {
                journal.note("second")
                return "end"
              })
          ]
        case "first":
          [
            .task {
              journal.note("caused")
              return "end"
            }
          ]
        default: []
        }
      }, dependencies: (), executor: executor)
    if isObserved { store.observe { _, _ in } }
    store.send("a")
    executor.run()
    #expect(journal.entries == ["caused", "second"])
  }
}
