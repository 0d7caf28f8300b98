import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R1 One order")
struct OrderTests {
  struct Counter: Reducer {
    func reduce(_ state: inout [Int], _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
      state.append(action)
      return []
    }
  }

  @Test("R1 nothing is lost or torn when many threads send")
  func manySenders() async {
    let store = Store(initialState: [], reducer: Counter(), dependencies: ())
    await withTaskGroup(of: Void.self) { group in
      for sender in 0..<8 {
        group.addTask {
          for index in 0..<500 { store.send(sender * 1000 + index) }
        }
      }
    }
    let state = store.state
    #expect(state.count == 4000)
    for sender in 0..<8 {
      #expect(state.filter { $0 / 1000 == sender } == (0..<500).map { sender * 1000 + $0 })
    }
    #expect(store.stepCount == 4000)
  }

  @Test("R1 with observers, every step is told once, in the order of reduction")
  func manySendersObserved() async throws {
    let store = Store(initialState: [], reducer: Counter(), dependencies: ())
    let told = Journal<(number: Int, action: Int, count: Int)>()
    let allAreTold = Gate()
    store.observe { step, state in
      told.note((step.number, step.action, state.count))
      if step.number == 1000 { allAreTold.open() }
    }
    await withTaskGroup(of: Void.self) { group in
      for sender in 0..<4 {
        group.addTask {
          for index in 0..<250 { store.send(sender * 1000 + index) }
        }
      }
    }
    // A send that met a publication was only queued, and its publisher may still be at it.
    try await allAreTold.wait()
    #expect(told.entries.map(\.number) == Array(1...1000))
    #expect(told.entries.map(\.count) == Array(1...1000))
    #expect(told.entries.map(\.action) == store.state)
  }
}
