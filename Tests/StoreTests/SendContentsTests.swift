import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Sending many")
struct SendContentsTests {
  @Test(
    "R1 the same steps as one by one, with effects, observers or neither", arguments: [false, true])
  func same(isObserved: Bool) async throws {
    let store = countStore()
    let seen = Journal<Int>()
    if isObserved { store.observe { step, _ in seen.note(step.number) } }
    store.send(contentsOf: Array(1...149) + [100_000, -1])
    try await store.wait(until: { $0.other == 1 })
    #expect(store.stepCount >= 151)
    #expect(!isObserved || seen.entries.prefix(151) == Array(1...151)[...])
  }

  @Test(
    "a sequence that is sent at once may be made from the store")
  func lazily() async {
    await #expect(processExitsWith: .success) {
      let store = Store(initialState: Script.State(), reducer: Script(), dependencies: ())
      store.send(contentsOf: (0..<3).lazy.map { "\($0) at \(store.stepCount)" })
    }
  }
}
