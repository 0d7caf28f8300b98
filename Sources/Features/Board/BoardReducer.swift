import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

/// The features side by side, and around them the account of which command runs and how the last
/// one ended.
public struct BoardReducer: ComposedReducer {
  private let travels: SessionTravels
  private let joined: JoinedReducer

  /// The reducer of a board that records and travels by itself; replays make one too.
  public init() {
    self.init(travels: SessionTravels())
  }

  /// - Parameters:
  ///   - travels: What effects visit recordings with; the board continues forks that they made.
  ///   - joined: Reduces beside the features, and sees their commands.
  init(travels: SessionTravels, joined: JoinedReducer = JoinedReducer()) {
    self.travels = travels
    self.joined = joined
  }

  /// The features in an order that does not matter to them, then the account of running commands,
  /// which sees what they left.
  public var body: some Reducer<BoardState, BoardAction, Dependencies> {
    Scope(state: \.api, action: .api, id: "api") { APIReducer() }
    Scope(state: \.keychain, action: .keychain, id: "keychain") { KeychainReducer() }
    Scope(state: \.db, action: .db, id: "db") { DatabaseReducer() }
    Scope(state: \.log, action: .log, id: "log") { LogReducer() }
    Scope(state: \.session, action: .session, id: "session") {
      SessionReducer(travels: travels)
    }
    ShellReducer()
    joined
    JobsReducer()
    ResumeReducer()
  }
}

/// What a program adds to the board's own features; without `body` nothing.
struct JoinedReducer: Reducer {
  typealias Body =
    @Sendable (inout BoardState, BoardAction, Dependencies) -> [Effect<BoardAction>]

  var body: Body?

  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    body?(&state, action, dependencies) ?? []
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
  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    state.shell.finished = nil
    if let context = action.started { state.shell.running.append(context) }
    guard let outcome = BoardFeatures.outcome(of: action, in: state),
      let index = state.shell.running.firstIndex(where: { $0.job == outcome.job })
    else { return [] }
    let context = state.shell.running.remove(at: index)
    state.shell.finished = FinishedJob(
      context: context, status: outcome.status,
      found: action.looksAtState
        ? FinishedJob.Found(lastStatus: state.shell.lastStatus, last: state.shell.last) : nil)
    state.shell.lastStatus = outcome.status
    if outcome.status == 0, outcome.value != .null { state.shell.last = outcome.value.text }
    return []
  }
}
