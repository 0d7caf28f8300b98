/// A JSON value that loses nothing: members keep their order, numbers keep their digits.
///
/// Equality is by content, in order: two objects with the same members in another order differ, and
/// so do `1` and `1.0`. For a form in which equal content is equal bytes see `CanonicalEncoder`.
public enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  /// The number as it was written, for example `12345678901234567890` or `1e-7`.
  case number(String)
  case string(String)
  case array([JSON])
  case object([Member])

  /// One `key: value` of an object.
  public struct Member: Sendable, Hashable {
    public var key: String
    public var value: JSON

    public init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }
}
