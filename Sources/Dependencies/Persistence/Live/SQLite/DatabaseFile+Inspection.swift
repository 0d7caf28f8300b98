import CSQLite
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
  /// - Parameter limit: The size in bytes of the file and its log up to which the content is
  ///   checked.
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
    if schema.whenDamaged == .refuse, try isDamaged(.alone, limit: limit, operation) == true {
      throw foreignLog(operation)
    }
    return .whole
  }

  /// Returns whether an error is damage of a file that no new one replaces.
  func isDamage(_ error: PersistenceError) -> Bool {
    schema.whenDamaged == .refuse && [.corrupted, .notADatabase].contains(error.kind)
  }

  /// Returns the error of a database that is only damaged with its log, and notes it, or returns
  /// `error`. A large file is not checked.
  func explained(_ error: PersistenceError) -> PersistenceError {
    let isForeign = schema.whenDamaged == .refuse && error.kind == .foreignDatabase
    guard isDamage(error) && error.damaged == nil || isForeign else { return error }
    do throws(PersistenceError) {
      try checkLog(limit: 32 << 20, error.operation)
      return error
    } catch let explained {
      return explained
    }
  }

  /// Notes what a check has found.
  func note(_ findings: DatabaseFindings, _ operation: String) {
    note(
      PersistenceError(
        .corrupted, path: path, operation: operation,
        code: findings.pages.isEmpty ? 0 : SQLITE_CORRUPT,
        what: "the database is damaged, a check finds: \(findings.pages.joined(separator: "; "))"))
  }

  /// Throws the error of a database that is only damaged with its log, and notes it. Call it after
  /// damage was found.
  ///
  /// - Parameter limit: The size in bytes of the file and its log up to which they are checked.
  func checkLog(limit: Int64 = .max, _ operation: String) throws(PersistenceError) {
    guard try isDamagedByLog(limit: limit, operation) else { return }
    let error = foreignLog(operation)
    note(error)
    throw error
  }

  /// Returns whether the file is whole, and damaged with the log beside it. The log of a file that
  /// was replaced by a copy has pages of the earlier one.
  private func isDamagedByLog(
    limit: Int64, _ operation: String
  ) throws(PersistenceError) -> Bool {
    guard let info = FileInfo(system.resolved(path)), info.isRegular, info.size > 0, hasLog,
      try isDamaged(.withoutLog, limit: limit, operation) == false
    else { return false }
    return try isDamaged(.shared, limit: limit, operation) == true
  }

  private enum Reading {
    case withoutLog
    /// With the log, whose index is in a file, or in memory while no other connection is open.
    case shared, alone
  }

  /// Whether the file has a write-ahead log with content beside it.
  var hasLog: Bool { FileInfo(system.resolved(path) + "-wal").map { $0.size > 0 } ?? false }

  /// Returns whether a check finds damage, or `nil` if the content was not checked.
  ///
  /// - Throws: `cancelled`; `newerSchema` if that is of the log, such as that of a migration.
  private func isDamaged(
    _ reading: Reading, limit: Int64, _ operation: String
  ) throws(PersistenceError) -> Bool? {
    if reading != .withoutLog {
      // Opening a database with a journal may roll it back.
      let journal = FileInfo(system.resolved(path) + "-journal")?.size ?? 0
      guard hasLog, journal == 0 else { return nil }
    }
    do throws(PersistenceError) {
      return try checkContent(reading, limit: limit, operation) ? false : nil
    } catch {
      switch error.kind {
      case .corrupted, .notADatabase, .foreignDatabase: return true
      case .cancelled: throw error
      case .newerSchema where reading != .withoutLog: throw error
      default: return nil
      }
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
    guard (FileInfo(resolved)?.size ?? 0) + (connection.logSize ?? 0) <= limit else { return false }
    let tables = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
    let missing = schema.names(of: .table, through: version).filter { !tables.contains($0) }
    guard missing.isEmpty else {
      throw PersistenceError(
        .corrupted, path: path, operation: operation,
        what: "the database is damaged: it has no table " + missing.joined(separator: ", "))
    }
    try connection.interruptible { () throws(PersistenceError) in
      try quickCheck(connection, after: "the database is damaged, a check finds")
    }
    return true
  }

  private func foreignLog(_ operation: String) -> PersistenceError {
    PersistenceError(
      .foreignLog, path: path, operation: operation,
      what: "the database is whole, but the log beside it is of another database or damaged: "
        + "\(PathComponents(path).name)-wal")
  }
}

/// What a check of the main file has found.
struct DatabaseFindings: Sendable {
  var pages: [String] = []
  /// Damaged documents, preferences and services, which are looked for if all pages are whole.
  var entries: [String] = []

  var all: [String] { pages + entries }
}
