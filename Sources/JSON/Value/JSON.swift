/// A JSON value that preserves the order of members and the digits of numbers.
///
/// Equality respects the order of members and the digits of numbers: `1` and `1.0` differ. For a
/// form in which equal content has equal bytes, see `CanonicalEncoder`.
public enum JSON: Sendable, Hashable {
  /// The literal `null`.
  case null
  /// The literals `true` and `false`.
  case bool(Bool)
  /// A number as it was written, for example `12345678901234567890` or `1e-7`.
  case number(String)
  /// A string, with its escapes resolved.
  case string(String)
  /// An array of elements.
  case array([JSON])
  /// The members of an object in order. A parsed object has unique keys. If a value created in code
  /// has equal keys, the last one counts.
  case object([Member])

  /// A member of an object.
  public struct Member: Sendable, Hashable {
    /// The key, with its escapes resolved.
    public var key: String
    /// The value of the member.
    public var value: JSON

    /// Creates a member without checks.
    public init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }
}
