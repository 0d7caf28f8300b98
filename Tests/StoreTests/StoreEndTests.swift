import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R11 The end")
struct StoreEndTests {
  @Test("R11 dropping a store cancels its effects and frees it")
  func dropped() async {
    let ended = Gate()
    let gate = Gate()
    let executor = ManualExecutor()
    weak var weakStore: Store<Script>?
    do {
      let store = Store(
        initialState: Script.State(),
        reducer: Script { _ in
          [
            .run { _ in
              do { try await gate.wait() } catch { ended.open() }
            }
          ]
        }, dependencies: (), executor: executor)
      weakStore = store
      store.send("a")
      executor.run()
    }
    #expect(weakStore == nil)
    executor.run()
    try? await ended.wait()
  }

  @Test("R11 shutdown lets effects end")
  func drained() async {
    let store = Store(
      initialState: Script.State(), reducer: Script { $0 == "a" ? [.task { "b" }] : [] },
      dependencies: ())
    store.send("a")
    let left = await store.shutdown(deadline: .seconds(3600))
    #expect(left.isEmpty)
    #expect(store.state.seen == ["a", "b"])
  }

  @Test("R11 at the deadline it cancels and says what was running; later sends are issues")
  func deadline() async {
    let gate = Gate()
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "a"
          ? [
            .task(name: "slow") {
              try await gate.wait()
              return "never"
            }
          ] : []
      }, dependencies: (), onIssue: { issues.note($0) })
    let handle = store.send("a")
    let left = await store.shutdown(deadline: .zero)
    #expect(left.map(\.descriptor.name) == ["slow"])
    #expect(left.map(\.cause) == ["a"])
    await handle.finish()
    let line = #line + 1
    #expect(store.send("b").isFinished)
    store.send(contentsOf: ["c"])
    store.view.send("d")
    #expect(store.state.seen == ["a"])
    #expect(issues.entries.map(\.location.line) == (0..<3).map { UInt32(line + $0) })
    #expect(issues.entries.allSatisfy { "\($0.location.fileID)".hasSuffix("StoreEndTests.swift") })
  }
}
