/// Encodes values so that equal content is equal bytes: on every machine, in every run, whatever
/// the order in which sets and dictionaries were filled.
///
/// The rules, enough to compute the same bytes in another language:
/// - the shape is the one `Codable` gives and `JSONEncoder` writes; what writes nothing is `{}`;
/// - UTF-8; no white space; object keys ascend by their UTF-8 bytes (which is by code point), each
///   once, the last one counts;
/// - escaped are `"`, `\` and what is below U+0020 (`\b \t \n \f \r`, else `\u00xx` in small
///   letters), nothing else;
/// - elements of a `Set`, and the key-value pairs of a dictionary whose keys are neither `String`
///   nor `Int` (an array of key, value, key, value), ascend by their own canonical bytes;
/// - floating-point numbers: integral ones below 2⁵³ as integers, -0 as `0`, other finite ones as
///   Swift's `description` (the shortest digits that read back the same), the rest as the strings
///   `inf`, `-inf`, `nan`;
/// - `Date` as `Timestamp` writes it (rounded to microseconds), `Data` as Base64, `UUID` and `URL`
///   as strings.
///
/// A value's `encode(to:)` may run twice: when it writes to several containers in turns, the first
/// run ends with an error at the next value and another one, which takes more time, follows. A set
/// is only known as one when it is handed to a container, not when `encode(to:)` passes its own
/// encoder on to it.
public enum CanonicalEncoder {
  /// Nesting that is refused, since readers refuse it as well.
  static let maximalNesting = 512

  /// The value's canonical JSON.
  ///
  /// - Throws: `EncodingError` for a date that has no text, more than 512 levels and a value that
  ///   encodes nothing; whatever the value's own `encode(to:)` throws.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    if let byHand = value as? any CanonicalEncodable { return try encode(canonical: byHand) }
    let core = EncoderCore(CanonicalWriter(), plain: type(of: value))
    try core.encodeRoot(value)
    return core.writer.array
  }

  /// Appends the value's canonical JSON, and nothing when it throws. Cost: no allocation for the
  /// result where `bytes` has capacity left.
  public static func encode(_ value: some Encodable, into bytes: inout [UInt8]) throws {
    if let byHand = value as? any CanonicalEncodable {
      return try encode(canonical: byHand, into: &bytes)
    }
    let core = EncoderCore(CanonicalWriter(), plain: type(of: value))
    try core.encodeRoot(value)
    core.writer.withBytes { bytes.append(contentsOf: $0) }
  }

  /// The value's canonical JSON, without `Codable`.
  public static func encode(canonical value: some CanonicalEncodable) throws -> [UInt8] {
    var writer = CanonicalWriter()
    try value.encodeCanonical(to: &writer)
    try writer.requireOneValue(of: value)
    return writer.array
  }

  /// Appends the value's canonical JSON without `Codable`, and nothing when it throws.
  public static func encode(
    canonical value: some CanonicalEncodable, into bytes: inout [UInt8]
  ) throws {
    var writer = CanonicalWriter()
    try value.encodeCanonical(to: &writer)
    try writer.requireOneValue(of: value)
    writer.withBytes { bytes.append(contentsOf: $0) }
  }

  /// The canonical form of a parsed JSON.
  public static func encode(json: JSON) -> [UInt8] {
    var writer = CanonicalWriter()
    writer.json(json)
    return writer.array
  }
}

extension JSON {
  /// The canonical form as text; see `CanonicalEncoder`.
  public var canonical: String {
    var writer = CanonicalWriter()
    writer.json(self)
    return writer.withBytes { String(decoding: $0, as: UTF8.self) }
  }
}

extension CanonicalWriter {
  /// Writes any encodable value, by `CanonicalEncodable` where it has it.
  ///
  /// - Throws: as `CanonicalEncoder.encode(_:)`; nothing of the value remains then.
  public mutating func value(_ value: some Encodable) throws {
    let before = mark
    if let byHand = value as? any CanonicalEncodable {
      do {
        return try byHand.encodeCanonical(to: &self)
      } catch {
        rollBack(to: before)
        throw error
      }
    }
    let core = EncoderCore(self, plain: type(of: value))
    self = CanonicalWriter(placeholder: ())
    do {
      try core.encodeInside(value)
      self = core.takeWriter()
    } catch {
      self = core.takeWriter()
      rollBack(to: before)
      throw error
    }
  }
}
