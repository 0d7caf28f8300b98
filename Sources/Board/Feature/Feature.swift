import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore

/// A feature of a board: its state, its reducer, its commands and their output, and its links.
///
/// ```swift
/// extension BoardFeatures {
///   static let tea = Feature(
///     name: "tea", summary: "brew tea", state: TeaState(), reducer: TeaReducer(),
///     commands: TeaCommands.table,
///     outcome: { action, state, _ in
///       guard case .ready(let job) = action else { return nil }
///       return Outcome(job: job, value: .number(String(state.cups)))
///     })
/// }
/// ```
///
/// Add it to the board's `FeatureList`. Recordings store its state and its actions under its name.
public struct Feature<State: FeatureState, Action: FeatureAction>: Sendable {
  /// The first word of its commands and the host of its links.
  public let name: String
  /// A summary for help: one line without a full stop.
  public let summary: String
  /// Details for the help of its first word, or an empty text.
  public let details: String
  /// The state before the first action.
  public let initialState: State
  /// The reducer. Its cancel IDs cannot collide with those of other features.
  public var reducer: AnyReducer<State, Action, Dependencies>
  /// The commands. Each becomes an action once it has a context.
  public let commands: CommandTable<FeatureCommand<Action>>
  /// Returns the outcome of the command that an action ends, or `nil` if it ends none. Called once
  /// per step, with the state after it.
  public let outcome: @Sendable (Action, State, OutcomeContext) -> Outcome?
  /// Returns the output of a command that has not ended yet, or `nil` if the action shows nothing.
  public let partialOutcome: @Sendable (Action) -> PartialOutcome?
  /// Returns the command line for a link `swiftboard://NAME/…`, or `nil` if the link is not valid
  /// for this feature. Its words are treated as text, so a link cannot set options.
  public let link: @Sendable (BoardLink) -> [String]?
  /// Returns the analytics events of an action. They are only tracked if the user has given
  /// consent. Called once per step, with the state after it. Events contain names and numbers, and
  /// no user input.
  public let events: @Sendable (Action, State) -> [AnalyticsEvent]
  /// Updates the state after a job was cancelled. Its effects send no more actions.
  public let cancelled: @Sendable (inout State, _ job: Int) -> Void
  /// Returns whether the feature itself ends a cancelled command, with an action that says what the
  /// command did before. Called with the state after `cancelled`. If it returns false, the command
  /// ends when it is cancelled.
  public let endsCancelled: @Sendable (State, _ job: Int) -> Bool
  /// Removes the answers of services and user input from the state, except for running commands.
  /// Called when a secret that the state contains becomes known. If it then stays in the state, the
  /// board warns of that.
  public let forget: @Sendable (inout State) -> Void
  /// Removes the user input of a running command that contains such a secret from the state.
  /// Returns whether the command can continue without it. If not, the command fails, and
  /// `cancelled` is called.
  public let hide: @Sendable (inout State, _ job: Int) -> Bool
  /// Returns whether an action replaces stored data that other features may have read. Called once
  /// per step; if it returns true, each feature's `reload` follows.
  public let replacesData: @Sendable (Action) -> Bool
  /// Removes data that was read from the database from the state, so that it is read again when it
  /// is needed.
  public let reload: @Sendable (inout State) -> Void
  /// Removes copies of what services hold from the state, so that they are read again when they are
  /// needed, and commands other than those of the jobs in `running`. Called after `reload`, when
  /// the board continues in a fork: its state is that of an earlier step, the services have not
  /// gone back, and the commands of that step do not run.
  public let continued: @Sendable (inout State, _ running: Set<Int>) -> Void
  /// Members of the feature's actions that differ between equal runs, such as timings and dates. A
  /// live replay ignores them. Each is the text of a `JSONPathPattern` relative to the feature's
  /// action: `brewed.pot.seconds`.
  public let volatile: [String]
  /// The whole names of effects that run until they are cancelled, and may have nothing to send,
  /// such as one that follows a log. A live replay waits ten seconds for each action of these.
  public let endlessEffects: [String]
  /// Whether its commands store or send their words. If so, a word that contains a mark, which
  /// replaces a secret, is refused.
  public let passesWordsOn: Bool
  /// The rule that finds secrets typed into the feature's lines.
  public let secretWords: SecretWords
  /// Changes the initial state for an interactive session at a terminal. Scripts and single
  /// commands use the unchanged state.
  public let atTerminal: @Sendable (inout State) -> Void
  /// Returns the action that loads the service data that the state shows, or `nil` if it is loaded.
  /// The board sends it before a line that reads the state (`state`, `assert`). The action must not
  /// start a command, and all of its effects must have ended when the data is loaded. The action
  /// that ends the loading has a `FeatureAction.loading`.
  public let bootstrap: @Sendable (State) -> Action?
  /// Returns the values of a kind for completion, for example the names of services. A value that
  /// ends with `/` is the beginning of one. It must not change anything, and must never return a
  /// secret.
  public let candidates: @Sendable (ValueKind, State, Dependencies) async -> [String]
  /// The version of the encoding of its states and actions in recordings, from 1. Raise it, and add
  /// a migration, when the encoding changes. It is `nil` for the features of this package, which
  /// share the board's version.
  public let version: Int?
  /// Returns the migrations of its states and actions in earlier recordings. Each converts one
  /// version to the next. Like `volatile`, they are relative to the feature's own state and action.
  public let migrations: @Sendable () -> [LogMigration]

  // Inlined, so that the reducer is compiled for the feature's own types.
  /// Creates a feature. By default, it has no links, no volatile members and no secrets.
  @inlinable
  public init(
    name: String, summary: String, details: String = "", state: State,
    reducer: some Reducer<State, Action, Dependencies>,
    commands: CommandTable<FeatureCommand<Action>>,
    outcome: @escaping @Sendable (Action, State, OutcomeContext) -> Outcome?,
    partialOutcome: @escaping @Sendable (Action) -> PartialOutcome? = { _ in nil },
    link: @escaping @Sendable (BoardLink) -> [String]? = { _ in nil },
    events: @escaping @Sendable (Action, State) -> [AnalyticsEvent] = { _, _ in [] },
    cancelled: @escaping @Sendable (inout State, _ job: Int) -> Void = { _, _ in },
    endsCancelled: @escaping @Sendable (State, _ job: Int) -> Bool = { _, _ in false },
    forget: @escaping @Sendable (inout State) -> Void = { _ in },
    hide: @escaping @Sendable (inout State, _ job: Int) -> Bool = { _, _ in false },
    replacesData: @escaping @Sendable (Action) -> Bool = { _ in false },
    reload: @escaping @Sendable (inout State) -> Void = { _ in },
    continued: @escaping @Sendable (inout State, _ running: Set<Int>) -> Void = { _, _ in },
    volatile: [String] = [], endlessEffects: [String] = [], passesWordsOn: Bool = false,
    secretWords: SecretWords = SecretWords(),
    atTerminal: @escaping @Sendable (inout State) -> Void = { _ in },
    bootstrap: @escaping @Sendable (State) -> Action? = { _ in nil },
    candidates: @escaping @Sendable (ValueKind, State, Dependencies) async -> [String] = {
      _, _, _ in []
    }, version: Int? = 1,
    migrations: @autoclosure @escaping @Sendable () -> [LogMigration] = []
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    initialState = state
    self.reducer = AnyReducer(reducer)
    self.commands = commands
    self.outcome = outcome
    self.partialOutcome = partialOutcome
    self.link = link
    self.events = events
    self.cancelled = cancelled
    self.endsCancelled = endsCancelled
    self.forget = forget
    self.hide = hide
    self.replacesData = replacesData
    self.reload = reload
    self.continued = continued
    self.volatile = volatile
    self.endlessEffects = endlessEffects
    self.passesWordsOn = passesWordsOn
    self.secretWords = secretWords
    self.atTerminal = atTerminal
    self.bootstrap = bootstrap
    self.candidates = candidates
    self.version = version
    self.migrations = migrations
  }

  /// Returns the feature with another reducer, for example an extended one.
  public func with(reducer: some Reducer<State, Action, Dependencies>) -> Feature {
    var copy = self
    copy.reducer = AnyReducer(reducer)
    return copy
  }
}
