import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

struct BodyChecksumTests {
  private func checksum(_ bytes: [UInt8], pieces: Int) -> String {
    var checksum = BodyChecksum()
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      checksum.add(Data(bytes[start..<min(start + pieces, bytes.count)]))
    }
    return checksum.text
  }

  @Test("how the bytes are divided makes no difference") func divisionMakesNoDifference() {
    let bytes = TestHTTPServer.pattern(0..<1000)
    let whole = checksum(bytes, pieces: 1000)
    for pieces in [1, 7, 31, 32, 33, 64, 999] {
      #expect(checksum(bytes, pieces: pieces) == whole)
    }
    #expect(whole.count == 16)
  }

  @Test("a changed byte, a missing one and one more make another one")
  func aChangeMakesAnotherOne() {
    let bytes = TestHTTPServer.pattern(0..<100)
    var seen: Set = [checksum(bytes, pieces: 100)]
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      seen.insert(checksum(changed, pieces: 100))
    }
    for count in 0..<100 { seen.insert(checksum(Array(bytes[..<count]), pieces: 100)) }
    seen.insert(checksum(bytes + [0], pieces: 100))
    #expect(seen.count == 202)
  }
}
