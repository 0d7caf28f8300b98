/// Decodes the output of `CanonicalEncoder`, and any other strict JSON of the same shape.
///
/// Works on an index of the bytes, and creates strings on demand. Keys are matched by their bytes.
/// Numbers are exact: integer types accept only integral numbers in their range. `Double` and
/// `Float` also accept the strings `inf`, `-inf` and `nan`. Errors are `DecodingError`s whose
/// coding path leads to the value. If the bytes are not JSON, the underlying error is the
/// `JSONError`.
public enum CanonicalDecoder {
  /// Decodes a value. Takes one pass over the bytes and a copy of them, and then the cost of the
  /// type's `init(from:)`.
  ///
  /// - Parameter userInfo: The `userInfo` of the decoder.
  /// - Throws: `DecodingError`, and the errors of the type's `init(from:)`.
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

  /// Decodes a value from a parsed JSON. Also costs writing and reading its text.
  public static func decode<T: Decodable>(
    _ type: T.Type, from json: JSON, limits: JSONLimits = .default,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    var bytes: [UInt8] = []
    json.write(to: &bytes)
    return try decode(type, from: bytes, limits: limits, userInfo: userInfo)
  }
}

extension JSONError {
  var asDecodingError: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: description, underlyingError: self))
  }
}
