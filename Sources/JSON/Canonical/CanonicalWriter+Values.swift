#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CanonicalWriter {
  /// The value `null`.
  public mutating func null() {
    beginValue()
    append("null")
  }

  /// A boolean.
  public mutating func bool(_ value: Bool) {
    beginValue()
    append(value ? "true" : "false")
  }

  /// An integer, all its digits.
  public mutating func int(_ value: Int) {
    beginValue()
    appendDigits(value.magnitude, isNegative: value < 0)
  }

  /// A signed integer of any width, all its digits. Beyond 64 bits it costs a string.
  public mutating func int(_ value: some FixedWidthInteger & SignedInteger) {
    guard let small = Int(exactly: value) else { return wide(value) }
    int(small)
  }

  /// An unsigned integer of any width, all its digits. Beyond 64 bits it costs a string.
  public mutating func uint(_ value: some FixedWidthInteger & UnsignedInteger) {
    guard let small = UInt(exactly: value) else { return wide(value) }
    beginValue()
    appendDigits(small, isNegative: false)
  }

  @inline(never)
  private mutating func wide(_ value: some FixedWidthInteger) {
    beginValue()
    appendASCII(String(value))
  }

  /// Integral values below 2⁵³ as integers, -0 as 0, infinities and NaN as strings, all else as
  /// `Double.description` has it.
  public mutating func double(_ value: Double) {
    beginValue()
    if value.magnitude < 0x1p53 {
      let integer = Int(value)
      if Double(integer) == value {
        return appendDigits(integer.magnitude, isNegative: integer < 0)
      }
    }
    appendReal(value.description, isFinite: value.isFinite)
  }

  /// The rules of `double(_:)` with `Float`'s own digits, so that `0.1` stays `0.1`.
  public mutating func float(_ value: Float) {
    beginValue()
    if value.magnitude < 0x1p53 {
      let integer = Int(value)
      if Float(integer) == value {
        return appendDigits(integer.magnitude, isNegative: integer < 0)
      }
    }
    appendReal(value.description, isFinite: value.isFinite)
  }

  /// A string with the least escaping that JSON allows. Cost: linear in its length.
  public mutating func string(_ value: String) {
    beginValue()
    var value = value
    value.withUTF8 { text in
      bytes.append(UInt8(ascii: "\""))
      _ = appendEscaped(text)
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// As `Timestamp` writes it.
  ///
  /// - Throws: `EncodingError` for a date outside of the years 0001 to 9999.
  public mutating func date(_ value: Date) throws {
    guard let microseconds = Timestamp.microseconds(of: value) else {
      throw Self.error(for: value, at: codingPath(of: frames.count))
    }
    timestamp(clamped: microseconds)
  }

  /// The error holds seconds, not the date: describing a date that is no number traps.
  static func error(for date: Date, at path: [any CodingKey]) -> EncodingError {
    let seconds = date.timeIntervalSinceReferenceDate
    return EncodingError.invalidValue(
      seconds,
      .init(
        codingPath: path,
        debugDescription: "found a date \(seconds) seconds from 2001, "
          + "expected one in the years 0001 to 9999"))
  }

  /// - Parameter microseconds: since 1970; clamped to `Timestamp.range`.
  public mutating func timestamp(clamped microseconds: Int) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    Timestamp.write(
      min(max(microseconds, Timestamp.range.lowerBound), Timestamp.range.upperBound),
      to: bytes.room(for: Timestamp.length))
    bytes.count += Timestamp.length
    bytes.append(UInt8(ascii: "\""))
  }

  /// Base64 with padding.
  public mutating func data(_ value: Data) {
    value.withUnsafeBytes { base64($0) }
  }

  /// Base64 with padding.
  public mutating func base64(_ value: UnsafeRawBufferPointer) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    let length = Base64.length(of: value.count)
    Base64.write(value, to: bytes.room(for: length))
    bytes.count += length
    bytes.append(UInt8(ascii: "\""))
  }

  /// In capital letters.
  public mutating func uuid(_ value: UUID) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    withUnsafeBytes(of: value.uuid) { uuid in
      let room = bytes.room(for: 36)
      var position = 0
      for (index, byte) in uuid.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          room[position] = UInt8(ascii: "-")
          position += 1
        }
        room[position] = Self.hexDigit(byte >> 4, upper: true)
        room[position + 1] = Self.hexDigit(byte & 15, upper: true)
        position += 2
      }
    }
    bytes.count += 36
    bytes.append(UInt8(ascii: "\""))
  }

  /// A JSON value in its canonical form: members sorted, the last of equal keys, numbers by the
  /// rules of `double(_:)`. Integers keep their digits, however many; a number beyond `Double`
  /// keeps its text; a `.number` that is none becomes a string.
  public mutating func json(_ value: JSON) {
    value.walk { event in
      switch event {
      case .scalar(.null): null()
      case .scalar(.bool(let value)): bool(value)
      case .scalar(.string(let text)): string(text)
      case .scalar(.number(let literal)): number(literal)
      case .scalar, .element: break
      case .beginArray: beginArray()
      case .beginObject: beginObject()
      case .key(let key, _): self.key(key)
      case .endArray: endArray()
      case .endObject: endObject()
      }
    }
  }

  private mutating func number(_ literal: String) {
    guard NumberLiteral.isValid(literal) else { return string(literal) }
    if literal.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: "-") }) {
      beginValue()
      appendASCII(literal == "-0" ? "0" : literal)
    } else if let value = Double(literal), value.isFinite {
      double(value)
    } else {
      beginValue()
      appendASCII(literal)
    }
  }

  /// Bytes that are canonical JSON already. They are not checked.
  public mutating func canonical(_ value: UnsafeBufferPointer<UInt8>) {
    beginValue()
    bytes.append(value)
  }

  // MARK: Bytes

  @inline(__always)
  private mutating func append(_ word: StaticString) {
    bytes.append(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  private mutating func appendASCII(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append($0) }
  }

  private mutating func appendReal(_ text: String, isFinite: Bool) {
    if !isFinite { bytes.append(UInt8(ascii: "\"")) }
    appendASCII(text)
    if !isFinite { bytes.append(UInt8(ascii: "\"")) }
  }

  @inline(__always)
  private mutating func appendDigits(_ magnitude: UInt, isNegative: Bool) {
    let room = bytes.room(for: DecimalDigits.capacity &+ 1)
    room[0] = UInt8(ascii: "-")
    let sign = isNegative ? 1 : 0
    bytes.count &+= sign &+ DecimalDigits.write(UInt64(magnitude), to: room + sign)
  }

  /// Appends text without its quotes. False when something had to be escaped.
  @inline(__always)
  mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let plain = text.endOfPlainText(from: 0, allowingAnyScalar: true)
    if plain == text.count {
      bytes.append(text)
      return true
    }
    appendEscaping(text)
    return false
  }

  @inline(never)
  private mutating func appendEscaping(_ text: UnsafeBufferPointer<UInt8>) {
    var position = 0
    while position < text.count {
      let plain = text.endOfPlainText(from: position, allowingAnyScalar: true)
      bytes.append(UnsafeBufferPointer(rebasing: text[position..<plain]))
      guard plain < text.count else { return }
      let byte = text[plain]
      bytes.append(UInt8(ascii: "\\"))
      switch byte {
      case 0x08: bytes.append(UInt8(ascii: "b"))
      case 0x09: bytes.append(UInt8(ascii: "t"))
      case 0x0A: bytes.append(UInt8(ascii: "n"))
      case 0x0C: bytes.append(UInt8(ascii: "f"))
      case 0x0D: bytes.append(UInt8(ascii: "r"))
      case 0..<0x20:
        append("u00")
        bytes.append(Self.hexDigit(byte >> 4, upper: false))
        bytes.append(Self.hexDigit(byte & 15, upper: false))
      default: bytes.append(byte)
      }
      position = plain + 1
    }
  }

  private static func hexDigit(_ value: UInt8, upper: Bool) -> UInt8 {
    value < 10 ? 0x30 + value : (upper ? 0x41 : 0x61) + value - 10
  }
}
