import SwiftBoardSystem

extension DatabaseFile {
  /// Copies the whole database consistently, also during writes of others.
  static func copy(_ connection: SQLiteConnection, to path: String, reportedAs shown: String)
    throws(PersistenceError)
  {
    try copy(connection, to: path, reportedAs: shown) { (temporary) throws(PersistenceError) in
      try connection.interruptible { () throws(PersistenceError) in
        try connection.run("VACUUM INTO ?", temporary)
      }
    }
  }

  /// Makes a copy, which appears complete or not at all, and never replaces a file.
  ///
  /// - Parameter fill: Writes the copy to an empty file, whose path it is given.
  /// - Throws: `busy` if the connection takes no locks and the database was changed meanwhile.
  static func copy<Result>(
    _ connection: SQLiteConnection, to path: String, reportedAs shown: String,
    _ fill: (String) throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Result {
    func failed(_ failure: SystemError) -> PersistenceError {
      PersistenceError(
        failure.code == EEXIST ? .exists : failure.isFull ? .full : .cannotCreate, path: shown,
        operation: connection.operation,
        what: failure.code == EEXIST
          ? "the file is there already"
          : "the copy could not be made: \(failure)")
    }
    let system = FileSystem()
    if system.isTaken(path) { throw failed(SystemError(code: EEXIST, call: "open")) }
    let temporary: NewDatabaseFile
    do { temporary = try NewDatabaseFile(for: path) } catch { throw failed(error) }
    let result: Result
    do throws(PersistenceError) {
      result = try connection.readUnchanged { () throws(PersistenceError) in
        try fill(temporary.path)
      }
      do { try system.sync(path: temporary.path) } catch { throw failed(error) }
      try connection.checkCancellation()
    } catch {
      temporary.discard()
      throw Self.copyFailure(error, path: shown)
    }
    do { try temporary.publish(as: path) } catch { throw failed(error) }
    try? system.sync(folder: PathComponents(path).folder)
    return result
  }

  /// Names the copy in an error of SQLite about a full disk, which names the database: only the
  /// copy grows.
  static func copyFailure(_ error: PersistenceError, path: String) -> PersistenceError {
    guard error.kind == .full else { return error }
    return PersistenceError(
      .full, path: path, operation: error.operation, code: error.code,
      what: "there is no space left for the copy")
  }
}
