import SwiftBoardCommandLine
import Synchronization

/// The standard output and standard error of the program. A failed write to standard output ends
/// the run.
final class BoardOutputWriter: Sendable {
  let standardOutput: StandardOutput
  private let standardError: StandardOutput
  private let screen: PromptScreen?
  /// The pager for long output, or `nil` if none is used.
  let pager: Pager?
  /// The columns of the status on a terminal without escape sequences.
  private let statusWidth = Mutex(0)
  private let failure = Mutex<Int32?>(nil)
  private let isJSON: Bool
  private let terminal: Terminal
  private let color: ProgramOptions.ColorMode
  /// Called once, when standard output can no longer be written.
  let onFailure = Mutex<(@Sendable () -> Void)?>(nil)

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - isJSON: Whether failures are printed as JSON.
  ///   - color: The use of colors, unless a line sets its own.
  ///   - screen: The screen of the line editor, above whose line messages appear.
  ///   - terminal: Whether standard output is a terminal, and so appears there too.
  ///   - pager: The pager for long output.
  init(
    isJSON: Bool, color: ProgramOptions.ColorMode = .auto, screen: PromptScreen? = nil,
    terminal: Terminal, pager: Pager? = nil
  ) {
    self.pager = pager
    self.isJSON = isJSON
    self.color = color
    self.terminal = terminal
    self.screen = screen
    standardOutput = StandardOutput(screen: terminal.isOutputTerminal ? screen : nil)
    standardError = StandardOutput.standardError(screen: screen)
  }

  /// 141 when the reader has closed the pipe, 74 for any other failed write.
  var failureCode: Int32? { failure.withLock { $0 } }

  func write(_ output: BoardOutput, _ redirects: RedirectFiles) {
    switch output.stream {
    case .standardError: warn(output.content, output.display.color)
    case .standardOutput:
      if output.redirect != nil {
        redirects.write(output.bytes, job: output.job)
        return
      }
      let rendered: @Sendable () -> [UInt8] = { [self] in
        render(output.content, output.display.color, onError: false)
      }
      guard let pager else { return writeOutput(rendered()) }
      if output.display.mayPage, pager.show(output.content, rendered: rendered) { return }
      pager.whenEnded { [self] in writeOutput(rendered()) }
    }
  }

  /// Writes what a pager was to show that could not run.
  func writeUnpaged(_ bytes: [UInt8]) { writeOutput(bytes) }

  private func writeOutput(_ bytes: [UInt8]) {
    guard failureCode == nil else { return }
    do throws(OutputError) {
      try standardOutput.write(bytes)
    } catch {
      failure.withLock { $0 = error.exitCode }
      onFailure.withLock { $0 }?()
      if error != .closed {
        BoardProgram.complain(
          "\(error)", help: nil, code: error.exitCode, isJSON: isJSON,
          usesColor: terminal.usesColor(color, onError: true))
      }
    }
  }

  /// Shows a text on standard error in place of the previous one, or removes it for an empty one. It
  /// is not shown while a line is edited.
  func showStatus(_ text: String) {
    if let screen { return screen.showStatus(text) }
    let text = String(text.prefix(max(0, terminal.size.columns - 1)))
    let blanks = statusWidth.withLock { width in
      defer { width = text.count }
      return String(repeating: " ", count: max(0, width - text.count))
    }
    warn(StyledText("\r\(text)\(blanks)" + (text.isEmpty ? "\r" : "")))
  }

  /// Writes to standard error. A failed write is ignored because it cannot be reported.
  ///
  /// - Parameter color: The use of colors, or `nil` for that of the program.
  func warn(_ text: StyledText, _ color: ProgramOptions.ColorMode? = nil) {
    let write: @Sendable () -> Void = { [self] in
      try? standardError.write(render(text, color, onError: true))
    }
    if let pager { pager.whenEnded(write) } else { write() }
  }

  /// Returns the text with escape sequences if the stream has colors.
  private func render(
    _ text: StyledText, _ color: ProgramOptions.ColorMode?, onError: Bool
  ) -> [UInt8] {
    terminal.usesColor(color ?? self.color, onError: onError)
      ? text.rendered(.standard) : text.bytes
  }
}
