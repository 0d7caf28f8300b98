import SwiftBoardSystem

/// A terminal for a command in the background. It asks nothing: the answer would be text that is
/// typed for the next line.
struct BackgroundTerminal: TerminalService {
  private let base: any TerminalService

  init(_ base: any TerminalService) { self.base = base }

  func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes? {
    nil
  }

  func reveal(_ value: Data) async { await base.reveal(value) }

  func readInput(limit: Int) async throws(TerminalError) -> Data {
    try await base.readInput(limit: limit)
  }

  func readSecret(limit: Int) async throws(TerminalError) -> GuardedBytes {
    try await base.readSecret(limit: limit)
  }

  func show(_ progress: TransferProgress?) { base.show(progress) }

  func show(_ transfer: CancelledTransfer) { base.show(transfer) }
}

extension Dependencies {
  /// A copy for a command in the background: its terminal asks nothing.
  package var inBackground: Dependencies {
    var copy = self
    copy.terminal = BackgroundTerminal(terminal)
    return copy
  }
}
