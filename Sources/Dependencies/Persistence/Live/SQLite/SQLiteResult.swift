import CSQLite
import SwiftBoardSystem

/// The result codes of SQLite as kinds of errors.
enum SQLiteResult {
  /// `SQLITE_READONLY_DBMOVED`, a macro that Swift cannot import.
  static let readOnlyMoved = SQLITE_READONLY | (4 << 8)

  /// `SQLITE_CONSTRAINT_DATATYPE`, a macro that Swift cannot import. A stored number from which a
  /// statement calculates one beyond 64 bits causes it.
  static let wrongType = SQLITE_CONSTRAINT | (12 << 8)

  /// Returns the kind of error for a result code.
  ///
  /// - Parameters:
  ///   - code: An extended or a primary result code.
  ///   - systemError: The `errno` of the failed call, 0 if there is none. A full disk or quota may
  ///     be reported as an input or output error while the shared-memory file grows.
  ///   - cancelled: Whether the task was cancelled while it waited for a lock.
  static func kind(_ code: Int32, systemError: Int32, cancelled: Bool) -> PersistenceError.Kind {
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return cancelled ? .cancelled : .busy
    case SQLITE_FULL: return .full
    case SQLITE_IOERR: return isNoSpace(systemError) ? .full : .io
    case SQLITE_READONLY: return code == readOnlyMoved ? .moved : .readOnly
    case SQLITE_CANTOPEN: return isNoSpace(systemError) ? .full : .cannotOpen
    case SQLITE_PERM, SQLITE_AUTH: return .cannotOpen
    // A schema that the statements of this program do not fit: a missing table, a column too many,
    // or a format that SQLite does not know.
    case SQLITE_CORRUPT, SQLITE_ERROR: return .corrupted
    case SQLITE_CONSTRAINT: return code == wrongType ? .corrupted : .misuse
    case SQLITE_NOTADB: return .notADatabase
    case SQLITE_INTERRUPT: return .cancelled
    case SQLITE_TOOBIG: return .invalid
    case SQLITE_NOMEM: return .io
    default: return .misuse
    }
  }

  /// Returns the error for a file that is no longer at its path.
  static func moved(_ path: String, operation: String) -> PersistenceError {
    PersistenceError(
      .moved, path: path, operation: operation, code: readOnlyMoved,
      what: "the database is no longer where it was opened")
  }

  /// Returns whether a statement failed because a value does not fit the table.
  static func isConstraint(_ code: Int32) -> Bool { code & 0xff == SQLITE_CONSTRAINT }

  /// Returns whether a row was refused since another one has its key.
  static func isTakenKey(_ code: Int32) -> Bool {
    takenKeys.contains(code)
  }

  /// Returns whether a page of the file or of its log is damaged.
  static func isDamagedPage(_ code: Int32) -> Bool {
    [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff)
  }

  /// `SQLITE_CONSTRAINT_PRIMARYKEY`, `_UNIQUE` and `_ROWID`, macros that Swift cannot import.
  private static let takenKeys = [6, 8, 10].map { SQLITE_CONSTRAINT | ($0 << 8) }

  private static func isNoSpace(_ systemError: Int32) -> Bool {
    SystemError(code: systemError, call: "write").isFull
  }

  /// Returns a description of what happened to the file, or `nil` if only SQLite's message
  /// describes it.
  static func words(_ kind: PersistenceError.Kind, systemError: Int32) -> String? {
    let why = systemError == 0 ? "" : ": " + SystemError.text(of: systemError)
    return switch kind {
    case .busy: "another process keeps the database locked, for longer than is waited"
    case .full: "there is no space left for the database"
    case .io: "the database cannot be read or written\(why)"
    case .readOnly: "the database or its folder may not be written to"
    case .cannotOpen: "the database cannot be opened\(why)"
    case .moved: "the database is no longer where it was opened"
    case .corrupted: "the database is damaged"
    case .notADatabase: "this is not a database"
    case .cancelled: "cancelled"
    default: nil
    }
  }
}

extension PersistenceError {
  /// The error of a read of a database of an earlier version, which has to be migrated before. This
  /// error is that of the migration.
  var asMigrationError: PersistenceError {
    // What is wrong with the content says so by itself.
    guard [.readOnly, .cannotOpen, .full, .io].contains(kind) else { return self }
    return PersistenceError(
      kind, path: path, operation: operation, code: code,
      message: "the database has to be brought to the form of this version before it can be read: "
        + message)
  }

  /// Creates an error whose message says what happened and to which file. `sql` never contains
  /// bound values.
  init(
    _ kind: Kind, path: String, operation: String, code: Int32 = 0, what: String,
    sql: String? = nil
  ) {
    var message = what
    // What was cancelled says nothing about the file.
    if !path.isEmpty, kind != .cancelled { message += " (\(path))" }
    if let sql { message += " [\(operation), SQLite \(code): \(sql)]" }
    self.init(kind, path: path, operation: operation, code: code, message: message)
  }
}
