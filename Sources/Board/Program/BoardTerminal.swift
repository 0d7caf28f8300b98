import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem
import Synchronization

/// The program's terminal. It asks for secrets without echo if questions are allowed.
struct BoardTerminal: TerminalService, PausingTerminal {
  /// Whether standard input is a terminal and questions are allowed.
  let mayAsk: Bool
  /// Whether the locale's encoding is UTF-8.
  let isUTF8: Bool
  /// Whether standard output is a terminal.
  private let showsOutput: Bool
  private let columns: @Sendable () -> Int
  private let write: @Sendable ([UInt8]) -> Void
  private let note: @Sendable (String, CommandContext?) -> Void
  /// The command that uses the terminal, if it has options of its own for its notes.
  var command: CommandContext?
  private let input: StandardInput
  /// The row that shows what runs, or `nil` if none is shown.
  private let activity: ActivityLine?
  /// The line editor at the same terminal.
  let reader: EditingLineReader?
  private let hiding = Hiding()
  private let holdOutput: @Sendable (_ isHeld: Bool) -> Void

  /// The number of commands that keep typed characters hidden.
  private final class Hiding: Sendable {
    let count = Mutex(0)
  }

  /// Creates a terminal.
  ///
  /// - Parameters:
  ///   - mayAsk: Whether standard input is a terminal and questions are allowed.
  ///   - isUTF8: Whether the locale's encoding is UTF-8.
  ///   - showsOutput: Whether standard output is a terminal.
  ///   - columns: Returns the columns that the rows of a question may have.
  ///   - input: Standard input.
  ///   - activity: The row that shows what runs.
  ///   - reader: The line editor at the same terminal.
  ///   - holdOutput: Holds other output to the terminal back during a question, and releases it.
  ///   - note: Writes a line to standard error, in the form that the options of a command choose.
  ///   - write: Writes to standard output. The next line of output detects that it failed.
  init(
    mayAsk: Bool, isUTF8: Bool = false, showsOutput: Bool,
    columns: @escaping @Sendable () -> Int = { 80 }, input: StandardInput,
    activity: ActivityLine? = nil,
    reader: EditingLineReader? = nil,
    holdOutput: @escaping @Sendable (_ isHeld: Bool) -> Void = { _ in },
    note: @escaping @Sendable (String, CommandContext?) -> Void = { _, _ in },
    write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.reader = reader
    self.holdOutput = holdOutput
    self.showsOutput = showsOutput
    self.columns = columns
    self.write = write
    self.note = note
    self.input = input
    self.mayAsk = mayAsk
    self.isUTF8 = isUTF8
    self.activity = activity
  }

  func show(_ progress: TransferProgress?) { activity?.show(progress) }

  func show(_ transfer: CancelledTransfer) {
    let file = transfer.file
    let text =
      switch transfer.part {
      case .kept: "what has come is in \(file).part; the same line goes on from there"
      case .lost(let reason): "what has come of \(file) is not kept: \(reason)"
      case .resumable:
        "what has come of \(file) is not kept; a request with --resume keeps it, and goes on "
          + "from there"
      }
    note(text, command)
  }

  /// Whether a question may be asked now: what is typed while a line is edited belongs to the line.
  /// Commands in the background have a `BackgroundTerminal`; this holds for what runs beside lines,
  /// such as a replay that pauses.
  var canAsk: Bool { mayAsk && reader?.isEditing != true }

  /// Takes the terminal from the line editor for a prompt of the program.
  func beginPrompt() async {
    activity?.pause()
    await reader?.beginPause()
    holdOutput(true)
  }

  /// Ends `beginPrompt`.
  func endPrompt() {
    holdOutput(false)
    reader?.endPause()
    activity?.resume()
  }

  func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes? {
    guard canAsk else { return nil }
    guard let first = try await ask(prompt, isNew: isNew) else { return nil }
    guard isNew else { return first }
    guard let second = try await ask("once more: ", isNew: true) else { return nil }
    guard first == second else {
      throw TerminalError(.mismatch, "the two did not agree; nothing was changed")
    }
    return first
  }

  private func ask(_ prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes? {
    await beginPrompt()
    defer { endPrompt() }
    var text = prompt
    for triesLeft in (0..<3).reversed() {
      let result: Result<GuardedBytes, KeychainError>
      do throws(SecretPromptError) {
        result = try await answer(text, isNew: isNew)
      } catch {
        switch error {
        case .noTerminal: return nil
        case .interrupted: throw TerminalError(.interrupted, "\(error)")
        case .endOfInput: throw TerminalError(.unanswered, "\(error)")
        case .tooLong: throw TerminalError(.tooLong, "\(error)")
        case .controlCharacter where triesLeft > 0, .invalidUTF8 where triesLeft > 0:
          // Asked again, because a user who types on would type the secret as a line of the board.
          text = rows(of: "\(error)") + prompt
        case .controlCharacter, .invalidUTF8: throw TerminalError(.mismatch, "\(error)")
        case .failed: throw TerminalError(.io, "\(error)")
        }
        continue
      }
      do throws(KeychainError) {
        return try result.get()
      } catch {
        throw TerminalError(error.kind == .invalidPassphrase ? .empty : .io, error.message)
      }
    }
    return nil
  }

  /// Returns the rows above a question that is asked again, which say why.
  func rows(of problem: String) -> String {
    StyledText(problem + "\n").wrapped(to: columns()).text
  }

  /// Returns what is typed at one prompt, in guarded memory.
  private func answer(
    _ prompt: String, isNew: Bool
  ) async throws(SecretPromptError) -> Result<GuardedBytes, KeychainError> {
    // The line editor shows no input between two prompts, and has modes of its own.
    let staysHidden = reader == nil && hiding.count.withLock { $0 > 0 }
    return try await SecretPrompt.readOnOwnThread(
      prompt: prompt, staysHidden: staysHidden, isUTF8: isUTF8,
      // The passphrase of a keychain is taken as it comes.
      requiresUTF8: isUTF8 && isNew
    ) { bytes in
      do throws(KeychainError) {
        guard !bytes.isEmpty else {
          throw KeychainError(.invalidPassphrase, message: "nothing was typed")
        }
        return .success(try GuardedBytes(copying: bytes))
      } catch {
        return .failure(error)
      }
    }
  }

  func pause(_ prompt: String) async throws(TerminalError) -> Bool? {
    guard canAsk else { return nil }
    await beginPrompt()
    defer { endPrompt() }
    do throws(SecretPromptError) {
      return try await SecretPrompt.readOnOwnThread(prompt: prompt) { bytes in
        bytes.first != UInt8(ascii: "q")
      }
    } catch {
      switch error {
      case .noTerminal: return nil
      case .interrupted, .endOfInput: return false
      case .tooLong, .controlCharacter, .invalidUTF8: return true
      case .failed: throw TerminalError(.io, "\(error)")
      }
    }
  }

  func reveal(_ value: Data) async {
    // A pipe or a file gets the exact bytes.
    guard showsOutput else { return write([UInt8](value)) }
    // A service may have given the value. The next text begins on a new line.
    let text = escapeControls(
      String(decoding: value, as: UTF8.self), keepsNewlines: true, keepsTabs: true)
    write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8))
  }

  func hideInput() { hiding.count.withLock { $0 += 1 } }

  func showInput() {
    hiding.count.withLock { count in
      count -= 1
      if count == 0 { SecretPrompt.release() }
    }
  }

  func readSecret(limit: Int) async throws(TerminalError) -> GuardedBytes {
    let input = input
    return try await DetachedThread.runInterruptibly { (interruption) throws(TerminalError) in
      try input.read(limit: limit, until: interruption)
    }
  }

  func readInput(limit: Int) async throws(TerminalError) -> Data {
    let bytes = try await readSecret(limit: limit)
    do throws(KeychainError) {
      return try bytes.withBytes { Data($0) }
    } catch {
      throw TerminalError(.io, error.message)
    }
  }
}
