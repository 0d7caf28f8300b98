import CSQLite
import SwiftBoardSystem

/// A connection to a database file. It is not Sendable: one thread uses it at a time, and SQLite is
/// configured for that.
///
/// It caches the 32 most recently used statements. Errors contain path, operation, code and SQL,
/// never a bound value.
final class SQLiteConnection {
  enum Access {
    case readWrite, readOnly
    /// Reads the file as it is, without locks, its log and files beside it.
    case asItIs
  }

  let path: String
  /// The path in errors.
  private let shownPath: String
  /// The name of the current call, for errors.
  var operation: String
  /// The file before it was opened as it is, or `nil` for other connections.
  private let openedFile: FileInfo?
  /// Whether there were changes beside the file that a connection without locks does not see.
  let lacksChanges: Bool

  /// Whether the connection excludes all others.
  private(set) var isAlone = false
  /// Whether closing the connection checkpoints a log of any size, unless damage was found.
  var foldsLog = false
  /// Whether a transaction was committed that changed a row.
  private(set) var hasChanged = false
  /// Whether a cancelled task interrupts the statement that runs.
  private var isInterruptible = false
  /// Whether a call waits for the locks of other connections, or throws `busy` immediately.
  var waitsForLocks = true
  private var handle: OpaquePointer?
  /// The cached statements, the most recently used first. A linear search is faster than a
  /// dictionary: the SQL of a call is a literal, so equal strings mostly share storage, and the
  /// statements in use are in front.
  private var cache: [SQLiteStatement] = []
  private let busyWait: BusyWait
  /// The sum of the pauses of the current wait for a lock, in microseconds.
  private var paused = 0
  /// The number of SQLite's steps between two looks whether the task is cancelled. A row takes a
  /// few steps, and copying a long one takes milliseconds.
  private static let progressSteps: Int32 = 100
  static let cacheLimit = 32
  private static let cacheFront = 4

  /// Opens an existing file and limits what SQL may do in it. Writes nothing, and does not read the
  /// file yet.
  ///
  /// - Parameters:
  ///   - path: The path without symbolic links (`FileSystem.resolved`), which are rejected.
  ///   - shownPath: The path in errors, if it is another one.
  ///   - access: Whether the connection may write.
  ///   - busyWait: The time to wait for the locks of other connections.
  ///   - operation: The name of the current call, for errors.
  init(
    _ path: String, shownPath: String? = nil, access: Access = .readWrite, busyWait: BusyWait,
    operation: String
  ) throws(PersistenceError) {
    self.path = path
    self.shownPath = shownPath ?? path
    self.operation = operation
    self.busyWait = busyWait
    openedFile = access == .asItIs ? FileInfo(path) : nil
    lacksChanges = access == .asItIs && Self.hasChanges(besides: path)
    let flags =
      (access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
      | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
    let result =
      access == .asItIs
      ? sqlite3_open_v2(
        "file:\(PercentEncoding.encoded(path))?immutable=1", &handle, flags | SQLITE_OPEN_URI, nil)
      : sqlite3_open_v2(path, &handle, flags, nil)
    guard result == SQLITE_OK else {
      let error = error(result, sql: nil)
      sqlite3_close_v2(handle)
      handle = nil
      throw error
    }
    sqlite3_busy_handler(
      handle,
      { context, attempt in
        guard let context else { return 0 }
        // The connection outlives its handle.
        let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
        return connection.shouldRetry(attempt: Int(attempt)) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    sqlite3_progress_handler(
      handle, Self.progressSteps,
      { context in
        guard let context else { return 0 }
        let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
        return connection.isInterruptible && BusyWait.isCancelled ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    try configure()
  }

  deinit {
    for statement in cache { statement.finalise() }
    cache = []
    if handle != nil, !hasChanged, logSize != 0 { keepLog() }
    sqlite3_close_v2(handle)
  }

  private func configure() throws(PersistenceError) {
    let flags: [(option: Int32, value: Int32)] = [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
    ]
    for (option, value) in flags { try set(option, to: value) }
  }

  private func set(_ option: Int32, to value: Int32) throws(PersistenceError) {
    var now: Int32 = -1
    let result = csqlite_db_config_flag(handle, option, value, &now)
    guard result == SQLITE_OK, now == value else {
      throw PersistenceError(
        .misuse, path: shownPath, operation: operation, code: result,
        what: "SQLite did not take option \(option)")
    }
  }

  // MARK: Files without locks

  /// Returns whether the log or the journal of a database has changes.
  private static func hasChanges(besides path: String) -> Bool {
    func hasContent(_ path: String) -> Bool { FileInfo(path).map { $0.size > 0 } ?? false }
    if hasContent(path + "-wal") { return true }
    let journal = path + "-journal"
    guard hasContent(journal) else { return false }
    // A program that keeps the journal overwrites its header with zeros after a commit.
    let system = FileSystem()
    guard let file = try? system.open(journal, O_RDONLY),
      let header = try? system.read(file, limit: 8)
    else { return true }
    return header.contains { $0 != 0 }
  }

  /// Runs `body`. Throws `busy` if the connection reads the file as it is, and another process has
  /// changed it meanwhile. What was read may then be of two states, and seem damaged.
  func readUnchanged<Result>(
    _ body: () throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Result {
    let result: Result
    do throws(PersistenceError) { result = try body() } catch {
      if error.kind == .corrupted { try checkUnchanged() }
      throw error
    }
    try checkUnchanged()
    return result
  }

  private func checkUnchanged() throws(PersistenceError) {
    guard let openedFile else { return }
    if let now = FileInfo(path), now.hasSameContent(as: openedFile) { return }
    throw PersistenceError(
      .busy, path: shownPath, operation: operation,
      what: "another process changed the database while it was read, which no lock prevents where "
        + "the database or its folder may not be written to")
  }

  /// Prevents triggers of the file from running.
  func disableTriggers() throws(PersistenceError) {
    try set(SQLITE_DBCONFIG_ENABLE_TRIGGER, to: 0)
  }

  private func shouldRetry(attempt: Int) -> Bool {
    if attempt == 0 { paused = 0 }
    return waitsForLocks && busyWait.shouldRetry(paused: &paused)
  }

  // MARK: Statements

  /// Returns a prepared statement, from the cache if it is there and not running.
  func statement(_ sql: String) throws(PersistenceError) -> SQLiteStatement {
    if let index = cache.firstIndex(where: { $0.sql == sql }) {
      let found = cache[index]
      guard !found.isRunning else { return try prepare(sql, isKept: false) }
      // Do not move statements near the front, which would cost time at every use.
      if index >= Self.cacheFront { cache.insert(cache.remove(at: index), at: 0) }
      return found
    }
    let statement = try prepare(sql, isKept: true)
    if cache.count >= Self.cacheLimit { cache.removeLast() }
    cache.insert(statement, at: 0)
    return statement
  }

  private func prepare(_ sql: String, isKept: Bool) throws(PersistenceError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let result = sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil)
    guard result == SQLITE_OK else { throw error(result, sql: sql) }
    guard let prepared else {
      throw PersistenceError(.misuse, path: shownPath, operation: operation, what: "Empty SQL")
    }
    return SQLiteStatement(prepared, sql: sql, connection: self)
  }

  /// Returns a statement with values for its first parameters.
  func statement<each Value: SQLiteValue>(
    _ sql: String, _ values: repeat each Value
  ) throws(PersistenceError) -> SQLiteStatement {
    let statement: SQLiteStatement = try statement(sql)
    statement.bindAll(repeat each values)
    return statement
  }

  /// Runs a statement with values for its parameters.
  func run<each Value: SQLiteValue>(
    _ sql: String, _ values: repeat each Value
  ) throws(PersistenceError) {
    try statement(sql, repeat each values).run()
  }

  /// Prepares and runs a statement without caching it.
  func execute(_ sql: String) throws(PersistenceError) { try prepare(sql, isKept: false).run() }

  /// Returns the first column of the first row, or `nil` if there is none.
  func integer(_ sql: String) throws(PersistenceError) -> Int64? {
    try prepare(sql, isKept: false).first { $0.integer(0) }
  }

  /// Returns the first column of the first row, or `nil` if there is none.
  func text(_ sql: String) throws(PersistenceError) -> String? {
    try prepare(sql, isKept: false).first { $0.text(0) }
  }

  /// Returns the first column of every row.
  func texts(_ sql: String) throws(PersistenceError) -> [String] {
    var texts: [String] = []
    try prepare(sql, isKept: false).forEachRow { texts.append($0.text(0)) }
    return texts
  }

  /// The number of the row that the last INSERT made. An INSERT that became an UPDATE does not
  /// change it.
  var lastInsertedRow: Int64 {
    get { sqlite3_last_insert_rowid(handle) }
    set { sqlite3_set_last_insert_rowid(handle, newValue) }
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  var changes: Int { Int(sqlite3_changes64(handle)) }

  /// The size of the write-ahead log in bytes, or `nil` if there is none.
  var logSize: Int64? { FileInfo(path + "-wal")?.size }

  /// Locks the database exclusively and keeps the index of the write-ahead log in memory. Call it
  /// before anything is read.
  func lockAlone() throws(PersistenceError) {
    try execute("PRAGMA locking_mode = EXCLUSIVE")
    isAlone = true
  }

  /// Reads what is there of a file that is shorter than its header says, and rejects pages with
  /// invalid cells. The connection never writes from then on. Call it before anything is read.
  func allowDamage() throws(PersistenceError) {
    var now: Int32 = 0
    // SQLite refuses a truncated file, unless its schema may be written to.
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, &now)
    for pragma in ["writable_schema", "query_only", "cell_size_check"] {
      try execute("PRAGMA \(pragma) = ON")
    }
  }

  // MARK: Transactions

  /// Runs `body` in a transaction that takes the write lock at its start. A transaction that starts
  /// as a reader and is overtaken by another writer would fail immediately, regardless of the
  /// timeout. If the task is cancelled before the commit, nothing changes.
  ///
  /// - Parameter durability: The durability, or `nil` for that of the connection. A commit that a
  ///   power failure may lose does not wait for the disk, and becomes durable with the next one
  ///   that does.
  func write<Result>(
    durability: DatabaseSchema.Durability? = nil,
    _ body: () throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Result {
    guard let durability else { return try writeNow(body) }
    let usual = try integer("PRAGMA synchronous") ?? DatabaseSchema.Durability.full.rawValue
    try statement("PRAGMA synchronous = \(durability.rawValue)").run()
    let result: Result
    do throws(PersistenceError) { result = try writeNow(body) } catch {
      try? statement("PRAGMA synchronous = \(usual)").run()
      throw error
    }
    try statement("PRAGMA synchronous = \(usual)").run()
    return result
  }

  private func writeNow<Result>(_ body: () throws(PersistenceError) -> Result)
    throws(PersistenceError) -> Result
  {
    try statement("BEGIN IMMEDIATE").run()
    let before = sqlite3_total_changes64(handle)
    let result: Result
    do {
      result = try interruptible(body)
      try checkCancellation()
      try statement("COMMIT").run()
    } catch {
      if isInTransaction { try? statement("ROLLBACK").run() }
      throw error
    }
    if sqlite3_total_changes64(handle) != before { hasChanged = true }
    // A commit to a file that lost its name in the meantime is lost.
    if hasMoved { throw movedError }
    return result
  }

  /// Whether a transaction has begun and not ended.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` on one state of the database.
  func read<Result>(_ body: () throws(PersistenceError) -> Result) throws(PersistenceError)
    -> Result
  {
    try statement("BEGIN").run()
    do {
      let result = try interruptible(body)
      try statement("COMMIT").run()
      return result
    } catch {
      if isInTransaction { try? statement("ROLLBACK").run() }
      throw error
    }
  }

  /// Runs `body`, whose statements end soon after the task is cancelled, also those that read or
  /// write many rows. The statements that begin and end a transaction are not part of it: one that
  /// is interrupted may have had its effect.
  func interruptible<Result>(_ body: () throws(PersistenceError) -> Result) throws(PersistenceError)
    -> Result
  {
    // The call runs inside the task's own job, so the current task is the one that is cancelled.
    let wasInterruptible = isInterruptible
    isInterruptible = true
    defer { isInterruptible = wasInterruptible }
    return try body()
  }

  /// Throws `cancelled` if the task is cancelled.
  func checkCancellation() throws(PersistenceError) {
    guard BusyWait.isCancelled else { return }
    throw error(SQLITE_INTERRUPT, sql: nil)
  }

  /// Whether the path no longer leads to the open file. Takes one `stat`.
  var hasMoved: Bool {
    var moved: Int32 = 0
    let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return result == SQLITE_OK && moved != 0
  }

  var movedError: PersistenceError {
    SQLiteResult.moved(shownPath, operation: operation)
  }

  /// Whether SQLite could only open the file for reading.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Checkpoints the write-ahead log and empties it. Returns false if another connection prevented
  /// it.
  func truncateLog() throws(PersistenceError) -> Bool {
    try statement("PRAGMA wal_checkpoint(TRUNCATE)").first { $0.integer(0) == 0 } ?? false
  }

  // MARK: Closing

  /// Finalizes the statements and closes the connection.
  ///
  /// - Parameter keepingLog: Whether to leave the write-ahead log as it is, so that no byte of the
  ///   file changes.
  func close(keepingLog: Bool = false) throws(PersistenceError) {
    guard let handle else { return }
    for statement in cache { statement.finalise() }
    cache = []
    if keepingLog { keepLog() }
    let result = sqlite3_close(handle)
    guard result == SQLITE_OK else {
      throw PersistenceError(
        .misuse, path: shownPath, operation: operation, code: result,
        what: "a statement was left open")
    }
    self.handle = nil
  }

  /// Leaves the write-ahead log as it is when the connection closes.
  private func keepLog() {
    var now: Int32 = 0
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, &now)
  }

  // MARK: Errors

  func error(_ code: Int32, sql: String?) -> PersistenceError {
    let system = handle.map { sqlite3_system_errno($0) } ?? 0
    let kind = SQLiteResult.kind(code, systemError: system, cancelled: BusyWait.isCancelled)
    // SQLite's messages name tables and columns, not values. They describe defects of the schema or
    // of this program.
    let message =
      handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    let general = SQLiteResult.words(kind, systemError: system)
    let isExplained = kind != .corrupted || code & 0xff == SQLITE_CORRUPT
    let words = general.map { isExplained ? $0 : "\($0): \(message)" } ?? message
    return PersistenceError(
      kind, path: shownPath, operation: operation, code: code, what: words,
      sql: kind == .misuse ? sql : nil)
  }
}

extension PersistenceError {
  /// Creates the error for entries that do not match their checksums.
  init(unmatched entries: String, _ kind: Entry, _ connection: SQLiteConnection) {
    self.init(
      .corrupted, path: connection.path, operation: connection.operation,
      message: "\(entries) in \(connection.path) no longer matches its checksum", damaged: kind)
  }
}
