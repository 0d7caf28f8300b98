/// Base64 of RFC 4648 section 4, with padding. Decoding accepts only texts that encoding produces.
enum Base64 {
  static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

  /// Fills `length(of: bytes.count)` bytes at `target`.
  static func write(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) {
    var position = 0
    var out = target
    while position < bytes.count {
      let rest = bytes.count - position
      let group =
        UInt32(bytes[position]) << 16
        | (rest > 1 ? UInt32(bytes[position + 1]) << 8 : 0)
        | (rest > 2 ? UInt32(bytes[position + 2]) : 0)
      out[0] = letter(group >> 18)
      out[1] = letter(group >> 12)
      out[2] = rest > 1 ? letter(group >> 6) : UInt8(ascii: "=")
      out[3] = rest > 2 ? letter(group) : UInt8(ascii: "=")
      out += 4
      position += 3
    }
  }

  static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    var padding = 0
    while padding < 2, padding < text.count, text[text.count - 1 - padding] == UInt8(ascii: "=") {
      padding += 1
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var group: UInt32 = 0
    for position in 0..<text.count - padding {
      guard let value = value(text[position]) else { return nil }
      group = group << 6 | value
      if position % 4 == 3 {
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        group = 0
      }
    }
    if padding == 1 {
      guard group & 3 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    } else if padding == 2 {
      guard group & 15 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    }
    return bytes
  }

  private static func letter(_ bits: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: bits & 63)
    switch value {
    case 0..<26: return value + UInt8(ascii: "A")
    case 26..<52: return value - 26 + UInt8(ascii: "a")
    case 52..<62: return value - 52 + UInt8(ascii: "0")
    case 62: return UInt8(ascii: "+")
    default: return UInt8(ascii: "/")
    }
  }

  private static func value(_ letter: UInt8) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
