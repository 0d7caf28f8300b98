import SwiftBoardDependencies
import SwiftBoardStore
import Synchronization

/// Counts the steps of a store for its reducer, which does not receive their numbers.
final class StepCounter: Sendable {
  private let count = Atomic(0)

  /// Returns the number of the step that is being reduced.
  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Adds the number of the causing step to the log lines of a reducer and its effects.
struct CausedReducer<Base: Reducer<BoardState, BoardAction, Dependencies>>: Reducer {
  /// The counter, or `nil` to add nothing, as on a board that is not live.
  let steps: StepCounter?
  let base: Base

  init(
    _ steps: StepCounter?, @ReducerBuilder<BoardState, BoardAction, Dependencies> _ base: () -> Base
  ) {
    self.steps = steps
    self.base = base()
  }

  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    guard let steps else { return base.reduce(&state, action, dependencies) }
    let cause = LogCause(step: steps.next(), job: action.started?.job)
    let effects = LogCause.$current.withValue(cause) {
      base.reduce(&state, action, dependencies)
    }
    return effects.map { $0.binding(LogCause.$current, to: cause) }
  }

  func declaresSubscriptions(in path: CompositionPath) -> Bool {
    base.declaresSubscriptions(in: path)
  }

  func subscriptions(
    _ state: BoardState, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    base.subscriptions(state, dependencies)
  }

  func findAbsentChildren(in state: BoardState, _ search: inout ChildSearch) {
    base.findAbsentChildren(in: state, &search)
  }
}
