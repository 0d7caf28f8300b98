#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CanonicalWriter {
  /// Writes `null`.
  public mutating func null() {
    beginValue()
    append("null")
  }

  /// Writes a Boolean value.
  public mutating func bool(_ value: Bool) {
    beginValue()
    append(value ? "true" : "false")
  }

  /// Writes an integer with all its digits.
  public mutating func int(_ value: Int) {
    beginValue()
    appendDigits(value.magnitude, isNegative: value < 0)
  }

  /// Writes a signed integer of any width with all its digits. Beyond 64 bits, creates a string.
  public mutating func int(_ value: some FixedWidthInteger & SignedInteger) { integer(value) }

  /// Writes an unsigned integer of any width with all its digits. Beyond 64 bits, creates a string.
  public mutating func uint(_ value: some FixedWidthInteger & UnsignedInteger) { integer(value) }

  mutating func integer<T: FixedWidthInteger>(_ value: T) {
    if T.isSigned, let small = Int(exactly: value) { return int(small) }
    guard let small = UInt(exactly: value) else { return wide(value) }
    beginValue()
    appendDigits(small, isNegative: false)
  }

  @inline(never)
  private mutating func wide(_ value: some FixedWidthInteger) {
    beginValue()
    appendASCII(String(value))
  }

  /// Writes a number. Integral values below 2⁵³ are written as integers, -0 as 0, infinities and
  /// NaN as strings, and all others as `Double.description`.
  public mutating func double(_ value: Double) {
    if findsRoundedValues, value == 0, value.sign == .minus { noteRounding(.negativeZero) }
    real(value)
  }

  private mutating func real(_ value: Double) {
    beginValue()
    if value.magnitude < 0x1p53 {
      let integer = Int(value)
      if Double(integer) == value {
        return appendDigits(integer.magnitude, isNegative: integer < 0)
      }
    }
    appendReal(value.description, isFinite: value.isFinite)
  }

  /// Writes a number like `double(_:)`, but with the digits of `Float`, so that `0.1` stays `0.1`.
  public mutating func float(_ value: Float) {
    if findsRoundedValues, value == 0, value.sign == .minus { noteRounding(.negativeZero) }
    beginValue()
    if value.magnitude < 0x1p53 {
      let integer = Int(value)
      if Float(integer) == value {
        return appendDigits(integer.magnitude, isNegative: integer < 0)
      }
    }
    appendReal(value.description, isFinite: value.isFinite)
  }

  /// Writes a string with only the escapes that JSON requires.
  ///
  /// - Complexity: O(length of the string).
  public mutating func string(_ value: String) {
    beginValue()
    var value = value
    value.withUTF8 { text in
      bytes.append(UInt8(ascii: "\""))
      _ = appendEscaped(text)
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Writes a date in the form of `Timestamp`.
  ///
  /// - Throws: `EncodingError` for a date outside of the years 0000 to 9999.
  public mutating func date(_ value: Date) throws {
    guard let microseconds = Timestamp.microseconds(of: value) else {
      throw Self.error(for: value, at: pathOfNextValue)
    }
    if findsRoundedValues, Timestamp.date(microseconds: microseconds) != value {
      noteRounding(.date)
    }
    timestamp(clamped: microseconds)
  }

  /// Returns an error that has seconds instead of the date, since describing a date that is NaN
  /// traps.
  static func error(for date: Date, at path: [any CodingKey]) -> EncodingError {
    let seconds = date.timeIntervalSinceReferenceDate
    return EncodingError.invalidValue(
      seconds,
      .init(
        codingPath: path,
        debugDescription: "found a date \(seconds) seconds from 2001, "
          + "expected one in the years 0000 to 9999"))
  }

  /// - Parameter microseconds: Microseconds since 1970, clamped to `Timestamp.range`.
  public mutating func timestamp(clamped microseconds: Int) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    Timestamp.write(
      min(max(microseconds, Timestamp.range.lowerBound), Timestamp.range.upperBound),
      to: bytes.room(for: Timestamp.length))
    bytes.count += Timestamp.length
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes bytes as Base64 with padding.
  public mutating func data(_ value: Data) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    value.base64EncodedData().withUnsafeBytes {
      bytes.append($0.assumingMemoryBound(to: UInt8.self))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a UUID in uppercase letters.
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

  /// Writes a JSON value in its canonical form: members are sorted, only the last of equal keys is
  /// kept, and numbers follow the rules of `double(_:)`. Integers of any length keep their digits,
  /// and numbers beyond `Double` keep their text. A `.number` that is not a number becomes a
  /// string.
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
      real(value)
    } else {
      beginValue()
      appendASCII(literal)
    }
  }

  /// Writes bytes that must be canonical JSON. They are not checked.
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

  /// Appends text without quotes. Returns `false` if characters had to be escaped.
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
