/// One word of a line, before anything in it is replaced.
public struct Word: Sendable, Hashable {
  /// A stretch of a word.
  public enum Segment: Sendable, Hashable {
    /// As it is; escapes are resolved already.
    case text(String)
    /// `$name` or `${name}`.
    case variable(String, inJSONString: Bool = false)
    /// `{{last}}` (an empty path) or `{{last.body.id}}` (the path `body.id`).
    case last(String, inJSONString: Bool = false)
    /// `{{secret:name}}`: never replaced here.
    case secret(String)
  }

  /// How the word was written.
  public enum Quoting: Sendable, Hashable {
    /// Bare, or quoted only in parts.
    case none
    /// Wholly in `'…'`, or a heredoc whose tag is quoted.
    case single
    /// Wholly in `"…"`, or a heredoc.
    case double
  }

  /// Empty for `''`.
  public var segments: [Segment]
  /// How it was written; a word that is wholly in quotes is never an option.
  public var quoting: Quoting
  /// Which physical line of a continued line, 0 for the first.
  public var lineOffset: Int
  /// The first character of the word in its physical line, from 1.
  public var column: Int
  /// How many characters the word takes, quotes included.
  public var length: Int
  /// The word as typed.
  public var raw: String

  /// A word from its parts.
  ///
  /// - Parameter length: The length of `raw` where nothing is given.
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

  /// The whole word was in quotes: it is text, and never an option.
  public var isQuoted: Bool { quoting != .none }

  /// Names a secret, so that the line must stay out of a history file.
  public var hasSecret: Bool {
    segments.contains { if case .secret = $0 { true } else { false } }
  }

  /// Whether `$name` reads a variable of this name; `$1` is an argument of the script.
  package static func isVariableName(_ name: String) -> Bool {
    let scalars = name.unicodeScalars
    return scalars.first.map(LineScanner.isNameStart) == true
      && scalars.allSatisfy { LineScanner.isNameStart($0) || LineScanner.isDigit($0) }
  }

  /// The text if nothing in the word has to be replaced.
  public var literal: String? {
    var text = ""
    for segment in segments {
      guard case .text(let part) = segment else { return nil }
      text += part
    }
    return text
  }
}
