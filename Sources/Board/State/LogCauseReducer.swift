import SwiftBoardDependencies
import SwiftBoardStore
import Synchronization

/// Counts the steps of a store for its reducer, which does not receive their numbers.
final class StepCounter: Sendable {
  private let count = Atomic(0)

  /// Returns the number of the step that is being reduced.
  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Adds the number of the causing step to the log lines of a reducer and its effects, and masks
/// secrets that become known while its effects run.
struct LogCauseReducer<Base: Reducer<BoardState, BoardAction, Dependencies>>: Reducer {
  /// The counter, or `nil` to add nothing, as on a board that is not live.
  let steps: StepCounter?
  let features: FeatureList
  let base: Base

  init(
    _ steps: StepCounter?, _ features: FeatureList,
    @ReducerBuilder<BoardState, BoardAction, Dependencies> _ base: () -> Base
  ) {
    self.steps = steps
    self.features = features
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
    guard !effects.isEmpty else { return [] }
    let redactor = dependencies.logger.redactor
    let known = redactor.count
    return effects.map { effect in
      effect.binding(LogCause.$current, to: cause).map { [features] action in
        redactor.count == known ? action : features.masked(action, by: redactor)
      }
    }
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
