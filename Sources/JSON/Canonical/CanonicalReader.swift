#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One value of a parsed text, for types that adopt `CanonicalCodable` by hand and for files of
/// which only some members are wanted: nothing is made that is not asked for.
///
/// A reader keeps the text alive; readers of one text share it and belong to one thread. Errors are
/// `DecodingError`s whose coding path leads to the value.
public struct CanonicalReader {
  private var core: DecoderCore
  private var index: Int

  init(core: DecoderCore, index: Int) {
    self.core = core
    self.index = index
  }

  /// Reads a text and is at its outermost value. Cost: one pass over the bytes and a copy of them.
  ///
  /// - Parameter userInfo: What an `init(from:)` finds as its decoder's `userInfo`.
  public init(
    parsing bytes: some Collection<UInt8>, limits: JSONLimits = .default,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws(JSONError) {
    core = DecoderCore(userInfo: userInfo)
    index = 0
    try core.read(bytes, limits)
  }

  /// Reads the next text, in the memory of the last one where no other reader needs it.
  ///
  /// - Throws: `JSONError`; the reader then is at null.
  public mutating func read(
    _ bytes: some Collection<UInt8>, limits: JSONLimits = .default
  ) throws(JSONError) {
    if !isKnownUniquelyReferenced(&core) { core = DecoderCore(userInfo: core.userInfo) }
    index = 0
    try core.read(bytes, limits)
  }

  /// The way from the outermost value to this one. Cost: linear in what precedes it.
  public var codingPath: [any CodingKey] { core.path(to: index) }

  /// The position of the value in the text, brackets and quotes included.
  var byteRange: Range<Int> {
    let token = core.tokens[index]
    let quote = token.kind == .string ? 1 : 0
    return Int(token.start) - quote..<Int(token.end) + quote
  }

  /// Calls `body` with the value's own bytes, as they are in the text.
  public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows
    -> Result
  {
    try body(UnsafeBufferPointer(rebasing: core.bytes[byteRange]))
  }

  /// An error at this value, for what it is not.
  public func error(expected: String) -> DecodingError {
    core.corrupted(at: index, expected: expected)
  }

  // MARK: Scalars

  /// Whether the value is `null`.
  public var isNull: Bool { core.isNull(index) }
  /// A boolean.
  ///
  /// - Throws: `DecodingError` for all else.
  public func bool() throws -> Bool { try core.bool(index) }
  /// A string, with its escapes resolved.
  ///
  /// - Throws: `DecodingError` for all else. Cost: linear in its length.
  public func string() throws -> String { try core.string(index) }
  /// A number rounded to the nearest `Double`; the strings `inf`, `-inf` and `nan` too, as
  /// `CanonicalWriter.double(_:)` writes them.
  ///
  /// - Throws: `DecodingError` for all else, and for what is beyond the range.
  public func double() throws -> Double { try core.double(index) }
  /// A number rounded to the nearest `Float`; otherwise as `double()`.
  public func float() throws -> Float { try core.float(index) }
  /// An integer, however it is written: `7`, `7.0` and `7e0` are the same.
  ///
  /// - Throws: `DecodingError` for what is none or does not fit.
  public func int() throws -> Int { try core.integer(Int.self, index) }
  /// Any integer type; what does not fit is refused.
  public func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    try core.integer(type, index)
  }
  /// A date as `Timestamp` reads it.
  ///
  /// - Throws: `DecodingError` for text of another form.
  public func date() throws -> Date { try core.date(index) }
  /// A date as microseconds since 1970.
  public func timestamp() throws -> Int { try core.timestamp(index) }
  /// An identifier, in capital or small letters.
  ///
  /// - Throws: `DecodingError` for text of another form.
  public func uuid() throws -> UUID { try core.uuid(index) }
  /// Base64 text.
  public func data() throws -> Data { Data(try core.base64(index)) }
  /// The value whole, with all that is in it. Cost: linear in its size.
  public func json() -> JSON { JSON(token: index, of: core.tokens, in: core.bytes) }

  /// Whether the value is that very string. Cost: no `String` is made.
  public func isString(_ text: StaticString) -> Bool {
    let token = core.tokens[index]
    guard token.kind == .string else { return false }
    return text.withUTF8Buffer { text in
      core.bytes.unescaped(token) { compareBytes($0, text) == 0 }
    }
  }

  /// Any decodable value, by `CanonicalCodable` where it has it.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T { try core.decode(type, at: index) }

  /// A value of a type that need not be `Decodable`.
  public func decode<T: CanonicalCodable>(canonical type: T.Type) throws -> T {
    var reader = self
    return try T(canonical: &reader)
  }

  // MARK: Containers

  /// The value of a key; nil if there is none or it is null. Cost: constant when members are asked
  /// for in their order.
  ///
  /// - Throws: when this is no object.
  public func memberIfPresent(_ key: StaticString) throws -> CanonicalReader? {
    guard let value = try find(key), !core.isNull(value) else { return nil }
    return CanonicalReader(core: core, index: value)
  }

  /// The value of a key.
  ///
  /// - Throws: when this is no object or has no such key.
  public func member(_ key: StaticString) throws -> CanonicalReader {
    guard let value = try find(key) else {
      throw core.missing(PathKey(stringValue: "\(key)"), in: index)
    }
    return CanonicalReader(core: core, index: value)
  }

  @inline(__always)
  private func find(_ key: StaticString) throws -> Int? {
    guard core.tokens[index].kind == .object else {
      throw core.mismatch([String: Any].self, at: index, expected: "an object")
    }
    guard let value = key.withUTF8Buffer({ core.find($0, in: index) }) else { return nil }
    core.advance(index, past: value)
    return value
  }

  /// Name and payload of an enum's case: the one member of an object.
  ///
  /// - Throws: when this is no object of one member.
  public func onlyMember() throws -> (name: String, payload: CanonicalReader) {
    let token = core.tokens[index]
    guard token.kind == .object else {
      throw core.mismatch([String: Any].self, at: index, expected: "an object with one member")
    }
    guard index + 1 < Int(token.next), core.tokens[index + 2].next == token.next else {
      throw core.corrupted(at: index, expected: "an object with one member")
    }
    return (
      core.bytes.string(core.tokens[index + 1]), CanonicalReader(core: core, index: index + 2)
    )
  }

  /// Calls `body` with every element of an array, in order.
  ///
  /// - Throws: when this is no array, and what `body` throws.
  public func forEachElement(_ body: (inout CanonicalReader) throws -> Void) throws {
    guard core.tokens[index].kind == .array else {
      throw core.mismatch([Any].self, at: index, expected: "an array")
    }
    try forEach(step: 1) { _, value in try body(&value) }
  }

  /// Calls `body` with every key and value of an object, in order, equal keys each time.
  ///
  /// - Throws: when this is no object, and what `body` throws.
  public func forEachMember(
    _ body: (_ key: String, _ value: inout CanonicalReader) throws -> Void
  ) throws {
    guard core.tokens[index].kind == .object else {
      throw core.mismatch([String: Any].self, at: index, expected: "an object")
    }
    try forEach(step: 2) { key, value in try body(core.bytes.string(core.tokens[key]), &value) }
  }

  private func forEach(
    step: Int, _ body: (Int, inout CanonicalReader) throws -> Void
  ) throws {
    let end = Int(core.tokens[index].next)
    var current = index + 1
    while current < end {
      var value = CanonicalReader(core: core, index: current + step - 1)
      try body(current, &value)
      current = Int(core.tokens[current + step - 1].next)
    }
  }
}
