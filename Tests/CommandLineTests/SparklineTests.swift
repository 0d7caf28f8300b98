import Testing

@testable import SwiftBoardCommandLine

@Suite("Sparklines and bars")
struct SparklineTests {
  @Test("a sparkline shows each value beside the largest")
  func sparkline() {
    #expect(Sparkline.text([0, 1, 4, 8], ascii: false) == "▁▂▄█")
    #expect(Sparkline.text([0, 1, 4, 8], ascii: true) == " .-#")
    #expect(Sparkline.text([], ascii: true) == "")
    #expect(Sparkline.text([0, 0], ascii: false) == "▁▁")
    #expect(Sparkline.text([3], ascii: true) == "#")
    #expect(Sparkline.text([-5, .max], ascii: true) == " #")
  }

  @Test("more values than columns are shown by the largest of each group")
  func groups() {
    let values = (0..<100).map { $0 == 55 ? 9 : 0 }
    #expect(Sparkline.text(values, width: 10, ascii: true) == "     #    ")
    #expect(Sparkline.text(values, width: 0, ascii: true) == "#")
  }

  @Test("a bar is filled as far as its part of the whole, and always as wide")
  func bars() {
    #expect(Bar.text(0.5, width: 4, ascii: true) == "##..")
    #expect(Bar.text(0.5, width: 4, ascii: false) == "██░░")
    #expect(Bar.text(0.53125, width: 4, ascii: false) == "██▏░")
    for fraction in [-1, 0, 0.01, 0.33, 0.999, 1, 7, .nan, .infinity] as [Double] {
      #expect(Bar.text(fraction, width: 7, ascii: false).count == 7)
      #expect(Bar.text(fraction, width: 7, ascii: true).count == 7)
    }
    #expect(Bar.text(1, of: 1_000_000, width: 8, ascii: true) == "#")
    #expect(Bar.text(4, of: 8, width: 8, ascii: false) == "████")
    #expect(Bar.text(0, of: 8, width: 8, ascii: true) == "")
  }
}
