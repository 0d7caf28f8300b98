extension LivePersistenceService {
  /// Returns a preference and verifies its checksum.
  ///
  /// - Throws: `corrupted` if the checksum does not match.
  public func preference(_ name: String) async throws(PersistenceError) -> String? {
    try await main.read("preference", .brief, whenMissing: nil) {
      (connection) throws(PersistenceError) in
      let statement = try connection.statement(
        "SELECT name, checksum, json FROM preferences WHERE name = ?", name)
      let found = try statement.first { PreferenceTable.read($0) }
      guard let found else { return nil }
      guard found.isWhole else { throw PreferenceTable.damage(name, connection) }
      return found.preference.json
    }
  }

  /// Sets a preference and commits, with one fsync. Validates the value.
  ///
  /// - Throws: `invalid` if the value is not JSON.
  public func setPreference(_ name: String, to json: String) async throws(PersistenceError) {
    try StoredJSON.validate(
      json, limits: .default, operation: "setPreference", what: "The value of \(name)")
    try await main.write("setPreference", .brief) { (connection) throws(PersistenceError) in
      _ = try PreferenceTable.put(Preference(name: name, json: json), connection)
    }
  }

  /// Removes a preference. Returns false if there is none. Takes one fsync in both cases.
  public func unsetPreference(_ name: String) async throws(PersistenceError) -> Bool {
    try await main.write("unsetPreference", .brief) { (connection) throws(PersistenceError) in
      try connection.run("DELETE FROM preferences WHERE name = ?", name)
      return connection.changes > 0
    }
  }

  /// Returns all preferences.
  ///
  /// - Throws: `corrupted` at the first one whose checksum does not match.
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
  private static let insertion = """
    INSERT INTO preferences (name, checksum, json) VALUES (?, ?, ?) ON CONFLICT (name) DO
    """
  private static let upsert =
    insertion + " UPDATE SET checksum = excluded.checksum, json = excluded.json"
  private static let insertIfAbsent = insertion + " NOTHING"

  /// Stores a preference. Returns whether it did.
  ///
  /// - Parameter replaces: Whether the preference replaces the one with its name, if there is one.
  static func put(
    _ preference: Preference, replaces: Bool = true, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Bool {
    var checksum = ContentChecksum()
    checksum.add(preference.name)
    checksum.add(preference.json)
    try connection.run(
      replaces ? upsert : insertIfAbsent, preference.name, checksum.value, preference.json)
    return connection.changes > 0
  }

  /// Reads a row with the columns name, checksum and json.
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
    PersistenceError(unmatched: "the preference \(name)", .preference, connection)
  }
}
