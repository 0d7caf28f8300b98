/// Writes canonical JSON value by value, for types that implement `CanonicalEncodable`.
///
/// The writer applies the rules: commas, escapes, number forms, the order of keys and of sets, and
/// the last of equal keys. Keys may be written in any order; ascending order is fastest. Every
/// container must be ended. Misuse, such as a key in an array or a value without a key in an
/// object, is a programmer error and makes the encoding fail: `CanonicalEncoder` throws, and a
/// recorder stops.
///
/// - Complexity: Amortized O(1) per byte. An object whose keys were not ascending is sorted when it
///   ends.
public struct CanonicalWriter: ~Copyable {
  enum Kind: UInt8, BitwiseCopyable {
    /// A slot for a value whose form is not yet known.
    case open
    case scalar, object, array
    /// An array whose elements are sorted when it ends.
    case set
    /// An array of key, value, key, value whose pairs are sorted when it ends.
    case pairs
  }

  struct Frame: BitwiseCopyable {
    var kind: Kind
    var isUnsorted = false
    var hasEscapedKeys = false
    /// The number of members or elements so far.
    var count = 0
    /// The position of the bracket.
    var start: Int
    /// The index of the frame's first entry.
    var entries: Int
    /// A number that distinguishes this frame from earlier and later ones at the same depth.
    var serial: Int
  }

  /// The start of a member or element, and the end of its key before the quote.
  struct Entry: BitwiseCopyable {
    var start: Int
    var keyEnd: Int
    /// The first eight bytes of the key, as a number with the same order. Most comparisons need no
    /// more.
    var prefix: UInt64
  }

  var bytes: Stack<UInt8>
  var frames: Stack<Frame>
  var entries: Stack<Entry>
  /// The number of open arrays and objects.
  private(set) var nesting = 0
  private var nextSerial = 1
  /// Whether a key or value was written where it is not allowed.
  var isMisused = false
  /// Whether to look for values that are not written exactly.
  package var findsRoundedValues = false
  /// The first value that was not written exactly, if they are looked for.
  package internal(set) var roundedValue: RoundedValue?

  /// Checks that exactly one complete, well-formed value was written.
  ///
  /// - Throws: An `EncodingError` with the type of the value.
  @inline(__always)
  package func requireOneValue<Value>(of value: borrowing Value) throws {
    if isMisused || frames.count != 1 || frames.base[0].count != 1 { throw misuse(Value.self) }
  }

  @inline(never)
  func misuse(_ type: Any.Type) -> EncodingError {
    EncodingError.invalidValue(
      type,
      .init(
        codingPath: [],
        debugDescription:
          "\(type) wrote by hand what is not exactly one whole value: something was left open, "
          + "or a key has no value, or a value no key"))
  }

  /// - Parameter capacity: The initial capacity in bytes.
  public init(capacity: Int = 512) {
    bytes = Stack(capacity: capacity)
    frames = Stack(capacity: 8)
    entries = Stack(capacity: 32)
    frames.append(Frame(kind: .open, start: 0, entries: 0, serial: 0))
  }

  /// Creates a placeholder, to which nothing may be written.
  init(placeholder: ()) {
    bytes = Stack()
    frames = Stack()
    entries = Stack()
  }

  /// Removes all written bytes, and keeps the memory.
  public mutating func removeAll() {
    bytes.count = 0
    frames.count = 1
    frames.base[0] = Frame(kind: .open, start: 0, entries: 0, serial: 0)
    entries.count = 0
    nesting = 0
    isMisused = false
    roundedValue = nil
  }

  /// Calls `body` with the written bytes. The buffer is valid only during the call.
  public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows
    -> Result
  {
    try body(UnsafeBufferPointer(start: bytes.base, count: bytes.count))
  }

  /// A copy of the written bytes.
  public var array: [UInt8] { withBytes { Array($0) } }

  // MARK: Containers

  /// Begins an object. Write its keys and values, and call `endObject()`, which sorts the keys.
  public mutating func beginObject() { begin(.object) }

  /// Begins an array. Write its elements in order, and call `endArray()`.
  public mutating func beginArray() { begin(.array) }

  /// Ends the innermost object. Sorts its keys unless they were ascending.
  public mutating func endObject() {
    let frame = frames.top
    guard frame.pointee.kind == .object, !frame.pointee.isUnsorted else { return end(.object) }
    if lastByte == UInt8(ascii: ":") { isMisused = true }
    bytes.append(UInt8(ascii: "}"))
    nesting &-= 1
    entries.count = frame.pointee.entries
    frames.count &-= 1
  }

  /// Ends the innermost array.
  public mutating func endArray() { end(.array) }

  /// Writes the key of the next value.
  @_disfavoredOverload
  public mutating func key(_ key: String) {
    var key = key
    key.withUTF8 { self.key(utf8: $0) }
  }

  /// Writes the key of the next value. Faster than with a `String`, especially for up to eight
  /// bytes.
  @inlinable
  @inline(__always)
  public mutating func key(_ key: StaticString) {
    // A static string may be a scalar instead of a pointer.
    guard key.hasPointerRepresentation else { return self.key(String(key.unicodeScalar)) }
    let count = key.utf8CodeUnitCount
    if (1...8).contains(count) {
      // If the key is a literal, the compiler computes all of this.
      let word =
        count == 8
        ? UInt64(littleEndian: UnsafeRawPointer(key.utf8Start).loadUnaligned(as: UInt64.self))
        : loadPartialWord(UnsafeRawPointer(key.utf8Start), count)
      let padding: UInt64 = count == 8 ? 0 : 0x2020_2020_2020_2020 << UInt64(8 * count)
      if escapeMarks(word | padding) == 0 { return shortKey(word, count) }
    }
    self.key(utf8: UnsafeBufferPointer(start: key.utf8Start, count: count))
  }

  /// Writes a key of 1 to 8 bytes without escapes. The first byte is the lowest of `word`.
  @usableFromInline
  mutating func shortKey(_ word: UInt64, _ count: Int) {
    let frame = frames.top
    guard frame.pointee.kind == .object else { return isMisused = true }
    if lastByte == UInt8(ascii: ":") { isMisused = true }
    let isFirst = frame.pointee.count == 0
    let room = UnsafeMutableRawPointer(bytes.room(for: 16))
    // `,"` or `"`
    room.storeBytes(of: (isFirst ? 0x22 : 0x222C as UInt16).littleEndian, as: UInt16.self)
    let start = bytes.count &+ (isFirst ? 0 : 1)
    let key = room + (isFirst ? 1 : 2)
    key.storeBytes(of: word.littleEndian, as: UInt64.self)
    (key + count).storeBytes(of: (0x3A22 as UInt16).littleEndian, as: UInt16.self)
    let keyEnd = start &+ count &+ 1
    bytes.count = keyEnd &+ 2
    add(Entry(start: start, keyEnd: keyEnd, prefix: word.byteSwapped), to: frame)
  }

  /// Adds the entry of a key that has just been written.
  @inline(__always)
  private mutating func add(_ entry: Entry, to frame: UnsafeMutablePointer<Frame>) {
    if frame.pointee.count > 0 {
      let last = entries.base[entries.count - 1]
      if last.prefix > entry.prefix
        || (last.prefix == entry.prefix
          && compareBytes(
            slice(last.start + 1, last.keyEnd), slice(entry.start + 1, entry.keyEnd)) >= 0)
      {
        frame.pointee.isUnsorted = true
      }
    }
    entries.append(entry)
    frame.pointee.count &+= 1
  }

  /// - Parameter utf8: The key as valid UTF-8.
  public mutating func key(utf8: UnsafeBufferPointer<UInt8>) {
    let frame = frames.top
    guard frame.pointee.kind == .object else { return isMisused = true }
    if lastByte == UInt8(ascii: ":") { isMisused = true }
    let start = bytes.count &+ (frame.pointee.count > 0 ? 1 : 0)
    // A comma, two quotes, a colon, and eight bytes, since whole words are stored.
    let room = bytes.room(for: utf8.count &+ 12)
    room[0] = UInt8(ascii: ",")
    let target = room + (start &- bytes.count)
    target[0] = UInt8(ascii: "\"")
    guard let prefix = copyPlain(utf8, to: target + 1) else { return escapedKey(utf8) }
    let end = target + (utf8.count &+ 1)
    end[0] = UInt8(ascii: "\"")
    end[1] = UInt8(ascii: ":")
    let keyEnd = start &+ utf8.count &+ 1
    bytes.count = keyEnd &+ 2
    add(Entry(start: start, keyEnd: keyEnd, prefix: prefix), to: frame)
  }

  @inline(never)
  private mutating func escapedKey(_ utf8: UnsafeBufferPointer<UInt8>) {
    let frame = frames.top
    if frame.pointee.count > 0 { bytes.append(UInt8(ascii: ",")) }
    let start = bytes.count
    bytes.append(UInt8(ascii: "\""))
    _ = appendEscaped(utf8)
    let keyEnd = bytes.count
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    frame.pointee.hasEscapedKeys = true
    frame.pointee.isUnsorted = true
    entries.append(Entry(start: start, keyEnd: keyEnd, prefix: 0))
    frame.pointee.count += 1
  }

  /// Copies text that needs no escapes, and up to seven bytes more. Returns its first eight bytes
  /// as a number with the same order, or `nil` if the text needs escapes.
  @inline(__always)
  private func copyPlain(
    _ text: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) -> UInt64? {
    guard let source = UnsafeRawPointer(text.baseAddress) else { return 0 }
    let out = UnsafeMutableRawPointer(target)
    let count = text.count
    var (position, marks, prefix): (Int, UInt64, UInt64) = (0, 0, 0)
    while position &+ 8 <= count {
      let word = UInt64(
        littleEndian: source.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      marks |= escapeMarks(word)
      out.storeBytes(of: word.littleEndian, toByteOffset: position, as: UInt64.self)
      if position == 0 { prefix = word.byteSwapped }
      position &+= 8
    }
    let rest = count &- position
    if rest > 0 {
      let word = loadPartialWord(source + position, rest)
      // Treat missing bytes as spaces.
      marks |= escapeMarks(word | 0x2020_2020_2020_2020 << UInt64(8 * rest))
      out.storeBytes(of: word.littleEndian, toByteOffset: position, as: UInt64.self)
      if position == 0 { prefix = word.byteSwapped }
    }
    return marks == 0 ? prefix : nil
  }

  // MARK: Frames

  /// The last written byte. Call this only inside a container. No value ends with a colon.
  @inline(__always)
  private var lastByte: UInt8 { bytes.base[bytes.count &- 1] }

  /// Prepares for one value: writes a comma unless it is the first of an array.
  @inline(__always)
  mutating func beginValue() {
    let frame = frames.top
    // The value of a member, the most common case, needs only its key.
    if frame.pointee.kind == .object {
      if lastByte != UInt8(ascii: ":") { isMisused = true }
      return
    }
    let count = frame.pointee.count
    frame.pointee.count = count &+ 1
    if frame.pointee.kind.rawValue <= Kind.scalar.rawValue {
      frame.pointee.kind = .scalar
    } else {
      if count > 0 { bytes.append(UInt8(ascii: ",")) }
      if frame.pointee.kind != .array {
        entries.append(Entry(start: bytes.count, keyEnd: bytes.count, prefix: 0))
      }
    }
  }

  /// Opens a slot for a value whose form is decided later. Returns its serial.
  @inline(__always)
  mutating func push() -> Int {
    beginValue()
    let serial = nextSerial
    nextSerial += 1
    frames.append(Frame(kind: .open, start: bytes.count, entries: entries.count, serial: serial))
    return serial
  }

  /// Decides the form of the innermost open slot.
  @inline(__always)
  mutating func open(_ kind: Kind) {
    let frame = frames.top
    frame.pointee.kind = kind
    nesting += 1
    bytes.append(kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
  }

  /// Ends the innermost slot. A slot without a value becomes an empty object, as with
  /// `JSONEncoder`.
  mutating func pop() {
    let frame = frames.base[frames.count - 1]
    switch frame.kind {
    case .scalar:
      break
    case .open:
      bytes.append(UInt8(ascii: "{"))
      bytes.append(UInt8(ascii: "}"))
    case .object:
      if frame.isUnsorted { sort(frame) }
      bytes.append(UInt8(ascii: "}"))
      nesting -= 1
    case .array:
      bytes.append(UInt8(ascii: "]"))
      nesting -= 1
    case .set, .pairs:
      sort(frame)
      bytes.append(UInt8(ascii: "]"))
      nesting -= 1
    }
    entries.count = frame.entries
    frames.count -= 1
  }

  @inline(__always)
  mutating func begin(_ kind: Kind) {
    beginValue()
    let serial = nextSerial
    nextSerial &+= 1
    frames.append(Frame(kind: kind, start: bytes.count, entries: entries.count, serial: serial))
    nesting &+= 1
    bytes.append(kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
  }

  private mutating func end(_ kind: Kind) {
    let kinds = frames.base[frames.count - 1].kind
    let fits = kind == .object ? kinds == .object : kinds != .object && kinds.rawValue > 2
    guard fits else { return isMisused = true }
    if kind == .object, lastByte == UInt8(ascii: ":") { isMisused = true }
    pop()
  }

  // MARK: Undoing

  /// A position to return to if a value cannot be encoded.
  struct Mark {
    var bytes: Int
    var frames: Int
    var entries: Int
    var nesting: Int
    var isMisused: Bool
    var isRounded: Bool
    var frame: Frame
  }

  var mark: Mark {
    Mark(
      bytes: bytes.count, frames: frames.count, entries: entries.count, nesting: nesting,
      isMisused: isMisused, isRounded: roundedValue != nil, frame: frames.base[frames.count - 1])
  }

  mutating func rollBack(to mark: Mark) {
    bytes.count = mark.bytes
    frames.count = mark.frames
    entries.count = mark.entries
    nesting = mark.nesting
    isMisused = mark.isMisused
    if !mark.isRounded { roundedValue = nil }
    frames.base[frames.count - 1] = mark.frame
  }

  @inline(__always)
  func slice(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes.base + start, count: end - start)
  }
}
