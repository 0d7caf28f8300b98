import SwiftBoardSystem
import Synchronization

/// An actor that runs a connection on its own thread. The first call that needs the connection
/// opens it.
actor SQLiteWorker {
  enum Role: String, Sendable { case writer, reader }

  enum Outcome<Result: Sendable>: Sendable {
    case done(Result)
    /// There is no file, and the call does not create one.
    case missing
    case needsWriter
  }

  private let queue: SQLiteQueue
  private let file: DatabaseFile
  private let role: Role
  private var connection: SQLiteConnection?
  /// Whether there may be something to close. Read without a change of threads.
  nonisolated let wasUsed = Atomic(false)

  init(_ file: DatabaseFile, role: Role) {
    self.file = file
    self.role = role
    queue = SQLiteQueue("swiftboard.sqlite." + role.rawValue)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Opens the file, and creates or migrates it if needed. Only for the writer.
  func open(_ operation: String) throws(PersistenceError) {
    _ = try connected(operation, making: true)
  }

  /// Runs `body` in a transaction that may write.
  func write<Result: Sendable>(
    _ operation: String, durability: DatabaseSchema.Durability?,
    _ body: @Sendable (SQLiteConnection) throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Result {
    let outcome = try run(operation, making: true) {
      (connection) throws(PersistenceError) -> Result in
      if (durability ?? file.schema.durability) == .full { connection.foldsLog = true }
      return try connection.write(durability: durability) { () throws(PersistenceError) -> Result in
        try body(connection)
      }
    }
    guard case .done(let result) = outcome else {
      throw PersistenceError(
        .misuse, path: file.path, operation: operation, what: "A reader was asked to write")
    }
    return result
  }

  /// Runs `body` without a transaction.
  ///
  /// - Parameter making: Whether to create a missing file. Otherwise, the outcome is `missing`.
  func run<Result: Sendable>(
    _ operation: String, making: Bool,
    _ body: @Sendable (SQLiteConnection) throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Outcome<Result> {
    do {
      return try attempt(operation, making: making, body)
    } catch {
      guard file.schema.whenDamaged == .startAnew, role == .writer else { throw error }
      switch error.kind {
      case .corrupted, .notADatabase: try file.moveAside(operation: operation)
      case .moved: break
      default: throw error
      }
      return try attempt(operation, making: making, body)
    }
  }

  private func attempt<Result: Sendable>(
    _ operation: String, making: Bool,
    _ body: @Sendable (SQLiteConnection) throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Outcome<Result> {
    do {
      switch try connected(operation, making: making) {
      case .missing: return .missing
      case .needsWriter: return .needsWriter
      case .ready(let connection):
        let result = try body(connection)
        if connection.isAlone { try? close() }
        return .done(result)
      }
    } catch {
      // After these errors, the state of the connection is unknown. The next call opens it again.
      switch error.kind {
      case .moved, .io, .corrupted, .notADatabase,
        _ where connection?.isAlone == true:
        try? connection?.close()
        connection = nil
      default: break
      }
      throw error
    }
  }

  private func connected(_ operation: String, making: Bool) throws(PersistenceError)
    -> DatabaseFile.Opened
  {
    wasUsed.store(true, ordering: .relaxed)
    if let connection {
      connection.operation = operation
      if connection.hasMoved { throw connection.movedError }
      return .ready(connection)
    }
    if role == .writer {
      guard making || FileSystem().isTaken(file.path) else { return .missing }
      let opened = try file.openWriter(operation: operation)
      connection = opened
      return .ready(opened)
    }
    let opened = try file.openReader(operation: operation)
    if case .ready(let ready) = opened { connection = ready }
    return opened
  }

  /// Closes the connection. The next call opens it again. Throws if a statement was left open,
  /// which is a bug.
  func close() throws(PersistenceError) {
    wasUsed.store(false, ordering: .relaxed)
    guard let closing = connection else { return }
    connection = nil
    try closing.close(keepingLog: file.leavesLog(closing))
  }
}
