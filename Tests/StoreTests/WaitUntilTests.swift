import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Waiting for a state")
struct WaitUntilTests {
  @Test("a state that holds already, one that comes, and one that lasts one step only")
  func wait() async throws {
    let executor = ManualExecutor()
    let store = countStore()
    try await store.wait(until: { $0.count == 0 })
    let passing = Task(executorPreference: executor) {
      try await store.wait { $0.count == 100_000 }
    }
    let later = Task(executorPreference: executor) { try await store.wait { $0.count == 7 } }
    executor.run()
    #expect(store.observerCount == 2)
    store.send(contentsOf: [100_000, 8, 7, 9])
    #expect(store.observerCount == 0)
    executor.run()
    try await passing.value
    try await later.value
  }

  @Test("an error when the store ends, or the waiting task is cancelled, before")
  func ends() async throws {
    let executor = ManualExecutor()
    let store = countStore()
    let early = Task(executorPreference: executor) { try await store.wait { $0.count == 7 } }
    early.cancel()
    executor.run()
    await #expect(throws: CancellationError.self) { try await early.value }
    let late = Task(executorPreference: executor) { try await store.wait { $0.count == 7 } }
    executor.run()
    late.cancel()
    executor.run()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(store.observerCount == 0)
    let waiting = Task(executorPreference: executor) { try await store.wait { $0.count == 7 } }
    executor.run()
    await store.shutdown(deadline: .zero)
    executor.run()
    await #expect(throws: StoreEnded.self) { try await waiting.value }
    await #expect(throws: StoreEnded.self) { try await store.wait(until: { $0.count == 7 }) }
    try await store.wait(until: { $0.count == 0 })
  }

  @Test(
    "a state that fulfilled the predicate is not asked again")
  func askedOnce() async throws {
    let stage = Stage()
    let asked = Journal<Int>()
    try await stage.store.wait { _ in
      asked.note(1)
      return asked.entries.count == 1
    }
    #expect(asked.entries == [1])
  }
}
