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
  /// The log is only read where no other connection has the file open, because one that only reads
  /// the log's index would share that with those that this process opens to write. Without its log,
  /// the file can be between two states.
  ///
  /// - Parameter limit: The size in bytes up to which the content is checked.
  /// - Throws: The error that a call would throw.
  func inspect(limit: Int64 = 32 << 20) throws(PersistenceError) -> Content {
    let operation = "inspect"
    let resolved = system.resolved(path)
    let info = FileInfo(resolved)
    guard let info, info.size > 0 else { throw emptyFile(operation) }
    do throws(PersistenceError) {
      guard try checkContent(.withoutLog, limit: limit, operation) else { return .notChecked }
    } catch {
      if error.kind == .busy || FileInfo(resolved) != info { return .notChecked }
      guard hasLog, error.kind == .corrupted else { throw error }
      return .doubtful
    }
    if schema.whenDamaged == .refuse, isDamaged(withLog: .alone) { throw foreignLog(operation) }
    return .whole
  }

  /// Returns the error of a database that is only damaged with its log, or `error`. A large file
  /// is not checked.
  func explained(_ error: PersistenceError) -> PersistenceError {
    guard schema.whenDamaged == .refuse, [.corrupted, .notADatabase].contains(error.kind),
      error.damaged == nil, isDamagedByLog(limit: 32 << 20)
    else { return error }
    return foreignLog(error.operation)
  }

  /// Throws the error of a database that is only damaged with its log.
  func checkLog(_ operation: String) throws(PersistenceError) {
    if isDamagedByLog(limit: .max) { throw foreignLog(operation) }
  }

  /// Returns whether the file is whole, and damaged with the log beside it. The log of a file that
  /// was replaced by a copy has pages of the earlier one.
  ///
  /// - Parameter limit: The size in bytes up to which the content is checked.
  func isDamagedByLog(limit: Int64) -> Bool {
    hasLog && (try? checkContent(.withoutLog, limit: limit, "inspect")) == true
      && isDamaged(withLog: .shared)
  }

  private enum Reading {
    case withoutLog
    /// With the log, whose index is in a file, or in memory while no other connection is open.
    case shared, alone
  }

  /// Whether the file has a write-ahead log with content beside it.
  var hasLog: Bool { (FileInfo(system.resolved(path) + "-wal")?.size ?? 0) > 0 }

  /// Returns whether a check with the log finds damage. Returns `false` if there is no log, or if
  /// it cannot be read.
  private func isDamaged(withLog reading: Reading) -> Bool {
    // Opening a database with a journal may roll it back.
    guard hasLog, (FileInfo(system.resolved(path) + "-journal")?.size ?? 0) == 0 else {
      return false
    }
    do throws(PersistenceError) {
      _ = try checkContent(reading, limit: .max, "inspect")
      return false
    } catch {
      return [.corrupted, .notADatabase].contains(error.kind)
    }
  }

  /// Returns whether the content was checked, which is not done above the limit.
  private func checkContent(
    _ reading: Reading, limit: Int64, _ operation: String
  ) throws(PersistenceError) -> Bool {
    let resolved = system.resolved(path)
    let connection = try SQLiteConnection(
      resolved, shownPath: path, access: reading == .withoutLog ? .asItIs : .readWrite,
      busyWait: options.busyWait, operation: operation)
    defer { try? connection.close(keepingLog: true) }
    connection.waitsForLocks = false
    if reading == .alone { try connection.lockAlone() }
    let version = try identify(connection)
    guard (FileInfo(resolved)?.size ?? 0) <= limit else { return false }
    let tables = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
    let missing = schema.names(of: .table, through: version).filter { !tables.contains($0) }
    guard missing.isEmpty else {
      throw PersistenceError(
        .corrupted, path: path, operation: operation,
        what: "the database is damaged: it has no table " + missing.joined(separator: ", "))
    }
    try quickCheck(connection, after: "the database is damaged, a check finds")
    return true
  }

  private func foreignLog(_ operation: String) -> PersistenceError {
    PersistenceError(
      .foreignLog, path: path, operation: operation,
      what: "the database is whole, but the log beside it is of another database or damaged: "
        + "\(PathComponents(path).name)-wal")
  }
}
