/// A place in memory that is large enough for what is put there, which nothing checks again.
struct LineCursor {
  private(set) var next: UnsafeMutablePointer<UInt8>

  init(next: UnsafeMutablePointer<UInt8>) {
    self.next = next
  }

  @inline(__always)
  mutating func put(_ text: StaticString) {
    next.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    next += text.utf8CodeUnitCount
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    next.update(from: source, count: bytes.count)
    next += bytes.count
  }

  /// A number from 0 in decimal, at most 19 bytes; a negative one is 0.
  @inline(__always)
  mutating func put(decimal value: Int) {
    let value = UInt64(max(0, value))
    next +=
      value < 100_000_000
      ? LineCursor.write(leading: value, to: next) : LineCursor.write(long: value, to: next)
  }

  // MARK: Digits, eight at a time, whatever their number

  @inline(never)
  private static func write(long value: UInt64, to start: UnsafeMutablePointer<UInt8>) -> Int {
    let (upper, lower) = value.quotientAndRemainder(dividingBy: 100_000_000)
    let length =
      upper < 100_000_000 ? write(leading: upper, to: start) : write(long: upper, to: start)
    store(digits(lower) | zeroes, to: start + length)
    return length + 8
  }

  /// Without leading zeroes. Returns how many digits there are.
  @inline(__always)
  private static func write(leading value: UInt64, to start: UnsafeMutablePointer<UInt8>) -> Int {
    let digits = digits(value)
    let skipped = min(7, digits.trailingZeroBitCount / 8)
    store((digits | zeroes) >> UInt64(8 * skipped), to: start)
    return 8 - skipped
  }

  private static let zeroes: UInt64 = 0x3030_3030_3030_3030

  /// The eight digits of a number below 10⁸, the first one in the lowest byte.
  @inline(__always)
  private static func digits(_ value: UInt64) -> UInt64 {
    // Halves of four digits, then quarters of two, then digits, each division by a multiplication for all parts at once.
    let halves = value / 10_000 | (value % 10_000) << 32
    let hundreds = (halves &* 10_486) >> 20 & 0x0000_007F_0000_007F
    let quarters = hundreds | (halves &- hundreds &* 100) << 16
    let tens = (quarters &* 103) >> 10 & 0x000F_000F_000F_000F
    return tens | (quarters &- tens &* 10) << 8
  }

  @inline(__always)
  private static func store(_ digits: UInt64, to start: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(start).storeBytes(of: digits.littleEndian, as: UInt64.self)
  }
}
