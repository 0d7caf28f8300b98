import SwiftBoardSystem

/// The configuration of the live dependencies. Creating one accesses no file.
public struct LiveConfiguration: Sendable {
  /// The locations of the files.
  package var paths: BoardPaths
  /// The process's environment variables: unlock sources, proxies, XDG folders.
  public var environment: [String: String]
  /// The seed of identifiers and random numbers, or `nil` to take them from the system.
  public var seed: UInt64?
  /// Whether requests are refused instead of sent.
  public var isOffline: Bool
  /// The minimum level that is logged.
  public var logLevel: LogLevel
  /// The minimum level that is also stored in the database, or `nil` for none. Then logging never
  /// opens the database.
  public var storedLogLevel: LogLevel?
  /// Whether the database is neither migrated nor created. A database of an earlier version then
  /// appears empty.
  package var onlyReads = false
  /// Called before and after each derivation of a key from a passphrase, on the keychain's thread.
  /// A derivation takes about half a second.
  package var onDerivation: (@Sendable (_ isRunning: Bool) -> Void)?
  /// Called with a message about data that was lost: once for lines of the log, on its thread if
  /// the disk is full and otherwise at the end, and at the end for events of analytics.
  package var onLoss: (@Sendable (_ message: String) -> Void)?

  /// - Parameters:
  ///   - home: The folder for all files, as with `--home`, or `nil` for the XDG folders.
  ///   - program: The name of the folder for the files in each XDG folder: the name of a program
  ///     that `FeatureList(program:)` accepts.
  public init(
    home: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
    program: String = "swiftboard", seed: UInt64? = nil, isOffline: Bool = false,
    logLevel: LogLevel = .info,
    storedLogLevel: LogLevel? = .warning
  ) {
    self.paths = BoardPaths(home: home, environment: environment, program: program)
    self.environment = environment
    self.seed = seed
    self.isOffline = isOffline
    self.logLevel = logLevel
    self.storedLogLevel = storedLogLevel
  }
}
