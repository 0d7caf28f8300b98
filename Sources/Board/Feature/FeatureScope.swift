import SwiftBoardDependencies
import SwiftBoardStore

/// Runs a feature's reducer on its part of the board's state, in place, for the feature's actions.
///
/// `Scope` does the same by a key path. The feature's part is found by a subscript, and a key path
/// through one reads the part, changes the copy and writes it back, so that each step would copy
/// the array or dictionary that it changes.
struct FeatureScope<Child: Reducer>: Reducer
where Child.State: FeatureState, Child.Dependencies == Dependencies {
  private let key: FeatureKey<Child.State>
  private let action: CasePath<BoardAction, Child.Action>
  private let child: Child

  init(
    _ key: FeatureKey<Child.State>, action: CasePath<BoardAction, Child.Action>, _ child: Child
  ) {
    self.key = key
    self.action = action
    self.child = child
  }

  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    guard let own = self.action.extract(action) else { return [] }
    return child.reduce(&state[key], own, dependencies).scoped(self.action.embed, id: key.name)
  }

  func declaresSubscriptions(in path: CompositionPath) -> Bool {
    child.declaresSubscriptions(in: path)
  }

  func subscriptions(_ state: BoardState, _ dependencies: Dependencies) -> [Effect<BoardAction>] {
    child.subscriptions(state[key], dependencies).scoped(action.embed, id: key.name)
  }

  func findAbsentChildren(in state: BoardState, _ search: inout ChildSearch) {
    search.visit(child, id: key.name) { state[key] }
  }
}
