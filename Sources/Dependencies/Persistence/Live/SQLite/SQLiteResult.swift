import CSQLite
import SwiftBoardSystem

/// SQLite's extended result codes that mean something here. The header defines them with macros
/// that Swift cannot import.
enum SQLiteResult {
  static let busySnapshot = SQLITE_BUSY | (2 << 8)
  static let ioErrorWrite = SQLITE_IOERR | (3 << 8)
  static let ioErrorFsync = SQLITE_IOERR | (4 << 8)
  static let ioErrorShmSize = SQLITE_IOERR | (19 << 8)
  static let cannotOpenSymlink = SQLITE_CANTOPEN | (6 << 8)
  static let readOnlyMoved = SQLITE_READONLY | (4 << 8)
  static let readOnlyDirectory = SQLITE_READONLY | (6 << 8)

  /// The kind of error that a result code is.
  ///
  /// - Parameters:
  ///   - code: An extended or a primary result code.
  ///   - systemError: `errno` of the failed call, 0 if there is none. A full disk or quota may come
  ///     as an input or output error, when it is met while the shared-memory file grows.
  ///   - cancelled: Whether the task was cancelled while it waited for a lock.
  static func kind(_ code: Int32, systemError: Int32, cancelled: Bool) -> PersistenceError.Kind {
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return cancelled ? .cancelled : .busy
    case SQLITE_FULL: return .full
    case SQLITE_IOERR: return isNoSpace(systemError) ? .full : .io
    case SQLITE_READONLY: return code == readOnlyMoved ? .moved : .readOnly
    case SQLITE_CANTOPEN: return isNoSpace(systemError) ? .full : .cannotOpen
    case SQLITE_PERM, SQLITE_AUTH: return .cannotOpen
    case SQLITE_CORRUPT: return .corrupted
    case SQLITE_NOTADB: return .notADatabase
    case SQLITE_INTERRUPT: return .cancelled
    case SQLITE_TOOBIG: return .invalid
    case SQLITE_NOMEM: return .io
    default: return .misuse
    }
  }

  private static func isNoSpace(_ systemError: Int32) -> Bool {
    SystemError(code: systemError, call: "write").isFull
  }

  /// Why it happened and what to do, in a sentence or two.
  static func advice(_ kind: PersistenceError.Kind) -> String {
    switch kind {
    case .busy:
      "Another process holds the write lock. Wait for it or end it, then try again."
    case .full:
      "The disk or quota is full. Nothing of this change was kept; free some space and try again."
    case .io:
      "The system could not read or write the file. The change is not confirmed; "
        + "check the disk, then try again."
    case .readOnly:
      "The file or its folder may not be written. Change its permissions or its owner."
    case .cannotOpen, .cannotCreate:
      "Check that the folder exists and that you may read and write it."
    case .moved:
      "The file was moved or deleted while it was open, so the change is not confirmed. "
        + "The next command opens the file that is there then."
    case .corrupted:
      "The file is damaged. It was left as it is: move it away (with its -wal beside it) "
        + "and put a backup in its place."
    case .notADatabase:
      "This is no database. Move the file away, or put a backup in its place."
    case .foreignDatabase: "Another program made it. Move it away or choose another folder."
    case .newerSchema: "A newer version made it. Install that version; nothing was changed."
    case .cancelled: "The command was cancelled while it waited."
    case .invalid: "The value is not accepted."
    case .exists: "Choose another name, or ask to replace it."
    case .misuse: "This is a bug; please report it."
    }
  }
}

extension PersistenceError {
  /// `what` happened to which file, why, and what to do. `sql` never has bound values in it.
  init(
    _ kind: Kind, path: String, operation: String, code: Int32 = 0, what: String,
    sql: String? = nil
  ) {
    var message = what
    if !path.isEmpty { message += " (\(path))" }
    message += ". " + SQLiteResult.advice(kind)
    if code != 0 { message += " [SQLite \(code)" + (sql.map { ": \($0)" } ?? "") + "]" }
    self.init(kind, path: path, operation: operation, code: code, message: message)
  }
}
