/// The 64-bit xxHash with seed 0, fed piece by piece.
///
/// Fast and good at finding accidents; it does not resist deliberate collisions. Follows the
/// published description of the algorithm (xxHash specification 0.1.1, "XXH64 Algorithm
/// Description"). About 10 GB/s in a release build; a value is 80 bytes and allocates nothing.
package struct XXH64: Sendable {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  private var lane1: UInt64 = XXH64.prime1 &+ XXH64.prime2
  private var lane2: UInt64 = XXH64.prime2
  private var lane3: UInt64 = 0
  private var lane4: UInt64 = 0 &- XXH64.prime1
  /// Bytes seen so far.
  private var count: UInt64 = 0
  /// The last `count % 32` bytes, which do not fill a stripe yet.
  private var rest: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// The hash of nothing yet. Allocates nothing.
  package init() {}

  /// The hash of `bytes` in one go.
  package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    let direct = bytes.withContiguousStorageIfAvailable { hash(UnsafeRawBufferPointer($0)) }
    if let direct { return direct }
    var hasher = XXH64()
    hasher.update(bytes)
    return hasher.finalize()
  }

  /// The hash of a buffer, which may start at any address. Nothing is copied: about three times as
  /// fast as piece by piece for what has a hundred bytes.
  package static func hash(_ buffer: UnsafeRawBufferPointer) -> UInt64 {
    let count = buffer.count
    var position = 0
    var hash: UInt64
    if count >= 32 {
      var lane1 = prime1 &+ prime2
      var lane2 = prime2
      var lane3: UInt64 = 0
      var lane4 = 0 &- prime1
      while position &+ 32 <= count {
        lane1 = round(lane1, load64(buffer, position))
        lane2 = round(lane2, load64(buffer, position &+ 8))
        lane3 = round(lane3, load64(buffer, position &+ 16))
        lane4 = round(lane4, load64(buffer, position &+ 24))
        position &+= 32
      }
      hash = merged(lane1, lane2, lane3, lane4)
    } else {
      hash = prime5
    }
    hash &+= UInt64(count)
    return finish(hash, buffer, from: position)
  }

  /// The hash of a digest's text with `body` after it, which need not follow it in memory. Nothing
  /// is copied.
  static func hash(_ previous: Digest, _ body: UnsafeRawBufferPointer) -> UInt64 {
    // What of the body shares the first stripe with the 22 characters.
    let shared = 32 - Digest.length
    guard body.count >= shared else {
      var hasher = XXH64()
      previous.withText { hasher.update(UnsafeRawBufferPointer($0)) }
      hasher.update(body)
      return hasher.finalize()
    }
    let (high, low) = previous.digits
    let first = UInt64(
      UInt16(littleEndian: body.loadUnaligned(fromByteOffset: 0, as: UInt16.self)))
    // `xxh64:`
    var lane1 = round(prime1 &+ prime2, 0x3A34_3668_7878 | high << 48)
    var lane2 = round(prime2, high >> 16 | low << 48)
    var lane3 = round(0, low >> 16 | first << 48)
    var lane4 = round(0 &- prime1, load64(body, 2))
    var position = shared
    while position &+ 32 <= body.count {
      lane1 = round(lane1, load64(body, position))
      lane2 = round(lane2, load64(body, position &+ 8))
      lane3 = round(lane3, load64(body, position &+ 16))
      lane4 = round(lane4, load64(body, position &+ 24))
      position &+= 32
    }
    let hash = merged(lane1, lane2, lane3, lane4) &+ UInt64(Digest.length + body.count)
    return finish(hash, body, from: position)
  }

  @inline(__always)
  private static func merged(
    _ lane1: UInt64, _ lane2: UInt64, _ lane3: UInt64, _ lane4: UInt64
  ) -> UInt64 {
    var hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
    hash = (hash ^ round(0, lane1)) &* prime1 &+ prime4
    hash = (hash ^ round(0, lane2)) &* prime1 &+ prime4
    hash = (hash ^ round(0, lane3)) &* prime1 &+ prime4
    return (hash ^ round(0, lane4)) &* prime1 &+ prime4
  }

  /// The bytes that do not fill a stripe, and the avalanche.
  @inline(__always)
  private static func finish(
    _ start: UInt64, _ buffer: UnsafeRawBufferPointer, from: Int
  ) -> UInt64 {
    var (hash, position) = (start, from)
    let end = buffer.count
    while position &+ 8 <= end {
      hash ^= round(0, load64(buffer, position))
      hash = rotate(hash, 27) &* prime1 &+ prime4
      position &+= 8
    }
    if position &+ 4 <= end {
      let word = UInt32(
        littleEndian: buffer.loadUnaligned(fromByteOffset: position, as: UInt32.self))
      hash ^= UInt64(word) &* prime1
      hash = rotate(hash, 23) &* prime2 &+ prime3
      position &+= 4
    }
    while position < end {
      hash ^= UInt64(buffer[position]) &* prime5
      hash = rotate(hash, 11) &* prime1
      position &+= 1
    }
    hash = (hash ^ (hash >> 33)) &* prime2
    hash = (hash ^ (hash >> 29)) &* prime3
    return hash ^ (hash >> 32)
  }

  /// Appends `bytes`. Contiguous sequences (arrays, slices, buffers, strings' UTF-8) are read in
  /// position, others are copied.
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let done: Void? = bytes.withContiguousStorageIfAvailable { buffer in
      update(UnsafeRawBufferPointer(buffer))
    }
    if done == nil {
      Array(bytes).withUnsafeBytes { update($0) }
    }
  }

  /// Appends the bytes of `buffer`, which may start at any address.
  package mutating func update(_ buffer: UnsafeRawBufferPointer) {
    var position = 0
    let pending = Int(count % 32)
    count &+= UInt64(buffer.count)

    if pending > 0 {
      let taken = min(32 - pending, buffer.count)
      withUnsafeMutableBytes(of: &rest) { rest in
        UnsafeMutableRawBufferPointer(rebasing: rest[pending..<(pending + taken)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[0..<taken]))
      }
      position = taken
      guard pending + taken == 32 else { return }
      lane1 = Self.round(lane1, UInt64(littleEndian: rest.0))
      lane2 = Self.round(lane2, UInt64(littleEndian: rest.1))
      lane3 = Self.round(lane3, UInt64(littleEndian: rest.2))
      lane4 = Self.round(lane4, UInt64(littleEndian: rest.3))
    }

    while position &+ 32 <= buffer.count {
      lane1 = Self.round(lane1, Self.load64(buffer, position))
      lane2 = Self.round(lane2, Self.load64(buffer, position &+ 8))
      lane3 = Self.round(lane3, Self.load64(buffer, position &+ 16))
      lane4 = Self.round(lane4, Self.load64(buffer, position &+ 24))
      position &+= 32
    }

    if position < buffer.count {
      let left = UnsafeRawBufferPointer(rebasing: buffer[position...])
      withUnsafeMutableBytes(of: &rest) { $0.copyMemory(from: left) }
    }
  }

  /// The hash of everything appended so far; more may follow.
  package func finalize() -> UInt64 {
    var hash = count >= 32 ? Self.merged(lane1, lane2, lane3, lane4) : Self.prime5
    hash &+= count
    return withUnsafeBytes(of: rest) { rest in
      Self.finish(hash, UnsafeRawBufferPointer(rebasing: rest[..<Int(count % 32)]), from: 0)
    }
  }

  @inline(__always)
  private static func load64(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 {
    (value &<< by) | (value &>> (64 &- by))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }
}
