import SwiftBoardCommandLine
import SwiftBoardDependencies

/// A piece of output and its destination.
public struct BoardOutput: Sendable, Equatable {
  /// A standard stream.
  public enum Stream: Sendable, Equatable {
    /// The stream for results, and the stream for everything else.
    case standardOutput, standardError
  }

  /// The stream, if there is no `redirect`.
  public var stream: Stream
  /// UTF-8 text that ends with a line feed, or the bytes of a body. Its styles only matter at a
  /// terminal.
  public var content: StyledText
  /// The file that replaces standard output, or `nil` for none.
  public var redirect: CommandContext.Redirect?
  /// The job of the command.
  public var job: Int

  /// How the output is shown at a terminal.
  public var display = Display()

  /// How output is shown at a terminal.
  public struct Display: Sendable, Equatable {
    /// Whether a pager may show the output.
    package var mayPage = false
    /// Whether lines of a message are broken between words.
    package var wraps = true
    /// The job of the `watch` in the foreground that the output is a round of, if it is one. Each
    /// round takes the place of the one before.
    package var round: Int?
    /// The use of colors, if the line sets one.
    package var color: ColorMode?
    /// What is written on standard error if Ctrl-C ends the printing, or `nil` for nothing.
    package var cutNote: StyledText?
  }

  /// The bytes without styles.
  public var bytes: [UInt8] { content.bytes }

  /// The bytes as text. Invalid UTF-8 is replaced.
  public var text: String { content.text }

  /// Creates a warning that belongs to no command.
  static func warning(_ text: String, _ settings: BoardSettings) -> BoardOutput {
    let text = settings.isASCII ? RedactionMark.ascii(text) : text
    var output = BoardOutput(
      stream: .standardError,
      content: settings.output == .json
        ? NoteReport.json(text, line: 0, isWarning: true)
        : StyledText(warning: "\(escapeControls(text))\n"), job: 0)
    output.display.wraps = settings.output != .json
    return output
  }

  /// Creates output.
  public init(
    stream: Stream, content: StyledText, redirect: CommandContext.Redirect? = nil, job: Int
  ) {
    self.stream = stream
    self.content = content
    self.redirect = redirect
    self.job = job
  }
}
