import SwiftBoardSystem

extension DatabaseFile {
  /// Writes what can still be read of a damaged file to a new one, which appears complete or not at
  /// all. Changes nothing in the damaged file, and does not check it before.
  ///
  /// - Parameters:
  ///   - tables: The tables to copy. Indexes of documents are made again.
  ///   - check: Returns what is wrong with entries of the new file.
  /// - Throws: The errors of `copy`; `notADatabase` if no row can be read, `cannotOpen` if there is
  ///   no file.
  func recover(
    tables: [String], to path: String, operation: String,
    check: (SQLiteConnection) throws(PersistenceError) -> [String]
  ) throws(PersistenceError) -> DatabaseRecovery {
    let resolved = system.resolved(self.path)
    guard try !isMissing(operation: operation), let size = FileInfo(resolved)?.size else {
      throw PersistenceError(
        .cannotOpen, path: self.path, operation: operation, what: "there is no database")
    }
    guard size > 0 else { throw emptyFile(operation) }
    // Without a log, the file is read as it is, which also works where nothing can be written.
    let damaged = try SQLiteConnection(
      resolved, shownPath: self.path, access: hasLog ? .readWrite : .asItIs,
      busyWait: options.busyWait, operation: operation)
    let result: Result<DatabaseRecovery, PersistenceError> = Result {
      () throws(PersistenceError) in
      try damaged.allowDamage()
      _ = try identify(damaged)
      return try Self.copy(damaged, to: path, reportedAs: path) {
        (temporary) throws(PersistenceError) in
        let new = try SQLiteConnection(
          temporary, shownPath: path, busyWait: options.busyWait, operation: operation)
        try makeSchema(new)
        var recovery = try new.write { () throws(PersistenceError) in
          try Self.copyTables(tables, from: damaged, to: new)
        }
        recovery.findings = Array(try check(new).prefix(20))
        try useLog(new)
        try new.close()
        return recovery
      }
    }
    try? damaged.close(keepingLog: true)
    return try result.get()
  }

  private static func copyTables(
    _ tables: [String], from damaged: SQLiteConnection, to new: SQLiteConnection
  ) throws(PersistenceError) -> DatabaseRecovery {
    var recovery = DatabaseRecovery(tables: [])
    var isAnyRead = false
    for table in tables {
      // A database of an earlier version may not have the table.
      let copy = try DamagedTable(table, of: damaged, into: new)?.copyRows()
      recovery.tables.append(.init(name: table, rows: copy?.rows ?? 0))
      guard let copy else { continue }
      isAnyRead = isAnyRead || copy.isAnyRead
      if !copy.isComplete { recovery.incomplete.append(table) }
    }
    if !recovery.incomplete.isEmpty, !isAnyRead {
      throw PersistenceError(
        .notADatabase, path: damaged.path, operation: damaged.operation,
        what: "the database is damaged, and nothing of it can be read")
    }
    var indexes: [DocumentIndex] = []
    do throws(PersistenceError) {
      // Not in the order of an index, which may be damaged by itself.
      try damaged.statement("SELECT collection, path FROM document_indexes NOT INDEXED")
        .forEachRow { indexes.append(DocumentIndex(collection: $0.text(0), path: $0.text(1))) }
    } catch {
      guard error.kind == .corrupted else { throw error }
      recovery.incomplete.append("document_indexes")
    }
    for index in indexes {
      guard let path = try? DocumentFilter.path(index.path) else { continue }
      _ = try DocumentIndexTable.make(index.collection, path, new)
    }
    recovery.tables.append(.init(name: "document_indexes", rows: indexes.count))
    return recovery
  }
}
