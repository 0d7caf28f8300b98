@inlinable
@inline(__always)
package func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

/// Returns the value of a hexadecimal digit in ASCII, or `nil` for any other byte.
package func hexDigit(_ byte: UInt8) -> UInt32? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
  default: nil
  }
}

func hex(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 16, uppercase: true)
  return byte < 16 ? "0x0" + digits : "0x" + digits
}

/// Compares bytes lexicographically. Returns a number below, at or above zero if `left` sorts
/// before, with or after `right`. A prefix sorts first.
@inline(__always)
func compareBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
  let shared = min(left.count, right.count)
  let (a, b) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
  var offset = 0
  while offset + 8 <= shared {
    let one = UInt64(bigEndian: a.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    let other = UInt64(bigEndian: b.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    if one != other { return one < other ? -1 : 1 }
    offset += 8
  }
  while offset < shared {
    if a[offset] != b[offset] { return Int(a[offset]) - Int(b[offset]) }
    offset += 1
  }
  return left.count - right.count
}

/// Returns the top bit of the first byte that is a quote, a `\` or a control character, or 0 if
/// there is none. Bits of later bytes may also be set.
@inlinable
@inline(__always)
func escapeMarks(_ word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quote = word ^ (ones &* 0x22)
  let slash = word ^ (ones &* 0x5C)
  // A borrow can only produce false marks above the first true one.
  return
    (((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash))
    & (ones &* 0x80)
}

/// Returns the `count` bytes at `start`, 1 to 7, as a little-endian number. Reads no other bytes.
@inlinable
@inline(__always)
func loadPartialWord(_ start: UnsafeRawPointer, _ count: Int) -> UInt64 {
  if count >= 4 {
    let low = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
    let high = UInt32(
      littleEndian: start.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    return UInt64(low) | UInt64(high) << UInt64(8 * (count - 4))
  }
  let first = UInt64(start.load(as: UInt8.self))
  if count == 1 { return first }
  let end = UInt16(littleEndian: start.loadUnaligned(fromByteOffset: count - 2, as: UInt16.self))
  return first | UInt64(end) << UInt64(8 * (count - 2))
}

extension UnsafeBufferPointer<UInt8> {
  @inline(__always)
  func slice(_ token: JSONToken) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: self[Int(token.start)..<Int(token.end)])
  }

  /// Returns the first position from `start` on with a quote, a `\`, a control character or, unless
  /// allowed, a byte beyond ASCII.
  @inlinable
  @inline(__always)
  package func endOfPlainText(from start: Int, allowingAnyScalar anyScalar: Bool = false) -> Int {
    guard let base = UnsafeRawPointer(baseAddress) else { return start }
    var position = start
    // Eight bytes at once.
    while position + 8 <= count {
      let word = UInt64(
        littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      // The first mark is exact.
      let marks =
        escapeMarks(word) | (anyScalar ? 0 : word & 0x8080_8080_8080_8080)
      if marks != 0 { return position + marks.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < count {
      let byte = self[position]
      if byte < 0x20 || (byte >= 0x80 && !anyScalar) || byte == 0x22 || byte == 0x5C { break }
      position += 1
    }
    return position
  }

  /// Returns the length of the scalar beyond ASCII at `position`, or 0 if it is not well formed
  /// (Unicode table 3-7).
  func lengthOfScalar(at position: Int) -> Int {
    func continues(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      position + offset < count && range.contains(self[position + offset])
    }
    switch self[position] {
    case 0xC2...0xDF: return continues(1) ? 2 : 0
    case 0xE0: return continues(1, 0xA0...0xBF) && continues(2) ? 3 : 0
    case 0xED: return continues(1, 0x80...0x9F) && continues(2) ? 3 : 0
    case 0xE1...0xEF: return continues(1) && continues(2) ? 3 : 0
    case 0xF0: return continues(1, 0x90...0xBF) && continues(2) && continues(3) ? 4 : 0
    case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : 0
    case 0xF4: return continues(1, 0x80...0x8F) && continues(2) && continues(3) ? 4 : 0
    default: return 0
    }
  }

  /// The number of bytes at the start that are well-formed UTF-8. Copies nothing.
  package var validUTF8Prefix: Int {
    var position = 0
    while position < count {
      let length = self[position] < 0x80 ? 1 : lengthOfScalar(at: position)
      guard length > 0 else { break }
      position += length
    }
    return position
  }

  /// Returns the text of a string token that the tokenizer has accepted.
  func string(_ token: JSONToken) -> String {
    unescaped(token) { String(decoding: $0, as: UTF8.self) }
  }

  func equal(_ left: JSONToken, _ right: JSONToken) -> Bool {
    if !left.flags.contains(.escaped), !right.flags.contains(.escaped) {
      return compareBytes(slice(left), slice(right)) == 0
    }
    return unescaped(left) { left in unescaped(right) { compareBytes(left, $0) == 0 } }
  }

  /// Calls `body` with the bytes of a string token, with its escapes resolved. Copies the bytes
  /// only if there are escapes.
  @inline(__always)
  func unescaped<Result>(
    _ token: JSONToken, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    if !token.flags.contains(.escaped) { return body(slice(token)) }
    return resolveEscapes(slice(token)).withUnsafeBufferPointer(body)
  }
}

func resolveEscapes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count)
  var position = 0
  func unit(at position: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 4 | (hexDigit(text[position + $1]) ?? 0) }
  }
  while position < text.count {
    guard text[position] == UInt8(ascii: "\\") else {
      bytes.append(text[position])
      position += 1
      continue
    }
    let letter = text[position + 1]
    position += 2
    switch letter {
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"):
      var value = unit(at: position)
      position += 4
      if value & 0xFC00 == 0xD800 {
        value = 0x10000 + (value & 0x3FF) << 10 + (unit(at: position + 2) & 0x3FF)
        position += 6
      }
      if let scalar = Unicode.Scalar(value) {
        bytes.append(contentsOf: Unicode.UTF8.encode(scalar) ?? .init())
      }
    default: bytes.append(letter)
    }
  }
  return bytes
}
