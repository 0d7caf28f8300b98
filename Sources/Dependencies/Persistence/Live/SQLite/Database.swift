import SwiftBoardSystem
import Synchronization

/// A database file with a connection that writes and, where reads must not wait for a lock or for
/// the disk, one that reads.
final class Database: Sendable {
  let file: DatabaseFile
  /// Whether the last call that reached the file found it.
  private let wasFound = Atomic(false)
  /// Whether removed content is still in the log, because another program kept it from being
  /// emptied.
  private let hasLeftovers = Atomic(false)
  private let writer: SQLiteWorker
  private let reader: SQLiteWorker?

  /// Creates a database. The first call opens the file.
  init(_ file: DatabaseFile, hasReader: Bool) {
    self.file = file
    writer = SQLiteWorker(file, role: hasReader ? .writer : .both)
    reader = hasReader ? SQLiteWorker(file, role: .reader) : nil
  }

  /// Whether a call has found or made the file.
  var isOpen: Bool { wasFound.load(ordering: .relaxed) }

  /// Whether an `erase` of this process has left removed content in the log.
  var leavesRemovedContent: Bool { hasLeftovers.load(ordering: .relaxed) }

  /// Runs `body` in one transaction under the write lock. The transaction is as durable as the
  /// schema of the file says.
  ///
  /// - Parameters:
  ///   - length: `brief` if `body` changes a bounded number of rows.
  ///   - durability: A lower durability, or `nil` for that of the schema.
  func write<Result: Sendable>(
    _ operation: String, _ length: CallLength = .long,
    durability: DatabaseSchema.Durability? = nil,
    _ body: @escaping @Sendable (SQLiteConnection) throws(PersistenceError) -> Result
  ) async throws(PersistenceError) -> Result {
    let isFull = (durability ?? file.schema.durability) == .full
    return try await exclusive(operation, length) {
      (connection) throws(PersistenceError) -> Result in
      let result = try connection.write(durability: durability) {
        () throws(PersistenceError) -> Result in try body(connection)
      }
      if isFull, connection.hasChanged { connection.foldsLog = true }
      return result
    }
  }

  /// Runs `body`, which removes content, in one transaction. Then empties the write-ahead log,
  /// which still has that content. A log that is left is folded in when the connection closes, also
  /// if `body` removes nothing: it may have what was replaced, or what was removed before.
  ///
  /// - Parameter isSkippable: Whether the log is left until then if `body` removes nothing.
  /// - Returns: How much `body` removed, and whether the log is empty. It is not if another program
  ///   reads for longer than this one waits for a lock.
  func erase(
    _ operation: String, isSkippable: Bool = false,
    _ body: @escaping @Sendable (SQLiteConnection) throws(PersistenceError) -> Int
  ) async throws(PersistenceError) -> (count: Int, isErased: Bool) {
    try await exclusive(operation) { [self] (connection) throws(PersistenceError) in
      connection.foldsLog = true
      let count = try connection.write { () throws(PersistenceError) in try body(connection) }
      if isSkippable, count == 0 { return (0, true) }
      let isErased = try connection.truncateLog()
      hasLeftovers.store(!isErased, ordering: .relaxed)
      return (count, isErased)
    }
  }

  /// Runs `body` on the writing connection, outside a transaction, and creates a missing file.
  /// Changes nothing in a file of which damaged pages were found.
  ///
  /// - Parameters:
  ///   - length: `brief` if `body` changes a bounded number of rows.
  ///   - changesFile: Whether `body` changes the file. Otherwise, it also runs where the file may
  ///     only be read.
  func exclusive<Result: Sendable>(
    _ operation: String, _ length: CallLength = .long, changesFile: Bool = true,
    _ body: @escaping @Sendable (SQLiteConnection) throws(PersistenceError) -> Result
  ) async throws(PersistenceError) -> Result {
    try await forgettingIfMoved { () throws(PersistenceError) in
      if changesFile { try file.refuseDamaged(operation) }
      let making = changesFile || !FileSystem().isTaken(file.path)
      let outcome = try await writer.run(operation, length, making: making) {
        [file] (connection) throws(PersistenceError) -> Result in
        // Damage may have been found while the call waited.
        if changesFile { try file.refuseDamaged(operation) }
        return try body(connection)
      }
      guard case .done(let result) = outcome else {
        guard making else { throw SQLiteResult.moved(file.path, operation: operation) }
        throw PersistenceError(
          .misuse, path: file.path, operation: operation, what: "A reader was asked to write")
      }
      wasFound.store(true, ordering: .relaxed)
      return result
    }
  }

  /// Runs `body` on the thread of the writing connection, which need not be open.
  func onThread<Result: Sendable>(
    _ body: @escaping @Sendable (DatabaseFile) throws(PersistenceError) -> Result
  ) async throws(PersistenceError) -> Result {
    try await writer.onThread(body)
  }

  /// Runs `body` on the committed content. Does not create a missing file, and returns `empty` for
  /// it.
  ///
  /// - Parameter length: `brief` if `body` reads a bounded number of rows.
  func read<Result: Sendable>(
    _ operation: String, _ length: CallLength = .long, whenMissing empty: Result,
    _ body: @escaping @Sendable (SQLiteConnection) throws(PersistenceError) -> Result
  ) async throws(PersistenceError) -> Result {
    // Whether it is gone if it is missing. A call at the same time may create it, or find it first.
    let wasThere = isOpen
    return try await forgettingIfMoved { () throws(PersistenceError) in
      // Opening a file for one brief read takes longer than the read.
      if length == .brief, reader?.wasUsed.load(ordering: .relaxed) == false,
        case .done(let result)? = try writer.runIfReady(operation, body)
      {
        wasFound.store(true, ordering: .relaxed)
        return result
      }
      let worker = reader ?? writer
      var outcome = try await worker.run(operation, length, making: false, body)
      if case .needsWriter = outcome, file.options.onlyReads { return empty }
      if case .needsWriter(let isOlder) = outcome {
        do throws(PersistenceError) { try await writer.open(operation) } catch {
          throw isOlder ? error.asMigrationError : error
        }
        outcome = try await worker.run(operation, length, making: false, body)
      }
      switch outcome {
      case .done(let result):
        wasFound.store(true, ordering: .relaxed)
        return result
      case .missing:
        // A file that is gone must not pass for an empty database.
        if wasThere, file.schema.whenDamaged == .refuse {
          throw SQLiteResult.moved(file.path, operation: operation)
        }
        return empty
      case .needsWriter:
        throw PersistenceError(
          .readOnly, path: file.path, operation: operation,
          what:
            "the database may only be read, and has to be changed before this version can read it")
      }
    }
  }

  /// Runs `body`, and closes both connections if it finds that the file was moved.
  private func forgettingIfMoved<Result>(
    _ body: () async throws(PersistenceError) -> Result
  ) async throws(PersistenceError) -> Result {
    do throws(PersistenceError) { return try await body() } catch {
      if error.kind == .moved { await forget() }
      throw error
    }
  }

  /// Closes both connections, so that the next call opens what is at the path by then.
  private func forget() async {
    wasFound.store(false, ordering: .relaxed)
    try? await reader?.close()
    try? await writer.close()
    file.forget()
  }

  /// Closes both connections. The last connection that closes checkpoints the log, unless
  /// `DatabaseFile.leavesLog(_:)` leaves it. The next call opens the file again.
  func close() async throws(PersistenceError) {
    wasFound.store(false, ordering: .relaxed)
    for worker in [reader, writer] {
      if let worker, worker.wasUsed.load(ordering: .relaxed) { try await worker.close() }
    }
    file.forget()
  }
}
