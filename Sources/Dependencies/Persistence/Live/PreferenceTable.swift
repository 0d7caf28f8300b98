extension LivePersistenceService {
  /// By its key, with its checksum checked.
  ///
  /// - Throws: `corrupted` where the checksum does not fit.
  public func preference(_ name: String) async throws(PersistenceError) -> String? {
    try await main.read("preference", whenMissing: nil) { (connection) throws(PersistenceError) in
      let statement = try connection.statement(
        "SELECT name, checksum, json FROM preferences WHERE name = ?")
      statement.bind(1, name)
      let found = try statement.first { PreferenceTable.read($0) }
      guard let found else { return nil }
      guard found.isWhole else { throw PreferenceTable.damage(name, connection) }
      return found.preference.json
    }
  }

  /// Parses the value, to refuse what is no JSON, and commits: one fsync.
  ///
  /// - Throws: `invalid`.
  public func setPreference(_ name: String, to json: String) async throws(PersistenceError) {
    _ = try StoredJSON.parse(json, operation: "setPreference", what: "The value of \(name)")
    try await main.write("setPreference") { (connection) throws(PersistenceError) in
      let statement = try connection.statement(
        """
        INSERT INTO preferences (name, checksum, json) VALUES (?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, json = excluded.json
        """)
      statement.bind(1, name)
      statement.bind(2, PreferenceTable.checksum(name, json))
      statement.bind(3, json)
      try statement.run()
    }
  }

  /// One fsync, also if there was none.
  public func unsetPreference(_ name: String) async throws(PersistenceError) -> Bool {
    try await main.write("unsetPreference") { (connection) throws(PersistenceError) in
      let statement = try connection.statement("DELETE FROM preferences WHERE name = ?")
      statement.bind(1, name)
      try statement.run()
      return connection.changes > 0
    }
  }

  /// All of them.
  ///
  /// - Throws: `corrupted` at the first whose checksum does not fit.
  public func preferences() async throws(PersistenceError) -> [Preference] {
    try await main.read("preferences", whenMissing: []) { (connection) throws(PersistenceError) in
      var preferences: [Preference] = []
      try connection.statement("SELECT name, checksum, json FROM preferences ORDER BY name")
        .forEachRow { (row) throws(PersistenceError) in
          let found = PreferenceTable.read(row)
          guard found.isWhole else {
            throw PreferenceTable.damage(found.preference.name, connection)
          }
          preferences.append(found.preference)
        }
      return preferences
    }
  }
}

/// The table `preferences`.
enum PreferenceTable {
  static func checksum(_ name: String, _ json: String) -> Int64 {
    var checksum = ContentChecksum()
    checksum.add(name)
    checksum.add(json)
    return checksum.value
  }

  /// Columns: name, checksum, json.
  static func read(_ row: SQLiteStatement) -> (preference: Preference, isWhole: Bool) {
    let name = row.text(0)
    let expected = row.integer(1)
    return row.withBytes(2) { bytes in
      var checksum = ContentChecksum()
      checksum.add(name)
      checksum.add(bytes)
      let json = String(decoding: bytes, as: UTF8.self)
      return (Preference(name: name, json: json), checksum.value == expected)
    }
  }

  static func damaged(_ connection: SQLiteConnection) throws(PersistenceError) -> [String] {
    var names: [String] = []
    try connection.statement("SELECT name, checksum, json FROM preferences ORDER BY name")
      .forEachRow { (row) throws(PersistenceError) in
        let found = read(row)
        if !found.isWhole { names.append(found.preference.name) }
      }
    return names
  }

  static func damage(_ name: String, _ connection: SQLiteConnection) -> PersistenceError {
    PersistenceError(
      .corrupted, path: connection.path, operation: connection.operation,
      message: "the preference \(name) in \(connection.path) "
        + "no longer matches its checksum",
      advice: "Set it again, or unset it; the others can be read.")
  }
}
