import SwiftBoardJSON

/// A number that a text writes with an exponent, as some programs do: `1.2345678E7`.
struct ExponentNumber {
  /// The most characters of a number that is written in full.
  private static let maximalLength = 40

  /// The place in the text, without a sign.
  let range: Range<Int>
  /// The number in full, without zeros at the end of a fraction: `12345678`, `1234.5678`.
  let digits: [UInt8]

  /// Returns the numbers of a text that are words of their own, in order. Parts of longer words,
  /// such as of hashes and UUIDs, are not numbers. Cost: O(length).
  static func all(in text: UnsafeBufferPointer<UInt8>) -> [ExponentNumber] {
    var numbers: [ExponentNumber] = []
    var index = 0
    while let sign = text[index...].firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      let number = ExponentNumber(
        in: text, exponentSignAt: sign, after: numbers.last?.range.upperBound ?? 0)
      if let number { numbers.append(number) }
      index = number?.range.upperBound ?? sign + 1
    }
    return numbers
  }

  /// Returns `nil` if the letter is not the exponent sign of a number.
  private init?(
    in text: UnsafeBufferPointer<UInt8>, exponentSignAt sign: Int, after previous: Int
  ) {
    var end = sign + 1
    if end < text.count, text[end] == UInt8(ascii: "+") || text[end] == UInt8(ascii: "-") {
      end += 1
    }
    let exponentStart = end
    while end < text.count, isDigit(text[end]) { end += 1 }
    guard end > exponentStart, !Self.isInWord(after: end, in: text) else { return nil }

    var start = sign
    var point: Int?
    while start > previous {
      if text[start - 1] == UInt8(ascii: "."), point == nil {
        point = start - 1
      } else if !isDigit(text[start - 1]) {
        break
      }
      start -= 1
      guard sign - start <= Self.maximalLength else { return nil }
    }
    guard start < (point ?? sign), !Self.isInWord(before: start, in: text),
      let exponent = Int(String(decoding: text[sign + 1..<end], as: UTF8.self)),
      let digits = Self.digits(
        whole: text[start..<(point ?? sign)],
        fraction: text[(point.map { $0 + 1 } ?? sign)..<sign], exponent)
    else { return nil }
    range = start..<end
    self.digits = digits
  }

  /// Returns a number in full, or `nil` if it is too long.
  private static func digits(
    whole: Slice<UnsafeBufferPointer<UInt8>>, fraction: Slice<UnsafeBufferPointer<UInt8>>,
    _ exponent: Int
  ) -> [UInt8]? {
    let zero = UInt8(ascii: "0")
    var digits = Array(whole) + Array(fraction)
    guard (-maximalLength...maximalLength).contains(exponent) else { return nil }
    var point = whole.count + exponent
    if point < 1 {
      digits = [UInt8](repeating: zero, count: 1 - point) + digits
      point = 1
    }
    digits += [UInt8](repeating: zero, count: max(0, point - digits.count))
    while digits.count > point, digits.last == zero { digits.removeLast() }
    if digits.count > point { digits.insert(UInt8(ascii: "."), at: point) }
    let leading = digits.prefix(point - 1).prefix { $0 == zero }.count
    return Array(digits.dropFirst(leading))
  }

  /// Whether a word goes on behind a number, which is then a part of it: of a hash or a UUID. A
  /// full stop or a hyphen joins two words.
  private static func isInWord(after end: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard end < text.count else { return false }
    return isInWord(text[end], then: end + 1 < text.count ? text[end + 1] : nil)
  }

  /// Whether a word begins before a number. A sign belongs to the number.
  private static func isInWord(before start: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard start > 0 else { return false }
    return isInWord(text[start - 1], then: start > 1 ? text[start - 2] : nil)
  }

  private static func isInWord(_ byte: UInt8, then next: UInt8?) -> Bool {
    func isOfWord(_ byte: UInt8) -> Bool {
      isDigit(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
    let joins = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    return isOfWord(byte) || joins && next.map(isOfWord) == true
  }
}
