/// A text that is compared by its bytes, as the database does. `String` treats `é` and `e` with a
/// combining accent as equal. As the keys of a dictionary, such texts are encoded as the names of
/// members.
public struct ByteText: RawRepresentable, Hashable, Comparable, Sendable, Codable,
  CodingKeyRepresentable, ExpressibleByStringLiteral
{
  /// The text.
  public let rawValue: String

  /// Creates a text that is compared by its bytes.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a text that is compared by its bytes.
  public init(_ text: String) { rawValue = text }

  /// Creates a text from a literal.
  public init(stringLiteral text: String) { rawValue = text }

  /// Returns whether both have the same bytes.
  public static func == (left: ByteText, right: ByteText) -> Bool {
    left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
  }

  /// Returns whether the bytes of `left` come before those of `right`.
  public static func < (left: ByteText, right: ByteText) -> Bool {
    left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
  }

  /// Combines the bytes.
  public func hash(into hasher: inout Hasher) {
    for byte in rawValue.utf8 { hasher.combine(byte) }
    hasher.combine(0xff as UInt8)
  }
}
