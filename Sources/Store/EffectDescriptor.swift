/// A description of an effect without its work. It is compared in tests, written to recordings, and
/// listed while the effect runs.
///
/// Two descriptors are equal if their names, ids, kinds and parts are equal. The location in the
/// source is not compared, because it can change between versions.
public struct EffectDescriptor: Sendable, Hashable {
  /// The kind of an effect, as far as the store knows it.
  public enum Kind: String, Sendable, Hashable {
    /// `task` and `run` are work that takes time. `send`, `cancel` and `issue` are done at once.
    /// `merge` and `concatenate` are groups, with their members in `parts`.
    case task, run, send, cancel, merge, concatenate, issue
  }

  /// The kind of the effect.
  public let kind: Kind
  /// The name given to the effect, or its kind if none was given.
  public let name: String
  /// The cancel ids without duplicates, in the order in which they were given to the effect. Each
  /// begins with its place in the composition; `/` separates the parts. The first id of a
  /// `cancel` is the one that it cancels.
  public let ids: [String]
  /// The members of a `merge` or `concatenate`, in order. Empty for other kinds.
  public let parts: [EffectDescriptor]
  /// The source location of the code that made the effect. It is not part of equality.
  public let location: SourceLocation

  /// The first cancel id, or `nil` if there is none.
  public var id: String? { ids.first }

  /// Creates a descriptor for comparison, of an effect with at most one id. The default name is
  /// that of the kind.
  ///
  /// - Parameter id: The places and the id itself, joined by `/`.
  public init(
    kind: Kind, name: String? = nil, id: String? = nil, parts: [EffectDescriptor] = [],
    location: SourceLocation = SourceLocation()
  ) {
    self.init(
      kind: kind, name: name, ids: id.map { [$0] } ?? [], parts: parts, location: location)
  }

  /// Creates a descriptor for comparison. The default name is that of the kind.
  ///
  /// - Parameter ids: The ids, each with its places, joined by `/`.
  public init(
    kind: Kind, name: String? = nil, ids: [String], parts: [EffectDescriptor] = [],
    location: SourceLocation = SourceLocation()
  ) {
    self.kind = kind
    self.name = name ?? kind.rawValue
    self.ids = ids
    self.parts = parts
    self.location = location
  }

  /// Returns whether two descriptors are equal, regardless of the location in the source. O(length
  /// of the strings).
  public static func == (a: EffectDescriptor, b: EffectDescriptor) -> Bool {
    a.kind == b.kind && a.name == b.name && a.ids == b.ids && a.parts == b.parts
  }

  /// Hashes everything except the location in the source.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(name)
    hasher.combine(ids)
    hasher.combine(parts)
  }
}
