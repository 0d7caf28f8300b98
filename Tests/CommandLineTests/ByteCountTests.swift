import Testing

@testable import SwiftBoardCommandLine

@Suite struct ByteCountTests {
  @Test(
    "a number of bytes has one digit behind the point, rounded by its unit",
    arguments: [
      (-1, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
      (1_048_524, "1023.9 KiB"), (1_048_570, "1.0 MiB"), (300_000_000, "286.1 MiB"),
      (1 << 30, "1.0 GiB"), (.max, "8192.0 PiB"),
    ] as [(Int64, String)])
  func text(bytes: Int64, expected: String) {
    #expect(ByteCount.text(bytes) == expected)
  }
}
