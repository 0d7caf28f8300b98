/// A word after expansion: text, and references to secrets that are only resolved in effects.
public struct Argument: Sendable, Hashable {
  /// A part of an argument.
  public typealias Part = SecretTemplate.Part

  /// The parts, without empty texts or adjacent texts.
  public private(set) var parts: [Part]
  /// The quoting of the word; see `Word.Quoting`.
  public var quoting: Word.Quoting
  /// The number of scalars of `leadingText` that were typed before the first inserted value, or
  /// `nil` if none was inserted. An inserted value is data: it cannot make a word an option or
  /// determine an item's kind.
  public var typedCount: Int?
  /// Whether the whole word is one inserted value, without quotes.
  public var isInserted: Bool
  /// The inserted values, one behind the other, except those inside strings of JSON.
  var insertedText = ""
  /// The ranges of all inserted values in the scalars of the texts of `parts`, one text behind the
  /// other. Only of a whole word: none if parts were replaced.
  var insertedRanges: [Range<Int>] = []
  /// The folder that a `~` before `/` at the start of a file's name stands for, or `nil` if the
  /// word has none or it is quoted.
  package var home: String?
  /// The index of the physical line in a continued line, from 0.
  public var lineOffset: Int
  /// The column of the word's first character, from 1.
  public var column: Int
  /// The number of characters of the word as typed.
  public var length: Int

  /// Creates an argument from parts, which are merged as in `SecretTemplate`.
  public init(
    parts: [Part], quoting: Word.Quoting = .none, typedCount: Int? = nil,
    isInserted: Bool = false, lineOffset: Int = 0, column: Int = 1, length: Int = 1
  ) {
    self.parts = SecretTemplate(parts: parts).parts
    self.quoting = quoting
    self.typedCount = typedCount
    self.isInserted = isInserted
    self.lineOffset = lineOffset
    self.column = column
    self.length = length
  }

  /// Creates a plain text, for tests and defaults.
  public init(_ text: String, column: Int = 1) {
    self.init(parts: [.text(text)], column: column, length: text.count)
  }

  /// Whether the whole word was quoted. Then it is text and never an option.
  public var isQuoted: Bool { quoting != .none }

  /// The text, or `nil` if a secret is part of it.
  public var text: String? { template.text }

  /// Returns the text with a replacement for each secret.
  package func text(replacingSecretsWith replacement: String) -> String {
    // Most words are one text.
    if parts.count == 1, case .text(let text) = parts[0] { return text }
    return parts.map { if case .text(let text) = $0 { text } else { replacement } }.joined()
  }

  /// The argument as a value that can be stored and logged. It contains names of secrets, not
  /// values.
  public var template: SecretTemplate { SecretTemplate(parts: parts) }

  /// The text for messages, with names in place of secrets.
  public var shown: String { template.description }

  /// Returns an argument at the same position with other parts.
  package func replacing(parts: [Part]) -> Argument {
    var argument = Argument(
      parts: parts, quoting: quoting, typedCount: typedCount, isInserted: isInserted,
      lineOffset: lineOffset, column: column, length: length)
    argument.insertedText = insertedText
    argument.home = home
    return argument
  }

  /// Returns a file's name that is a part of the word, with the user's home in place of a `~`
  /// before `/`, as shells have it.
  package func expandingHome(in path: String) -> String {
    guard let home, path.hasPrefix("~/") else { return path }
    return (home == "/" ? "" : home) + path.dropFirst()
  }

  /// Returns the word with the user's home in place of a typed `~` before `/` at its start.
  package func expandingHome() -> Argument {
    guard home != nil, typedText.hasPrefix("~/"), case .text(let text) = parts.first else {
      return self
    }
    return replacing(parts: [.text(expandingHome(in: text))] + parts.dropFirst())
  }

  /// The text before the first secret.
  public var leadingText: String {
    if case .text(let text) = parts.first { text } else { "" }
  }

  /// The part of `leadingText` that was typed: all of it, or the part before the first inserted
  /// value.
  public var typedText: String {
    guard let typedCount else { return leadingText }
    return String(String.UnicodeScalarView(leadingText.unicodeScalars.prefix(typedCount)))
  }

  /// Returns the argument without the first `count` scalars of `leadingText`.
  package func droppingLeading(_ count: Int) -> Argument {
    guard case .text(let text) = parts.first else { return self }
    return replacing(
      parts: [.text(String(text.unicodeScalars.dropFirst(count)))] + parts.dropFirst())
  }
}
