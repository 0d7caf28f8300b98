import SwiftBoardCommandLine
import Testing

struct DurationTests {
  @Test(
    "read",
    arguments: [
      ("500ms", Duration.milliseconds(500)), ("2s", .seconds(2)), ("1.5s", .milliseconds(1500)),
      ("5m", .seconds(300)),
      ("1h", .seconds(3600)), ("0s", .zero), ("0.5h", .seconds(1800)), ("7d", .seconds(604_800)),
      ("0.0001ms", .nanoseconds(100)), ("1.0000000001s", .seconds(1)),
    ])
  func read(text: String, expected: Duration) { #expect(DurationText.parse(text) == expected) }

  @Test(
    "refused",
    arguments: [
      "", "5", "s", "-5s", "+5s", "5 s", "5S", "1.s", ".5s", "1e3s", "5sec",
      "99999999999999999999s", "9999999999d",
      "٣s", "5s ",
    ])
  func refused(text: String) { #expect(DurationText.parse(text) == nil) }

  @Test(
    "a duration above the limit is told from what is none",
    arguments: [
      ("99999999999999999999s", true), ("9999999999d", true), ("99999999.5h", true), ("s", false),
      ("", false), ("5", false), ("-99999999h", false), ("99999999sec", false),
    ])
  func tooLong(text: String, expected: Bool) { #expect(DurationText.isTooLong(text) == expected) }
}
