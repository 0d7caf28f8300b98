#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes canonical JSON, value by value, for types that adopt `CanonicalCodable` by hand.
///
/// It keeps the rules itself: commas, escapes, number forms, the order of keys and of sets, the
/// last of equal keys. Keys may come in any order; ascending is fastest. What is begun has to be
/// ended; what does not fit (a key in an array, a value without a key in an object) is a mistake in
/// the program, stops a debug build and gives no JSON in a release build.
///
/// Cost: amortised constant a byte; an object whose keys came in another order is sorted when it
/// ends.
public struct CanonicalWriter: ~Copyable {
  enum Kind: UInt8, BitwiseCopyable {
    /// Where a value is to come and its form is not known yet.
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
    /// Members or elements so far.
    var count = 0
    /// Where the bracket is.
    var start: Int
    /// The first of this frame's entries.
    var entries: Int
    /// Tells this frame from others that were or will be at the same depth.
    var serial: Int
  }

  /// Where a member or an element begins, and where its key ends before the quote.
  struct Entry: BitwiseCopyable {
    var start: Int
    var keyEnd: Int
    /// The key's first eight bytes as a number that sorts as they do; most comparisons need no
    /// more.
    var prefix: UInt64
  }

  var bytes: Stack<UInt8>
  var frames: Stack<Frame>
  var entries: Stack<Entry>
  /// Arrays and objects that are open.
  private(set) var nesting = 0
  private var nextSerial = 1

  /// - Parameter capacity: bytes to have room for at first.
  public init(capacity: Int = 512) {
    bytes = Stack(capacity: capacity)
    frames = Stack(capacity: 8)
    entries = Stack(capacity: 32)
    frames.append(Frame(kind: .open, start: 0, entries: 0, serial: 0))
  }

  /// Takes a writer's place while that is elsewhere; nothing may be written to it.
  init(placeholder: ()) {
    bytes = Stack()
    frames = Stack()
    entries = Stack()
  }

  /// Forgets what was written and keeps the memory.
  public mutating func removeAll() {
    bytes.count = 0
    frames.count = 1
    frames.base[0] = Frame(kind: .open, start: 0, entries: 0, serial: 0)
    entries.count = 0
    nesting = 0
  }

  /// Calls `body` with what was written. The buffer is valid during the call only.
  public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows
    -> Result
  {
    try body(UnsafeBufferPointer(start: bytes.base, count: bytes.count))
  }

  /// A copy of what was written.
  public var array: [UInt8] { withBytes { Array($0) } }

  // MARK: Containers

  /// Opens an object: keys and values follow, until `endObject()`. Keys are sorted then.
  public mutating func beginObject() { begin(.object) }

  /// Opens an array: its elements follow, in order, until `endArray()`.
  public mutating func beginArray() { begin(.array) }

  /// An array whose elements are put into the order of their bytes when it ends.
  public mutating func beginSet() { begin(.set) }

  /// An array of key, value, key, value, whose pairs are put into the order of their bytes when it
  /// ends: a dictionary whose keys are neither `String` nor `Int`.
  public mutating func beginPairs() { begin(.pairs) }

  /// Ends the innermost object. Cost: constant where its keys came ascending, else a sort.
  public mutating func endObject() { end(.object) }

  /// Ends the innermost array, set or pairs. Cost: constant for an array, a sort for the others.
  public mutating func endArray() { end(.array) }

  /// The key of the value that comes next.
  public mutating func key(_ key: String) {
    var key = key
    key.withUTF8 { self.key(utf8: $0) }
  }

  /// The key of the value that comes next.
  @inline(__always)
  public mutating func key(_ key: StaticString) {
    // A static string may be a scalar instead of a pointer.
    if key.hasPointerRepresentation {
      self.key(utf8: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    } else {
      self.key(String(key.unicodeScalar))
    }
  }

  /// - Parameter utf8: valid UTF-8.
  public mutating func key(utf8: UnsafeBufferPointer<UInt8>) {
    let frame = frames.base + (frames.count - 1)
    assert(frame.pointee.kind == .object, "a key outside of an object")
    if frame.pointee.count > 0 { bytes.append(UInt8(ascii: ",")) }
    let start = bytes.count
    bytes.append(UInt8(ascii: "\""))
    let isPlain = appendEscaped(utf8)
    let keyEnd = bytes.count
    // Room beyond what is written lets the prefix be loaded at once.
    let tail = bytes.room(for: 10)
    tail[0] = UInt8(ascii: "\"")
    tail[1] = UInt8(ascii: ":")
    bytes.count += 2
    let length = keyEnd - start - 1
    var prefix = UInt64(
      bigEndian: UnsafeRawPointer(bytes.base + start + 1).loadUnaligned(as: UInt64.self))
    if length < 8 { prefix = length == 0 ? 0 : prefix & (~0 << UInt64(64 - 8 * length)) }
    if !isPlain {
      frame.pointee.hasEscapedKeys = true
      frame.pointee.isUnsorted = true
    } else if frame.pointee.count > 0 {
      let last = entries.base[entries.count - 1]
      if last.prefix > prefix
        || (last.prefix == prefix
          && compareBytes(slice(last.start + 1, last.keyEnd), slice(start + 1, keyEnd)) >= 0)
      {
        frame.pointee.isUnsorted = true
      }
    }
    entries.append(Entry(start: start, keyEnd: keyEnd, prefix: prefix))
    frame.pointee.count += 1
  }

  // MARK: Frames

  /// Makes room for one value: a comma where it is not the first of an array.
  @inline(__always)
  mutating func beginValue() {
    let frame = frames.base + (frames.count - 1)
    switch frame.pointee.kind {
    case .object:
      return
    case .open, .scalar:
      frame.pointee.kind = .scalar
      frame.pointee.count += 1
    case .array:
      if frame.pointee.count > 0 { bytes.append(UInt8(ascii: ",")) }
      frame.pointee.count += 1
    case .set, .pairs:
      if frame.pointee.count > 0 { bytes.append(UInt8(ascii: ",")) }
      frame.pointee.count += 1
      entries.append(Entry(start: bytes.count, keyEnd: bytes.count, prefix: 0))
    }
  }

  /// Opens a place for one value whose form is decided later. Returns its serial.
  @inline(__always)
  mutating func push() -> Int {
    beginValue()
    let serial = nextSerial
    nextSerial += 1
    frames.append(Frame(kind: .open, start: bytes.count, entries: entries.count, serial: serial))
    return serial
  }

  /// Gives the innermost open place its form.
  @inline(__always)
  mutating func open(_ kind: Kind) {
    let frame = frames.base + (frames.count - 1)
    frame.pointee.kind = kind
    nesting += 1
    bytes.append(kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
  }

  /// Ends the innermost place, whatever it became. Nothing at all becomes an empty object, as
  /// `JSONEncoder` has it.
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

  mutating func begin(_ kind: Kind) {
    _ = push()
    open(kind)
  }

  private mutating func end(_ kind: Kind) {
    let kinds = frames.base[frames.count - 1].kind
    let fits = kind == .object ? kinds == .object : kinds != .object && kinds.rawValue > 2
    assert(fits, "an end without its beginning")
    if fits { pop() }
  }

  // MARK: Undoing

  /// How far everything was, to return to when a value turns out not to be encodable.
  struct Mark {
    var bytes: Int
    var frames: Int
    var entries: Int
    var nesting: Int
    var frame: Frame
  }

  var mark: Mark {
    Mark(
      bytes: bytes.count, frames: frames.count, entries: entries.count, nesting: nesting,
      frame: frames.base[frames.count - 1])
  }

  mutating func rollBack(to mark: Mark) {
    bytes.count = mark.bytes
    frames.count = mark.frames
    entries.count = mark.entries
    nesting = mark.nesting
    frames.base[frames.count - 1] = mark.frame
  }

  @inline(__always)
  func slice(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes.base + start, count: end - start)
  }
}
