import SwiftBoardStore
import SwiftBoardTesting
import Testing

// The feature of docs/coming-from-tca.md, as it stands there.

private struct Search: Reducer {
  struct State: Sendable, Equatable {
    var text = ""
    var results: [String] = []
    var failure: String?
  }

  enum Action: Sendable, Equatable {
    case typed(String)
    case found([String])
    case failed(String)
  }

  struct Dependencies: Sendable {
    var clock: any Clock<Duration>
    var find: @Sendable (String) async throws -> [String]
  }

  func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    switch action {
    case .typed(let text):
      state.text = text
      guard !text.isEmpty else {
        state.results = []
        return [.cancel(id: "search")]
      }
      return [
        .task(name: "search") { .found(try await dependencies.find(text)) }
          .timeout(after: .seconds(5), clock: dependencies.clock)
          .catch { .failed("\($0)") }
          .debounced(id: "search", for: .milliseconds(300), clock: dependencies.clock)
      ]
    case .found(let results):
      state.results = results
    case .failed(let reason):
      state.failure = reason
    }
    return []
  }
}

@Suite("The example of coming-from-tca.md")
struct ComingFromTCATests {
  private func search(
    _ clock: TestClock, find: @escaping @Sendable (String) async throws -> [String]
  ) -> TestStore<Search> {
    TestStore(
      initialState: Search.State(), reducer: Search(), clock: clock,
      dependencies: Search.Dependencies(clock: clock, find: find),
      report: { Issue.record("\($0)") })
  }

  @Test("the last of what is typed is looked up, once")
  func debounce() {
    let store = search(TestClock()) { ["\($0)!"] }
    store.send(.typed("r")) { $0.text = "r" }
    #expect(store.effects == [EffectDescriptor(kind: .task, name: "search", id: "search")])
    store.advance(by: .milliseconds(200))
    store.send(.typed("ri")) { $0.text = "ri" }
    store.advance(by: .milliseconds(300))
    store.receive(.found(["ri!"])) { $0.results = ["ri!"] }
    store.finish()
  }

  @Test("an empty text ends the search, and nothing of it comes any more")
  func empty() {
    let store = search(TestClock()) { ["\($0)!"] }
    store.send(.typed("r")) { $0.text = "r" }
    store.send(.typed("")) { $0.text = "" }
    store.advance(by: .seconds(10))
    store.finish()
  }

  @Test("a search that takes too long, and one that fails, say so")
  func failures() {
    let clock = TestClock()
    let store = search(clock) { text in
      if text == "slow" { try await clock.sleep(for: .seconds(60)) }
      throw Broken()
    }
    store.send(.typed("slow")) { $0.text = "slow" }
    store.advance(by: .milliseconds(5299))
    #expect(store.received == [])
    store.advance(by: .milliseconds(1))
    let late = "“search” took longer than 5.0 seconds"
    store.receive(.failed(late)) { $0.failure = late }
    store.send(.typed("x")) { $0.text = "x" }
    store.advance(by: .milliseconds(300))
    store.receive(.failed("the disk is on fire")) { $0.failure = "the disk is on fire" }
    store.finish()
  }
}
