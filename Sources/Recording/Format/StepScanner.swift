import SwiftBoardJSON
import SwiftBoardStore

/// Parses step lines in the form of a recorder directly from their bytes, without building a tree.
/// Most lines of a log are such lines, and their actions are decoded from bytes.
///
/// The scanner never rejects a line. It returns `nil` for any unusual one (another order of
/// members, escapes, characters beyond ASCII, objects with many keys), which `LogLineParser` then
/// parses. It may be incomplete, but what it accepts must be valid.
struct StepScanner {
  private static let deepest = 64
  private static let mostKeys = 24

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  /// Returns a step, or `nil` if `LogLineParser` must parse the body.
  static func step(_ body: ArraySlice<UInt8>) -> LogStep? {
    body.withUnsafeBufferPointer { bytes in
      var scanner = StepScanner(bytes)
      return scanner.step()
    }
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// A step without draws and effects, with positions in its line.
  struct Bare {
    let n: Int
    let t: Int
    /// The step of the effect that sent the action.
    let cause: Int?
    /// The bytes between `by` and the digest. They are an action if they are a single JSON value.
    let action: Range<Int>
    let digest: Digest?
  }

  /// Returns a step if only an action and a digest follow `by`. The caller must check that the
  /// action is a single JSON value.
  static func bare(_ body: UnsafeBufferPointer<UInt8>) -> Bare? {
    var scanner = StepScanner(body)
    return scanner.bare()
  }

  private mutating func bare() -> Bare? {
    guard take(#"{"k":"step","n":"#), let n = count(), take(#","t":"#), let t = count(),
      take(#","by":{"#)
    else { return nil }
    var cause: Int?
    if take(#""program":"#) || take(#""link":"#) {
      guard plainText() != nil else { return nil }
    } else if take(#""user":"#) {
      guard plainText() != nil, take(#","at":"#), plainText() != nil else { return nil }
    } else if take(#""effect":"#) {
      guard plainText() != nil else { return nil }
      if take(#","id":"#), plainText() == nil { return nil }
      guard take(#","step":"#), let step = count() else { return nil }
      cause = step
    } else {
      return nil
    }
    guard take(#"},"action":"#) else { return nil }
    let start = position
    var end = bytes.count
    var digest: Digest?
    // The length of `,"digest":"`, the digest and its quote.
    let tail = 11 + Digest.length + 1
    if end - start > tail, bytes[end - 1] == UInt8(ascii: "\"") {
      position = end - tail
      if take(#","digest":""#), let base = bytes.baseAddress {
        digest = Digest.read(base + position)
        if digest != nil { end -= tail }
      }
    }
    return end > start ? Bare(n: n, t: t, cause: cause, action: start..<end, digest: digest) : nil
  }

  private mutating func step() -> LogStep? {
    guard take(#"{"k":"step","n":"#), let n = count(), take(#","t":"#), let t = count(),
      take(#","by":{"#), let origin = origin(), take(#","action":"#)
    else { return nil }
    let start = position
    guard value(depth: 1) else { return nil }
    let action = Array(bytes[start..<position])
    var draws: [LoggedDraw] = []
    if take(#","draws":["#) {
      repeat {
        guard take("["), let name = text(), take(","), let value = text(), take("]"),
          let kind = LoggedDraw.Kind(rawValue: name)
        else { return nil }
        draws.append(LoggedDraw(kind: kind, value: value))
      } while take(",")
      guard take("]") else { return nil }
    }
    var effects: [LogEffect] = []
    if take(#","effects":["#) {
      repeat {
        guard take(#"{"name":"#), let name = text() else { return nil }
        guard let ids = effectIDs(), take(#","kind":"#), let kind = text(), take("}") else {
          return nil
        }
        effects.append(LogEffect(name: name, ids: ids, kind: kind))
      } while take(",")
      guard take("]") else { return nil }
    }
    var digest: Digest?
    if take(#","digest":""#) {
      guard position + Digest.length < bytes.count,
        let value = Digest(utf8: bytes[position..<(position + Digest.length)])
      else { return nil }
      digest = value
      position += Digest.length
      guard take("\"") else { return nil }
    }
    guard position == bytes.count else { return nil }
    return LogStep(
      n: n, t: Int64(t), origin: origin, actionBytes: action, draws: draws, effects: effects,
      digest: digest)
  }

  /// Scans the optional members `id` and `ids` of an effect.
  private mutating func effectIDs() -> [String]? {
    guard take(#","id":"#) else { return [] }
    guard let id = text() else { return nil }
    guard take(#","ids":["#) else { return [id] }
    var ids: [String] = []
    repeat {
      guard let id = text() else { return nil }
      ids.append(id)
    } while take(",")
    return take("]") && ids.count > 1 && ids[0] == id ? ids : nil
  }

  /// Scans the members of `by` and the closing brace.
  private mutating func origin() -> StepOrigin? {
    let origin: StepOrigin
    if take(#""user":"#) {
      guard let line = text(), take(#","at":"#), let position = text() else { return nil }
      origin = .user(line: line, at: position)
    } else if take(#""effect":"#) {
      guard let name = text() else { return nil }
      var id: String?
      if take(#","id":"#) {
        guard let text = text() else { return nil }
        id = text
      }
      guard take(#","step":"#), let step = count() else { return nil }
      origin = .effect(name: name, id: id, step: step)
    } else if take(#""link":"#) {
      guard let link = text() else { return nil }
      origin = .link(link)
    } else if take(#""program":"#) {
      guard let name = text() else { return nil }
      origin = .program(name)
    } else {
      return nil
    }
    return take("}") ? origin : nil
  }

  @inline(__always)
  private mutating func take(_ literal: StaticString) -> Bool {
    let length = literal.utf8CodeUnitCount
    guard let start = bytes.baseAddress, position &+ length <= bytes.count else { return false }
    let found = UnsafeRawPointer(start + position)
    let expected = UnsafeRawPointer(literal.utf8Start)
    var offset = 0
    // Compare words first: the compiler knows the literal and makes them constants.
    while offset &+ 8 <= length {
      guard
        found.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == expected.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset &+= 8
    }
    while offset < length {
      guard
        found.load(fromByteOffset: offset, as: UInt8.self)
          == expected.load(fromByteOffset: offset, as: UInt8.self)
      else { return false }
      offset &+= 1
    }
    position &+= length
    return true
  }

  /// Scans a whole number of at most 18 digits without leading zeroes.
  @inline(__always)
  private mutating func count() -> Int? {
    // Eight bytes at once, if they hold the whole number.
    if position &+ 8 <= bytes.count, let start = bytes.baseAddress {
      let word = UInt64(
        littleEndian: UnsafeRawPointer(start + position).loadUnaligned(as: UInt64.self))
      // A digit is at most 9 here. Every other byte sets its top bit.
      let values = word ^ 0x3030_3030_3030_3030
      let others =
        (((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676) | values)
        & 0x8080_8080_8080_8080
      let length = others.trailingZeroBitCount / 8
      if (1..<8).contains(length) {
        guard length == 1 || bytes[position] != 0x30 else { return nil }
        position &+= length
        return StepScanner.number(values << UInt64(64 - 8 * length))
      }
    }
    return longCount()
  }

  /// Returns the number whose digits are the bytes of `digits`, the last one highest.
  @inline(__always)
  private static func number(_ digits: UInt64) -> Int {
    let pairs = (digits &* 10 &+ digits >> 8) & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* 100 &+ pairs >> 16) & 0x0000_FFFF_0000_FFFF
    return Int((fours &* 10_000 &+ fours >> 32) & 0xFFFF_FFFF)
  }

  private mutating func longCount() -> Int? {
    let start = position
    var number = 0
    while position < bytes.count, bytes[position] &- 0x30 < 10 {
      guard position - start < 18 else { return nil }
      number = number &* 10 &+ Int(bytes[position] &- 0x30)
      position &+= 1
    }
    guard position > start, position == start + 1 || bytes[start] != 0x30 else { return nil }
    return number
  }

  private mutating func text() -> String? {
    guard let range = plainText() else { return nil }
    return String(decoding: bytes[range], as: UTF8.self)
  }

  /// Scans a quoted ASCII text without escapes.
  private mutating func plainText() -> Range<Int>? {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
    let start = position &+ 1
    position = bytes.endOfPlainText(from: start)
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
    position &+= 1
    return start..<(position &- 1)
  }

  /// Skips a value without white space.
  private mutating func value(depth: Int) -> Bool {
    guard position < bytes.count, depth <= StepScanner.deepest else { return false }
    switch bytes[position] {
    case UInt8(ascii: "\""): return plainText() != nil
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "t"): return take("true")
    case UInt8(ascii: "f"): return take("false")
    case UInt8(ascii: "n"): return take("null")
    default: return number()
    }
  }

  private mutating func array(depth: Int) -> Bool {
    position &+= 1
    if take("]") { return true }
    repeat {
      guard value(depth: depth + 1) else { return false }
    } while take(",")
    return take("]")
  }

  private mutating func object(depth: Int) -> Bool {
    position &+= 1
    if take("}") { return true }
    return withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: StepScanner.mostKeys) {
      keys in
      var count = 0
      repeat {
        guard count < StepScanner.mostKeys, let key = plainText() else { return false }
        for index in 0..<count where isSame(keys[index], key) { return false }
        keys.initializeElement(at: count, to: key)
        count &+= 1
        guard take(":"), value(depth: depth + 1) else { return false }
      } while take(",")
      return take("}")
    }
  }

  private func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    left.count == right.count && bytes[left].elementsEqual(bytes[right])
  }

  private mutating func number() -> Bool {
    _ = take("-")
    let start = position
    guard digits() else { return false }
    if bytes[start] == 0x30, position > start + 1 { return false }
    if take("."), !digits() { return false }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard digits() else { return false }
    }
    return true
  }

  private mutating func digits() -> Bool {
    let start = position
    while position < bytes.count, bytes[position] &- 0x30 < 10 { position &+= 1 }
    return position > start
  }
}
