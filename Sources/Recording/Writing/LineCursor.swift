import SwiftBoardJSON

/// A pointer to memory that is large enough for what is put there, which nothing checks again.
struct LineCursor {
  private(set) var next: UnsafeMutablePointer<UInt8>

  init(next: UnsafeMutablePointer<UInt8>) {
    self.next = next
  }

  @inline(__always)
  mutating func put(_ text: StaticString) {
    UnsafeMutableRawPointer(next).copyMemory(
      from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    next += text.utf8CodeUnitCount
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    UnsafeMutableRawPointer(next).copyMemory(from: source, byteCount: bytes.count)
    next += bytes.count
  }

  /// A number from 0 in decimal, at most 19 bytes; a negative one is 0.
  @inline(__always)
  mutating func put(decimal value: Int) {
    next += DecimalDigits.write(UInt64(max(0, value)), to: next)
  }
}
