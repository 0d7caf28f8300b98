/// An XXH64 value as it stands in a log: `xxh64:` and 16 lowercase hexadecimal digits.
///
/// Used twice: as the digest of a state (over its canonical JSON) and as the `sum` of a line (see `SumChain`).
public struct Digest: Sendable, Hashable, CustomStringConvertible {
  public let value: UInt64

  /// Characters of the text form.
  static let length = 22
  static let prefix = Array("xxh64:".utf8)

  public init(_ value: UInt64) {
    self.value = value
  }

  /// The digest of canonical JSON, or of any other bytes.
  public init(of bytes: some Sequence<UInt8>) {
    value = XXH64.hash(bytes)
  }

  /// Reads `xxh64:` and 16 digits; nil for anything else, capital digits too.
  public init?(_ text: String) {
    self.init(utf8: Array(text.utf8)[...])
  }

  init?(utf8 text: some Collection<UInt8>) {
    guard text.count == Digest.length, text.starts(with: Digest.prefix) else { return nil }
    var value: UInt64 = 0
    for byte in text.dropFirst(Digest.prefix.count) {
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt64(byte - 0x30)
      case 0x61...0x66: value = value << 4 | UInt64(byte - 0x61 + 10)
      default: return nil
      }
    }
    self.value = value
  }

  func append(to bytes: inout [UInt8]) {
    withText { bytes.append(contentsOf: $0) }
  }

  /// Lends the text form, without an allocation: it is in every line.
  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Digest.length) { text in
      _ = text.initialize(from: Digest.prefix)
      var left = value
      var position = Digest.length
      while position > Digest.prefix.count {
        position &-= 1
        let digit = UInt8(truncatingIfNeeded: left) & 15
        text.initializeElement(at: position, to: digit < 10 ? 0x30 &+ digit : 0x57 &+ digit)
        left >>= 4
      }
      return body(UnsafeBufferPointer(text))
    }
  }

  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
