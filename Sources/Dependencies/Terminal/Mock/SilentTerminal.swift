import SwiftBoardSystem

/// A terminal without a user: nothing is asked, nothing is shown, and there is no input.
public struct SilentTerminal: TerminalService {
  /// Holds nothing.
  public init() {}

  /// Returns `nil`.
  public func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError)
    -> GuardedBytes?
  { nil }

  /// Drops the secret.
  public func reveal(_ value: Data) async {}

  /// Always throws `unavailable`.
  public func readInput(limit: Int) async throws(TerminalError) -> Data {
    throw TerminalError(.unavailable, "nothing is left of standard input: there is none")
  }
}
