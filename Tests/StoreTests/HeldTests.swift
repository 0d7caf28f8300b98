import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// What is of held stores alone; generated sequences compare their rules with the naive model.
@Suite("Held stores")
struct HeldTests {
  let executor = ManualExecutor()
  let issues = Journal<StoreIssue>()

  private func store(
    _ effects: @escaping @Sendable (String) -> [Effect<String>] = { _ in [] }
  ) -> Store<Script> {
    let issues = issues
    return Store(
      initialState: Script.State(), reducer: Script(effects), dependencies: (),
      executor: executor, isHeld: true, onIssue: { issues.note($0) })
  }

  @Test("R11 a held store that has ended reduces nothing and says at which line it was asked to")
  func ended() {
    let store = store()
    store.closeHeld()
    let line: UInt32 = #line + 1
    let task = store.sendHeld("late", origin: .program(""))
    #expect(store.state.seen == [])
    #expect(store.stepCount == 0)
    #expect(task.isFinished)
    #expect(issues.entries.map(\.location.line) == [line])
  }

  @Test("R2 what a test sends in an open turn is reduced at once and joins the turn")
  func openTurn() {
    let store = store { action in
      switch action {
      case "a": [.send("b"), .send("c")]
      case "x": [.send("y")]
      default: []
      }
    }
    _ = store.sendHeld("a", origin: .program(""))
    _ = store.sendHeld("x", origin: .program(""))
    #expect(store.state.seen == ["a", "x"])
    while store.reduceNext() {}
    #expect(store.state.seen == ["a", "x", "b", "c", "y"])
  }
}
