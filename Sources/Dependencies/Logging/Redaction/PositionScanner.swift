/// Finds text that is secret because of its position in an address or a header line: values of
/// secret headers, values of secret query items, and the user part of an address. One pass, linear.
///
/// Names and values in bodies and documents are data, so members of JSON and fields of forms do not
/// count.
struct PositionScanner {
  private let text: UnsafeBufferPointer<UInt8>
  private var found: [Range<Int>] = []

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  /// Returns the ranges in order. They do not overlap, and exclude empty ranges and marks.
  mutating func ranges() -> [Range<Int>] {
    var index = 0
    while let sign = EncodingMarkers.nextKeySign(in: text, from: index) {
      index = text[sign] == UInt8(ascii: "=") ? equals(at: sign) : colon(at: sign)
    }
    return found
  }

  /// Scans `?name=value` and `&name=value`.
  private mutating func equals(at sign: Int) -> Int {
    let name = name(before: sign, isEncoded: true)
    guard name.lowerBound > 0, isQuerySign(text[name.lowerBound - 1]),
      SecretNames.isQueryItem(PercentEncoding.decoded(string(name)[...]))
    else { return sign + 1 }
    var end = sign + 1
    while end < text.count, !endsQueryValue(text[end]) { end = position(after: end) }
    // Punctuation after the address is not part of it.
    while end > sign + 1, closesSentence(text[end - 1]) { end -= 1 }
    return add(sign + 1, end)
  }

  /// Scans `Name: value` and `//user@host`.
  private mutating func colon(at sign: Int) -> Int {
    let next = sign + 1
    guard next < text.count else { return next }
    if next + 1 < text.count, text[next] == UInt8(ascii: "/"), text[next + 1] == UInt8(ascii: "/") {
      return userInfo(from: next + 2)
    }
    let name = name(before: sign)
    guard SecretNames.isHeader(string(name)) else { return next }
    var quote: UInt8?
    if name.lowerBound > 0 {
      let before = text[name.lowerBound - 1]
      if before == UInt8(ascii: "\"") || before == UInt8(ascii: "'") { quote = before }
    }
    var start = next
    while start < text.count, isBlank(text[start]) { start += 1 }
    var end = start
    while end < text.count, text[end] != 0x0A, text[end] != 0x0D, text[end] != 0x00,
      text[end] != quote
    {
      end = position(after: end)
    }
    while end > start, isBlank(text[end - 1]) { end -= 1 }
    return add(start, end)
  }

  /// Scans the user part up to the last `@` before the path.
  private mutating func userInfo(from start: Int) -> Int {
    var end = start
    var at: Int?
    loop: while end < text.count {
      switch text[end] {
      case 0...0x20, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"),
        UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
        UInt8(ascii: "\\"):
        break loop
      case UInt8(ascii: "@"): at = end
      default: break
      }
      end = position(after: end)
    }
    guard let at else { return start }
    return add(start, at)
  }

  // MARK: Parts

  /// Returns the name that ends before `end`. Names of headers and query items are short.
  ///
  /// - Parameter isEncoded: Whether its characters may be percent-encoded, with three bytes each.
  private func name(before end: Int, isEncoded: Bool = false) -> Range<Int> {
    var start = end
    while start > 0, end - start <= (isEncoded ? 120 : 40),
      isPartOfName(text[start - 1]) || isEncoded && text[start - 1] == UInt8(ascii: "%")
    {
      start -= 1
    }
    return start..<end
  }

  /// Returns the position after the byte at `index`, or after the mark that starts there: the name
  /// in a mark may have characters that would end a value.
  private func position(after index: Int) -> Int {
    RedactionMark.end(in: text, at: index) ?? index + 1
  }

  private func string(_ range: Range<Int>) -> String {
    String(decoding: text[range], as: UTF8.self)
  }

  private func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private func isQuerySign(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "?") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "#")
  }

  private func endsQueryValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7F, UInt8(ascii: "&"), UInt8(ascii: "#"), UInt8(ascii: "\""),
      UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"):
      true
    default: false
    }
  }

  private func closesSentence(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "."), UInt8(ascii: ":"),
      UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "'"):
      true
    default: false
    }
  }

  /// Adds a range unless it is empty, a mark, or a reference to a secret. Returns its end.
  private mutating func add(_ start: Int, _ end: Int) -> Int {
    if start < end, RedactionMark.end(in: text, at: start) != end,
      reference(at: start).map({ $0 < end }) ?? true
    {
      found.append(start..<end)
    }
    return max(start, end)
  }

  /// Returns the end of the reference `{{secret:NAME}}` that starts at `start`, or `nil` if there
  /// is none. A reference is not a secret itself.
  private func reference(at start: Int) -> Int? {
    let opening = "{{secret:".utf8
    guard text[start...].starts(with: opening) else { return nil }
    var end = start + opening.count
    while end < text.count, end - start < 128, text[end] > 0x20, text[end] != UInt8(ascii: "{") {
      if text[end] == UInt8(ascii: "}") {
        return end + 1 < text.count && text[end + 1] == UInt8(ascii: "}") ? end + 2 : nil
      }
      end += 1
    }
    return nil
  }
}
