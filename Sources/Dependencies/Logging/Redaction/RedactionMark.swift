import SwiftBoardSystem

/// A mark that replaces a secret: `«secret:NAME»` or `«redacted»`.
package enum RedactionMark {
  /// The mark for a value that is secret because of its position.
  package static let redacted = "«redacted»"
  /// The maximum size of a mark, in bytes: the name of a secret has up to 1024 bytes.
  package static let longest = 3 * 1024 + 16

  /// Returns the mark for a secret with a name.
  ///
  /// Characters that would end the mark, the line or a JSON string are percent-encoded, and so is
  /// `%`. A keychain allows any name, and different names have different marks.
  package static func named(_ name: String) -> String { "«secret:\(encoded(name))»" }

  /// Returns a name with the characters percent-encoded that have a meaning in or around a mark.
  package static func encoded(_ name: String) -> String {
    guard name.unicodeScalars.contains(where: isSpecial) else { return name }
    return name.unicodeScalars.reduce(into: "") { text, scalar in
      if isSpecial(scalar) {
        text += PercentEncoding.encoded(String(scalar))
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || scalar.value == 0x7F || "\"\\%[]«»".unicodeScalars.contains(scalar)
  }

  /// Returns the name in a mark.
  private static func name(_ bytes: some Sequence<UInt8>) -> String {
    Array(bytes).withUnsafeBufferPointer { bytes in
      let decoded = DecodedText(bytes).percentDecoded(plusIsSpace: false)?.bytes
      return String(decoding: decoded ?? Array(bytes), as: UTF8.self)
    }
  }

  /// The kind of a mark.
  package enum Kind: Sendable, Equatable {
    /// `«secret:NAME»`.
    case secret(name: String)
    /// `«redacted»`.
    case redacted

    /// Returns the mark as a message may quote it: without its name if the redactor does not know
    /// that name, which may then be the value itself. O(number of values).
    package func quotable(by redactor: Redactor) -> Kind {
      guard case .secret(let name) = self else { return self }
      return redactor.knows(name) ? self : .redacted
    }
  }

  /// Returns the first mark in a text, or `nil` if there is none. O(length).
  package static func first(in text: String) -> Kind? {
    var text = text
    return text.withUTF8 { first(in: $0) }
  }

  /// Returns the first mark in a UTF-8 text, or `nil` if there is none. `[secret:NAME]` of ASCII
  /// output counts as a mark. O(length).
  package static func first(in bytes: UnsafeBufferPointer<UInt8>) -> Kind? {
    if let range = firstRange(in: bytes, from: 0) {
      let inner = bytes[(range.lowerBound + 2)..<(range.upperBound - 2)]
      guard inner.starts(with: "secret:".utf8) else { return .redacted }
      return .secret(name: name(inner.dropFirst("secret:".utf8.count)))
    }
    let opening = "[secret:".utf8
    var next = 0
    while let start = position(of: UInt8(ascii: "["), in: bytes, from: next) {
      next = start + 1
      guard bytes[start...].starts(with: opening) else { continue }
      let name = bytes[(start + opening.count)...].prefix { $0 != UInt8(ascii: "]") && $0 >= 0x20 }
      if !name.isEmpty, name.endIndex < bytes.endIndex, bytes[name.endIndex] == UInt8(ascii: "]") {
        return .secret(name: Self.name(name))
      }
    }
    return nil
  }

  /// Returns the first mark in a text, including marks in the escapes of JSON or of addresses.
  /// O(length).
  package static func first(inAnyFormIn text: String) -> Kind? {
    var text = text
    return text.withUTF8 { first(inAnyFormIn: $0) }
  }

  /// Returns the first mark in bytes, which need not be UTF-8, including marks in the escapes of
  /// JSON or of addresses. O(length).
  package static func first(inAnyFormIn bytes: UnsafeBufferPointer<UInt8>) -> Kind? {
    if let mark = first(in: bytes) { return mark }
    // Most texts have no escapes.
    guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") }) else {
      return nil
    }
    let plain = DecodedText(bytes)
    for view in [plain.percentDecoded(plusIsSpace: false), plain.jsonUnescaped()] {
      guard let view else { continue }
      if let mark = view.bytes.withUnsafeBufferPointer({ first(in: $0) }) { return mark }
    }
    return nil
  }

  /// Returns whether the bytes contain the word of a mark. Without it, they contain no mark, unless
  /// its letters are escaped. Takes some tenths of a nanosecond per byte.
  package static func hasWord(in bytes: Data) -> Bool {
    bytes.withUnsafeBytes { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self)
      var next = 0
      // Both words contain a `c`, which is rare in other words.
      while let position = position(of: UInt8(ascii: "c"), in: bytes, from: next) {
        next = position + 1
        if position >= 2, bytes[(position - 2)...].starts(with: "secret".utf8) { return true }
        if position >= 4, bytes[(position - 4)...].starts(with: "redacted".utf8) { return true }
      }
      return false
    }
  }

  /// Returns the text with marks in the form of ASCII output: `[secret:NAME]` and `[redacted]`.
  /// O(length).
  ///
  /// - Parameter marks: The marks to convert, or `nil` for all.
  package static func ascii(_ bytes: [UInt8], marks: [String]? = nil) -> [UInt8] {
    let marks = marks.map { Set($0.map { Array($0.utf8) }) }
    let ranges = bytes.withUnsafeBufferPointer { Self.ranges(in: $0) }
      .filter { marks?.contains(Array(bytes[$0])) ?? true }
    var result: [UInt8] = []
    var position = 0
    for range in ranges {
      result += bytes[position..<range.lowerBound]
      result.append(UInt8(ascii: "["))
      result += bytes[(range.lowerBound + 2)..<(range.upperBound - 2)]
      result.append(UInt8(ascii: "]"))
      position = range.upperBound
    }
    return ranges.isEmpty ? bytes : result + bytes[position...]
  }

  /// Returns the text with all marks in the form of ASCII output. O(length).
  package static func ascii(_ text: String) -> String {
    String(decoding: ascii(Array(text.utf8)), as: UTF8.self)
  }

  /// Returns the ranges of the marks in a text.
  static func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    while let range = firstRange(in: text, from: ranges.last?.upperBound ?? 0) {
      ranges.append(range)
    }
    return ranges
  }

  /// Returns the range between the quotation marks of a mark.
  static func content(_ mark: Range<Int>) -> Range<Int> {
    (mark.lowerBound + 2)..<(mark.upperBound - 2)
  }

  private static func firstRange(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<
    Int
  >? {
    var index = start
    while let found = position(of: 0xC2, in: text, from: index) {
      if let end = end(in: text, at: found) { return found..<end }
      index = found + 1
    }
    return nil
  }

  /// Returns the first position of a byte. It must be fast, because long files are searched.
  private static func position(
    of byte: UInt8, in text: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    let rest = UnsafeBufferPointer(rebasing: text[start...])
    return SwiftBoardSystem.position(of: byte, in: UnsafeRawBufferPointer(rest)).map { start + $0 }
  }

  /// Returns the end of the mark that starts at `start`, or `nil` if there is none.
  static func end(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard start + 1 < text.count, text[start] == 0xC2, text[start + 1] == 0xAB else { return nil }
    var index = start + 2
    let limit = min(text.count - 1, start + longest)
    while index < limit {
      if text[index] == 0xC2, text[index + 1] == 0xBB {
        let inner = UnsafeBufferPointer(rebasing: text[(start + 2)..<index])
        return inner.elementsEqual("redacted".utf8) || inner.starts(with: "secret:".utf8)
          ? index + 2 : nil
      }
      if text[index] < 0x20 || (text[index] == 0xC2 && text[index + 1] == 0xAB) { return nil }
      index += 1
    }
    return nil
  }
}
