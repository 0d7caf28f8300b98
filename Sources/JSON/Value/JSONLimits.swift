/// The extensions that a parser accepts beyond the grammar of RFC 8259.
public struct JSONLimits: Sendable, Hashable {
  /// The handling of duplicate keys in an object.
  public enum DuplicateKeys: Sendable, Hashable {
    /// The text is rejected, with an error at the second key.
    case refuse
    /// The last value counts. In a `JSON`, it has the position of the first one.
    case keepLast
  }

  /// The handling of duplicate keys in an object.
  public var duplicateKeys: DuplicateKeys
  /// The maximum number of open arrays and objects. Parsing is iterative, but the result (a `JSON`
  /// or a decoded value) is visited recursively, so increase this only if the stack allows it.
  public var depth: Int

  /// Creates limits.
  public init(duplicateKeys: DuplicateKeys = .keepLast, depth: Int = 512) {
    self.duplicateKeys = duplicateKeys
    self.depth = depth
  }

  /// The default limits: the last of equal keys counts, and there are at most 512 levels.
  public static let `default` = JSONLimits()
  /// Limits for files in which equal keys indicate damage: equal keys are rejected, and there are
  /// at most 512 levels.
  public static let strict = JSONLimits(duplicateKeys: .refuse)
}
