/// A type that writes its canonical JSON by hand, several times faster than through `Encodable`.
///
/// `CanonicalEncoder` uses it wherever it meets the type, at the top or inside others: adopt it
/// alone for what is often written and seldom read, as a state is whose digest is wanted at each
/// step. A type that is `Encodable` as well must write the same value both ways; nothing but a test
/// can check that.
public protocol CanonicalEncodable {
  /// Writes exactly one value.
  func encodeCanonical(to writer: inout CanonicalWriter) throws
}

/// A type that also reads its canonical JSON by hand.
///
/// `CanonicalDecoder` uses it wherever it meets the type, at the top or inside others. A type that
/// is `Codable` as well must read the same value both ways.
public protocol CanonicalCodable: CanonicalEncodable {
  /// Reads the value that `reader` is at.
  init(canonical reader: inout CanonicalReader) throws
}

/// What `Codable` writes as an array in an order that is not its own.
protocol UnorderedCollection {
  static var canonicalKind: CanonicalWriter.Kind { get }
}

extension Set: UnorderedCollection {
  static var canonicalKind: CanonicalWriter.Kind { .set }
}

/// Dictionaries with `String` or `Int` keys become objects and never ask for this.
extension Dictionary: UnorderedCollection {
  static var canonicalKind: CanonicalWriter.Kind { .pairs }
}
