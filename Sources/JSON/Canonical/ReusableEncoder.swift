/// Encodes one value after the other in the same memory, with what was found out about their types.
package struct ReusableEncoder: ~Copyable {
  private var core = EncoderCore(CanonicalWriter())

  package init() {}

  /// Encodes a value that is not `CanonicalEncodable` itself, in place of the last one. For one
  /// that is, a `CanonicalWriter` that is used again does the same with less.
  package mutating func encode<T: Encodable>(_ value: T) throws {
    // If user code still holds the encoder, a new one is allocated.
    if isKnownUniquelyReferenced(&core) {
      core.reset()
    } else {
      core = EncoderCore(CanonicalWriter())
    }
    try core.encodeInside(value)
  }

  /// Calls `body` with what was encoded last. The buffer is valid during the call only.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    core.writer.withBytes(body)
  }
}
