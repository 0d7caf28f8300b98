import SwiftBoardSystem
import Synchronization

/// The rollback marks of keychains in the main database, one per location.
///
/// Calls block, so that a keychain can use them on its own thread. Do not call them from a task.
/// The object has its own connection, which the first call opens and `closeStore()` closes. A mark
/// is on the disk when the call that sets it returns.
package final class DatabaseKeychainMarks: RollbackMarkStore {
  private struct State { var connection: SQLiteConnection? }

  private let file: DatabaseFile
  /// Held during database work, so that callers wait for each other as they would for its lock.
  private let state = Mutex(State())

  /// Creates the marks in the main database of a service. Opens nothing.
  package convenience init(in service: LivePersistenceService) { self.init(service.main.file) }

  init(_ file: DatabaseFile) { self.file = file }

  /// Returns the mark of a location, or `nil` if none was set. Does not create a missing database.
  /// Also reads a database in a folder that cannot be written to, or on a full disk.
  package func mark(forKeychainAt location: String) throws(PersistenceError) -> RollbackMark? {
    let operation = "keychainMark"
    if try file.isMissing(operation: operation) { return nil }
    do throws(PersistenceError) {
      return try perform(operation) { (connection) throws(PersistenceError) in
        try Self.get(location, connection)
      }
    } catch {
      guard [.cannotOpen, .full, .io, .readOnly].contains(error.kind),
        let connection = try? file.openAsItIs(operation: operation)
      else { throw error }
      return try Self.get(location, connection)
    }
  }

  /// Returns the mark like `mark(forKeychainAt:)`, through a connection that only reads and is
  /// closed again.
  package func look(forKeychainAt location: String) throws(PersistenceError) -> RollbackMark? {
    let operation = "keychainMark"
    do throws(PersistenceError) {
      switch try file.openReader(operation: operation) {
      case .ready(let connection):
        defer { close(connection) }
        return try Self.get(location, connection)
      case .missing: return nil
      case .needsWriter: return try mark(forKeychainAt: location)
      }
    } catch {
      if file.isDamage(error) { file.note(error) }
      guard [.cannotOpen, .full, .io, .readOnly].contains(error.kind),
        let connection = try? file.openAsItIs(operation: operation)
      else { throw error }
      defer { close(connection) }
      return try Self.get(location, connection)
    }
  }

  /// Sets the mark unless that would lower it. The first mark is always set. After that, the mark
  /// needs the same key id and a higher generation, or the key id of the recorded successor. The
  /// comparison and the change are one transaction, so that two processes cannot lower the mark
  /// between them.
  package func raise(
    _ mark: RollbackMark, forKeychainAt location: String
  ) throws(PersistenceError) {
    try change("raiseKeychainMark") { (connection) throws(PersistenceError) in
      switch try Self.get(location, connection)?.relation(of: mark) {
      case .newer, .successor, nil: try Self.put(mark, at: location, connection)
      case .same, .older, .different: break
      }
    }
  }

  /// Sets the mark regardless of the present one.
  package func replace(
    _ mark: RollbackMark, forKeychainAt location: String
  ) throws(PersistenceError) {
    try change("replaceKeychainMark") { (connection) throws(PersistenceError) in
      try Self.put(mark, at: location, connection)
    }
  }

  /// Closes the connection. The next call opens it again. Errors are not reported, because marks
  /// are already on the disk.
  package func closeStore() {
    state.withLock { state in close(state.connection.take()) }
  }

  private func close(_ connection: SQLiteConnection?) {
    guard let connection else { return }
    try? connection.close(keepingLog: file.leavesLog(connection))
  }

  /// Runs `body` in one transaction. Changes nothing in a file of which damaged pages were found.
  private func change(
    _ operation: String, _ body: (SQLiteConnection) throws(PersistenceError) -> Void
  ) throws(PersistenceError) {
    try file.refuseDamaged(operation)
    try perform(operation) { (connection) throws(PersistenceError) in
      try connection.write { () throws(PersistenceError) in try body(connection) }
      if connection.hasChanged { connection.foldsLog = true }
    }
  }

  private func perform<Result: Sendable>(
    _ operation: String, _ body: (SQLiteConnection) throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Result {
    try state.withLock { (state) throws(PersistenceError) -> Result in
      do throws(PersistenceError) {
        if state.connection == nil { state.connection = try file.openWriter(operation: operation) }
        guard let connection = state.connection else { throw unopened(operation) }
        connection.operation = operation
        if connection.hasMoved { throw connection.movedError }
        return try body(connection)
      } catch {
        if file.isDamage(error) { file.note(error) }
        // The next call opens the connection again.
        close(state.connection.take())
        throw error
      }
    }
  }

  private func unopened(_ operation: String) -> PersistenceError {
    PersistenceError(
      .cannotOpen, path: file.path, operation: operation, what: "not opened")
  }

  // MARK: The table `keychain_marks`

  private static func get(_ location: String, _ connection: SQLiteConnection)
    throws(PersistenceError) -> RollbackMark?
  {
    let statement = try connection.statement(
      """
      SELECT key_id, generation, header_mac, successor_key_id, written FROM keychain_marks
      WHERE location = ?
      """, location)
    return try statement.first { row in
      RollbackMark(
        keyID: [UInt8](row.data(0)), generation: UInt64(bitPattern: row.integer(1)),
        mac: [UInt8](row.data(2)), successor: row.isNull(3) ? nil : [UInt8](row.data(3)),
        written: row.isNull(4) ? nil : row.integer(4))
    }
  }

  private static func put(
    _ mark: RollbackMark, at location: String, _ connection: SQLiteConnection
  ) throws(PersistenceError) {
    try connection.run(
      """
      INSERT INTO keychain_marks
      (location, key_id, generation, header_mac, successor_key_id, written)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (location) DO UPDATE SET key_id = excluded.key_id,
      generation = excluded.generation, header_mac = excluded.header_mac,
      successor_key_id = excluded.successor_key_id, written = excluded.written
      """, location, Data(mark.keyID), Int64(bitPattern: mark.generation), Data(mark.mac),
      mark.successor.map { Data($0) }, mark.written)
  }
}
