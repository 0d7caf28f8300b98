import SwiftBoardDependencies
import SwiftBoardStore
import Synchronization

/// Counts the steps of a store, whose reducer cannot know their numbers otherwise.
final class StepCounter: Sendable {
  private let count = Atomic(0)

  /// The number of the step that is being reduced.
  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The same reducer, in whose log lines, and in those of its effects, stands the step that caused
/// them.
struct CausedReducer<Base: Reducer<BoardState, BoardAction, Dependencies>>: Reducer {
  /// `nil`: nothing is added, as for a board that is not live.
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
