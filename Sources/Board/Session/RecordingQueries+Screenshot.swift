import SwiftBoardCommandLine
import SwiftBoardRecording
import SwiftBoardStore

extension RecordingQueries {
  /// The most bytes of text that are drawn.
  private static let longest = 256 << 10

  /// Draws the terminal of a recorded session: its prompts, its lines and what they printed.
  func screenshot(_ file: String?) throws -> SessionResult {
    let path = try path(file)
    let features = navigators.features
    var renderer = BoardRenderer(features, isReplay: true)
    var text = StyledText()
    var width: Int?
    var lastLine: String?
    do {
      try SessionReplay.lookAgain(unless: { flag.isSet || !text.isEmpty }) {
        let log = try SessionReplay.rotatedLog(path) { [flag] in flag.isSet }
        let summary = try Replayer(features).replay(log) { step, state, time in
          width = max(width ?? 0, state.settings.columns ?? 100)
          if let context = step.action.started {
            // The commands of one line share its prompt.
            let line = "\(context.location): \(context.text)"
            if line != lastLine { text += prompt(context, state, behind: step.number - 1) }
            lastLine = line
          }
          for output in renderer.outputs(of: step.action, in: state, at: time)
          where output.redirect == nil && text.bytes.count <= Self.longest {
            let wraps = output.stream == .standardError && output.display.wraps
            let width = wraps ? state.settings.columns : nil
            let content = withoutSecrets(output.content)
            text += width.map { content.wrapped(to: $0) } ?? content
          }
        }
        warnings?.note(summary.warnings, log, path)
      }
    } catch {
      throw flag.isSet
        ? CancellationError()
        : (error as? ReplayError).map { Failure($0.mapValues(secrets.masked), path) } ?? error
    }
    guard text.bytes.count <= Self.longest else {
      throw Failure(
        code: ExitCode.data, error: "tooLarge",
        message: "\(path) shows more than \(Self.longest >> 10) KiB, which no image is for",
        help: "'session replay \(path) > FILE' prints it")
    }
    let image = TerminalImage(
      columns: width ?? 100, title: navigators.features.program.name)
    return .screenshot(svg: image.svg(of: text))
  }

  /// Returns a text without secrets, since rows divide it. A text with a secret loses its colors.
  private func withoutSecrets(_ content: StyledText) -> StyledText {
    let text = content.text
    let masked = secrets.maskedForASCII(text)
    return masked == text ? content : StyledText(masked)
  }

  /// Returns the prompt and the line behind it.
  ///
  /// - Parameter last: The last step before that of the line.
  private func prompt(
    _ context: CommandContext, _ state: BoardState, behind last: Int
  ) -> StyledText {
    var before = state
    before.shell.running.removeAll { $0.job >= context.job }
    let prompt = BoardPrompt(before, recordedSteps: last, hasProblem: false)
    var text = StyledText()
    let lines = secrets.maskedForASCII(context.text)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      text.append(prompt.text(isContinuation: index > 0), .prompt)
      text.append(escapeControls(String(line)) + "\n")
    }
    return text
  }
}
