/// Parses durations.
package enum DurationText {
  /// Parses a number with a unit: `500ms`, `2s`, `1.5s`, `5m`, `1h`, `7d`. Returns `nil` for
  /// anything else, for a sign, and above about 290 years. A fraction is truncated to nine digits.
  package static func parse(_ text: String) -> Duration? {
    let digits = text.utf8.prefix { $0 >= 0x30 && $0 <= 0x39 }
    var rest = text.utf8.dropFirst(digits.count)
    var fraction = ""
    if rest.first == UInt8(ascii: ".") {
      let decimals = rest.dropFirst().prefix { $0 >= 0x30 && $0 <= 0x39 }
      guard !decimals.isEmpty else { return nil }
      rest = rest.dropFirst(1 + decimals.count)
      fraction = String(decoding: decimals.prefix(9), as: UTF8.self)
    }
    let nanoseconds: Int64
    switch String(decoding: rest, as: UTF8.self) {
    case "ms": nanoseconds = 1_000_000
    case "s": nanoseconds = 1_000_000_000
    case "m": nanoseconds = 60_000_000_000
    case "h": nanoseconds = 3_600_000_000_000
    case "d": nanoseconds = 86_400_000_000_000
    default: return nil
    }
    guard !digits.isEmpty, let whole = Int64(String(decoding: digits, as: UTF8.self)) else {
      return nil
    }
    let (total, overflow) = whole.multipliedReportingOverflow(by: nanoseconds)
    guard !overflow else { return nil }
    var part: Int64 = 0
    var unit = nanoseconds
    for digit in fraction.utf8 {
      // Units of a minute and more can be divided by ten often enough. Fractions of a nanosecond
      // are truncated.
      unit /= 10
      part += Int64(digit - 0x30) * unit
    }
    let (sum, tooMuch) = total.addingReportingOverflow(part)
    return tooMuch ? nil : .nanoseconds(sum)
  }

  /// Returns whether a text that `parse` refuses is a duration, but one that is too long.
  package static func isTooLong(_ text: String) -> Bool {
    let rest = text.drop { ("0"..."9").contains($0) }
    return rest.startIndex > text.startIndex && parse("0" + rest) != nil
  }
}
