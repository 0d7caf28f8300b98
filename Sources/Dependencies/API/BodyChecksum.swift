import SwiftBoardSystem

/// A 64-bit checksum of bytes that arrive in pieces. The sizes of the pieces do not affect the
/// result. `ContentChecksum` is for bytes that are complete.
///
/// It tells bodies apart and does not protect against deliberate collisions. It takes 0.1 ns per
/// byte, so that every download can have one. BLAKE2b would take longer than the transfer.
package struct BodyChecksum {
  private static let lanes = 4
  private static let block = lanes * 8

  private var state: (UInt64, UInt64, UInt64, UInt64) = (
    0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xff51_afd7_ed55_8ccd
  )
  private var count: UInt64 = 0
  /// The bytes of an incomplete block.
  private var rest: [UInt8] = []

  /// Creates a checksum without any bytes.
  package init() {}

  /// Adds bytes.
  package mutating func add(_ data: Data) {
    count &+= UInt64(data.count)
    data.withUnsafeBytes { bytes in
      var bytes = bytes[...]
      if !rest.isEmpty {
        let part = bytes.prefix(Self.block - rest.count)
        rest.append(contentsOf: part)
        bytes = bytes.dropFirst(part.count)
        guard rest.count == Self.block else { return }
        rest.withUnsafeBytes { mix($0) }
        rest.removeAll(keepingCapacity: true)
      }
      let whole = bytes.count / Self.block * Self.block
      mix(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
      rest.append(contentsOf: bytes.dropFirst(whole))
    }
  }

  /// The checksum as 16 hexadecimal digits.
  package var text: String {
    var copy = self
    copy.rest += [UInt8](repeating: 0, count: Self.block - rest.count)
    copy.rest.withUnsafeBytes { copy.mix($0) }
    var value = count
    for lane in [copy.state.0, copy.state.1, copy.state.2, copy.state.3] {
      value = ContentChecksum.mixed(value, lane)
    }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Mixes `bytes` in, which must be whole blocks.
  private mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    var (a, b, c, d) = state
    for offset in stride(from: 0, to: bytes.count, by: Self.block) {
      a = ContentChecksum.mixed(a, word(offset))
      b = ContentChecksum.mixed(b, word(offset + 8))
      c = ContentChecksum.mixed(c, word(offset + 16))
      d = ContentChecksum.mixed(d, word(offset + 24))
    }
    state = (a, b, c, d)
  }
}
