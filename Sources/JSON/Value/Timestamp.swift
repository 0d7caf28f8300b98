#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Converts times to and from text such as `2026-11-20T22:45:00.250331Z`: always UTC with six
/// digits, years 0000 to 9999. Year 0000 is 1 BC; `Date.distantPast` is in it.
///
/// Times are integral microseconds since 1970-01-01T00:00:00Z in the proleptic Gregorian calendar.
/// Results do not depend on locale or time zone.
package enum Timestamp {
  /// The supported range, in microseconds since 1970.
  package static let range = -62_167_219_200_000_000...253_402_300_799_999_999

  /// The length of every timestamp in bytes.
  static let length = 27

  /// Returns the text of a time, or `nil` outside `range`.
  package static func text(microseconds: Int) -> String? {
    guard range.contains(microseconds) else { return nil }
    return String(unsafeUninitializedCapacity: length) { buffer in
      if let base = buffer.baseAddress { write(microseconds, to: base) }
      return length
    }
  }

  /// Formats a time. A time outside the calendar's range becomes the beginning of 1970.
  package static func format(_ microseconds: Int64) -> String {
    text(microseconds: Int(microseconds)) ?? "1970-01-01T00:00:00.000000Z"
  }

  /// Parses a text of `text(microseconds:)`. Returns `nil` for any other text, including dates that
  /// do not exist.
  package static func microseconds(parsing text: String) -> Int? {
    var text = text
    return text.withUTF8 { microseconds(parsing: $0) }
  }

  /// Returns the nearest microsecond, or `nil` outside `range` and for infinite or NaN dates.
  package static func microseconds(of date: Date) -> Int? {
    let seconds = date.timeIntervalSinceReferenceDate
    // Convert whole seconds and fraction separately: their product with a million would lose digits
    // far from 2001.
    let whole = seconds.rounded(.down)
    guard whole.magnitude < 1e12 else { return nil }
    let fraction = ((seconds - whole) * 1_000_000).rounded()
    let result = (Int(whole) + referenceSeconds) * 1_000_000 + Int(fraction)
    return range.contains(result) ? result : nil
  }

  /// Returns the nearest `Date`. The resolution of `Date` is finer than a microsecond from 1730 to
  /// 2270.
  package static func date(microseconds: Int) -> Date {
    let seconds = Double(floorDivide(microseconds, 1_000_000) - referenceSeconds)
    let fraction = Double(floorRemainder(microseconds, 1_000_000))
    return Date(timeIntervalSinceReferenceDate: seconds + fraction / 1_000_000)
  }

  /// 2001-01-01 in seconds since 1970.
  private static let referenceSeconds = 978_307_200

  // MARK: Calendar

  static func write(_ microseconds: Int, to base: UnsafeMutablePointer<UInt8>) {
    var days = floorDivide(microseconds, 86_400_000_000)
    let micros = floorRemainder(microseconds, 86_400_000_000)
    // Years begin in March, so that the leap day is the last day of a year.
    days += 719_468
    let era = floorDivide(days, 146_097)
    let dayOfEra = floorRemainder(days, 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    put(year, 4, base, 0)
    base[4] = UInt8(ascii: "-")
    put(month, 2, base, 5)
    base[7] = UInt8(ascii: "-")
    put(day, 2, base, 8)
    base[10] = UInt8(ascii: "T")
    put(micros / 3_600_000_000, 2, base, 11)
    base[13] = UInt8(ascii: ":")
    put(micros / 60_000_000 % 60, 2, base, 14)
    base[16] = UInt8(ascii: ":")
    put(micros / 1_000_000 % 60, 2, base, 17)
    base[19] = UInt8(ascii: ".")
    put(micros % 1_000_000, 6, base, 20)
    base[26] = UInt8(ascii: "Z")
  }

  static func microseconds(parsing text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard text.count == length, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      text[19] == UInt8(ascii: "."), text[26] == UInt8(ascii: "Z"),
      let year = get(text, 0, 4), let month = get(text, 5, 2), let day = get(text, 8, 2),
      let hour = get(text, 11, 2), let minute = get(text, 14, 2), let second = get(text, 17, 2),
      let micro = get(text, 20, 6), (1...12).contains(month), day >= 1,
      day <= days(in: month, of: year), hour < 24, minute < 60, second < 60
    else { return nil }
    let days = days(year: year, month: month, day: day)
    return ((days * 24 + hour) * 60 + minute) * 60_000_000 + second * 1_000_000 + micro
  }

  /// Returns the days since 1970 in the proleptic Gregorian calendar.
  package static func days(year: Int, month: Int, day: Int) -> Int {
    // Years begin in March, so that the leap day is the last day of a year.
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = floorDivide(shiftedYear, 400)
    let yearOfEra = floorRemainder(shiftedYear, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func put(
    _ value: Int, _ width: Int, _ base: UnsafeMutablePointer<UInt8>, _ offset: Int
  ) {
    var rest = value
    for position in (0..<width).reversed() {
      base[offset + position] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  private static func get(
    _ text: UnsafeBufferPointer<UInt8>, _ offset: Int, _ width: Int
  ) -> Int? {
    var value = 0
    for position in offset..<offset + width {
      guard isDigit(text[position]) else { return nil }
      value = value * 10 + Int(text[position] - 0x30)
    }
    return value
  }

  private static func floorDivide(_ value: Int, _ by: Int) -> Int {
    value >= 0 ? value / by : -((-value + by - 1) / by)
  }

  private static func floorRemainder(_ value: Int, _ by: Int) -> Int {
    value - floorDivide(value, by) * by
  }
}
