import CSodium

/// The constants of the keychain file, version 1. All integers in the file are little-endian and
/// unaligned.
enum KeychainFormat {
  static let magic: [UInt8] = [0x53, 0x42, 0x4B, 0x43, 0x0D, 0x0A, 0x1A, 0x0A]
  static let version: UInt16 = 1
  static let fixedHeaderSize = 72
  static let slotSize = 136
  static let macSize = 32
  static let tagSize = 16
  static let checksumSize = 32
  static let keyIDSize = 16
  static let saltSize = 16
  static let nonceSize = 24
  static let keySize = 32
  static let blockSize = 4096
  /// The size of magic, version and checksum, which every version has.
  static let smallestOfAnyVersion = 42
  /// The size of a file with one slot and one block.
  static let smallestFile = 4384
  static let largestFile = 16_777_216
  static let maximumSlots = 8
  static let maximumGeneration = UInt64(Int64.max)
  static let maximumKeyLength = 1024
  static let maximumValueLength = 1_048_576
  static let maximumPassphraseLength = 1024

  static let opsBounds: ClosedRange<UInt32> = 1...16
  static let memoryBounds: ClosedRange<UInt64> = 8_192...1_073_741_824
  /// The maximum of passes times bytes, over all passphrase slots of a file.
  static let maximumWork: UInt64 = 1 << 34

  /// The size of header and slots, without the MAC.
  static func headerSize(slots: Int) -> Int { fixedHeaderSize + slotSize * slots }
}

/// The source of salts, nonces, key ids and data keys. Only tests replace it.
package struct KeychainRandom: Sendable {
  var fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  package static let system = KeychainRandom { buffer in
    if let base = buffer.baseAddress { randombytes_buf(base, buffer.count) }
  }

  func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { fill($0) }
    return bytes
  }
}

extension [UInt8] {
  /// Returns the little-endian integer at `offset`, which the caller must check.
  func integer<Integer: FixedWidthInteger>(at offset: Int, as type: Integer.Type = Integer.self)
    -> Integer
  {
    withUnsafeBytes { $0.integer(at: offset) }
  }

  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

extension UnsafeRawBufferPointer {
  func integer<Integer: FixedWidthInteger>(at offset: Int, as type: Integer.Type = Integer.self)
    -> Integer
  {
    Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: Integer.self))
  }
}
