import SwiftBoardSystem

/// A terminal without a user. It asks nothing, shows nothing, and has no input.
public struct SilentTerminal: TerminalService {
  /// Creates a silent terminal.
  public init() {}

  /// Returns `nil`.
  public func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError)
    -> GuardedBytes?
  { nil }

  /// Discards the secret.
  public func reveal(_ value: Data) async {}

  /// Always throws `unavailable`.
  public func readInput(limit: Int) async throws(TerminalError) -> Data {
    throw TerminalError(.unavailable, "there is no standard input")
  }
}
