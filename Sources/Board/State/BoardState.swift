import SwiftBoardCommandLine

/// The whole state of the board. A recording starts with it and stores its digests. It never
/// contains a secret.
public struct BoardState: Sendable, Equatable {
  /// The settings from before the first line.
  public var settings: BoardSettings
  /// The state of the board's own commands.
  public var shell = ShellState()
  /// The recording, and the shown position in it.
  public var session = SessionState()
  var features: FeatureStates

  /// Creates the initial state of a board.
  public init(features: FeatureList, settings: BoardSettings = BoardSettings()) {
    self.settings = settings
    self.features = FeatureStates(initial: features.features)
  }

  /// The state of a feature, changed in place, or its initial state if the board does not have the
  /// feature.
  public subscript<State, Action>(feature: Feature<State, Action>) -> State {
    get { features[FeatureKey(feature)] }
    _modify { yield &features[FeatureKey(feature)] }
  }

  subscript<State>(key: FeatureKey<State>) -> State {
    get { features[key] }
    _modify { yield &features[key] }
  }
}

extension BoardState: Codable {
  /// Encodes a member for each feature, under its name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FeatureStates.Key.self)
    try features.encode(into: &container)
    try container.encode(session, forKey: .session)
    try container.encode(settings, forKey: .settings)
    try container.encode(shell, forKey: .shell)
  }

  /// Decodes the result of `encode(to:)`, with the features in the decoder's `userInfo`. Throws if
  /// the state contains another feature.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FeatureStates.Key.self)
    settings = try container.decode(BoardSettings.self, forKey: .settings)
    shell = try container.decode(ShellState.self, forKey: .shell)
    session = try container.decode(SessionState.self, forKey: .session)
    features = FeatureStates()
    for key in container.allKeys where !FeatureStates.Key.ofTheBoard.contains(key.stringValue) {
      let feature = try FeatureList.feature(key.stringValue, for: decoder)
      features.add(try feature.coding.decodeState(container, key), of: feature.name)
    }
  }
}

extension FeatureStates.Key {
  static let settings = Self(stringValue: "settings")
  static let shell = Self(stringValue: "shell")
  static let session = Self(stringValue: "session")
  static let resumed = Self(stringValue: "resumed")
  static let ofTheBoard: Set<String> = ["settings", "shell", "session"]
}

/// The settings that affect the output. They are part of the state so that a replay prints the
/// same. All but the width are from before the first line.
public struct BoardSettings: Codable, Sendable, Equatable {
  /// The environment of the services.
  public enum Environment: String, Codable, Sendable, CaseIterable {
    /// The real services, deterministic ones in memory, or sample data in memory.
    case live, mock, preview
  }

  /// The environment of the services.
  public var environment = Environment.live
  /// The output format, unless a line sets its own.
  public var output = OutputFormat.table
  /// The present width of the terminal in columns, or `nil` if there is no terminal and width is
  /// unlimited.
  public var width: Int?
  /// Whether standard output is a terminal. If so, bodies are formatted for reading; otherwise,
  /// they are written as bytes. It is `nil` in recordings made before this member existed.
  public var isTerminal: Bool?
  /// Whether the value of an answer has its time and size. It is `nil` in recordings made before
  /// this member existed.
  public var measuresAnswers: Bool?
  /// Whether lessons of the tutorial check what a line asked for and what it answered. It is `nil`
  /// in recordings made before this member existed.
  public var checksLessons: Bool?
  /// Whether `null` as the value of a command becomes `{{last}}`. It is `nil` in recordings made
  /// before this member existed, in which `{{last}}` stays as it is.
  public var remembersNull: Bool?
  /// Whether a `watch` whose last round has failed is a failure in JSON, which goes to standard
  /// error. It is `nil` in recordings made before this member existed, which print it on standard
  /// output.
  public var reportsFailedWatches: Bool?
  /// Whether `set` leaves `{{last}}` as it is. It is `nil` in recordings made before this member
  /// existed, in which the variable with its value becomes `{{last}}`.
  public var setKeepsLast: Bool?
  /// Whether the columns of a table of unlimited width are padded to 200 columns at most. It is
  /// `nil` in recordings made before this member existed, which pad them to their widest cells.
  public var limitsPadding: Bool?
  /// Whether `--raw` shows the part of an answer that `--select` takes without indentation. It is
  /// `nil` in recordings made before this member existed, which indent it.
  public var compactsRawParts: Bool?
  /// Whether a replay follows the rules of earlier recordings: bodies are formatted for reading,
  /// the last value of an answer has one value per header, a document with a byte-order mark is
  /// text, and ASCII output does not convert marks.
  public var followsEarlierRules: Bool { isTerminal == nil }
  /// Whether the board's own text is ASCII only.
  public var isASCII = true
  /// Whether the output has colors.
  public var isColored = false
  /// Whether only errors go to standard error.
  public var isQuiet = false
  /// Whether `-v` was given. If so, the details of requests, except bodies, go to standard error.
  public var isVerbose = false
  /// Whether an HTTP status of 300 and above is a failure.
  public var checksStatus = true
  /// Whether requests are answered from the cache only.
  public var isOffline = false
  /// The time limit of a request in milliseconds, or `nil` if none was given. Requests are then
  /// limited to 30 seconds, except bodies that may have any length.
  public var timeout: Int64?

  /// The width of output in columns, or `nil` if it is unlimited. At least 1: a recording may have
  /// any number.
  var columns: Int? { width.map { min(max($0, 1), 1 << 16) } }

  /// Returns whether a program reads a command's output, which then has text as it is.
  public func isExact(redirect: CommandContext.Redirect?) -> Bool {
    !followsEarlierRules && (isTerminal == false || redirect != nil)
  }

  /// The settings of a command, which the options behind it override.
  func following(_ context: CommandContext?) -> BoardSettings {
    guard let context else { return self }
    var settings = self
    settings.output = context.output ?? output
    settings.isQuiet = context.isQuiet ?? isQuiet
    settings.isVerbose = context.isVerbose ?? isVerbose
    settings.isASCII = context.isASCII ?? isASCII
    settings.checksStatus = context.checksStatus ?? checksStatus
    settings.timeout = context.timeout ?? timeout
    return settings
  }

  /// Creates the settings for a pipe: tables of unlimited width, ASCII, no color.
  public init() {}
}
