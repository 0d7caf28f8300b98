import SwiftBoardStore
import Synchronization

/// A box of dependencies that a test may replace between steps.
final class DependencyBox<Dependencies: Sendable>: Sendable {
  private let value: Mutex<Dependencies>

  init(_ dependencies: Dependencies) {
    value = Mutex(dependencies)
  }

  var dependencies: Dependencies {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// A reducer that uses the dependencies in a box at the time of each step.
struct BoxedReducer<Base: Reducer>: Reducer {
  let base: Base

  func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ box: DependencyBox<Base.Dependencies>
  ) -> [Effect<Base.Action>] {
    base.reduce(&state, action, box.dependencies)
  }

  func declaresSubscriptions(in path: CompositionPath) -> Bool {
    base.declaresSubscriptions(in: path)
  }

  func findAbsentChildren(in state: Base.State, _ search: inout ChildSearch) {
    base.findAbsentChildren(in: state, &search)
  }

  func subscriptions(
    _ state: Base.State, _ box: DependencyBox<Base.Dependencies>
  ) -> [Effect<Base.Action>] {
    base.subscriptions(state, box.dependencies)
  }
}
