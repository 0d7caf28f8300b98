import SwiftBoardCommandLine
import SwiftBoardJSON

/// The whole state of the board: what a recording starts from, and what its digests are of. No
/// secret is ever part of it.
public struct BoardState: Codable, Sendable, Equatable {
  /// What was decided before the first line.
  public var settings: BoardSettings
  /// The board's own.
  public var shell = ShellState()
  /// The feature `api`.
  public var api = APIState()
  /// The feature `keychain`.
  public var keychain = KeychainState()
  /// The feature `db`.
  public var db = DatabaseState()
  /// The feature `log`.
  public var log = LogState()
  /// The feature `session`.
  public var session = SessionState()

  /// A board on which nothing has happened.
  public init(settings: BoardSettings = BoardSettings()) {
    self.settings = settings
  }
}

/// What was decided before the first line and shapes what is printed; it is part of the state so
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
  /// `nil` in recordings that were made before this was kept.
  public var isTerminal: Bool?
  /// Whether a recording is replayed by the rules it was made by: bodies shown for people, the last
  /// value of an answer with one value of each header, a document behind a byte-order mark as text,
  /// marks as they are in ASCII output too.
  var followsEarlierRules: Bool { isTerminal == nil }
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
  /// Milliseconds a request may take where it says nothing itself.
  public var timeout: Int64 = 30_000

  /// Those of a pipe: tables without limit of width, ASCII, no colour, 30 seconds a request.
  public init() {}
}
