/// The handling of imported names that already exist.
public enum ImportDuplicates: String, Sendable, Codable, CaseIterable {
  /// Imports nothing.
  case refuse
  /// Keeps the existing one.
  case keep
  /// Replaces the existing one.
  case replace
}
