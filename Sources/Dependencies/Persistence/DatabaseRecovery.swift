/// What a new database has of a damaged one.
public struct DatabaseRecovery: Sendable, Equatable, Codable {
  /// The numbers of entries, by their tables.
  public var tables: [PersistenceStatistics.Row]
  /// The names of the tables of which a part could not be copied.
  public var incomplete: [String]
  /// What `check()` finds in the new database: entries that do not match their checksums, at most
  /// 20.
  public var findings: [String]

  /// Creates a result from its parts.
  public init(
    tables: [PersistenceStatistics.Row], incomplete: [String] = [], findings: [String] = []
  ) {
    self.tables = tables
    self.incomplete = incomplete
    self.findings = findings
  }
}
