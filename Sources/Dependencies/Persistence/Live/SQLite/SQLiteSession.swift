import SwiftBoardSystem

/// The use of one connection to a database file. The first call that needs the connection opens it.
struct SQLiteSession {
  enum Role: String, Sendable {
    case writer, reader
    /// Writes, and serves the reads of a database that has no reader.
    case both
  }

  enum Outcome<Result: Sendable>: Sendable {
    case done(Result)
    /// There is no file, and the call does not create one.
    case missing
    case needsWriter(isOlder: Bool)
  }

  private let file: DatabaseFile
  private let role: Role
  private var connection: SQLiteConnection?

  init(_ file: DatabaseFile, role: Role) {
    self.file = file
    self.role = role
  }

  /// Opens the file, and creates or migrates it if needed. Only for the writer.
  mutating func open(_ operation: String) throws(PersistenceError) {
    _ = try connected(operation, making: true)
  }

  /// Runs `body` without a transaction.
  ///
  /// - Parameter making: Whether to create a missing file. Otherwise, the outcome is `missing`.
  mutating func run<Result: Sendable>(
    _ operation: String, making: Bool,
    _ body: (SQLiteConnection) throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Outcome<Result> {
    do {
      return try attempt(operation, making: making, body)
    } catch {
      guard startsAnew(after: error) else { throw file.explained(error) }
      if error.kind != .moved { try file.moveAside(operation: operation) }
      return try attempt(operation, making: making, body)
    }
  }

  /// Runs `body` if the connection is open and no lock has to be waited for. Otherwise, nothing has
  /// changed, and the outcome is `nil`.
  mutating func runIfReady<Result: Sendable>(
    _ operation: String, _ body: (SQLiteConnection) throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Outcome<Result>? {
    guard let connection else { return nil }
    connection.waitsForLocks = false
    defer { connection.waitsForLocks = true }
    do {
      return try attempt(operation, making: false, body)
    } catch {
      // What explains damage reads the whole file, which only the thread of the connection does.
      if error.kind == .busy || startsAnew(after: error) || file.isDamage(error) { return nil }
      throw error
    }
  }

  /// Returns whether a new file replaces the one that caused an error.
  private func startsAnew(after error: PersistenceError) -> Bool {
    guard file.schema.whenDamaged == .startAnew, role != .reader else { return false }
    return switch error.kind {
    case .corrupted, .notADatabase, .moved: true
    default: false
    }
  }

  private mutating func attempt<Result: Sendable>(
    _ operation: String, making: Bool,
    _ body: (SQLiteConnection) throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Outcome<Result> {
    do {
      switch try connected(operation, making: making) {
      case .missing: return .missing
      case .needsWriter(let isOlder): return .needsWriter(isOlder: isOlder)
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
        if file.isDamage(error) { file.note(error) }
        try? close()
      default: break
      }
      throw error
    }
  }

  private mutating func connected(_ operation: String, making: Bool) throws(PersistenceError)
    -> DatabaseFile.Opened
  {
    if let connection {
      connection.operation = operation
      if connection.hasMoved { throw connection.movedError }
      return .ready(connection)
    }
    // The call may be late, after the file was closed. Nothing would close it again.
    if BusyWait.isCancelled {
      throw PersistenceError(
        .cancelled, path: file.path, operation: operation, what: "cancelled")
    }
    let opened: DatabaseFile.Opened
    do throws(PersistenceError) {
      opened = try open(operation, making: making)
    } catch {
      guard !making else { throw error }
      // The connection is not kept. It is closed when the call releases it.
      return .ready(try file.openAsItIs(operation: operation, after: error))
    }
    if case .ready(let ready) = opened { connection = ready }
    return opened
  }

  private func open(_ operation: String, making: Bool) throws(PersistenceError)
    -> DatabaseFile.Opened
  {
    guard role != .reader else { return try file.openReader(operation: operation) }
    if !making, try file.isMissing(operation: operation) { return .missing }
    do throws(PersistenceError) { return .ready(try file.openWriter(operation: operation)) } catch {
      // A call that only reads also runs on a full disk. What the writer of two connections does
      // without making a file is a copy, for which this connection is not.
      guard role == .both, !making, error.kind == .full else { throw error }
      return try file.openAlone(operation: operation)
    }
  }

  /// Closes the connection. The next call opens it again. Throws if a statement was left open,
  /// which is a bug.
  mutating func close() throws(PersistenceError) {
    guard let closing = connection else { return }
    connection = nil
    try closing.close(keepingLog: file.leavesLog(closing))
  }
}
