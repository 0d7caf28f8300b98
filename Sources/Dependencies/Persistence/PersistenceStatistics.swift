/// The sizes of the files and tables at one moment.
public struct PersistenceStatistics: Sendable, Equatable, Codable {
  /// The number of rows of a table.
  public struct Row: Sendable, Equatable, Codable {
    /// The name of the table.
    public var name: String
    /// The number of rows.
    public var rows: Int

    /// Creates an entry for a table.
    public init(name: String, rows: Int) {
      self.name = name
      self.rows = rows
    }
  }

  /// The paths of the files; empty for an implementation without files.
  public var paths: [String]
  /// The size of both files and their write-ahead logs in bytes; 0 without files.
  public var bytes: Int
  /// The version of the schema of the main file.
  public var schemaVersion: Int
  /// The tables, with those of the main file first.
  public var tables: [Row]

  /// Creates statistics.
  public init(paths: [String], bytes: Int, schemaVersion: Int, tables: [Row]) {
    self.paths = paths
    self.bytes = bytes
    self.schemaVersion = schemaVersion
    self.tables = tables
  }
}
