extension LivePersistenceService {
  /// Looks the names up in one read, without the content. O(number of entries).
  public func containsAny(of entries: StoredEntries) async throws(PersistenceError) -> Bool {
    try await main.read("containsAny", whenMissing: false) {
      (connection) throws(PersistenceError) in
      try connection.read { () throws(PersistenceError) in
        for document in entries.documents {
          let statement = try connection.statement(
            "SELECT 1 FROM documents WHERE collection = ? AND id = ?", document.collection,
            document.id)
          if try statement.first({ _ in true }) != nil { return true }
        }
        for (sql, names) in [
          ("SELECT 1 FROM preferences WHERE name = ?", entries.preferences.map(\.name)),
          ("SELECT 1 FROM api_services WHERE name = ?", entries.services.map(\.name)),
        ] {
          for name in names {
            let statement = try connection.statement(sql, name)
            if try statement.first({ _ in true }) != nil { return true }
          }
        }
        return false
      }
    }
  }

  /// Stores entries in one transaction with one fsync. O(length of the entries), which are
  /// validated.
  ///
  /// The statement that inserts an entry finds out whether its name is taken, so no other process
  /// can save an entry between the two.
  ///
  /// - Throws: `invalid` if a body or a value is not JSON, and `exists` with `refuse` if a name is
  ///   taken.
  public func putEntries(
    _ entries: StoredEntries, onExisting existing: ImportDuplicates
  ) async throws(PersistenceError) -> DatabaseImport {
    if entries.count == 0 { return DatabaseImport() }
    try entries.validate()
    return try await main.write("putEntries") { (connection) throws(PersistenceError) in
      var insertion = EntryInsertion(existing)
      var indexes = DocumentIndexTable.Indexes()
      for document in entries.documents {
        let isStored = try insertion.store(.document(document)) {
          (replaces) throws(PersistenceError) in
          try DocumentTable.put(document, replaces: replaces, connection)
        }
        if isStored { try indexes.add(document, connection) }
      }
      for preference in entries.preferences {
        try insertion.store(.preference(preference)) { (replaces) throws(PersistenceError) in
          try PreferenceTable.put(preference, replaces: replaces, connection)
        }
      }
      for service in entries.services {
        try insertion.store(.service(service)) { (replaces) throws(PersistenceError) in
          try ServiceTable.put(service, replaces: replaces, connection)
        }
      }
      return insertion.counts
    }
  }
}
