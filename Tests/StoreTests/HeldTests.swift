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

  @Test("R2 a running store that is held queues what is sent, and reduces it when released")
  func heldWhileRunning() async {
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in action == "a" ? [.send("b")] : [] }, dependencies: ())
    let events = Journal<Bool>()
    await store.hold { events.note(true) }
    let before = events.entries.count
    for action in ["a", "c", "d"] { store.send(action, origin: .program(action)) }
    #expect(events.entries.count == before + 3)
    #expect(store.state.seen == [])
    #expect(store.waiting.map(\.action) == ["a", "c", "d"])
    #expect(store.reduce(store.waiting[2], at: 2))
    #expect(store.state.seen == ["d"])
    store.reduceNext()
    // The turn of "a" is open: another action cannot be chosen.
    #expect(!store.reduce(store.waiting[1], at: 1))
    store.reduceNext()
    #expect(store.state.seen == ["d", "a", "b"])
    store.endHold()
    #expect(store.state.seen == ["d", "a", "b", "c"])
    store.send("e")
    #expect(store.state.seen.last == "e")
  }

  @Test("R5 a cancel drops the queued actions of an effect that has ended")
  func endedEffect() {
    let store = store { action in
      switch action {
      case "start":
        [.task { "first" }, .run { send in send("late") }.cancellable(id: "x"), .task { "last" }]
      case "cancel": [.cancel(id: "x")]
      default: []
      }
    }
    _ = store.sendHeld("start", origin: .program(""))
    executor.run()
    #expect(store.waiting.map(\.action) == ["first", "late", "last"])
    _ = store.sendHeld("cancel", origin: .program(""))
    #expect(store.waiting.map(\.action) == ["first", "last"])
    while store.reduceNext() {}
    #expect(store.state.seen == ["start", "cancel", "first", "last"])
  }

  @Test("R5 an action is chosen among those whose effects were not cancelled")
  func chosen() async {
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        switch action {
        case "start":
          ["1", "2", "3"].map { name in Effect<String>.task { name }.cancellable(id: name) }
        case "cancel": [.cancel(id: "2")]
        default: []
        }
      }, dependencies: ())
    let (events, continuation) = AsyncStream.makeStream(of: Void.self)
    await store.hold { continuation.yield() }
    _ = store.sendHeld("start", origin: .program(""))
    for await _ in events where store.waiting.count == 3 { break }
    _ = store.sendHeld("cancel", origin: .program(""))
    let chosen = store.waiting[1]
    #expect(store.reduce(chosen, at: 1))
    #expect(!store.reduce(chosen, at: 0))
    #expect(store.state.seen == ["start", "cancel", chosen.action])
    store.endHold()
    #expect(store.state.seen.sorted() == ["1", "3", "cancel", "start"])
  }
}
