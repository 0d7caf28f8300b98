import Testing

@testable import SwiftBoardDependencies

@Suite("Content checksums") struct ContentChecksumTests {
  /// The definition: the number of bytes, and the bytes as little-endian words with zeros after the
  /// end.
  private func defined(_ bytes: [UInt8]) -> Int64 {
    var state = ContentChecksum.mixed(0x9e37_79b9_7f4a_7c15, UInt64(bytes.count))
    for start in stride(from: 0, to: bytes.count, by: 8) {
      var word: UInt64 = 0
      for (index, byte) in bytes[start..<min(start + 8, bytes.count)].enumerated() {
        word |= UInt64(byte) << (8 * index)
      }
      state = ContentChecksum.mixed(state, word)
    }
    return Int64(bitPattern: state)
  }

  @Test("bytes of every length have the checksum that files contain")
  func bytesOfEveryLength() {
    for count in 0...40 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
      var checksum = ContentChecksum()
      bytes.withUnsafeBytes { checksum.add($0) }
      #expect(checksum.value == defined(bytes))
    }
  }

  @Test("a text has the checksum of its bytes")
  func aTextHasTheChecksumOfItsBytes() {
    for text in ["", "short", "a text that is longer than fifteen bytes", "é"] {
      var checksum = ContentChecksum()
      checksum.add(text)
      #expect(checksum.value == defined(Array(text.utf8)))
    }
  }
}
