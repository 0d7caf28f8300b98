/// A word of a line before expansion.
public struct Word: Sendable, Hashable {
  /// A part of a word.
  public enum Segment: Sendable, Hashable {
    /// Literal text with escapes resolved.
    case text(String)
    /// `$name` or `${name}`.
    case variable(String, inJSONString: Bool = false)
    /// `{{last}}` (an empty path) or `{{last.body.id}}` (the path `body.id`).
    case last(String, inJSONString: Bool = false)
    /// `{{secret:name}}`, which is never replaced here.
    case secret(String)
  }

  /// The quoting of a word.
  public enum Quoting: Sendable, Hashable {
    /// Unquoted, or quoted only in part.
    case none
    /// Entirely in `'…'`, or a heredoc with a quoted tag.
    case single
    /// Entirely in `"…"`, or a heredoc.
    case double
    /// In no quotes, and no option either: a word of a link, or one that a shell has split, behind
    /// the `--` of the program.
    case data
  }

  /// The segments, empty for `''`.
  public var segments: [Segment]
  /// The quoting. A fully quoted word is never an option.
  public var quoting: Quoting
  /// The index of the physical line in a continued line, from 0.
  public var lineOffset: Int
  /// The column of the word's first character in its physical line, from 1.
  public var column: Int
  /// The number of characters of the word, including quotes.
  public var length: Int
  /// The word as typed.
  public var raw: String

  /// Creates a word.
  ///
  /// - Parameter length: The length of the word. By default, that of `raw`.
  public init(
    segments: [Segment], quoting: Quoting = .none, lineOffset: Int = 0, column: Int = 1,
    length: Int? = nil, raw: String
  ) {
    self.segments = segments
    self.quoting = quoting
    self.lineOffset = lineOffset
    self.column = column
    self.length = length ?? raw.count
    self.raw = raw
  }

  /// Whether the whole word was quoted. Then it is text and never an option.
  public var isQuoted: Bool { quoting != .none }

  /// Whether the word has a `~` before `/` that no quote and no `\` precedes. At the start of a
  /// file's name, it stands for the user's home.
  package var mayNameHome: Bool {
    guard quoting == .none, let tilde = raw.firstRange(of: "~/") else { return false }
    return !raw[..<tilde.lowerBound].contains { $0 == "'" || $0 == "\"" || $0 == "\\" }
  }

  /// Whether the word refers to a secret. Its line must not be stored in a history file.
  public var hasSecret: Bool {
    segments.contains { if case .secret = $0 { true } else { false } }
  }

  /// Returns whether `$name` reads a variable with this name. `$1` is an argument of the script.
  package static func isVariableName(_ name: String) -> Bool {
    let scalars = name.unicodeScalars
    return scalars.first.map(LineScanner.isNameStart) == true
      && scalars.allSatisfy { LineScanner.isNameStart($0) || LineScanner.isDigit($0) }
  }

  /// The text, or `nil` if a part of the word must be expanded.
  public var literal: String? {
    var text = ""
    for segment in segments {
      guard case .text(let part) = segment else { return nil }
      text += part
    }
    return text
  }
}
