import SwiftBoardDependencies
import SwiftBoardStore

/// Lets all features read their data again after one of them has replaced it.
struct ReloadReducer: Reducer {
  let features: FeatureList

  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    guard case .feature(let action) = action, features[action.feature]?.replacesData(action) == true
    else { return [] }
    for feature in features.features { feature.changes.reload(&state) }
    return []
  }
}
