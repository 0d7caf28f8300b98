/// The encodings that a text may use, determined by the bytes that mark them.
struct EncodingMarkers: OptionSet {
  var rawValue: UInt8

  static let percent = EncodingMarkers(rawValue: 1)
  static let backslash = EncodingMarkers(rawValue: 2)
  static let plus = EncodingMarkers(rawValue: 4)

  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  init(_ text: UnsafeBufferPointer<UInt8>) {
    var (percent, backslash, plus) = (0 as UInt64, 0 as UInt64, 0 as UInt64)
    Self.eachWord(of: text, from: 0) { _, word in
      percent |= Self.marks(word, 0x25)
      backslash |= Self.marks(word, 0x5C)
      plus |= Self.marks(word, 0x2B)
      return true
    }
    rawValue = (percent != 0 ? 1 : 0) | (backslash != 0 ? 2 : 0) | (plus != 0 ? 4 : 0)
  }

  /// Returns the next `:` or `=`, after which a secret may follow.
  static func nextKeySign(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var found: Int?
    eachWord(of: text, from: start) { index, word in
      let marks = marks(word, 0x3A) | marks(word, 0x3D)
      if marks == 0 { return true }
      // The lowest mark is exact. Higher marks may be wrong.
      found = index + marks.trailingZeroBitCount / 8
      return false
    }
    return found
  }

  /// Calls `body` with eight bytes at a time, the first one in the lowest byte and zeros after the
  /// end, until it returns false.
  @inline(__always)
  private static func eachWord(
    of text: UnsafeBufferPointer<UInt8>, from start: Int, _ body: (Int, UInt64) -> Bool
  ) {
    let raw = UnsafeRawBufferPointer(text)
    var index = start
    while index + 8 <= raw.count {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      if !body(index, word) { return }
      index += 8
    }
    guard index < raw.count else { return }
    var word: UInt64 = 0
    for (position, byte) in raw[index...].enumerated() {
      word |= UInt64(byte) << (8 * UInt64(position))
    }
    _ = body(index, word)
  }

  /// Returns a word with the high bit of the lowest byte that equals `byte`, and possibly wrong
  /// bits above it, or 0 if no byte is equal.
  @inline(__always)
  private static func marks(_ word: UInt64, _ byte: UInt64) -> UInt64 {
    let zeroed = word ^ (byte &* 0x0101_0101_0101_0101)
    return (zeroed &- 0x0101_0101_0101_0101) & ~zeroed & 0x8080_8080_8080_8080
  }
}
