import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("A send in the wrong place")
struct EarlySendTests {
  enum Action: Sendable, Equatable { case twice, reset, tap, loaded }

  static let reducer = Reduce<Int, Action, Void> { state, action, _ in
    switch action {
    case .twice: return [.send(.reset), .send(.tap)]
    case .reset: state = 0
    case .tap:
      state += 1
      return [.fireAndForget(name: "sound") {}]
    case .loaded: state += 10
    }
    return []
  }

  let failures = Failures()

  private func store() -> TestStore<Reduce<Int, Action, Void>> {
    TestStore(initialState: 5, reducer: Self.reducer, report: failures.report)
  }

  @Test("the correct lines after it do not fail, and are checked")
  func laterLines() {
    let store = store()
    store.send(.twice)
    let line = #line + 1
    store.send(.loaded) { $0 = 11 }
    store.receive(.reset) { $0 = 0 }
    #expect(store.receive(where: { $0 == .tap }) { $0 = 1 } == .tap)
    #expect(failures.lines == [line])
    store.send(.twice)
    store.receive(.reset) { $0 = 0 }
    store.receive(.tap) { $0 = 1 }
    store.finish()
    #expect(failures.lines == [line])
  }

  @Test("lines with another state or other effects fail")
  func wrongLines() {
    let store = store()
    store.send(.twice)
    store.send(.loaded) { $0 = 11 }
    store.receive(.reset) { $0 = 3 }
    store.receive(.tap, effects: []) { $0 = 1 }
    #expect(failures.kinds == [.unreceivedActions, .stateDiffers, .effectsDiffer])
    store.receive(.tap) { $0 = 1 }
    #expect(failures.kinds.last == .nothingReceived)
  }

  @Test("a test need not receive them, and may skip them")
  func skipped() {
    let store = store()
    store.send(.twice)
    store.send(.loaded) { $0 = 11 }
    #expect(store.skipReceivedActions() == [.reset, .tap])
    store.send(.twice)
    store.send(.loaded) { $0 = 11 }
    store.receive(.tap) { $0 = 1 }
    store.finish()
    #expect(failures.kinds == [.unreceivedActions, .unreceivedActions])
  }
}
