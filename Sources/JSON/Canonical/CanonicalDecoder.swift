/// Decodes what `CanonicalEncoder` writes, and any other strict JSON of the same shape.
///
/// Works on an index of the bytes; strings are made when they are asked for. Keys are matched by
/// their bytes. Numbers are exact: an integer type takes an integral number in its range and
/// nothing else; `Double` and `Float` also take the strings `inf`, `-inf` and `nan`. Errors are
/// `DecodingError`s whose coding path leads to the value; for bytes that are no JSON the underlying
/// error is the `JSONError`.
public enum CanonicalDecoder {
  /// Cost: one pass over the bytes and a copy of them, then as the type's `init(from:)` asks.
  ///
  /// - Parameter userInfo: What `init(from:)` finds as its decoder's `userInfo`.
  /// - Throws: `DecodingError`, and whatever the type's `init(from:)` throws.
  public static func decode<T: Decodable>(
    _ type: T.Type, from bytes: some Collection<UInt8>, limits: JSONLimits = .default,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    let core = DecoderCore(userInfo: userInfo)
    do throws(JSONError) {
      try core.read(bytes, limits)
    } catch {
      throw error.asDecodingError
    }
    return try core.decode(type, at: 0)
  }

  /// Decodes from a parsed JSON. Cost: that of writing and reading its text as well.
  public static func decode<T: Decodable>(
    _ type: T.Type, from json: JSON, limits: JSONLimits = .default,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    var bytes: [UInt8] = []
    json.write(to: &bytes)
    return try decode(type, from: bytes, limits: limits, userInfo: userInfo)
  }

  /// Decodes without `Codable`.
  public static func decode<T: CanonicalCodable>(
    canonical type: T.Type, from bytes: some Collection<UInt8>, limits: JSONLimits = .default
  ) throws -> T {
    let core = DecoderCore()
    do throws(JSONError) {
      try core.read(bytes, limits)
    } catch {
      throw error.asDecodingError
    }
    var reader = CanonicalReader(core: core, index: 0)
    return try T(canonical: &reader)
  }
}

extension JSONError {
  var asDecodingError: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: description, underlyingError: self))
  }
}
