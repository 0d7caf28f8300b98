/// A type that writes and reads its canonical JSON by hand, several times faster than through
/// `Codable`.
///
/// `CanonicalEncoder` and `CanonicalDecoder` use it wherever they meet the type, at the top or
/// inside others. A type that is `Codable` as well must write the same value both ways; nothing but
/// a test can check that.
public protocol CanonicalCodable {
  /// Writes exactly one value.
  func encodeCanonical(to writer: inout CanonicalWriter) throws

  /// Reads the value that `reader` stands on.
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
