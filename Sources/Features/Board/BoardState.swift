import SwiftBoardCommandLine
import SwiftBoardJSON

/// The whole state of the board: what a recording starts from, and what its digests are of. No secret is ever part of it.
public struct BoardState: Codable, Sendable, Equatable {
  public var settings: BoardSettings
  public var shell = ShellState()
  public var api = APIState()
  public var keychain = KeychainState()
  public var db = DatabaseState()
  public var log = LogState()
  public var session = SessionState()

  public init(settings: BoardSettings = BoardSettings()) {
    self.settings = settings
  }
}

/// What was decided before the first line and shapes what is printed; it is part of the state so that a replay prints the same.
public struct BoardSettings: Codable, Sendable, Equatable {
  public enum Environment: String, Codable, Sendable, CaseIterable {
    case live, mock, preview
  }

  public var environment = Environment.live
  public var output = OutputFormat.table
  /// Columns of the terminal; `nil` off a terminal, where lines are as long as they are.
  public var width: Int?
  /// No byte of our own above 0x7F.
  public var isASCII = true
  public var isColored = false
  public var isQuiet = false
  public var isVerbose = false
  /// Whether an HTTP status of 300 and above is a failure.
  public var checksStatus = true
  /// Whether requests are answered from the cache alone.
  public var isOffline = false
  /// Milliseconds a request may take where it says nothing itself.
  public var timeout: Int64 = 30_000

  public init() {}
}
