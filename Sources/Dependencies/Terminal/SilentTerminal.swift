#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Nobody is there: nothing is asked, nothing shown, and input is empty.
public struct SilentTerminal: TerminalService {
  /// Holds nothing.
  public init() {}

  /// Always `nil`: nobody answers.
  public func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError)
    -> GuardedBytes?
  { nil }

  /// Drops the secret.
  public func reveal(_ value: Data) async {}

  /// No bytes, at once.
  public func readInput(limit: Int) async throws(TerminalError) -> Data { Data() }
}
