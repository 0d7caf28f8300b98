/// The division of JSON text into tokens, for coloring it.
///
/// It accepts any bytes, and leaves what is no token without a style.
enum JSONTokens {
  private typealias Style = StyledText.Style

  /// Calls `body` with each token and with what is between tokens, in order. Linear.
  static func forEach<Failure: Error>(
    in text: ArraySlice<UInt8>,
    _ body: (ArraySlice<UInt8>, StyledText.Style?) throws(Failure) -> Void
  ) throws(Failure) {
    var plain = text.startIndex
    var index = text.startIndex
    while index < text.endIndex {
      guard let (end, style) = token(at: index, in: text) else {
        index += 1
        continue
      }
      if plain < index { try body(text[plain..<index], nil) }
      try body(text[index..<end], style)
      index = end
      plain = end
    }
    if plain < text.endIndex { try body(text[plain...], nil) }
  }

  private static func token(
    at start: Int, in text: ArraySlice<UInt8>
  ) -> (end: Int, style: Style)? {
    switch text[start] {
    case UInt8(ascii: "\""):
      let end = endOfString(start, text)
      return (end, isKey(end, text) ? .key : .string)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let end = text[start...].firstIndex { !isNumeric($0) } ?? text.endIndex
      return (end, .number)
    case UInt8(ascii: "a")...UInt8(ascii: "z"):
      let end =
        text[start...].firstIndex { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        ?? text.endIndex
      return (end, .constant)
    default: return nil
    }
  }

  private static func endOfString(_ start: Int, _ text: ArraySlice<UInt8>) -> Int {
    var index = start + 1
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\\"): index += 2
      case UInt8(ascii: "\""): return index + 1
      default: index += 1
      }
    }
    return text.endIndex
  }

  private static func isKey(_ end: Int, _ text: ArraySlice<UInt8>) -> Bool {
    let next = text[end...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
    return next == UInt8(ascii: ":")
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "e"), UInt8(ascii: "E"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
