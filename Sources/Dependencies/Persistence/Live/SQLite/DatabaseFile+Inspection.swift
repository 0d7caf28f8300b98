import SwiftBoardSystem

extension DatabaseFile {
  /// What an inspection finds of the content of a file.
  enum Content: Sendable, Equatable {
    case whole
    /// It is too large, or another process changes it.
    case notChecked
    /// It is damaged, unless the log corrects it.
    case doubtful
  }

  /// Checks an existing file, also while it is open. Changes and creates nothing, also beside it,
  /// and waits for no lock.
  ///
  /// The log is not read, because a connection that only reads its index would share that with
  /// those that this process opens to write. Without the log, the file can be between two states.
  ///
  /// - Parameter limit: The size in bytes up to which the content is checked.
  /// - Throws: The error that a call would throw.
  func inspect(limit: Int64 = 32 << 20) throws(PersistenceError) -> Content {
    let operation = "inspect"
    let resolved = system.resolved(path)
    let info = FileInfo(resolved)
    guard let info, info.size > 0 else { throw emptyFile(operation) }
    let hasLog = (FileInfo(resolved + "-wal")?.size ?? 0) > 0
    do throws(PersistenceError) {
      let connection = try SQLiteConnection(
        resolved, shownPath: path, access: .asItIs, busyWait: options.busyWait,
        operation: operation)
      connection.waitsForLocks = false
      let version = try identify(connection)
      guard info.size <= limit else { return .notChecked }
      let tables = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
      let missing = schema.names(of: .table, through: version).filter { !tables.contains($0) }
      guard missing.isEmpty else {
        throw PersistenceError(
          .corrupted, path: path, operation: operation,
          what: "the database is damaged: it has no table " + missing.joined(separator: ", "))
      }
      try quickCheck(connection, after: "the database is damaged, a check finds")
      return .whole
    } catch {
      if error.kind == .busy || FileInfo(resolved) != info { return .notChecked }
      guard hasLog, error.kind == .corrupted else { throw error }
      return .doubtful
    }
  }
}
