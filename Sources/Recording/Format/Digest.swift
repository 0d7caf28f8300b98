/// An XXH64 value. In a log, it is `xxh64:` and 16 lowercase hexadecimal digits.
///
/// A digest is that of a state, over its canonical JSON, or the `sum` of a line; see `HashChain`.
public struct Digest: Sendable, Hashable, CustomStringConvertible {
  /// The hash. The text has its most significant digit first.
  public let value: UInt64

  /// The number of characters of the text form.
  static let length = 22

  /// Creates a digest from a hash.
  public init(_ value: UInt64) {
    self.value = value
  }

  /// Creates the digest of canonical JSON, or of any other bytes.
  public init(of bytes: some Sequence<UInt8>) {
    value = XXH64.hash(bytes)
  }

  /// Parses `xxh64:` and 16 lowercase hexadecimal digits. Returns `nil` for anything else.
  public init?(_ text: String) {
    self.init(utf8: Array(text.utf8)[...])
  }

  init?(utf8 text: some Collection<UInt8>) {
    guard text.count == Digest.length else { return nil }
    let found: Digest?? = text.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.flatMap { Digest.read($0) }
    }
    guard
      let digest = found
        ?? Array(text).withUnsafeBufferPointer({ bytes in
          bytes.baseAddress.flatMap { Digest.read($0) }
        })
    else { return nil }
    self = digest
  }

  func append(to bytes: inout [UInt8]) {
    withText { bytes.append(contentsOf: $0) }
  }

  /// Calls `body` with the text form, without an allocation, since every line has one.
  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Digest.length) { text in
      if let start = text.baseAddress { write(to: start) }
      return body(UnsafeBufferPointer(text))
    }
  }

  /// Writes the 22 characters of the text form.
  func write(to start: UnsafeMutablePointer<UInt8>) {
    let text = UnsafeMutableRawPointer(start)
    // `xxh6` and `4:`, then the digits, eight at a time.
    text.storeBytes(of: UInt32(littleEndian: 0x3668_7878), as: UInt32.self)
    text.storeBytes(of: UInt16(littleEndian: 0x3A34), toByteOffset: 4, as: UInt16.self)
    let (high, low) = digits
    text.storeBytes(of: high.littleEndian, toByteOffset: 6, as: UInt64.self)
    text.storeBytes(of: low.littleEndian, toByteOffset: 14, as: UInt64.self)
  }

  /// The 16 digits, eight in each word, the first one in the lowest byte.
  @inline(__always)
  var digits: (high: UInt64, low: UInt64) {
    (
      Digest.digits(UInt32(truncatingIfNeeded: value >> 32)),
      Digest.digits(UInt32(truncatingIfNeeded: value))
    )
  }

  /// Returns eight hexadecimal digits, the first one in the lowest byte.
  @inline(__always)
  private static func digits(_ half: UInt32) -> UInt64 {
    // One digit per byte.
    var spread = UInt64(half.byteSwapped)
    spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
    spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
    spread = ((spread >> 4) & 0x000F_000F_000F_000F) | ((spread << 8) & 0x0F00_0F00_0F00_0F00)
    // Digits above 9 need 0x27 more, from `9` to `a`.
    let isLetter = ((spread &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
    return spread &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27
  }

  /// Reads the 22 bytes at `start`. Returns `nil` if they are not a digest.
  @inline(__always)
  static func read(_ start: UnsafePointer<UInt8>) -> Digest? {
    let text = UnsafeRawPointer(start)
    guard UInt32(littleEndian: text.loadUnaligned(as: UInt32.self)) == 0x3668_7878,
      UInt16(littleEndian: text.loadUnaligned(fromByteOffset: 4, as: UInt16.self)) == 0x3A34
    else { return nil }
    var (value, isBad): (UInt64, Bool) = (0, false)
    for index in 6..<Digest.length {
      let byte = start[index]
      let digit = byte &- 0x30
      let letter = byte &- 0x61
      isBad = isBad || (digit > 9 && letter > 5)
      value = value << 4 | UInt64(digit <= 9 ? digit : letter &+ 10)
    }
    return isBad ? nil : Digest(value)
  }

  /// The sixteen hexadecimal digits that a log contains.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
