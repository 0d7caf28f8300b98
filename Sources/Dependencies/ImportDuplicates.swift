/// What an import does with a name that is taken.
public enum ImportDuplicates: String, Sendable, Codable, CaseIterable {
  /// Nothing at all is imported.
  case refuse
  /// What is here stays.
  case keep
  /// The imported one takes its place.
  case replace
}
