import SwiftBoardSystem

/// What replaces a secret: `«secret:NAME»` or `«redacted»`.
package enum RedactionMark {
  /// In the place of a value whose position says that it is secret.
  package static let redacted = "«redacted»"
  private static let longest = 128

  /// The mark for a secret of that name. Characters that would end the mark or a line are left out.
  package static func named(_ name: String) -> String {
    let safe = name.unicodeScalars.filter { $0.value >= 0x20 && $0 != "»" && $0 != "«" }.prefix(64)
    return "«secret:\(String(String.UnicodeScalarView(safe)))»"
  }

  /// A mark in a text.
  package enum Kind: Sendable, Equatable {
    /// `«secret:NAME»`.
    case secret(name: String)
    /// `«redacted»`.
    case redacted
  }

  /// The first mark in a text, or `nil` if it has none. O(length).
  package static func first(in text: String) -> Kind? {
    var text = text
    return text.withUTF8 { first(in: $0) }
  }

  /// The first mark in a text in UTF-8, or `nil` if it has none; `[secret:NAME]` of ASCII output is
  /// one too. O(length).
  package static func first(in bytes: UnsafeBufferPointer<UInt8>) -> Kind? {
    if let range = firstRange(in: bytes, from: 0) {
      let inner = bytes[(range.lowerBound + 2)..<(range.upperBound - 2)]
      guard inner.starts(with: "secret:".utf8) else { return .redacted }
      return .secret(
        name: String(decoding: inner.dropFirst("secret:".utf8.count), as: UTF8.self))
    }
    let opening = "[secret:".utf8
    var next = 0
    while let start = position(of: UInt8(ascii: "["), in: bytes, from: next) {
      next = start + 1
      guard bytes[start...].starts(with: opening) else { continue }
      let name = bytes[(start + opening.count)...].prefix { $0 != UInt8(ascii: "]") && $0 >= 0x20 }
      if !name.isEmpty, name.endIndex < bytes.endIndex, bytes[name.endIndex] == UInt8(ascii: "]") {
        return .secret(name: String(decoding: name, as: UTF8.self))
      }
    }
    return nil
  }

  /// The first mark in a text, also in the escapes of JSON or of addresses. O(length).
  package static func first(inAnyFormIn text: String) -> Kind? {
    var text = text
    return text.withUTF8 { bytes -> Kind? in
      if let mark = first(in: bytes) { return mark }
      let plain = DecodedText(bytes)
      for view in [plain.percentDecoded(plusIsSpace: false), plain.jsonUnescaped()] {
        guard let view else { continue }
        if let mark = view.bytes.withUnsafeBufferPointer({ first(in: $0) }) { return mark }
      }
      return nil
    }
  }

  /// Whether the word of a mark is in the bytes: if not, no mark is, unless its letters are
  /// escaped. Some tenths of a nanosecond a byte.
  package static func hasWord(in bytes: Data) -> Bool {
    bytes.withUnsafeBytes { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self)
      var next = 0
      // Both words have a `c`, which few others have.
      while let position = position(of: UInt8(ascii: "c"), in: bytes, from: next) {
        next = position + 1
        if position >= 2, bytes[(position - 2)...].starts(with: "secret".utf8) { return true }
        if position >= 4, bytes[(position - 4)...].starts(with: "redacted".utf8) { return true }
      }
      return false
    }
  }

  /// The text with its marks as ASCII output writes them: `[secret:NAME]` and `[redacted]`.
  /// O(length).
  ///
  /// - Parameter marks: The marks that are written so; `nil`: all.
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

  /// Whether the text is one mark and nothing else.
  static func isMark(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { !$0.isEmpty && end(in: $0, at: 0) == $0.count }
  }

  /// The positions of the marks in a text.
  static func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    while let range = firstRange(in: text, from: ranges.last?.upperBound ?? 0) {
      ranges.append(range)
    }
    return ranges
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

  /// The first position of a byte, by the fastest way there is: long files are searched.
  private static func position(
    of byte: UInt8, in text: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    guard start < text.count, let base = text.baseAddress,
      let found = memchr(base + start, Int32(byte), text.count - start)
    else { return nil }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
  }

  /// Where the mark that begins at `start` ends; `nil` if none begins.
  static func end(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard start + 1 < text.count, text[start] == 0xC2, text[start + 1] == 0xAB else { return nil }
    var index = start + 2
    let limit = min(text.count - 1, start + longest * 4)
    while index < limit {
      if text[index] == 0xC2, text[index + 1] == 0xBB {
        let inner = UnsafeBufferPointer(rebasing: text[(start + 2)..<index])
        return inner.elementsEqual("redacted".utf8) || inner.starts(with: "secret:".utf8)
          ? index + 2 : nil
      }
      if text[index] < 0x20 { return nil }
      index += 1
    }
    return nil
  }
}
