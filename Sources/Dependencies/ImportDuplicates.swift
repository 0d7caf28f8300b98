/// The handling of imported names that already exist.
public enum ImportDuplicates: String, Sendable, Codable, CaseIterable {
  /// Fails and imports nothing.
  case refuse
  /// Keeps the existing one.
  case keep
  /// Replaces the existing one.
  case replace
}
