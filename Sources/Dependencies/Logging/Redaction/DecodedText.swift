import SwiftBoardJSON
import SwiftBoardSystem

/// A text after one or more decodings, with the origin of each of its bytes.
struct DecodedText {
  private(set) var bytes: [UInt8]
  /// For each byte, the offset in the original text at which it starts. The last element is the end
  /// of the original text.
  private var origins: [Int]
  /// The offsets in the original text at which bytes before a removed line break end, by the index
  /// of the byte after it.
  private var endsBeforeBreaks: [Int: Int] = [:]

  init(_ text: UnsafeBufferPointer<UInt8>) {
    bytes = Array(text)
    origins = Array(0...text.count)
  }

  private init(capacity: Int) {
    bytes = []
    origins = []
    bytes.reserveCapacity(capacity)
    origins.reserveCapacity(capacity + 1)
  }

  /// Returns the range of the original text from which a range of the bytes was decoded. It
  /// contains only complete escapes.
  func original(_ range: Range<Int>) -> Range<Int> {
    let start = origins[range.lowerBound]
    var end = range.upperBound
    while end < bytes.count, end > 0, origins[end] == origins[end - 1] { end += 1 }
    return start..<max(start, endsBeforeBreaks[end] ?? origins[end])
  }

  /// Decodes percent escapes (`%41` to `A`), and `+` to a space if requested. Returns `nil` if
  /// nothing changes.
  func percentDecoded(plusIsSpace: Bool) -> DecodedText? {
    var result = DecodedText(capacity: bytes.count)
    var changed = false
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = hexDigit(bytes[index + 1]), let low = hexDigit(bytes[index + 2])
      {
        result.append(UInt8(high << 4 | low), origins[index])
        index += 3
        changed = true
      } else if plusIsSpace, bytes[index] == UInt8(ascii: "+") {
        result.append(0x20, origins[index])
        index += 1
        changed = true
      } else {
        result.append(bytes[index], origins[index])
        index += 1
      }
    }
    result.finish(origins)
    return changed ? result : nil
  }

  /// Decodes the escapes of JSON strings. Returns `nil` if nothing changes.
  func jsonUnescaped() -> DecodedText? {
    var result = DecodedText(capacity: bytes.count)
    var changed = false
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count,
        let (text, length) = escape(at: index)
      else {
        result.append(bytes[index], origins[index])
        index += 1
        continue
      }
      for byte in text { result.append(byte, origins[index]) }
      index += length
      changed = true
    }
    result.finish(origins)
    return changed ? result : nil
  }

  /// The number of base64 characters before a line break that make it one of wrapped base64. MIME
  /// and PEM have 76 and 64.
  private static let wrappedColumns = 16

  /// Returns whether the text has base64 that is broken into lines. Takes some tenths of a
  /// nanosecond per byte.
  static func hasWrappedLines(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var next = 0
    while let feed = position(of: 0x0A, in: UnsafeRawBufferPointer(rebasing: bytes[next...])) {
      if wrap(of: text, at: next + feed) != nil { return true }
      next += feed + 1
    }
    return false
  }

  /// Returns the bytes between two lines of base64: the line feed with the blanks around it, since
  /// such lines may be indented.
  private static func wrap(
    of text: UnsafeBufferPointer<UInt8>, at feed: Int
  ) -> Range<Int>? {
    var start = feed
    while start > 0, [0x09, 0x0D, 0x20].contains(text[start - 1]) { start -= 1 }
    guard start >= wrappedColumns,
      text[(start - wrappedColumns)..<start].allSatisfy(SecretPattern.isBase64)
    else { return nil }
    var end = feed + 1
    while end < text.count, text[end] == 0x20 || text[end] == 0x09 { end += 1 }
    return end < text.count && SecretPattern.isBase64(text[end]) ? start..<end : nil
  }

  /// Removes the line breaks in base64 that is broken into lines. Returns `nil` if nothing changes.
  func wrappedLinesJoined() -> DecodedText? {
    bytes.withUnsafeBufferPointer { text in
      guard Self.hasWrappedLines(text) else { return nil }
      var result = DecodedText(capacity: text.count)
      var index = 0
      while index < text.count {
        if text[index] == 0x0A, let wrap = Self.wrap(of: text, at: index) {
          for _ in wrap.lowerBound..<index { result.removeLast() }
          result.endsBeforeBreaks[result.bytes.count] = origins[wrap.lowerBound]
          index = wrap.upperBound
        } else {
          result.append(text[index], origins[index])
          index += 1
        }
      }
      result.finish(origins)
      return result
    }
  }

  private func escape(at index: Int) -> (text: [UInt8], length: Int)? {
    switch bytes[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"):
      return ([bytes[index + 1]], 2)
    case UInt8(ascii: "b"): return ([0x08], 2)
    case UInt8(ascii: "t"): return ([0x09], 2)
    case UInt8(ascii: "n"): return ([0x0A], 2)
    case UInt8(ascii: "f"): return ([0x0C], 2)
    case UInt8(ascii: "r"): return ([0x0D], 2)
    case UInt8(ascii: "u"):
      guard let unit = unit(at: index) else { return nil }
      if let scalar = Unicode.Scalar(unit) { return (Array(String(scalar).utf8), 6) }
      guard unit < 0xDC00, index + 7 < bytes.count, bytes[index + 6] == UInt8(ascii: "\\"),
        bytes[index + 7] == UInt8(ascii: "u"), let low = self.unit(at: index + 6),
        (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(low) - 0xDC00)
      else { return nil }
      return (Array(String(scalar).utf8), 12)
    default: return nil
    }
  }

  private func unit(at index: Int) -> UInt16? {
    guard index + 5 < bytes.count else { return nil }
    var unit: UInt16 = 0
    for digit in bytes[(index + 2)...(index + 5)] {
      guard let value = hexDigit(digit) else { return nil }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }

  private mutating func append(_ byte: UInt8, _ origin: Int) {
    bytes.append(byte)
    origins.append(origin)
  }

  private mutating func removeLast() {
    bytes.removeLast()
    origins.removeLast()
  }

  private mutating func finish(_ all: [Int]) {
    origins.append(all.last ?? 0)
  }
}
