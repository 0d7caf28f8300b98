/// A whole number that a text writes with an exponent, as some programs do: `1.2345678E7`.
struct ExponentNumber {
  /// The most digits of a number that is written in full.
  private static let maximalDigits = 40

  /// The place in the text, without a sign.
  let range: Range<Int>
  /// The number in full: `12345678`.
  let digits: [UInt8]

  /// Returns the numbers of a text, in order. Cost: O(length).
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

  /// Returns `nil` if the letter is not the exponent sign of a whole number.
  private init?(
    in text: UnsafeBufferPointer<UInt8>, exponentSignAt sign: Int, after previous: Int
  ) {
    var start = sign
    while start > previous, Self.isDigit(text[start - 1]) || text[start - 1] == UInt8(ascii: ".") {
      start -= 1
    }
    var end = sign + 1
    if end < text.count, text[end] == UInt8(ascii: "+") { end += 1 }
    let exponentStart = end
    while end < text.count, Self.isDigit(text[end]) { end += 1 }
    let parts = text[start..<sign].split(
      separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
    guard end > exponentStart, parts.count <= 2, !parts[0].isEmpty,
      let exponent = Int(String(decoding: text[exponentStart..<end], as: UTF8.self))
    else { return nil }
    let written = parts[0].count + (parts.count == 2 ? parts[1].count : 0)
    let zeros = exponent - (written - parts[0].count)
    guard zeros >= 0, zeros <= Self.maximalDigits, written + zeros <= Self.maximalDigits else {
      return nil
    }
    range = start..<end
    digits =
      parts.joined().drop { $0 == UInt8(ascii: "0") }
      + [UInt8](repeating: UInt8(ascii: "0"), count: zeros)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
