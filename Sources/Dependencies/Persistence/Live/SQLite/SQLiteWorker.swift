import Synchronization

/// The duration of a call, which decides where it runs.
enum CallLength: Sendable {
  /// The call reads or changes a bounded number of rows. It runs on its caller's thread, if it does
  /// not have to wait; see `ExclusiveValue`.
  case brief
  /// The call runs on the connection's thread.
  case long

  /// Returns the length of a call that writes so many bytes.
  static func writing(_ bytes: Int) -> CallLength { bytes <= briefBytes ? .brief : .long }

  /// The most that a brief call writes. More may keep a slow disk busy for longer than a change of
  /// threads takes.
  private static let briefBytes = 64 << 10
}

/// A connection for calls from any task, one at a time. The first call that needs the connection
/// opens it.
final class SQLiteWorker: Sendable {
  private let session: ExclusiveValue<SQLiteSession>
  private let file: DatabaseFile
  /// Whether there may be something to close.
  let wasUsed = Atomic(false)

  init(_ file: DatabaseFile, role: SQLiteSession.Role) {
    self.file = file
    session = ExclusiveValue(
      SQLiteSession(file, role: role), label: "swiftboard.sqlite." + role.rawValue)
  }

  /// Opens the file, and creates or migrates it if needed. Only for the writer.
  func open(_ operation: String) async throws(PersistenceError) {
    wasUsed.store(true, ordering: .relaxed)
    try await session.use { (session) throws(PersistenceError) in try session.open(operation) }
  }

  /// Runs `body` without a transaction.
  ///
  /// - Parameter making: Whether to create a missing file. Otherwise, the outcome is `missing`.
  func run<Result: Sendable>(
    _ operation: String, _ length: CallLength, making: Bool,
    _ body: @escaping @Sendable (SQLiteConnection) throws(PersistenceError) -> Result
  ) async throws(PersistenceError) -> SQLiteSession.Outcome<Result> {
    wasUsed.store(true, ordering: .relaxed)
    let onThread = {
      @Sendable (session: inout SQLiteSession) throws(PersistenceError)
        -> SQLiteSession.Outcome<Result> in
      try session.run(operation, making: making, body)
    }
    guard length == .brief else { return try await session.use(onThread) }
    return try await session.useBriefly(
      here: { (session) throws(PersistenceError) in try session.runIfReady(operation, body) },
      onThread: onThread)
  }

  /// Runs `body` without a transaction on the caller's thread. Returns `nil` if the connection is
  /// not open, or is busy.
  func runIfReady<Result: Sendable>(
    _ operation: String,
    _ body: @Sendable (SQLiteConnection) throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> SQLiteSession.Outcome<Result>? {
    try session.useHere { (session) throws(PersistenceError) in
      try session.runIfReady(operation, body)
    }
  }

  /// Runs `body`, which does not use the connection, while no call does.
  func onThread<Result: Sendable>(
    _ body: @escaping @Sendable (DatabaseFile) throws(PersistenceError) -> Result
  ) async throws(PersistenceError) -> Result {
    try await session.use { [file] (_) throws(PersistenceError) in try body(file) }
  }

  /// Closes the connection. The next call opens it again. Throws if a statement was left open,
  /// which is a bug.
  func close() async throws(PersistenceError) {
    wasUsed.store(false, ordering: .relaxed)
    try await session.use { (session) throws(PersistenceError) in try session.close() }
  }
}
