import SwiftBoardCommandLine
import Synchronization

/// The standard output and standard error of the program. A failed write to standard output ends
/// the run.
final class BoardOutputWriter: Sendable {
  let standardOutput: StandardOutput
  private let standardError: StandardOutput
  private let screen: PromptScreen?
  private let failure = Mutex<Int32?>(nil)
  private let isJSON: Bool
  /// Called once, when standard output can no longer be written.
  let onFailure = Mutex<(@Sendable () -> Void)?>(nil)

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - isJSON: Whether failures are printed as JSON.
  ///   - screen: The screen of the line editor, above whose line messages appear.
  ///   - terminal: Whether standard output is a terminal, and so appears there too.
  init(isJSON: Bool, screen: PromptScreen? = nil, terminal: Terminal) {
    self.isJSON = isJSON
    self.screen = screen
    standardOutput = StandardOutput(screen: terminal.isOutputTerminal ? screen : nil)
    standardError = StandardOutput.standardError(screen: screen)
  }

  /// 141 when the reader has closed the pipe, 74 for any other failed write.
  var failureCode: Int32? { failure.withLock { $0 } }

  func write(_ output: BoardOutput, _ redirects: RedirectFiles) {
    switch output.stream {
    case .standardError: warn(output.text)
    case .standardOutput:
      if output.redirect != nil {
        redirects.write(output.bytes, job: output.job)
        return
      }
      guard failureCode == nil else { return }
      do throws(OutputError) {
        try standardOutput.write(output.bytes)
      } catch {
        failure.withLock { $0 = error.exitCode }
        onFailure.withLock { $0 }?()
        if error != .closed {
          BoardProgram.complain("\(error)", help: nil, code: error.exitCode, isJSON: isJSON)
        }
      }
    }
  }

  /// Writes a text to standard error that another one will replace, such as progress. It is not
  /// shown while a line is edited.
  func show(_ text: String) {
    guard let screen else { return warn(text) }
    screen.writeTransient(text)
  }

  /// Writes to standard error. A failed write is ignored because it cannot be reported.
  func warn(_ text: String) {
    try? standardError.write(text)
  }
}
