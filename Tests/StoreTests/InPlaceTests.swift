import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R3 In place")
struct InPlaceTests {
  final class Canary: Sendable {}

  struct Wide: Reducer {
    struct State: Sendable {
      var elements: [Int]
      var address = 0
    }

    func reduce(_ state: inout State, _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
      state.elements[action] += 1
      state.address = state.elements.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
      return []
    }
  }

  @Test("R3 a step changes the array where it lies, observed or not")
  func sameBuffer() {
    let store = Store(
      initialState: Wide.State(elements: Array(repeating: 0, count: 10_000)), reducer: Wide(),
      dependencies: ())
    store.send(0)
    let address = store.withState { $0.address }
    for index in 1..<100 { store.send(index) }
    #expect(store.withState { $0.address } == address)
    store.observe { step, state in #expect(state.elements[step.action] == 1) }
    for index in 100..<200 { store.send(index) }
    #expect(store.withState { $0.address } == address)
  }
}
