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

extension JSON {
  /// Returns whether two values have equal bytes as text. `String` would treat composed and
  /// decomposed letters as equal.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)), (.string(let left), .string(let right)):
      left.hasSameBytes(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension JSON.Member {
  /// Returns whether two members have equal bytes as text.
  public static func == (left: JSON.Member, right: JSON.Member) -> Bool {
    left.key.hasSameBytes(as: right.key) && left.value == right.value
  }
}
