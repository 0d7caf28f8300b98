/// A value of a parsed text, for types that implement `CanonicalCodable` and for reading only some
/// members of a file. Values are created only on demand.
///
/// A reader keeps the text alive. The readers of one text share it, and must be used on one thread.
/// Errors are `DecodingError`s whose coding path leads to the value.
public struct CanonicalReader {
  private var core: DecoderCore
  private var index: Int

  init(core: DecoderCore, index: Int) {
    self.core = core
    self.index = index
  }

  /// Parses a text and creates a reader of its outermost value. Takes one pass over the bytes and a
  /// copy of them.
  ///
  /// - Parameter userInfo: The `userInfo` of the decoder.
  public init(
    parsing bytes: some Collection<UInt8>, limits: JSONLimits = .default,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws(JSONError) {
    core = DecoderCore(userInfo: userInfo)
    index = 0
    try core.read(bytes, limits)
  }

  /// Parses the next text. Reuses the memory of the last one if no other reader needs it.
  ///
  /// - Throws: `JSONError`. The reader's value is then null.
  public mutating func read(
    _ bytes: some Collection<UInt8>, limits: JSONLimits = .default
  ) throws(JSONError) {
    if !isKnownUniquelyReferenced(&core) { core = DecoderCore(userInfo: core.userInfo) }
    index = 0
    try core.read(bytes, limits)
  }

  /// The position of the value in the text, brackets and quotes included.
  var byteRange: Range<Int> {
    let token = core.tokens[index]
    let quote = token.kind == .string ? 1 : 0
    return Int(token.start) - quote..<Int(token.end) + quote
  }

  /// Calls `body` with the bytes of the value in the text.
  public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows
    -> Result
  {
    try body(UnsafeBufferPointer(rebasing: core.bytes[byteRange]))
  }

  /// Returns an error for this value, which is not as expected.
  public func error(expected: String) -> DecodingError {
    core.corrupted(at: index, expected: expected)
  }

  // MARK: Scalars

  /// Whether the value is `null`.
  public var isNull: Bool { core.isNull(index) }
  /// Returns a string, with its escapes resolved.
  ///
  /// - Throws: `DecodingError` for any other value.
  ///
  /// - Complexity: O(length of the string).
  public func string() throws -> String { try core.string(index) }
  /// Returns an integer in any notation: `7`, `7.0` and `7e0` are the same.
  ///
  /// - Throws: `DecodingError` for any other value, and for integers out of range.
  public func int() throws -> Int { try core.integer(Int.self, index) }
  /// Returns an integer of any type. Throws if it is out of range.
  public func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    try core.integer(type, index)
  }
  /// Returns the whole value.
  ///
  /// - Complexity: O(size of the value).
  public func json() -> JSON { JSON(token: index, of: core.tokens, in: core.bytes) }

  /// Decodes any decodable value, for example a `Bool`, a `Double` or a `Date`, with the
  /// `CanonicalCodable` conformance of its type if there is one.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T { try core.decode(type, at: index) }

  // MARK: Containers

  /// Returns the value of a key. Takes constant time if members are requested in order.
  ///
  /// - Throws: `DecodingError` if this value is not an object or has no such key.
  public func member(_ key: StaticString) throws -> CanonicalReader {
    guard core.tokens[index].kind == .object else {
      throw core.mismatch([String: Any].self, at: index, expected: "an object")
    }
    guard let value = key.withUTF8Buffer({ core.find($0, in: index) }) else {
      throw core.missing(PathKey(stringValue: "\(key)"), in: index)
    }
    core.advance(index, past: value)
    return CanonicalReader(core: core, index: value)
  }
}
