/// A JSON number as ±0.DIGITS × 10^exponent, without zeroes at either end of the digits. Numbers of
/// any length compare exactly. Exponents beyond 2^48 count as 2^48.
struct NumberLiteral {
  var isNegative = false
  /// The ASCII digits, or an empty array for zero.
  var digits: [UInt8] = []
  var exponent = 0

  /// Parses a number. Returns `nil` if the text is not a number of RFC 8259.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    var position = 0
    func digit() -> UInt8? {
      position < bytes.count && isDigit(bytes[position]) ? bytes[position] : nil
    }
    func take(_ byte: UInt8) -> Bool {
      guard position < bytes.count, bytes[position] == byte else { return false }
      position += 1
      return true
    }
    isNegative = take(UInt8(ascii: "-"))
    guard let first = digit() else { return nil }
    if first == UInt8(ascii: "0") {
      position += 1
    } else {
      while let next = digit() {
        digits.append(next)
        position += 1
      }
    }
    exponent = digits.count
    if take(UInt8(ascii: ".")) {
      guard digit() != nil else { return nil }
      while let next = digit() {
        digits.append(next)
        position += 1
      }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      let isMinus = take(UInt8(ascii: "-"))
      if !isMinus { _ = take(UInt8(ascii: "+")) }
      guard digit() != nil else { return nil }
      var power = 0
      while let next = digit() {
        // The limit is far above the length of any text, so that comparisons with other numbers
        // stay correct and additions cannot overflow.
        power = min(power * 10 + Int(next - 0x30), 1 << 48)
        position += 1
      }
      exponent += isMinus ? -power : power
    }
    guard position == bytes.count else { return nil }
    let zeros = digits.prefix { $0 == 0x30 }.count
    digits.removeFirst(zeros)
    exponent -= zeros
    while digits.last == 0x30 { digits.removeLast() }
    if digits.isEmpty {
      exponent = 0
      isNegative = false
    }
  }

  var isIntegral: Bool { exponent >= digits.count }

  /// The digits without exponent, or `nil` if there are more than 40.
  var integerText: String? {
    guard exponent <= 40 else { return nil }
    if digits.isEmpty { return "0" }
    let zeros = [UInt8](repeating: 0x30, count: max(0, exponent - digits.count))
    return (isNegative ? "-" : "") + String(decoding: digits + zeros, as: UTF8.self)
  }

  /// Compares two numbers. Returns -1, 0 or 1.
  static func compare(_ left: NumberLiteral, _ right: NumberLiteral) -> Int {
    let leftSign = left.digits.isEmpty ? 0 : left.isNegative ? -1 : 1
    let rightSign = right.digits.isEmpty ? 0 : right.isNegative ? -1 : 1
    if leftSign != rightSign { return leftSign < rightSign ? -1 : 1 }
    if leftSign == 0 { return 0 }
    if left.exponent != right.exponent {
      return left.exponent < right.exponent ? -leftSign : leftSign
    }
    if left.digits == right.digits { return 0 }
    return left.digits.lexicographicallyPrecedes(right.digits) ? -leftSign : leftSign
  }
}

extension NumberLiteral {
  /// Returns whether the text is a number of RFC 8259.
  static func isValid(_ text: String) -> Bool {
    let isPlain = text.utf8.first.map { $0 != 0x30 } ?? false && text.utf8.allSatisfy(isDigit)
    return isPlain || NumberLiteral(text) != nil
  }
}
