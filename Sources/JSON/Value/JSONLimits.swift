/// The extensions that a parser accepts beyond the grammar of RFC 8259.
public struct JSONLimits: Sendable, Hashable {
  /// The handling of duplicate keys in an object.
  public enum DuplicateKeys: Sendable, Hashable {
    /// The text is refused; the error is at the second key.
    case refuse
    /// The last value counts; in a `JSON` it has the position of the first one.
    case keepLast
  }

  /// The handling of duplicate keys in an object.
  public var duplicateKeys: DuplicateKeys
  /// How many arrays and objects may be open at once. Reading is iterative, but what is built (a
  /// `JSON`, a decoded value) is walked recursively: raise this only where the stack allows it.
  public var depth: Int

  /// Limits other than the usual ones: see the properties.
  public init(duplicateKeys: DuplicateKeys = .keepLast, depth: Int = 512) {
    self.duplicateKeys = duplicateKeys
    self.depth = depth
  }

  /// The last of equal keys counts, 512 levels.
  public static let `default` = JSONLimits()
  /// Equal keys are refused, 512 levels: for files in which they mean damage.
  public static let strict = JSONLimits(duplicateKeys: .refuse)
}
