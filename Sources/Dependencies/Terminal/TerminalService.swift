#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The person at the board, where there is one.
public protocol TerminalService: Sendable {
  /// Asks for a passphrase without echo, twice where it is a new one. `nil` where there is nobody to ask, or asking is forbidden.
  func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes?
  /// Writes a secret straight to standard output: it passes through no action, no log and no recording.
  func reveal(_ value: Data) async
  /// Reads standard input to its end, as `--from-stdin` asks.
  func readInput(limit: Int) async throws(TerminalError) -> Data
}

/// Why the terminal gave no answer.
public struct TerminalError: Error, Sendable, Equatable, Codable {
  public enum Kind: String, Sendable, Codable {
    case interrupted, mismatch, tooLong, io
  }

  public var kind: Kind
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
