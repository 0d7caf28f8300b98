import SwiftBoardSystem
import Synchronization

/// Writes text to a descriptor immediately and completely, without buffering.
///
/// Texts of several writers are never mixed. A write blocks while the reader of a pipe is slow.
package final class StandardOutput: Sendable {
  private let descriptor: Int32
  private let screen: PromptScreen?
  private let lock = Mutex(())

  /// - Parameters:
  ///   - descriptor: A descriptor open for writing, which is not closed.
  ///   - screen: The screen of a line editor at the same terminal, above whose line the output
  ///     appears.
  package init(descriptor: Int32 = STDOUT_FILENO, screen: PromptScreen? = nil) {
    self.descriptor = descriptor
    self.screen = screen
  }

  /// Returns a writer for standard error.
  package static func standardError(screen: PromptScreen? = nil) -> StandardOutput {
    StandardOutput(descriptor: STDERR_FILENO, screen: screen)
  }

  /// Writes all of `text`. Continues interrupted and short writes.
  package func write(_ text: String) throws(OutputError) {
    var text = text
    let result = text.withUTF8 { write(bytes: UnsafeRawBufferPointer($0)) }
    try result.get()
  }

  /// Writes all of `bytes`.
  ///
  /// - Parameter startsRow: Whether they begin a new row on the screen where other output has not
  ///   ended its own.
  package func write(_ bytes: [UInt8], startsRow: Bool = false) throws(OutputError) {
    try bytes.withUnsafeBytes { write(bytes: $0, startsRow: startsRow) }.get()
  }

  private func write(
    bytes: UnsafeRawBufferPointer, startsRow: Bool = false
  ) -> Result<Void, OutputError> {
    guard !bytes.isEmpty else { return .success(()) }
    return lock.withLock { _ in
      do throws(SystemError) {
        if let screen {
          return .success(try screen.write(bytes, to: descriptor, startsRow: startsRow))
        }
        return .success(try TerminalOutput.write(descriptor, bytes))
      } catch {
        return .failure(error.code == EPIPE ? .closed : .failed("\(error)"))
      }
    }
  }
}

/// An error when writing output.
package enum OutputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reader has closed the pipe. SIGPIPE must be ignored for this error to occur.
  case closed
  /// Any other error, such as a full disk, with the system's message.
  case failed(String)

  package var description: String {
    switch self {
    case .closed: "the reader of the output has closed it"
    case .failed(let message): "cannot write the output: \(message)"
    }
  }
}
