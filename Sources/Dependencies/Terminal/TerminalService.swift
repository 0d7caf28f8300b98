import SwiftBoardSystem

/// The user's terminal, if there is one.
public protocol TerminalService: Service {
  /// Asks for a passphrase without echo, twice if it is a new one. Returns `nil` if there is no
  /// terminal or if questions are not allowed.
  func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes?
  /// Asks which of several names is meant, and returns its index. Returns `nil` if there is no
  /// terminal or if questions are not allowed.
  func choose(_ question: String, among names: [String]) async throws(TerminalError) -> Int?
  /// Writes a secret directly to standard output. It does not enter an action, the log or a
  /// recording.
  func reveal(_ value: Data) async
  /// Reads the rest of standard input, as for `--from-stdin`. Returns the exact bytes, at least
  /// one. Throws `unavailable` if nothing is left or lines come from there, `tooLong` beyond
  /// `limit` bytes, and `io`.
  func readInput(limit: Int) async throws(TerminalError) -> Data
  /// Reads a secret like `readInput`, but only into guarded memory.
  func readSecret(limit: Int) async throws(TerminalError) -> GuardedBytes
  /// Hides typed text from the first prompt until an equal number of calls of `showInput`, also
  /// between two prompts and while a key is derived.
  func hideInput()
  /// Ends `hideInput`.
  func showInput()
  /// Shows the progress of a transfer in place of the previous one, or removes it for `nil`. May be
  /// called for every change.
  func show(_ progress: TransferProgress?)
  /// Says what a cancelled transfer has left. Called when it is cancelled, on any thread: a
  /// cancelled effect has no action that could say it.
  func show(_ transfer: CancelledTransfer)
}

extension TerminalService {
  /// Copies the result of `readInput`.
  public func readSecret(limit: Int) async throws(TerminalError) -> GuardedBytes {
    let data = try await readInput(limit: limit)
    do throws(KeychainError) { return try GuardedBytes(copying: data) } catch {
      throw TerminalError(.io, error.message)
    }
  }

  /// Returns `nil`: there is no question.
  public func choose(
    _ question: String, among names: [String]
  ) async throws(TerminalError) -> Int? { nil }

  /// Does nothing.
  public func hideInput() {}
  /// Does nothing.
  public func showInput() {}
  /// Does nothing.
  public func show(_ progress: TransferProgress?) {}
  /// Does nothing.
  public func show(_ transfer: CancelledTransfer) {}
}

/// An error of the terminal.
public struct TerminalError: Error, Sendable, Equatable, Codable {
  /// The kind of the error.
  public enum Kind: String, Sendable, Codable {
    /// In order: Ctrl-C; two different new passphrases; more than the limit; an error of the
    /// system; standard input has nothing for a command.
    case interrupted, mismatch, tooLong, io, unavailable
    /// Ctrl-D in place of an answer, or a terminal that was closed.
    case unanswered
    /// An answer without a character.
    case empty
  }

  /// The kind of the error, for code.
  public var kind: Kind
  /// The problem, for users, in one line.
  public var message: String

  /// Creates an error. Its message must not contain typed text.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
