/// Encodes values so that equal content gives equal bytes, on every machine and in every run,
/// regardless of the order in which sets and dictionaries were filled.
///
/// These rules are sufficient to compute the same bytes in another language:
/// - the shape is the one that `JSONEncoder` writes; a value that encodes nothing is `{}`;
/// - UTF-8; no white space; object keys ascend by their UTF-8 bytes, that is, by code point; of
///   equal keys, only the last one is written;
/// - only `"`, `\` and characters below U+0020 are escaped (`\b \t \n \f \r`, others as `\u00xx` in
///   lowercase);
/// - elements of a `Set`, and the key-value pairs of a dictionary whose keys are neither `String`
///   nor `Int` (an array of key, value, key, value), ascend by their own canonical bytes;
/// - floating-point numbers: integral ones below 2⁵³ as integers, -0 as `0`, other finite ones as
///   Swift's `description` (the shortest digits that read back as the same number), the rest as the
///   strings `inf`, `-inf`, `nan`;
/// - `Date` as `Timestamp` writes it (rounded to microseconds), `Data` as Base64, `UUID` and `URL`
///   as strings.
///
/// A value's `encode(to:)` may run twice: if it writes to several containers alternately, the first
/// run ends with an error at the next value, and a second, slower run follows. A set is recognized
/// if it is passed to a container, but not if `encode(to:)` passes its own encoder to the set.
public enum CanonicalEncoder {
  /// The maximum number of levels. Readers reject deeper nesting.
  static let maximalNesting = 512

  /// Returns the canonical JSON of the value.
  ///
  /// - Throws: `EncodingError` for a date outside the supported range, more than 512 levels, or a
  ///   value that encodes nothing, and the errors of the value's `encode(to:)`.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    try withWriter(of: value) { $0.array }
  }

  /// Returns the canonical JSON of the value, and the first part that it does not have exactly.
  package static func encodeFindingRounding(
    _ value: some Encodable
  ) throws -> (bytes: [UInt8], rounded: RoundedValue?) {
    try withWriter(of: value, findsRounding: true) { ($0.array, $0.roundedValue) }
  }

  /// Appends the canonical JSON of the value. If it throws, appends nothing. Does not allocate for
  /// the result if `bytes` has enough capacity.
  public static func encode(_ value: some Encodable, into bytes: inout [UInt8]) throws {
    try withWriter(of: value) { $0.withBytes { bytes.append(contentsOf: $0) } }
  }

  /// Encodes the value, and calls `body` with the writer.
  private static func withWriter<Result>(
    of value: some Encodable, findsRounding: Bool = false,
    _ body: (borrowing CanonicalWriter) -> Result
  ) throws -> Result {
    var writer = CanonicalWriter()
    writer.findsRoundedValues = findsRounding
    if let byHand = value as? any CanonicalEncodable {
      try byHand.encodeAlone(to: &writer)
      return body(writer)
    }
    let core = EncoderCore(writer, plain: type(of: value))
    try core.encodeRoot(value)
    return body(core.writer)
  }

  /// Returns the canonical form of a parsed JSON.
  public static func encode(json: JSON) -> [UInt8] {
    var writer = CanonicalWriter()
    writer.json(json)
    return writer.array
  }
}

extension CanonicalEncodable {
  /// Writes the value, and checks that it is exactly one.
  fileprivate func encodeAlone(to writer: inout CanonicalWriter) throws {
    try encodeCanonical(to: &writer)
    try writer.requireOneValue(of: self)
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
  /// Writes any encodable value, with its `CanonicalEncodable` conformance if it has one.
  ///
  /// - Throws: The errors of `CanonicalEncoder.encode(_:)`. Then nothing of the value is written.
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
