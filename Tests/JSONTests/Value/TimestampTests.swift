import SwiftBoardJSON
import SwiftBoardTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct TimestampTests {
  /// Computed by another language's calendar.
  @Test(
    "known timestamps are written and read",
    arguments: [
      ("0000-01-01T00:00:00.000000Z", -62_167_219_200_000_000),
      ("0000-02-29T23:59:59.999999Z", -62_162_035_200_000_001),
      ("0000-12-30T00:00:00.000000Z", -62_135_769_600_000_000),
      ("0001-01-01T00:00:00.000000Z", -62_135_596_800_000_000),
      ("1582-10-15T12:34:56.000001Z", -12_219_247_503_999_999),
      ("1900-02-28T23:59:59.999999Z", -2_203_891_200_000_001),
      ("1900-03-01T00:00:00.000000Z", -2_203_891_200_000_000),
      ("1969-12-31T23:59:59.999999Z", -1), ("1970-01-01T00:00:00.000000Z", 0),
      ("2000-02-29T00:00:00.000000Z", 951_782_400_000_000),
      ("2001-01-01T00:00:00.000000Z", 978_307_200_000_000),
      ("2026-11-20T22:45:00.250331Z", 1_795_214_700_250_331),
      ("2100-02-28T23:59:59.500000Z", 4_107_542_399_500_000),
      ("2400-02-29T06:07:08.090807Z", 13_574_585_228_090_807),
      ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ])
  func knownAnswers(_ text: String, _ microseconds: Int) {
    #expect(Timestamp.text(microseconds: microseconds) == text)
    #expect(Timestamp.microseconds(parsing: text) == microseconds)
  }

  @Test("times outside of the range are refused") func outsideOfTheRange() {
    #expect(Timestamp.text(microseconds: Timestamp.range.lowerBound - 1) == nil)
    #expect(Timestamp.text(microseconds: Timestamp.range.upperBound + 1) == nil)
    #expect(Timestamp.text(microseconds: .min) == nil)
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e12, -1e12] {
      #expect(Timestamp.microseconds(of: Date(timeIntervalSinceReferenceDate: seconds)) == nil)
    }
  }

  @Test(
    "other texts are refused",
    arguments: [
      "", "2026-11-20T22:45:00Z", "2026-11-20T22:45:00.25033Z", "2026-11-20T22:45:00.2503311Z",
      "2026-11-20 22:45:00.250331Z", "2026-11-20T22:45:00.250331z", "2026-11-20T22:45:00.250331+",
      "2026-13-20T22:45:00.250331Z", "2026-00-20T22:45:00.250331Z", "2026-04-31T22:45:00.250331Z",
      "2026-11-00T22:45:00.250331Z", "2026-02-29T22:45:00.250331Z", "1900-02-29T00:00:00.000000Z",
      "2026-11-20T24:00:00.000000Z", "2026-11-20T22:60:00.000000Z", "2026-11-20T22:45:60.000000Z",
      "0000-00-01T00:00:00.000000Z", "2026-11-20T22:45:00.25 331Z", "+026-11-20T22:45:00.250331Z",
    ])
  func otherTexts(_ text: String) {
    #expect(Timestamp.microseconds(parsing: text) == nil)
  }

  @Test("the constants of Date are in the range") func constants() throws {
    for date in [Date.distantPast, .distantFuture] {
      let microseconds = try #require(Timestamp.microseconds(of: date))
      #expect(Timestamp.date(microseconds: microseconds) == date)
    }
  }

  @Test("every microsecond survives a date") func everyMicrosecondSurvivesADate() {
    var random = SeededRandom(seed: 3)
    let exact = -7_000_000_000_000_000...9_000_000_000_000_000
    for _ in 0..<2000 {
      let microseconds = Int.random(in: exact, using: &random)
      #expect(
        Timestamp.microseconds(of: Timestamp.date(microseconds: microseconds)) == microseconds)
    }
    // Where a Date is coarser than that, the Date survives its text.
    for _ in 0..<2000 {
      let date = Timestamp.date(microseconds: .random(in: Timestamp.range, using: &random))
      if let microseconds = Timestamp.microseconds(of: date) {
        #expect(Timestamp.date(microseconds: microseconds) == date)
      }
    }
  }

  @Test("every day of two centuries is written and read") func everyDayOfTwoCenturies() throws {
    var expected = (year: 1890, month: 1, day: 1)
    var microseconds = try #require(
      Timestamp.microseconds(parsing: "1890-01-01T00:00:00.000000Z"))
    func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    while expected.year < 2110 {
      let text =
        "\(expected.year)-\(padded(expected.month))-\(padded(expected.day))T00:00:00.000000Z"
      guard Timestamp.text(microseconds: microseconds) == text,
        Timestamp.microseconds(parsing: text) == microseconds
      else {
        Issue.record("\(text)")
        return
      }
      microseconds += 86_400_000_000
      let isLeap =
        expected.year % 4 == 0 && (expected.year % 100 != 0 || expected.year % 400 == 0)
      let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      expected.day += 1
      if expected.day > days[expected.month - 1] {
        expected = (expected.year, expected.month + 1, 1)
      }
      if expected.month > 12 { expected = (expected.year + 1, 1, 1) }
    }
  }
}
