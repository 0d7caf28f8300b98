#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Nobody is there: nothing is asked, nothing shown, and input is empty.
public struct SilentTerminal: TerminalService {
  public init() {}

  public func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError)
    -> GuardedBytes?
  { nil }

  public func reveal(_ value: Data) async {}

  public func readInput(limit: Int) async throws(TerminalError) -> Data { Data() }
}
