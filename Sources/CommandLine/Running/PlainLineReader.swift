import SwiftBoardSystem
import Synchronization

/// A reader with a plain prompt and the terminal's own line editing, as for `TERM=dumb`.
package final class PlainLineReader: LineReader {
  private let input: Int32
  private let output: Int32
  private let buffer = Mutex(LineBuffer())
  /// A pipe that wakes the reading thread, or `nil` if none could be created. Then an interrupt
  /// takes effect after the next line.
  private let wake: (read: Int32, write: Int32)?
  /// The prompt that waits for a line.
  private let shown = Mutex<String?>(nil)

  /// - Parameters:
  ///   - input: the terminal to read.
  ///   - output: the descriptor for the prompt.
  package init(input: Int32 = STDIN_FILENO, output: Int32 = STDERR_FILENO) {
    self.input = input
    self.output = output
    wake = try? Descriptor.pipe()
  }

  deinit {
    if let wake {
      close(wake.read)
      close(wake.write)
    }
  }

  /// Writes the prompt and waits on a thread of its own. A terminal that hung up ends the input.
  ///
  /// - Throws: `io` if the terminal cannot be read, `malformedData` for a line of more than 64 MiB.
  package func readLine(prompt: String) async throws(LineSourceError) -> LineRead {
    TerminalOutput.show(prompt, on: output)
    shown.withLock { $0 = prompt }
    defer { shown.withLock { $0 = nil } }
    while true {
      let (line, isAtEnd) = try buffer.withLock { buffer throws(LineSourceError) in
        (try buffer.next(file: nil), buffer.isAtEnd)
      }
      if let line { return .line(line.text) }
      if isAtEnd { return .endOfInput }
      let (input, wake) = (input, wake)
      do throws(SystemError) {
        let bytes = try await DetachedThread.run { () throws(SystemError) -> [UInt8]? in
          if let wake, Descriptor.isSecondReady(input, wake.read) {
            _ = try Descriptor.read(wake.read, atMost: 64)
            return nil
          }
          return try Descriptor.read(input, atMost: 1 << 12)
        }
        guard let bytes else { return .interrupted(hadText: false) }
        buffer.withLock { $0.append(bytes) }
      } catch {
        // A terminal that hung up fails with EIO, which ends the input.
        if error.code == EIO { return .endOfInput }
        throw LineSourceError(.io, message: "cannot read the terminal: \(error)")
      }
    }
  }

  /// Shows the prompt again, if it waits for a line. Call this after the process was stopped. In
  /// the background, the row of the cursor is the shell's, which continues the process once more
  /// when it brings it to the foreground.
  package func continueAfterStop() {
    guard TerminalModes.isInForeground(input), let prompt = shown.withLock({ $0 }) else { return }
    TerminalOutput.show(prompt, on: output)
  }

  /// Ends the waiting `readLine`, or the next one. Call this on Ctrl-C.
  ///
  /// The terminal has already discarded the typed text, so `hadText` is always `false`.
  package func interrupt() {
    guard let wake else { return }
    Descriptor.wake(wake.write)
  }
}
