/// A chain of line sums, for writers and readers.
///
/// The sum of a line is XXH64 (seed 0) over these bytes:
/// 1. the text of the previous line's sum without its quotes, 22 ASCII bytes such as
///    `xxh64:ef46db3751d8e999`; nothing for the header;
/// 2. the bytes of this line from its `{` up to, but not including, the `,"sum":` that ends it.
///
/// A line is its body, `,"sum":"`, the text of the sum, `"}` and the line feed. A changed, missing,
/// repeated or moved line breaks the chain at that line or at the next one.
struct HashChain: Sendable {
  /// The sum of the last line, or `nil` before the header.
  private(set) var previous: Digest?

  static let opening = Array(",\"sum\":\"".utf8)
  static let closing = Array("\"}".utf8)
  /// `opening` as a little-endian number.
  static let openingWord: UInt64 = 0x223A_226D_7573_222C
  /// The number of bytes after the body of a line, without the line feed: `opening`, the sum,
  /// `closing`.
  static let tailLength = 8 + Digest.length + 2

  /// Returns the sum of a line with this body that follows a line with the sum `previous`.
  static func sum(of body: some Sequence<UInt8>, after previous: Digest?) -> Digest {
    let direct = body.withContiguousStorageIfAvailable { sum(of: $0, after: previous) }
    return direct ?? Array(body).withUnsafeBufferPointer { sum(of: $0, after: previous) }
  }

  static func sum(of body: UnsafeBufferPointer<UInt8>, after previous: Digest?) -> Digest {
    guard let previous else { return Digest(XXH64.hash(UnsafeRawBufferPointer(body))) }
    return Digest(XXH64.hash(previous, UnsafeRawBufferPointer(body)))
  }

  /// Completes the line whose body is `bytes[start...]` with its sum, brace and line feed.
  mutating func appendChecksum(_ bytes: inout [UInt8], from start: Int) {
    let previous = previous
    let sum = bytes.withUnsafeBufferPointer {
      HashChain.sum(of: UnsafeBufferPointer(rebasing: $0[start...]), after: previous)
    }
    bytes.append(contentsOf: HashChain.opening)
    sum.append(to: &bytes)
    bytes.append(contentsOf: HashChain.closing)
    bytes.append(0x0A)
    self.previous = sum
  }

  /// Completes the line whose body begins at `start` in `line`.
  @inline(__always)
  mutating func appendChecksum(_ line: inout ByteBuffer, from start: Int) {
    let sum = HashChain.sum(of: line.bytes(from: start), after: previous)
    line.append(sum: sum)
    previous = sum
  }

  /// Advances to the next line.
  mutating func advance(to sum: Digest) {
    previous = sum
  }

  /// Returns whether the last 32 bytes of a line are this sum in the only allowed form. Compares
  /// the bytes without parsing them.
  @inline(__always)
  static func states(_ sum: Digest, _ tail: UnsafePointer<UInt8>) -> Bool {
    let text = UnsafeRawPointer(tail)
    let (high, low) = sum.digits
    // `xxh64:` and two digits. The low half of the digits ends two bytes before the end.
    return UInt64(littleEndian: text.loadUnaligned(as: UInt64.self)) == openingWord
      && UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        == 0x3A34_3668_7878 | high << 48
      && UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        == high >> 16 | low << 48
      && UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        == low >> 16 | 0x7D22 << 48
  }

  /// Splits a line without its line feed into its body and its sum. Returns `nil` if its end does
  /// not have the only allowed form.
  static func split(_ line: ArraySlice<UInt8>) -> (body: ArraySlice<UInt8>, sum: Digest)? {
    guard line.count > tailLength else { return nil }
    let tail = line.endIndex - tailLength
    let digits = tail + opening.count
    guard line[tail..<digits].elementsEqual(opening),
      let sum = Digest(utf8: line[digits..<(digits + Digest.length)]),
      line[(digits + Digest.length)...].elementsEqual(closing)
    else { return nil }
    return (line[..<tail], sum)
  }
}
