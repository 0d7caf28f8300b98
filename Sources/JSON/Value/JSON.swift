/// A JSON value that loses nothing: members keep their order, numbers keep their digits.
///
/// Equality is by content, in order: two objects with the same members in another order differ, and
/// so do `1` and `1.0`. For a form in which equal content is equal bytes see `CanonicalEncoder`.
public enum JSON: Sendable, Hashable {
  /// The literal `null`.
  case null
  /// The literals `true` and `false`.
  case bool(Bool)
  /// The number as it was written, for example `12345678901234567890` or `1e-7`.
  case number(String)
  /// Text, with its escapes resolved.
  case string(String)
  /// Elements in their order.
  case array([JSON])
  /// Members in their order. A parsed text has each key once; one that was made by hand may have
  /// equal ones, of which the last counts.
  case object([Member])

  /// One `key: value` of an object.
  public struct Member: Sendable, Hashable {
    /// The key, with its escapes resolved.
    public var key: String
    /// What follows the colon.
    public var value: JSON

    /// A member; nothing is checked.
    public init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }
}
