import Observation
import SwiftBoardStore
import Synchronization
import Testing

/// A model of the standard library's observation beside a store. Its macro expands to names that
/// begin with `Observation.`, which no type of the library may have.
@Observable
private final class Model: Sendable {
  var count: Int {
    get {
      access(keyPath: \.count)
      return value.withLock { $0 }
    }
    set { withMutation(keyPath: \.count) { value.withLock { $0 = newValue } } }
  }

  private let value = Mutex(0)
}

@Suite struct ObservableModelTests {
  @Test("an observable model in the same file as a store follows its states")
  func model() {
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { state, action in
        state += action
        return []
      })
    let model = Model()
    let token: ObservationToken = store.observe { _, state in model.count = state }
    let changes = Mutex(0)
    withObservationTracking {
      _ = model.count
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    store.send(2)
    #expect(model.count == 2)
    #expect(changes.withLock { $0 } == 1)
    token.cancel()
    store.send(3)
    #expect(model.count == 2)
  }
}
