import SwiftBoardJSON

/// A growing buffer for lines. Unlike an array, it needs no uniqueness check for every byte.
struct ByteBuffer: ~Copyable, @unchecked Sendable {
  // Unchecked: the pointer is not shared.
  private var base: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// Removes all bytes. Releases memory beyond `limit` bytes.
  mutating func removeAll(keeping limit: Int) {
    count = 0
    guard capacity > limit else { return }
    base.deallocate()
    capacity = max(64, limit)
    base = .allocate(capacity: capacity)
  }

  /// Removes the bytes from `start` on.
  mutating func removeAll(from start: Int) {
    count = min(count, start)
  }

  /// Returns the bytes from `start` on, which are valid until the next change.
  borrowing func bytes(from start: Int = 0) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + start, count: count - start)
  }

  /// Returns a pointer to memory for `extra` bytes.
  @inline(__always)
  private mutating func scratch(_ extra: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity &- count < extra { grow(extra) }
    return base + count
  }

  @inline(never)
  private mutating func grow(_ extra: Int) {
    capacity = max(capacity * 2, count + extra)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    scratch(bytes.count).update(from: source, count: bytes.count)
    count &+= bytes.count
  }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    scratch(length).update(from: text.utf8Start, count: length)
    count &+= length
  }

  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  @inline(__always)
  mutating func append(_ digest: Digest) {
    digest.write(to: scratch(Digest.length))
    count &+= Digest.length
  }

  /// Appends the end of a line: `,"sum":"`, the digest, `"}` and the line feed.
  @inline(__always)
  mutating func append(sum: Digest) {
    let start = scratch(HashChain.tailLength + 1)
    UnsafeMutableRawPointer(start).storeBytes(
      of: HashChain.openingWord.littleEndian, as: UInt64.self)
    sum.write(to: start + 8)
    let end = start + (8 + Digest.length)
    end[0] = UInt8(ascii: "\"")
    end[1] = UInt8(ascii: "}")
    end[2] = 0x0A
    count &+= HashChain.tailLength + 1
  }

  /// Appends a number in decimal. A negative number is written as 0.
  mutating func append(decimal value: Int) {
    append(longest: 32) { $0.put(decimal: value) }
  }

  /// Appends the bytes that `write` stores: at most `count`, and up to eight more, since it stores
  /// whole words.
  @inline(__always)
  mutating func append(longest count: Int, _ write: (inout UnsafeByteWriter) -> Void) {
    var line = UnsafeByteWriter(next: scratch(count &+ 8))
    write(&line)
    self.count = line.next - base
  }

  /// Appends a JSON string with only the escapes that JSON requires.
  mutating func append(quoted text: String) {
    var text = text
    let isPlain = text.withUTF8 { utf8 -> Bool in
      guard utf8.endOfPlainText(from: 0, allowingAnyScalar: true) == utf8.count else {
        return false
      }
      let start = scratch(utf8.count &+ 2)
      start[0] = UInt8(ascii: "\"")
      if let source = utf8.baseAddress { (start + 1).update(from: source, count: utf8.count) }
      start[utf8.count &+ 1] = UInt8(ascii: "\"")
      count &+= utf8.count &+ 2
      return true
    }
    guard !isPlain else { return }
    var escaped: [UInt8] = []
    appendQuoted(text, to: &escaped)
    append(escaped)
  }
}
