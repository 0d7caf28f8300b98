import SwiftBoardJSON

/// An unchecked write pointer. The caller must ensure that the memory is large enough.
struct UnsafeByteWriter {
  private(set) var next: UnsafeMutablePointer<UInt8>

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

  /// Writes a number in decimal, at most 19 bytes. A negative number is written as 0.
  @inline(__always)
  mutating func put(decimal value: Int) {
    next += DecimalDigits.write(UInt64(max(0, value)), to: next)
  }
}
