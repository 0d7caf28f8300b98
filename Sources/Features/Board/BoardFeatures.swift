import SwiftBoardCommandLine
import SwiftBoardJSON

/// One feature as the board sees it. A feature is added by a folder with state, action, reducer,
/// commands and outcomes, a case of `BoardAction` with a line in `BoardReducer`, and one value in
/// `BoardFeatures.all`.
public struct BoardFeature: Sendable {
  /// The first word of its commands and of its links.
  public let name: String
  /// One line for help, without a full stop.
  public let summary: String
  /// Its commands; what they build becomes an action as soon as the command has a context.
  public let commands: CommandTable<BoardCommand>
  /// How the command ended that this action ends; `nil` for the actions of other features, and
  /// those that end none.
  public let outcome: @Sendable (BoardAction, BoardState) -> Outcome?
  /// The command line that a link `swiftboard://NAME/…` stands for; `nil` where it is none of this
  /// feature's. Its words are taken as text, so that a link can give no option.
  public let link: @Sendable (BoardLink) -> [String]?
  /// Members of its actions that differ from run to run though nothing has changed: timings, dates,
  /// places of files. A live replay does not compare them. Texts of `JSONPathPattern`, from the
  /// whole action on: `tea.brewed.pot.seconds`.
  public let volatile: [String]

  /// A feature; without `link` it resolves none, without `volatile` everything in its actions is
  /// compared.
  init(
    name: String, summary: String, commands: CommandTable<BoardCommand>,
    outcome: @escaping @Sendable (BoardAction, BoardState) -> Outcome?,
    link: @escaping @Sendable (BoardLink) -> [String]? = { _ in nil },
    volatile: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.commands = commands
    self.outcome = outcome
    self.link = link
    self.volatile = volatile
  }
}

/// A command that was understood and waits for the context that makes it an action.
public struct BoardCommand: Sendable {
  /// Makes the action that starts the command; has no effect.
  public let action: @Sendable (CommandContext) -> BoardAction

  /// A command from its action.
  public init(_ action: @escaping @Sendable (CommandContext) -> BoardAction) {
    self.action = action
  }
}

/// The board's features.
public enum BoardFeatures {
  /// In the order in which help lists them, and in which links are offered.
  public static let all: [BoardFeature] = [.api, .keychain, .db, .log, .session, .shell]

  /// Every command of every feature.
  public static let commands: CommandTable<BoardCommand> =
    all.map(\.commands).reduce(
      CommandTable(
        [], globals: ProgramOptions.globals,
        topics: all.map { CommandTopic($0.name, $0.summary) })
    ) { $0 + $1 }

  /// How the command ended that this action ends.
  public static func outcome(of action: BoardAction, in state: BoardState) -> Outcome? {
    switch action {
    case .api: BoardFeature.api.outcome(action, state)
    case .keychain: BoardFeature.keychain.outcome(action, state)
    case .db: BoardFeature.db.outcome(action, state)
    case .log: BoardFeature.log.outcome(action, state)
    case .session: BoardFeature.session.outcome(action, state)
    case .shell: BoardFeature.shell.outcome(action, state)
    case .resumed: nil
    }
  }
}
