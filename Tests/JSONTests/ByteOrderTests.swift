import Testing

@testable import SwiftBoardJSON

@Suite("the order of bytes")
struct ByteOrderTests {
  @Test("bytes are compared one by one, a prefix first", arguments: 0..<40)
  func order(shared: Int) {
    let start = (0..<shared).map { UInt8(truncatingIfNeeded: $0 * 37) }
    let ends: [[UInt8]] = [[], [0], [0, 1], [1], [0x7F], [0x80], [0xFF], [0xFF, 0]]
    for left in ends {
      for right in ends {
        let (a, b) = (start + left + start, start + right + start)
        let order = a.withUnsafeBufferPointer { a in
          b.withUnsafeBufferPointer { compareBytes(a, $0) }
        }
        #expect((order < 0) == a.lexicographicallyPrecedes(b))
        #expect((order > 0) == b.lexicographicallyPrecedes(a))
      }
    }
  }
}
