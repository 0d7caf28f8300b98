import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore

/// The features of a board, and the form of its recordings.
///
/// ```swift
/// let features = FeatureList(BoardFeatures.api, BoardFeatures.log, tea)
/// ```
///
/// Every board has the features `session` and `shell` besides, which are about the board itself.
public struct FeatureList: Sendable {
  /// In the order in which help lists them; without `session` and `shell`.
  let features: [AnyFeature]
  /// Every command of every feature, with the commands of `session` and `shell` last.
  public let commands: CommandTable<BoardCommand>
  /// The program's name in recordings, and the versions of their form: the board's, and those of
  /// features that count by themselves. Adding a feature does not change the form of recordings.
  public let schema: LogSchema
  /// The migrations that convert recordings of earlier versions to this version: the board's, then
  /// those of the features.
  public let migrations: [LogMigration]
  /// The list as Swift text, for tests that are exported from recordings; `nil` if there is none.
  let source: Source?

  /// How a test names a list of features.
  public struct Source: Sendable {
    /// Lines such as `import SwiftBoardFeatures`.
    public var imports: [String]
    /// The list, for example `BoardFeatures.all`.
    public var expression: String

    /// Swift text, taken over as it is.
    public init(imports: [String], expression: String) {
      self.imports = imports
      self.expression = expression
    }
  }

  /// A list of features. Their names have to differ, and are none of `session`, `shell`, `settings`
  /// and `resumed`.
  ///
  /// - Parameter program: The name and the version in recordings, a space between. Recordings of a
  ///   program with another name are refused.
  public init<each State, each Action>(
    _ feature: repeat Feature<each State, each Action>,
    program: String = "swiftboard \(BoardProgram.version)", source: Source? = nil
  ) {
    var features: [AnyFeature] = []
    repeat features.append(AnyFeature(each feature))
    let names = features.map(\.name)
    precondition(
      Set(names).count == names.count && Set(names).isDisjoint(with: Self.reserved),
      "features of a board need names of their own: \(names.joined(separator: ", "))")
    self.features = features
    commands =
      (features.map(\.commands) + [SessionCommands.table, ShellCommands.table]).reduce(
        CommandTable(
          [], globals: ProgramOptions.globals,
          topics: features.map { CommandTopic($0.name, $0.summary) } + Self.topics)
      ) { $0 + $1 }
    var versions: [String: Int] = [:]
    for feature in features { versions[feature.name] = feature.version }
    schema = LogSchema(
      program: program, feature: "board", name: "BoardAction", version: BoardMigrations.version,
      // A part without a version has the first one.
      parts: versions.filter { $0.value > 1 })
    migrations = BoardMigrations.all + features.flatMap(\.migrations)
    self.source = source
  }

  private static let topics = [
    CommandTopic("session", "record what happens, go back in it, and replay it"),
    CommandTopic("shell", "the board itself"),
  ]
  private static let reserved = Set(ShellCommands.table.specs.map { $0.path[0] })
    .union(["session", "shell", "settings", "resumed"])

  /// The names of all features, in the order of help.
  public var names: [String] { features.map(\.name) + Self.topics.map(\.name) }

  /// Members of actions that a live replay does not compare.
  public var volatile: [String] { features.flatMap(\.volatile) }

  subscript(name: String) -> AnyFeature? { features.first { $0.name == name } }

  /// How the command ended that this action ends; `nil` if it ends none.
  ///
  /// - Parameter state: After the features have reduced the action.
  package func outcome(of action: BoardAction, in state: BoardState) -> Outcome? {
    switch action {
    case .feature(let action): self[action.feature]?.outcome(action, state)
    case .session(let action): SessionOutcomes.outcome(of: action, in: state)
    case .shell(let action): ShellOutcomes.outcome(of: action, in: state, commands)
    case .resumed: nil
    }
  }

  /// What this action shows of a command that has not ended.
  func partialOutcome(of action: BoardAction) -> PartialOutcome? {
    guard case .feature(let action) = action else { return nil }
    return self[action.feature]?.partialOutcome(action)
  }

  /// The command line that a link stands for; `nil` if no feature answers it.
  public func words(for link: BoardLink) -> [String]? {
    if link.feature == "session" {
      return link.path.isEmpty || link.path == ["status"] ? ["session", "status"] : nil
    }
    return self[link.feature]?.link(link)
  }
}

// MARK: Decoding

extension FeatureList {
  /// What decodes states and actions of a board with these features: the `userInfo` of a decoder.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    Self.key.map { [$0: self] } ?? [:]
  }

  private static let key = CodingUserInfoKey(rawValue: "SwiftBoardBoard.FeatureList")

  /// The feature of a name.
  ///
  /// - Throws: `DecodingError` where the decoder was given no features, or none of this name.
  static func feature(_ name: String, for decoder: any Decoder) throws -> AnyFeature {
    guard let list = key.flatMap({ decoder.userInfo[$0] }) as? FeatureList else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "a board is decoded with the userInfo of its FeatureList"))
    }
    guard let feature = list[name] else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "this board has no feature named '\(name)'"))
    }
    return feature
  }
}
