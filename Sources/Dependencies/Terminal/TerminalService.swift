import SwiftBoardSystem

/// The person at the board, if there is one.
public protocol TerminalService: Service {
  /// Asks for a passphrase without echo, twice if it is a new one. Returns `nil` if there is no
  /// terminal, or if asking is forbidden.
  func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes?
  /// Writes a secret straight to standard output: it passes through no action, no log and no
  /// recording.
  func reveal(_ value: Data) async
  /// Reads what is left of standard input to its end, as `--from-stdin` asks: exact bytes, never
  /// none. Throws `unavailable` where nothing is left or lines come from there, `tooLong` beyond
  /// `limit` bytes, and `io`.
  func readInput(limit: Int) async throws(TerminalError) -> Data
  /// The same for a secret: never outside guarded memory.
  func readSecret(limit: Int) async throws(TerminalError) -> GuardedBytes
  /// From the first prompt on nothing that is typed is shown, until as many calls of `showInput`
  /// follow: also between two prompts and while a key is derived.
  func hideInput()
  /// Ends what `hideInput` began.
  func showInput()
  /// Shows how far a transfer has come, in place of what was shown before; `nil` takes it away.
  /// May be called as often as there is something new.
  func show(_ progress: TransferProgress?)
}

extension TerminalService {
  /// Copies what `readInput` returns.
  public func readSecret(limit: Int) async throws(TerminalError) -> GuardedBytes {
    let data = try await readInput(limit: limit)
    do throws(KeychainError) { return try GuardedBytes(copying: data) } catch {
      throw TerminalError(.io, error.message)
    }
  }

  /// Nothing is shown in any case.
  public func hideInput() {}
  /// Nothing was hidden.
  public func showInput() {}
  /// Shows nothing.
  public func show(_ progress: TransferProgress?) {}
}

/// Why the terminal gave no answer.
public struct TerminalError: Error, Sendable, Equatable, Codable {
  /// What went wrong.
  public enum Kind: String, Sendable, Codable {
    /// Ctrl-C; a passphrase that was typed differently the second time; more than the limit; an
    /// error of the system; standard input has nothing for a command.
    case interrupted, mismatch, tooLong, io, unavailable
  }

  /// What went wrong, for code.
  public var kind: Kind
  /// What went wrong, for people, in one line.
  public var message: String

  /// An error; its message holds nothing that was typed.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
