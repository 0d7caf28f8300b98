/// Numbers in decimal, eight digits at a time whatever their number, without a loop and with few
/// branches.
@usableFromInline
package enum DecimalDigits {
  /// Bytes that may be written for a number: twenty digits at most, and what is stored beyond the
  /// last one.
  package static let capacity = 32

  /// Writes a number and returns how many digits it has. Up to `capacity` bytes from `start` on are
  /// overwritten.
  @inlinable
  @inline(__always)
  package static func write(_ value: UInt64, to start: UnsafeMutablePointer<UInt8>) -> Int {
    value < 100_000_000 ? write(leading: value, to: start) : write(long: value, to: start)
  }

  @usableFromInline
  @inline(never)
  static func write(long value: UInt64, to start: UnsafeMutablePointer<UInt8>) -> Int {
    let (upper, lower) = value.quotientAndRemainder(dividingBy: 100_000_000)
    let length =
      upper < 100_000_000 ? write(leading: upper, to: start) : write(long: upper, to: start)
    store(digits(lower) | zeroes, to: start + length)
    return length &+ 8
  }

  /// Without leading zeroes. Returns how many digits there are.
  @inlinable
  @inline(__always)
  static func write(leading value: UInt64, to start: UnsafeMutablePointer<UInt8>) -> Int {
    let digits = digits(value)
    let skipped = min(7, digits.trailingZeroBitCount / 8)
    store((digits | zeroes) &>> UInt64(8 &* skipped), to: start)
    return 8 &- skipped
  }

  @inlinable
  @inline(__always)
  static var zeroes: UInt64 { 0x3030_3030_3030_3030 }

  /// The eight digits of a number below 10⁸, the first one in the lowest byte.
  @inlinable
  @inline(__always)
  static func digits(_ value: UInt64) -> UInt64 {
    // Halves of four digits, then quarters of two, then digits, each division by a multiplication
    // for all parts at once.
    let halves = value / 10_000 | (value % 10_000) << 32
    let hundreds = (halves &* 10_486) >> 20 & 0x0000_007F_0000_007F
    let quarters = hundreds | (halves &- hundreds &* 100) << 16
    let tens = (quarters &* 103) >> 10 & 0x000F_000F_000F_000F
    return tens | (quarters &- tens &* 10) << 8
  }

  @inlinable
  @inline(__always)
  static func store(_ digits: UInt64, to start: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(start).storeBytes(of: digits.littleEndian, as: UInt64.self)
  }
}
