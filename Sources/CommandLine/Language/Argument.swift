/// A word after expansion: text, and references to secrets that only an effect resolves.
public struct Argument: Sendable, Hashable {
  /// A stretch of an argument.
  public typealias Part = SecretTemplate.Part

  /// Without empty texts, and never two texts in a row.
  public private(set) var parts: [Part]
  /// How the word was written; see `Word.Quoting`.
  public var quoting: Word.Quoting
  /// How many scalars of `leadingText` were typed before the first value that was put in; `nil` if
  /// none was. What is put in is data: it makes a word no option and says nothing of an item's
  /// kind.
  public var typedCount: Int?
  /// Which physical line of a continued line, 0 for the first.
  public var lineOffset: Int
  /// The first character of the word, from 1.
  public var column: Int
  /// How many characters the word takes as typed.
  public var length: Int

  /// An argument from its parts, which are merged as in `SecretTemplate`.
  public init(
    parts: [Part], quoting: Word.Quoting = .none, typedCount: Int? = nil,
    lineOffset: Int = 0, column: Int = 1, length: Int = 1
  ) {
    self.parts = SecretTemplate(parts: parts).parts
    self.quoting = quoting
    self.typedCount = typedCount
    self.lineOffset = lineOffset
    self.column = column
    self.length = length
  }

  /// A plain text, as in tests and defaults.
  public init(_ text: String, column: Int = 1) {
    self.init(parts: [.text(text)], column: column, length: text.count)
  }

  /// The whole word was in quotes: it is text, and never an option.
  public var isQuoted: Bool { quoting != .none }

  /// The text, or `nil` if a secret is part of it.
  public var text: String? { template.text }

  /// The argument as a value that may be stored and logged: names of secrets, no values.
  public var template: SecretTemplate { SecretTemplate(parts: parts) }

  /// For messages: secrets by name.
  public var shown: String { template.description }

  /// The same position with other parts.
  func replacing(parts: [Part]) -> Argument {
    Argument(
      parts: parts, quoting: quoting, typedCount: typedCount, lineOffset: lineOffset,
      column: column, length: length)
  }

  /// The part of the text before the first secret.
  public var leadingText: String {
    if case .text(let text) = parts.first { text } else { "" }
  }

  /// The part of `leadingText` that was typed: all of it, or what precedes the first value that was
  /// put in.
  public var typedText: String {
    guard let typedCount else { return leadingText }
    return String(String.UnicodeScalarView(leadingText.unicodeScalars.prefix(typedCount)))
  }

  /// What follows the first `count` characters of `leadingText`.
  func droppingLeading(_ count: Int) -> Argument {
    guard case .text(let text) = parts.first else { return self }
    return replacing(parts: [.text(String(text.dropFirst(count)))] + parts.dropFirst())
  }
}
