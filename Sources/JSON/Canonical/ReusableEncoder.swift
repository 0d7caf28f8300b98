/// Encodes one value after the other. Reuses its memory and the information about their types.
package struct ReusableEncoder: ~Copyable {
  private var core = EncoderCore(CanonicalWriter())

  /// Whether to look for values that are not written exactly.
  package var findsRoundedValues = false

  package init() {}

  /// Encodes a value that is not `CanonicalEncodable`, and replaces the last one. For a value that
  /// is, reuse a `CanonicalWriter`, which costs less.
  package mutating func encode<T: Encodable>(_ value: T) throws {
    // If user code still holds the encoder, a new one is allocated.
    if isKnownUniquelyReferenced(&core) {
      core.reset()
    } else {
      core = EncoderCore(CanonicalWriter())
    }
    core.writer.findsRoundedValues = findsRoundedValues
    try core.encodeInside(value)
  }

  /// The first part of the last value that was not written exactly, if they are looked for.
  package var roundedValue: RoundedValue? { core.writer.roundedValue }

  /// Calls `body` with the last encoded value. The buffer is valid only during the call.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    core.writer.withBytes(body)
  }
}
