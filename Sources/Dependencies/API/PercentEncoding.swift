import SwiftBoardJSON

/// The percent-encoding of RFC 3986, on bytes.
package enum PercentEncoding {
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Encodes a name or a value of a query, or a segment of a path: every byte that is not
  /// unreserved. O(length).
  package static func encoded(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) { result.append(byte) } else { append(byte, to: &result) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Encodes the characters that a path or a query may not contain. Keeps existing escapes.
  static func repaired(_ text: Substring) -> String {
    if text.utf8.allSatisfy(isAllowed) { return String(text) }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      let isEscape =
        byte == UInt8(ascii: "%") && index + 2 < bytes.count && hexDigit(bytes[index + 1]) != nil
        && hexDigit(bytes[index + 2]) != nil
      if isEscape || isAllowed(byte) {
        result.append(byte)
      } else {
        append(byte, to: &result)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Encodes the bytes beyond ASCII of a text whose encoding is not known.
  static func encodedBeyondASCII(_ bytes: some Sequence<UInt8>) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      if byte < 0x80 { result.append(byte) } else { append(byte, to: &result) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Encodes the characters that end a path, or that it may not contain. Keeps existing escapes.
  static func encodedPath(_ text: String) -> String {
    repaired(text[...]).replacing("?", with: "%3F")
  }

  /// Returns whether a byte is unreserved, a sub-delimiter, or one of `:@/?`. Paths are passed
  /// without a question mark.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    if isUnreserved(byte) { return true }
    return switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
      UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: "?"), UInt8(ascii: "@"):
      true
    default: false
    }
  }

  /// Decodes the unreserved characters of an encoded text, and writes the digits of the other
  /// escapes in upper case.
  static func normalized(_ text: String) -> String {
    var result: [UInt8] = []
    forEachByte(of: text[...]) { byte, isEscape in
      if !isEscape || isUnreserved(byte) { result.append(byte) } else { append(byte, to: &result) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes escapes, and reads `+` as a space. Replaces bytes that are not UTF-8 after that.
  /// O(length).
  package static func decoded(_ text: Substring) -> String {
    var result: [UInt8] = []
    forEachByte(of: text) { byte, isEscape in
      result.append(byte == UInt8(ascii: "+") && !isEscape ? UInt8(ascii: " ") : byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Calls a closure with each byte of an encoded text, decoded. A `%` that begins no escape is a
  /// byte like others. O(length).
  ///
  /// - Returns: Whether every `%` begins an escape.
  @discardableResult
  package static func forEachByte(
    of text: Substring, _ body: (_ byte: UInt8, _ isEscape: Bool) -> Void
  ) -> Bool {
    var areEscapes = true
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = byte == UInt8(ascii: "%") ? rest.prefix(2).compactMap(hexDigit) : []
      if digits.count == 2 {
        body(UInt8(digits[0] << 4 | digits[1]), true)
        rest = rest.dropFirst(2)
      } else {
        if byte == UInt8(ascii: "%") { areEscapes = false }
        body(byte, false)
      }
    }
    return areEscapes
  }

  private static func append(_ byte: UInt8, to result: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
