import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R2 First in, first out")
struct FirstInFirstOutTests {
  @Test("R2 sent effects are breadth first")
  func breadthFirst() {
    let stage = Stage { action in
      switch action {
      case "a": [.send("b"), .send("c")]
      case "b": [.send("d")]
      case "c": [.send("e")]
      default: []
      }
    }
    stage.store.send("a")
    #expect(stage.seen == ["a", "b", "c", "d", "e"])
  }

  @Test("R2 a send from an observer is queued, not recursive, and not lost")
  func fromObserver() {
    let stage = Stage { $0 == "a" ? [.send("b")] : [] }
    let store = stage.store
    let told = Journal<[String]>()
    store.observe { [weak store] step, state in
      told.note(state.seen)
      if step.action == "a" {
        let handle = store?.send("x")
        #expect(store?.state.seen == ["a"], "the step being told is not overtaken")
        #expect(handle?.isFinished == false)
      }
    }
    store.send("a")
    #expect(stage.seen == ["a", "b", "x"])
    #expect(told.entries == [["a"], ["a", "b"], ["a", "b", "x"]])
  }

  @Test("R2 when send returns, alone, everything it caused at once is reduced and told")
  func alone() {
    let stage = Stage { $0 == "a" ? [.send("b")] : [] }
    let told = Journal<String>()
    stage.store.observe { step, _ in told.note(step.action) }
    #expect(stage.store.send("a").isFinished)
    #expect(stage.seen == ["a", "b"])
    #expect(told.entries == ["a", "b"])
  }

  @Test("R2 a send that meets a publication on another thread is reduced by that thread")
  func contended() {
    let stage = Stage()
    let store = stage.store
    let handles = Journal<StoreTask>()
    store.observe { [weak store] step, _ in
      guard step.action == "a", let store else { return }
      onAnotherThread {
        let handle = store.send("b")
        #expect(store.state.seen == ["a"])
        #expect(!handle.isFinished)
        handles.note(handle)
      }
    }
    store.send("a")
    #expect(store.state.seen == ["a", "b"])
    #expect(handles.entries.map(\.isFinished) == [true])
  }
}
