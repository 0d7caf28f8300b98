/// Growing memory into which lines are written: what a recorder touches for every byte, without the uniqueness checks of an array.
struct LineBuffer: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// Forgets what was written. Memory beyond `limit` is given back.
  mutating func removeAll(keeping limit: Int) {
    count = 0
    guard capacity > limit else { return }
    base.deallocate()
    capacity = max(64, limit)
    base = .allocate(capacity: capacity)
  }

  /// What was written from `start` on; valid until the next change.
  borrowing func bytes(from start: Int = 0) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + start, count: count - start)
  }

  /// Where `extra` bytes may be written.
  @inline(__always)
  private mutating func room(_ extra: Int) -> UnsafeMutablePointer<UInt8> {
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
    room(bytes.count).update(from: source, count: bytes.count)
    count &+= bytes.count
  }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    room(length).update(from: text.utf8Start, count: length)
    count &+= length
  }

  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  @inline(__always)
  mutating func append(_ digest: Digest) {
    digest.write(to: room(Digest.length))
    count &+= Digest.length
  }

  /// A number from 0 in decimal; a negative one is 0.
  @inline(__always)
  mutating func append(decimal value: Int) {
    let value = max(0, value)
    let start = room(20)
    var (length, limit) = (1, 10)
    while value >= limit, length < 19 {
      length &+= 1
      limit = length < 19 ? limit &* 10 : .max
    }
    var (left, position) = (value, length)
    repeat {
      position &-= 1
      start[position] = UInt8(truncatingIfNeeded: left % 10) &+ 0x30
      left /= 10
    } while position > 0
    count &+= length
  }

  /// A JSON string with only the escapes that JSON demands.
  mutating func append(quoted text: String) {
    var text = text
    let isPlain = text.withUTF8 { utf8 -> Bool in
      for byte in utf8 where byte < 0x20 || byte == 0x22 || byte == 0x5C { return false }
      append("\"")
      append(utf8)
      append("\"")
      return true
    }
    guard !isPlain else { return }
    var escaped: [UInt8] = []
    appendQuoted(text, to: &escaped)
    append(escaped)
  }
}
