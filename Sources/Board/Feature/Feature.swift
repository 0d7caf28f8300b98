import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore

/// A feature of a board, wherever it is used: its state, its reducer, its commands, what they
/// print, and its links.
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
/// It joins a board in the board's `FeatureList`. Recordings have its state and its actions under
/// its name.
public struct Feature<State: FeatureState, Action: FeatureAction>: Sendable {
  /// The first word of its commands and the host of its links.
  public let name: String
  /// One line for help, without a full stop.
  public let summary: String
  /// The state before its first action.
  public let initialState: State
  /// What its actions do. Its cancel IDs meet those of no other feature.
  public let reducer: AnyReducer<State, Action, Dependencies>
  /// Its commands; each becomes an action once it has a context.
  public let commands: CommandTable<FeatureCommand<Action>>
  /// How the command ended that an action ends; `nil` for an action that ends none. Called once a
  /// step, with the state after it.
  public let outcome: @Sendable (Action, State, OutcomeContext) -> Outcome?
  /// What an action shows of its command before the command has ended; `nil` for nothing.
  public let partialOutcome: @Sendable (Action) -> PartialOutcome?
  /// The command line that a link `swiftboard://NAME/…` stands for; `nil` if it is none of this
  /// feature's. Its words are taken as text, so that a link can give no option.
  public let link: @Sendable (BoardLink) -> [String]?
  /// Notes in the state that a job was cancelled: no action of its effects follows.
  public let cancelled: @Sendable (inout State, _ job: Int) -> Void
  /// Members of its actions that differ from run to run though nothing has changed, such as timings
  /// and dates. A live replay does not compare them. Texts of `JSONPathPattern`, from the feature's
  /// action on: `brewed.pot.seconds`.
  public let volatile: [String]
  /// Whether its commands store or send what their words say. Then no word may hold a mark that
  /// replaces a secret.
  public let passesWordsOn: Bool
  /// How secrets that are typed into its lines are found.
  public let secretWords: SecretWords
  /// Changes the initial state for a session at a terminal, which lasts; a script and a single
  /// command begin with the state as it is.
  public let atTerminal: @Sendable (inout State) -> Void
  /// The version of the form of its states and actions in recordings, from 1; raised together with
  /// a migration when the form changes. `nil` for the features of this package, whose forms count
  /// with the board's.
  public let version: Int?
  /// What becomes of its states and actions in earlier recordings; each leads from one of its
  /// versions to the next. They begin at the feature's own state and action, as `volatile` does.
  public let migrations: [LogMigration]

  /// A feature from its parts. Those without a value have the usual one: no links, nothing
  /// volatile, no secrets.
  public init(
    name: String, summary: String, state: State,
    reducer: some Reducer<State, Action, Dependencies>,
    commands: CommandTable<FeatureCommand<Action>>,
    outcome: @escaping @Sendable (Action, State, OutcomeContext) -> Outcome?,
    partialOutcome: @escaping @Sendable (Action) -> PartialOutcome? = { _ in nil },
    link: @escaping @Sendable (BoardLink) -> [String]? = { _ in nil },
    cancelled: @escaping @Sendable (inout State, _ job: Int) -> Void = { _, _ in },
    volatile: [String] = [], passesWordsOn: Bool = false, secretWords: SecretWords = SecretWords(),
    atTerminal: @escaping @Sendable (inout State) -> Void = { _ in }, version: Int? = 1,
    migrations: [LogMigration] = []
  ) {
    self.name = name
    self.summary = summary
    initialState = state
    self.reducer = AnyReducer(reducer)
    self.commands = commands
    self.outcome = outcome
    self.partialOutcome = partialOutcome
    self.link = link
    self.cancelled = cancelled
    self.volatile = volatile
    self.passesWordsOn = passesWordsOn
    self.secretWords = secretWords
    self.atTerminal = atTerminal
    self.version = version
    self.migrations = migrations
  }

  /// The same feature with another reducer, for example one that does more.
  public func with(reducer: some Reducer<State, Action, Dependencies>) -> Feature {
    Feature(
      name: name, summary: summary, state: initialState, reducer: reducer, commands: commands,
      outcome: outcome, partialOutcome: partialOutcome, link: link, cancelled: cancelled,
      volatile: volatile,
      passesWordsOn: passesWordsOn, secretWords: secretWords, atTerminal: atTerminal,
      version: version, migrations: migrations)
  }
}
