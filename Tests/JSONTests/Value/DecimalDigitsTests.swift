import SwiftBoardJSON
import Testing

@Suite struct DecimalDigitsTests {
  /// Around every power of ten and of two, both signs, and what no pattern covers.
  @Test("all lengths are written as the standard library writes them")
  func allLengthsAreWrittenAsTheStandardLibraryWritesThem() throws {
    var values: [Int] = [0, .max, .min, .max - 1, .min + 1]
    var power = 1
    for _ in 0..<18 {
      power *= 10
      values += [power - 1, power, power + 1, power / 7, power * 9 / 10]
    }
    values += (0..<63).flatMap { [1 << $0, (1 << $0) - 1] }
    values += values.map { 0 &- $0 }
    for value in values { #expect(try canonical(value) == String(value)) }
    for value in values.map({ UInt64(bitPattern: Int64($0)) }) {
      #expect(try canonical(value) == String(value))
    }
    for value in 0..<100_000 where try canonical(value * 83) != String(value * 83) {
      Issue.record("\(value * 83) is written otherwise")
    }
  }
}
