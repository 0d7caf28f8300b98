import SwiftBoardSystem

/// The configuration of the live dependencies. Creating one accesses no file.
public struct LiveConfiguration: Sendable {
  /// The locations of the files.
  package var paths: BoardPaths
  /// The process's variables: unlock sources, proxies, XDG folders.
  public var environment: [String: String]
  /// Identifiers and random numbers come from it when it is given; from the system otherwise.
  public var seed: UInt64?
  /// No request leaves the machine.
  public var isOffline: Bool
  /// The least level that is logged.
  public var logLevel: LogLevel
  /// The least level that the database keeps too, beside the log file; `nil`: none, and logging
  /// never opens it.
  public var storedLogLevel: LogLevel?
  /// Called before and after each derivation of a key from a passphrase, which takes about half a
  /// second, on the keychain's thread.
  package var onDerivation: (@Sendable (_ isRunning: Bool) -> Void)?

  /// - Parameter home: One folder for every file, as `--home` gives it; `nil`: the XDG folders.
  public init(
    home: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
    seed: UInt64? = nil, isOffline: Bool = false, logLevel: LogLevel = .info,
    storedLogLevel: LogLevel? = .warning
  ) {
    self.paths = BoardPaths(home: home, environment: environment)
    self.environment = environment
    self.seed = seed
    self.isOffline = isOffline
    self.logLevel = logLevel
    self.storedLogLevel = storedLogLevel
  }
}
