/// The description of a database file: its application id, its durability, and the migrations that
/// create its tables.
struct DatabaseSchema: Sendable {
  /// A migration to the next version. All of its statements run in one transaction.
  struct Migration: Sendable {
    /// The version, from 1 without gaps.
    var version: Int
    var statements: [String]
  }

  enum Durability: Int64, Sendable {
    /// A power failure may lose a commit, but does not damage the file.
    case normal = 1
    /// A commit is on the disk when it returns.
    case full = 2
  }

  enum Damage: Sendable {
    /// Leave the file unchanged and throw an error from every call.
    case refuse
    /// Move the file aside and create a new one.
    case startAnew
  }

  /// The application id in the header, which marks the file as one of this program.
  var applicationID: Int64
  var durability: Durability
  /// Whether deleted content is overwritten.
  var erasesDeleted: Bool
  var whenDamaged: Damage
  var migrations: [Migration]
  /// What messages call the file.
  var name: String { whenDamaged == .startAnew ? "cache" : "database" }

  var version: Int { migrations.count }

  enum Object: String {
    case table = "TABLE"
    case trigger = "TRIGGER"
  }

  /// Returns the names of the objects of a kind that the migrations up to a version create.
  func names(of kind: Object, through version: Int) -> [String] {
    migrations.prefix(version).flatMap(\.statements).compactMap { statement in
      let words = statement.split(maxSplits: 3, whereSeparator: \.isWhitespace)
      return words.count > 2 && words[0] == "CREATE" && words[1] == kind.rawValue
        ? String(words[2]) : nil
    }
  }
}

extension DatabaseSchema {
  /// The schema of the file with data that must not be lost.
  static let main = DatabaseSchema(
    applicationID: 0x5342_6d6e, durability: .full, erasesDeleted: true, whenDamaged: .refuse,
    migrations: [
      Migration(
        version: 1,
        statements: [
          """
          CREATE TABLE documents (
            collection TEXT NOT NULL, id TEXT NOT NULL, updated INTEGER NOT NULL,
            checksum INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (collection, id)) STRICT
          """,
          """
          CREATE TABLE preferences (
            name TEXT NOT NULL PRIMARY KEY, checksum INTEGER NOT NULL, json TEXT NOT NULL
          ) STRICT, WITHOUT ROWID
          """,
          """
          CREATE TABLE api_services (
            name TEXT NOT NULL PRIMARY KEY, base_url TEXT NOT NULL, kind TEXT, field TEXT,
            secret TEXT, checksum INTEGER NOT NULL) STRICT, WITHOUT ROWID
          """,
          """
          CREATE TABLE recent_searches (
            sequence INTEGER PRIMARY KEY, scope TEXT NOT NULL, text TEXT NOT NULL,
            at INTEGER NOT NULL, UNIQUE (scope, text)) STRICT
          """,
          """
          CREATE TABLE keychain_marks (
            location TEXT NOT NULL PRIMARY KEY, key_id BLOB NOT NULL, generation INTEGER NOT NULL,
            header_mac BLOB NOT NULL, successor_key_id BLOB) STRICT, WITHOUT ROWID
          """,
        ]),
      // The time at which the marked file was written, so that an older file can also be recognized
      // by its date.
      Migration(
        version: 2, statements: ["ALTER TABLE keychain_marks ADD COLUMN written INTEGER"]),
      Migration(
        version: 3,
        statements: [
          """
          CREATE TABLE document_indexes (
            number INTEGER PRIMARY KEY, collection TEXT NOT NULL, path TEXT NOT NULL,
            UNIQUE (collection, path)) STRICT
          """,
          """
          CREATE TABLE document_values (
            indexed INTEGER NOT NULL, value TEXT NOT NULL, id TEXT NOT NULL,
            PRIMARY KEY (indexed, value, id)) STRICT, WITHOUT ROWID
          """,
          "CREATE INDEX document_values_by_id ON document_values (indexed, id)",
        ]),
      Migration(version: 4, statements: ["ALTER TABLE api_services ADD COLUMN preset TEXT"]),
    ])

  /// The schema of the file with data that may be lost or deleted at any time. Triggers maintain
  /// the totals, so that the limits need no scan.
  static let cache = DatabaseSchema(
    applicationID: 0x5342_6368, durability: .normal, erasesDeleted: true,
    whenDamaged: .startAnew,
    migrations: [
      Migration(
        version: 1,
        statements: [
          """
          CREATE TABLE responses (
            key TEXT NOT NULL PRIMARY KEY, service TEXT NOT NULL, status INTEGER NOT NULL,
            headers TEXT NOT NULL, body BLOB NOT NULL, stored INTEGER NOT NULL, expires INTEGER,
            bytes INTEGER NOT NULL, used INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT
          """,
          "CREATE INDEX responses_used ON responses (used, bytes)",
          "CREATE INDEX responses_service ON responses (service)",
          "CREATE TABLE response_totals (entries INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT",
          "INSERT INTO response_totals VALUES (0, 0)",
          """
          CREATE TRIGGER responses_inserted AFTER INSERT ON responses BEGIN
            UPDATE response_totals SET entries = entries + 1, bytes = bytes + new.bytes; END
          """,
          """
          CREATE TRIGGER responses_deleted AFTER DELETE ON responses BEGIN
            UPDATE response_totals SET entries = entries - 1, bytes = bytes - old.bytes; END
          """,
          """
          CREATE TRIGGER responses_updated AFTER UPDATE OF bytes ON responses BEGIN
            UPDATE response_totals SET bytes = bytes + new.bytes - old.bytes; END
          """,
          """
          CREATE TABLE log_records (
            sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, level INTEGER NOT NULL,
            category TEXT NOT NULL, message TEXT NOT NULL, fields TEXT NOT NULL) STRICT
          """,
        ]),
      // Earlier keys did not include the credentials of the request.
      Migration(version: 2, statements: ["DELETE FROM responses"]),
    ])
}
