/// Text whose parts have styles.
///
/// A style says what a part is, for example a header. The text has no escape sequences: a `Palette`
/// adds them when the text is written to a terminal.
public struct StyledText: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The kind of a part.
  public enum Style: Sendable, Hashable, CaseIterable {
    /// The title of a paragraph, the names above a table, and the name of a field.
    case heading, header, name
    /// JSON, whose tokens then have the styles below.
    case json
    /// The tokens of JSON.
    case key, string, number, constant
    /// Good news, news to look at, and the labels of warnings and errors.
    case success, notice, warning, error
    /// The prompt, and what is less important than the text around it.
    case prompt, faint
  }

  /// A part with a style.
  public struct Span: Sendable, Hashable {
    /// The offsets of the part in `StyledText.bytes`.
    public var range: Range<Int>
    /// The kind of the part.
    public var style: Style
  }

  /// The text in UTF-8, or the bytes of a body.
  public private(set) var bytes: [UInt8]
  /// The parts with a style in ascending order. They do not overlap.
  public internal(set) var spans: [Span] = []

  /// Creates text without styles.
  public init(_ text: String = "") { bytes = Array(text.utf8) }

  /// Creates bytes without styles.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Creates text with one style.
  public init(_ text: String, _ style: Style) {
    self.init(text)
    if !bytes.isEmpty { spans = [Span(range: 0..<bytes.count, style: style)] }
  }

  /// Creates a text without a style.
  public init(stringLiteral value: String) { self.init(value) }

  /// Creates a message with the label `warning:`, which has a style.
  public init(warning text: String) {
    self = StyledText("warning:", .warning) + StyledText(" " + text)
  }

  /// The text without styles. Invalid UTF-8 is replaced.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether there is no text.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Appends text.
  public mutating func append(_ other: StyledText) {
    let offset = bytes.count
    bytes += other.bytes
    for span in other.spans {
      spans.append(
        Span(
          range: span.range.lowerBound + offset..<span.range.upperBound + offset, style: span.style)
      )
    }
  }

  /// Appends text without a style.
  public mutating func append(_ text: String) { bytes += text.utf8 }

  /// Appends text with a style.
  public mutating func append(_ text: String, _ style: Style) {
    let start = bytes.count
    bytes += text.utf8
    if bytes.count > start { spans.append(Span(range: start..<bytes.count, style: style)) }
  }

  /// Appends text.
  public static func += (text: inout StyledText, other: StyledText) { text.append(other) }

  /// Returns both texts, one after the other.
  public static func + (first: StyledText, second: StyledText) -> StyledText {
    var text = first
    text.append(second)
    return text
  }

  /// Returns the text with each part replaced by the result of `transform`. Parts keep their
  /// styles.
  package func mapParts(_ transform: (ArraySlice<UInt8>) -> [UInt8]) -> StyledText {
    guard !spans.isEmpty else { return StyledText(bytes: transform(bytes[...])) }
    var result = StyledText()
    forEachPart { part, style in
      let start = result.bytes.count
      result.bytes += transform(part)
      guard let style, result.bytes.count > start else { return }
      result.spans.append(Span(range: start..<result.bytes.count, style: style))
    }
    return result
  }

  /// Calls `body` with each part, in order, and its style, if any.
  func forEachPart<Failure: Error>(
    _ body: (ArraySlice<UInt8>, Style?) throws(Failure) -> Void
  ) throws(Failure) {
    var end = 0
    for span in spans {
      if span.range.lowerBound > end { try body(bytes[end..<span.range.lowerBound], nil) }
      try body(bytes[span.range], span.style)
      end = span.range.upperBound
    }
    if end < bytes.count { try body(bytes[end...], nil) }
  }

  /// Calls `body` with each part like `forEachPart(_:)`, with JSON divided into its tokens.
  package func forEachToken<Failure: Error>(
    _ body: (ArraySlice<UInt8>, Style?) throws(Failure) -> Void
  ) throws(Failure) {
    try forEachPart { part, style throws(Failure) in
      if style == .json {
        try JSONTokens.forEach(in: part, body)
      } else {
        try body(part, style)
      }
    }
  }
}
