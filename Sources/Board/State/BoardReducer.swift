import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

/// The features side by side, and around them the account of which command runs and how the last
/// one ended.
public struct BoardReducer: ComposedReducer {
  private let features: FeatureList
  private let travels: SessionTravels
  private let reducers: ReducerList<AnyReducer<BoardState, BoardAction, Dependencies>>

  /// The reducer of a board that records and travels by itself; replays make one too.
  public init(_ features: FeatureList) {
    self.init(features, travels: SessionTravels(features))
  }

  /// - Parameter travels: What effects visit recordings with; the board continues forks that they
  ///   made.
  init(_ features: FeatureList, travels: SessionTravels) {
    self.features = features
    self.travels = travels
    reducers = ReducerBuilder.buildArray(features.features.map(\.reducer))
  }

  /// The features in an order that does not matter to them, then the account of running commands,
  /// which sees what they left.
  public var body: some Reducer<BoardState, BoardAction, Dependencies> {
    reducers
    Scope(state: \.session, action: BoardAction.session, id: "session") {
      SessionReducer(travels: travels)
    }
    ShellReducer(features: features)
    JobsReducer(features: features)
    ResumeReducer()
  }
}

/// Puts the board into another state, after everything else: the state must be the other's to the
/// last digit.
struct ResumeReducer: Reducer {
  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    guard case .resumed(let other) = action else { return [] }
    state = other
    return []
  }
}

extension BoardAction {
  /// Whether its outcome depends on the state, which its end changes.
  fileprivate var looksAtState: Bool {
    switch self {
    case .shell(.run(_, .state)), .shell(.run(_, .assert)): true
    default: false
    }
  }
}

/// Keeps the list of running commands, the status of the last one, and its value for `{{last}}`.
struct JobsReducer: Reducer {
  let features: FeatureList

  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    state.shell.finished = nil
    if let context = action.started { state.shell.running.append(context) }
    guard let outcome = features.outcome(of: action, in: state),
      let index = state.shell.running.firstIndex(where: { $0.job == outcome.job })
    else { return [] }
    let context = state.shell.running.remove(at: index)
    state.shell.finished = FinishedJob(
      context: context, status: outcome.status,
      found: action.looksAtState
        ? FinishedJob.Found(lastStatus: state.shell.lastStatus, last: state.shell.last) : nil,
      outcome: outcome)
    state.shell.lastStatus = outcome.status
    if outcome.status == 0, outcome.value != .null { state.shell.last = outcome.value.text }
    return []
  }
}
