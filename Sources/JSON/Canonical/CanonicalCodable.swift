/// A type with its own implementation of canonical encoding, several times faster than `Encodable`.
///
/// `CanonicalEncoder` uses the conformance for all values of the type, also inside others. Adopt it
/// without `CanonicalCodable` for types that are often written and seldom read, such as a state
/// with a digest at each step. A type that is also `Encodable` must write the same value both ways.
/// Only a test can check that.
public protocol CanonicalEncodable {
  /// Writes exactly one value.
  func encodeCanonical(to writer: inout CanonicalWriter) throws
}

/// A type with its own implementation of canonical encoding and decoding.
///
/// `CanonicalDecoder` uses the conformance for all values of the type, also inside others. A type
/// that is also `Codable` must read the same value both ways.
public protocol CanonicalCodable: CanonicalEncodable {
  /// Reads the value that `reader` is at.
  init(canonical reader: inout CanonicalReader) throws
}

/// A collection that `Codable` writes as an array in an arbitrary order.
protocol UnorderedCollection {
  static var canonicalKind: CanonicalWriter.Kind { get }
}

extension Set: UnorderedCollection {
  static var canonicalKind: CanonicalWriter.Kind { .set }
}

/// Dictionaries with `String` or `Int` keys are objects and do not use this.
extension Dictionary: UnorderedCollection {
  static var canonicalKind: CanonicalWriter.Kind { .pairs }
}
