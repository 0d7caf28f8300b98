import SwiftBoardCommandLine
import SwiftBoardJSON

/// The whole state of the board: what a recording starts from, and what its digests are of. No
/// secret is ever part of it.
public struct BoardState: Sendable, Equatable {
  /// The settings from before the first line.
  public var settings: BoardSettings
  /// The board's own.
  public var shell = ShellState()
  /// What is recorded, and where in it the board is.
  public var session = SessionState()
  var features: FeatureStates

  /// A board on which nothing has happened.
  public init(features: FeatureList, settings: BoardSettings = BoardSettings()) {
    self.settings = settings
    self.features = FeatureStates(initial: features.features)
  }

  /// The state of a feature, in place; the initial one where the feature is not on this board.
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
  /// Writes a member for each feature, under its name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FeatureStates.Key.self)
    try features.encode(into: &container)
    try container.encode(session, forKey: .session)
    try container.encode(settings, forKey: .settings)
    try container.encode(shell, forKey: .shell)
  }

  /// Reads what `encode(to:)` writes, with the features that the decoder's `userInfo` has. Throws
  /// where the state has another one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FeatureStates.Key.self)
    settings = try container.decode(BoardSettings.self, forKey: .settings)
    shell = try container.decode(ShellState.self, forKey: .shell)
    session = try container.decode(SessionState.self, forKey: .session)
    features = FeatureStates()
    for key in container.allKeys where !FeatureStates.Key.ofTheBoard.contains(key.stringValue) {
      let feature = try FeatureList.feature(key.stringValue, for: decoder)
      features.add(try feature.decodeState(container, key), of: feature.name)
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

/// The settings from before the first line, which affect the output. They are part of the state so
/// that a replay prints the same.
public struct BoardSettings: Codable, Sendable, Equatable {
  /// Which world the services belong to.
  public enum Environment: String, Codable, Sendable, CaseIterable {
    /// The real one; a deterministic one in memory; one of sample data in memory.
    case live, mock, preview
  }

  /// Which world the services belong to.
  public var environment = Environment.live
  /// How results are written, where a line does not say otherwise.
  public var output = OutputFormat.table
  /// Columns of the terminal; `nil` off a terminal, where lines are as long as they are.
  public var width: Int?
  /// Whether standard output is a terminal: then bodies are shown for people, else as their bytes.
  /// `nil` in recordings that were made before this was recorded.
  public var isTerminal: Bool?
  /// Whether a recording is replayed by the rules it was made by: bodies shown for people, the last
  /// value of an answer with one value of each header, a document behind a byte-order mark as text,
  /// marks as they are in ASCII output too.
  public var followsEarlierRules: Bool { isTerminal == nil }
  /// No byte of our own above 0x7F.
  public var isASCII = true
  /// Whether output has colours.
  public var isColored = false
  /// Whether only errors go to standard error.
  public var isQuiet = false
  /// Whether `-v` was given: what a request sent and got, its body apart, goes to standard error.
  public var isVerbose = false
  /// Whether an HTTP status of 300 and above is a failure.
  public var checksStatus = true
  /// Whether requests are answered from the cache alone.
  public var isOffline = false
  /// The default time limit of a request, in milliseconds.
  public var timeout: Int64 = 30_000

  /// The settings for a pipe: tables of unlimited width, ASCII, no colour, 30 seconds per request.
  public init() {}
}
