/// The numbers with which bytes are hashed. They differ in each process.
struct SecretHashKey: Sendable {
  /// Odd.
  let multiplier = UInt32.random(in: 0...UInt32.max) | 1
  /// The base of the polynomials.
  fileprivate let base = UInt64.random(in: 256..<PrimeField.modulus)
}

/// Hashes of parts of a text, for parts in the order in which they start.
///
/// A hash is that of a polynomial of the bytes (Rabin and Karp), so that it is the difference of
/// what was summed up before a part's end and before its start: each byte is read once, however
/// many parts contain it, and a text that is made to be slow cannot be.
struct PartHashes {
  private let text: UnsafeBufferPointer<UInt8>
  private let base: UInt64
  private let longest: Int
  /// The sums before the last positions up to `end`, by the position modulo the capacity, which is
  /// a power of two.
  private var sums: [UInt64] = []
  private var end = 0

  /// - Parameter longest: The number of bytes of the longest part.
  init(of text: UnsafeBufferPointer<UInt8>, longest: Int, _ key: SecretHashKey) {
    self.text = text
    base = key.base
    self.longest = longest
  }

  /// Returns the hash of a part. Takes constant time, and that of reading the bytes which are not
  /// in an earlier part.
  ///
  /// - Parameters:
  ///   - start: At least that of the call before.
  ///   - factor: What `factor(count:_:)` returns for the number of bytes.
  mutating func hash(from start: Int, count: Int, factor: UInt64) -> Int {
    if sums.isEmpty {
      sums = Array(repeating: 0, count: 1 << (Int.bitWidth - longest.leadingZeroBitCount))
    }
    let mask = sums.count - 1
    if start > end {
      end = start
      sums[end & mask] = 0
    }
    if end < start + count {
      var sum = sums[end & mask]
      while end < start + count {
        sum = PrimeField.sum(sum, times: base, plus: text[end])
        end += 1
        sums[end & mask] = sum
      }
    }
    let before = PrimeField.product(sums[start & mask], factor)
    let sum = sums[(start + count) & mask]
    return Self.hash(sum >= before ? sum - before : sum + PrimeField.modulus - before)
  }

  /// Returns the hash of bytes, without a copy of them.
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ key: SecretHashKey) -> Int {
    hash(bytes.reduce(0) { PrimeField.sum($0, times: key.base, plus: $1) })
  }

  /// Returns by what the sum before a part of `count` bytes has grown at its end. O(log `count`).
  static func factor(count: Int, _ key: SecretHashKey) -> UInt64 {
    var (factor, power, count) = (1 as UInt64, key.base, count)
    while count > 0 {
      if count & 1 == 1 { factor = PrimeField.product(factor, power) }
      power = PrimeField.product(power, power)
      count >>= 1
    }
    return factor
  }

  /// A polynomial itself would tell of the bytes.
  private static func hash(_ sum: UInt64) -> Int {
    var hasher = Hasher()
    hasher.combine(sum)
    return hasher.finalize()
  }
}

/// The integers modulo 2⁶¹ − 1.
private enum PrimeField {
  static let modulus: UInt64 = 1 << 61 - 1

  @inline(__always)
  static func product(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let (high, low) = first.multipliedFullWidth(by: second)
    return reduced((high << 3 | low >> 61) + (low & modulus))
  }

  @inline(__always)
  static func sum(_ first: UInt64, times second: UInt64, plus byte: UInt8) -> UInt64 {
    let (high, low) = first.multipliedFullWidth(by: second)
    return reduced(reduced((high << 3 | low >> 61) + (low & modulus)) + UInt64(byte))
  }

  @inline(__always)
  private static func reduced(_ value: UInt64) -> UInt64 {
    value >= modulus ? value - modulus : value
  }
}
