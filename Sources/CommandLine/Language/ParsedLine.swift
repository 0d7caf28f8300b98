/// The result of parsing a text.
public enum ParsedLine: Sendable, Hashable {
  /// The text is blank or only a comment.
  case empty
  /// One or more commands to run in order.
  case commands(CommandList)
  /// The text is valid so far but incomplete.
  case incomplete(IncompleteLine)
  /// The text cannot become a valid line.
  case invalid(LineSyntaxError)

  /// The prefix, even if the rest is invalid.
  public var prefix: LinePrefix? {
    switch self {
    case .commands(let list): list.prefix
    case .invalid(let error): error.prefix
    case .empty, .incomplete: nil
    }
  }
}

/// The commands of one line, and the prefix for all of them.
public struct CommandList: Sendable, Hashable {
  /// The prefix for all commands: `!`, `-` or `time`.
  public var prefix: LinePrefix?
  /// The commands, never empty.
  public var commands: [ParsedCommand]
}

/// A command as typed, before expansion.
public struct ParsedCommand: Sendable, Hashable {
  /// The words, never empty.
  public var words: [Word]
  /// Whether the command ends in `&`.
  public var isBackground = false
  /// The destination of the output, or `nil` for standard output.
  public var redirect: Redirect?

  /// A redirection `> FILE` or `>> FILE`.
  public struct Redirect: Sendable, Hashable {
    /// The file's name before expansion.
    public var file: Word
    /// Whether to append to the file (`>>`).
    public var appends: Bool
  }
}

/// A heredoc of an incomplete line whose text has not ended.
struct OpenHeredoc: Sendable, Hashable {
  var tag: String
  /// Whether tabs may precede the tag at the end.
  var allowsTabs: Bool
  /// The position of the heredoc; see `IncompleteLine`.
  var lineOffset: Int
  var column: Int

  func isEnded(by line: String) -> Bool {
    let scalars = line.unicodeScalars
    return (allowsTabs ? scalars.drop { $0 == "\t" } : scalars[...])
      .elementsEqual(tag.unicodeScalars)
  }
}

/// The open construct of an incomplete line, and its position.
public struct IncompleteLine: Sendable, Hashable {
  /// The kind of open construct.
  public enum Reason: Sendable, Hashable {
    /// A quote, `'` or `"`.
    case quote(Character)
    /// The open brackets, outermost first, and whether a JSON string is open inside them.
    case bracket(open: [Character], inString: Bool)
    /// A heredoc, by its tag.
    case heredoc(String)
    /// A `\` at the end of the line.
    case backslash
  }

  /// The open construct. It changes with further lines: see `mightEnd(with:)`.
  public var reason: Reason
  /// The index of the physical line where it was opened, from 0.
  public var lineOffset: Int
  /// The column of the character that opened it, from 1.
  public var column: Int
  /// The first error of the text so far. The line ends where the construct ends all the same.
  public internal(set) var problem: LineSyntaxError?
  /// The index of the last physical line so far, from 0.
  var lastLine: Int
  /// Whether a `#` at the start of the next physical line may begin a comment.
  var mayBeginComment = false
  /// The heredocs whose texts have not ended, the open one first.
  var heredocs: ArraySlice<OpenHeredoc> = []

  /// The error if no further line follows. It has no prefix, because the rest of a script may be in
  /// the line.
  public var error: LineSyntaxError {
    if var problem {
      problem.prefix = nil
      return problem
    }
    let message: String
    let help: String
    switch reason {
    case .quote(let mark):
      message = "the quote opened here is never closed"
      help = "close it with \(mark), or write \\\(mark) for the character itself"
    case .bracket(let open, let inString):
      let mark = open.last ?? "{"
      if inString {
        message = "a string inside this '\(open.first ?? mark)' is never closed"
        help = "close it with \""
      } else {
        message = "the '\(open.first ?? mark)' opened here is never closed"
        help = "close it with '\(mark == "{" ? "}" : "]")', or quote the word"
      }
    case .heredoc(let tag):
      message = "the text opened by <<\(tag) never ends"
      help = "end it with a line that is only \(tag)"
    case .backslash:
      message = "a line should follow the \\"
      help = "remove the \\ or add the line"
    }
    return LineSyntaxError(
      message, help: help, lineOffset: lineOffset, column: column)
  }
}
