import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording

/// The features of a board, and the schema of its recordings.
///
/// ```swift
/// let features = FeatureList(BoardFeatures.api, BoardFeatures.log, tea)
/// ```
///
/// Every board also has the features `session` and `shell`, which control the board itself.
public struct FeatureList: Sendable {
  /// The features in help order, without `session` and `shell`.
  let features: [AnyFeature]
  /// The features that its examples name, and that it does not have.
  let missing: Set<String>
  /// Every command of every feature, with the commands of `session` and `shell` last.
  public let commands: CommandTable<BoardCommand>
  /// The board's own commands among them.
  let shellCommands: CommandTable<BoardCommand>
  /// Whether the board has the features of the tutorial's lessons, and so the tutorial.
  let hasTutorial: Bool
  /// What the program calls itself.
  let program: ProgramName
  /// What the program is, in its help.
  let summary: String
  /// The program's name in recordings, and the versions of the board and of features that have
  /// their own. Adding a feature does not change the schema of recordings.
  public let schema: LogSchema
  /// The list as Swift source, for tests that are exported from recordings, or `nil` if there is
  /// none.
  let source: Source?

  /// The Swift source that refers to a list of features.
  public struct Source: Sendable {
    /// Import lines, such as `import SwiftBoardFeatures`.
    public var imports: [String]
    /// The expression, for example `BoardFeatures.all`.
    public var expression: String

    /// Creates a source. The text is used verbatim.
    public init(imports: [String], expression: String) {
      self.imports = imports
      self.expression = expression
    }
  }

  /// Creates a list of features.
  ///
  /// A name or a path that is not valid ends the program, with a message that says which. The names
  /// of features have letters, digits, `-` and `_`, begin with a letter, and are unique and
  /// different from `session`, `shell`, `settings`, `resumed`, `time`, the topics `line` and `keys`
  /// of help, and the commands of the board, such as `echo`. Each command begins with the name of
  /// its feature, and no two are the same.
  ///
  /// - Parameters:
  ///   - program: The name of the program and its version, separated by a space. The name is that
  ///     of the command and of the folders of its files: letters, digits, `-`, `_` and `.`.
  ///     Recordings of a program with another name are refused.
  ///   - summary: What the program is, for its help: one line without a full stop.
  ///   - source: The list as Swift source, or `nil` if tests cannot refer to it.
  public init<each State, each Action>(
    _ feature: repeat Feature<each State, each Action>,
    program: String = "swiftboard \(BoardProgram.version)",
    summary: String = "an interactive board", source: Source? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    var features: [AnyFeature] = []
    repeat features.append(AnyFeature(each feature))
    self.program = ProgramName(program)
    self.summary = summary
    let shell = ShellCommands.table(of: self.program.name)
    // Not a precondition, whose message a release build does not print.
    if let mistake = Self.mistake(in: features, of: self.program, shell) {
      fatalError(mistake, file: fileID, line: line)
    }
    let missing = Self.namedInExamples.subtracting(features.map(\.name))
    self.features = features
    self.missing = missing
    let board = CommandTable<BoardCommand>(
      globals: ProgramOptions.globals,
      topics: features.map { CommandTopic($0.name, $0.summary, details: $0.details) }
        + Self.topics)
    // Without the features of its lessons, the tutorial could not be done.
    let hasTutorial = Tutorial.lessons.allSatisfy { !Self.names(missing, in: $0.line) }
    let own = [SessionCommands.table, hasTutorial ? shell : shell.without(["tutorial"])].map {
      $0.withoutExamples { Self.names(missing, in: $0) }
    }
    let tables = features.map(\.commands) + own
    self.hasTutorial = hasTutorial
    shellCommands = own[1]
    var commands: CommandTable<BoardCommand> = .joined([board] + tables)
    commands.leadingOptions = ProgramOptions.leadingOptions
    commands.helpPages = LineHelp.pages
    commands.program = self.program.name
    self.commands = commands
    var versions: [String: Int] = [:]
    for feature in features { versions[feature.name] = feature.coding.version }
    schema = LogSchema(
      program: program, feature: "board", name: "BoardAction", version: BoardMigrations.version,
      // A missing version means version 1.
      parts: versions.filter { $0.value > 1 })
    self.source = source
  }

  private static let topics = [
    CommandTopic("session", "record what happens, go back in it, and replay it"),
    CommandTopic("shell", "the board itself"),
  ]

  /// The migrations that convert earlier recordings to the current version: those of the board,
  /// then those of the features. They are created when a recording is read, not at each start.
  public var migrations: [LogMigration] {
    BoardMigrations.all + features.flatMap { $0.coding.migrations() }
  }

  /// The names of all features in help order.
  public var names: [String] { features.map(\.name) + Self.topics.map(\.name) }

  /// Members of actions that a live replay does not compare. The findings of `doctor` depend on the
  /// installation and the home.
  public var volatile: [String] { ["shell.diagnosed.findings"] + features.flatMap(\.volatile) }

  /// The names of effects that run until they are cancelled.
  var endlessEffects: [String] { features.flatMap(\.endlessEffects) }

  subscript(name: String) -> AnyFeature? { features.first { $0.name == name } }

  /// Returns the outcome of the command that this action ends, or `nil` if it ends none.
  ///
  /// - Parameter state: The state after the features have reduced the action.
  package func outcome(of action: BoardAction, in state: BoardState) -> Outcome? {
    switch action {
    case .feature(let action): self[action.feature]?.outcome(action, state)
    case .session(let action): SessionOutcomes.outcome(of: action, in: state, program)
    case .shell(let action): ShellOutcomes.outcome(of: action, in: state, self)
    case .resumed: nil
    }
  }

  /// Returns whether a running command ends itself if it is cancelled, because it may have changed
  /// something.
  func endsCancelled(_ state: BoardState, _ job: Int) -> Bool {
    state.session.changes.contains(job)
      || features.contains { $0.changes.endsCancelled(state, job) }
  }

  /// Returns the action of an effect with known secrets masked. Effects mask the answers of
  /// services themselves. This masks parts of the command that an effect repeats, if they contain a
  /// secret that was unknown when the command was typed.
  ///
  /// The actions of a feature that stores secrets contain names of secrets, which may equal a
  /// value.
  func masked(_ action: BoardAction, by redactor: Redactor) -> BoardAction {
    guard case .feature(let action) = action, self[action.feature]?.secretWords.storing == nil
    else { return action }
    func masked(_ base: some FeatureAction) -> BoardAction {
      // A mark is not a valid value of an enumeration.
      .feature(AnyFeatureAction((try? redactor.masking(base).value) ?? base, of: action.feature))
    }
    return masked(action.base)
  }

  /// Returns what an action counts for analytics.
  func events(of action: BoardAction, in state: BoardState) -> [AnalyticsEvent] {
    switch action {
    case .feature(let action): self[action.feature]?.events(action, state) ?? []
    case .session(let action): SessionEvents.events(of: action)
    case .shell(let action): ShellEvents.events(of: action)
    case .resumed: []
    }
  }

  /// Returns the output of a command that has not ended yet.
  func partialOutcome(of action: BoardAction) -> PartialOutcome? {
    guard case .feature(let action) = action else { return nil }
    return self[action.feature]?.partialOutcome(action)
  }

  /// The features that handle a link without a path.
  var linkHosts: [String] {
    (features.map(\.name) + ["session"]).filter { name in
      (try? BoardLink(parsing: "swiftboard://\(name)")).flatMap(words(for:)) != nil
    }
  }

  /// Returns the command line for a link, or `nil` if no feature handles it.
  public func words(for link: BoardLink) -> [String]? {
    if link.feature == "session" {
      return link.path.isEmpty || link.path == ["status"] ? ["session", "status"] : nil
    }
    return self[link.feature]?.link(link)
  }
}

// MARK: Decoding

extension FeatureList {
  /// The `userInfo` for decoding states and actions of a board with these features.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    Self.key.map { [$0: self] } ?? [:]
  }

  private static let key = CodingUserInfoKey(rawValue: "SwiftBoardBoard.FeatureList")

  /// Returns the feature with a name.
  ///
  /// - Throws: `DecodingError` if the decoder has no feature list, or if the list has no such
  ///   feature.
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
