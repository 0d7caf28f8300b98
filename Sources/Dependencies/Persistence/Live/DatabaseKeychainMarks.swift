import SwiftBoardSystem
import Synchronization

/// The keychains' marks in the main database, one for each location.
///
/// Its calls block, so that a keychain can ask on its own thread; do not call it from a task. It
/// has a connection of its own, opened by the first call and kept until `closeStore()` or the end.
/// A mark that was set is on the disk.
package final class DatabaseKeychainMarks: RollbackMarkStore {
  private struct State { var connection: SQLiteConnection? }

  private let file: DatabaseFile
  /// Held while the database works: callers wait for each other as they would for its lock.
  private let state = Mutex(State())

  /// - Parameter service: Whose main database holds the marks. Nothing is opened yet.
  package convenience init(in service: LivePersistenceService) { self.init(service.main.file) }

  init(_ file: DatabaseFile) { self.file = file }

  /// `nil` if none was ever set. A missing database is not made.
  package func mark(forKeychainAt location: String) throws(PersistenceError) -> RollbackMark? {
    guard FileSystem().isTaken(file.path) else { return nil }
    return try perform("keychainMark") { (connection) throws(PersistenceError) in
      try Self.get(location, connection)
    }
  }

  /// Sets the mark unless that would lower it: with the same key id only a higher generation is
  /// taken, with the recorded successor's any, and the first mark as it is. One transaction, so two
  /// processes cannot lower it between them.
  package func raise(
    _ mark: RollbackMark, forKeychainAt location: String
  ) throws(PersistenceError) {
    try perform("raiseKeychainMark") { (connection) throws(PersistenceError) in
      try connection.write { () throws(PersistenceError) in
        if let now = try Self.get(location, connection) {
          let isRaised = mark.keyID == now.keyID && mark.generation > now.generation
          let isSuccessor = mark.keyID != now.keyID && mark.keyID == now.successor
          guard isRaised || isSuccessor else { return }
        }
        try Self.put(mark, at: location, connection)
      }
    }
  }

  /// Sets the mark whatever was there.
  package func replace(
    _ mark: RollbackMark, forKeychainAt location: String
  ) throws(PersistenceError) {
    try perform("replaceKeychainMark") { (connection) throws(PersistenceError) in
      try connection.write { () throws(PersistenceError) in
        try Self.put(mark, at: location, connection)
      }
    }
  }

  /// Closes the connection; the next call opens it again. An error is not reported: a mark is on
  /// the disk when it is set, so a connection that does not close loses nothing.
  package func closeStore() {
    state.withLock { state in
      try? state.connection?.close()
      state.connection = nil
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
        // The next call opens anew.
        try? state.connection?.close()
        state.connection = nil
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
      """)
    statement.bind(1, location)
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
    let statement = try connection.statement(
      """
      INSERT INTO keychain_marks
      (location, key_id, generation, header_mac, successor_key_id, written)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (location) DO UPDATE SET key_id = excluded.key_id,
      generation = excluded.generation, header_mac = excluded.header_mac,
      successor_key_id = excluded.successor_key_id, written = excluded.written
      """)
    statement.bind(1, location)
    statement.bind(2, Data(mark.keyID))
    statement.bind(3, Int64(bitPattern: mark.generation))
    statement.bind(4, Data(mark.mac))
    statement.bind(5, mark.successor.map { Data($0) })
    statement.bind(6, mark.written)
    try statement.run()
  }
}
