import SwiftBoardSystem
import Synchronization

/// Persistence in two SQLite files. Commits to the main file are on the disk when a call returns.
/// The cache file may be lost.
///
/// The service opens, creates and reads nothing before the first call that needs it. Calls that
/// only read do not create a missing file. Calls may come from any task. Each file has its own
/// threads for calls that read many rows or wait for the lock of another process, so that these
/// delay no other task. Other calls run on their callers' threads as long as they take less than a
/// millisecond. Reads of the main file do not wait for its writes. Waiting for a lock ends after
/// five seconds, or when the task is cancelled. A cancelled task also ends a call that reads or
/// writes many rows, and commits nothing: the call throws `cancelled`. A call takes about ten
/// microseconds, and a change of the main file takes an fsync.
///
/// The main file is never repaired or replaced. If it is damaged, calls throw an error that says
/// what to do. After a damaged page or a foreign log was found, calls that would write throw the
/// same error, until the file is replaced or `close()` is called. A damaged cache file is moved to
/// `….damaged` and created again. New files have mode 0600, and new folders 0700.
///
/// Call `close()` at the end of the program. Nothing is lost without it, but the next start has to
/// check the files.
public final class LivePersistenceService: PersistenceService {
  let main: Database
  let cache: Database
  let limits: PersistenceLimits
  /// The keys of cached responses that were read since the last write, in order. Their use is
  /// recorded with the next write, so that a read takes no write lock.
  let touched = Mutex<[String]>([])
  /// What `takeWarning()` returns next.
  private let warning = Mutex<String?>(nil)
  /// The recent searches and cached responses that wait to be written, or `nil` if calls write them
  /// directly.
  let deferred: DeferredChanges?

  /// Creates a service. Opens nothing.
  ///
  /// - Parameters:
  ///   - mainPath: The file of documents, preferences, services, recent searches and rollback
  ///     marks.
  ///   - cachePath: The file of cached responses and log records.
  ///   - limits: The limits of the tables.
  ///   - writesTogether: Whether recent searches and cached responses are written after their calls
  ///     return, in batches of a tenth of a second. Such a call does not wait for its own write.
  ///     The next call of its kind, or `close()`, throws the error of a failed write. Waiting
  ///     changes are lost if the process is killed. All other calls of this service see them.
  public convenience init(
    mainPath: String, cachePath: String, limits: PersistenceLimits = PersistenceLimits(),
    writesTogether: Bool = false
  ) {
    self.init(
      main: DatabaseFile(path: mainPath, schema: .main),
      cache: DatabaseFile(path: cachePath, schema: .cache), limits: limits,
      writesTogether: writesTogether)
  }

  init(
    main: DatabaseFile, cache: DatabaseFile, limits: PersistenceLimits = PersistenceLimits(),
    writesTogether: Bool = false
  ) {
    self.main = Database(main, hasReader: true)
    self.cache = Database(cache, hasReader: false)
    self.limits = limits
    deferred =
      writesTogether
      ? DeferredChanges(main: self.main, cache: self.cache, limits: limits) : nil
  }

  /// Waits until the deferred changes are written.
  private func flush() async {
    await deferred?.searches.flush()
    await deferred?.responses.flush()
  }

  /// Closes both files. Checkpoints a log with changes that must not be lost, one with content that
  /// was to be erased, and one of 512 KiB and more that this process has added to. The next call
  /// opens the files again.
  ///
  /// - Throws: The error of a file that could not be closed, or of a deferred write that no other
  ///   call has thrown.
  public func close() async throws(PersistenceError) {
    await flush()
    try? await noteTouches()
    try await cache.close()
    try await main.close()
    try deferred?.searches.throwFailure()
    try deferred?.responses.throwFailure()
  }

  /// Closes both files. Waits for running calls, even beyond the duration.
  ///
  /// - Returns: False if a file could not be closed or a change could not be written.
  public func shutDown(within duration: Duration) async -> Bool {
    do {
      try await close()
      return true
    } catch {
      return false
    }
  }

  private func noteTouches() async throws(PersistenceError) {
    let keys = takeTouched()
    guard !keys.isEmpty else { return }
    try await cache.write("close") { (connection) throws(PersistenceError) in
      try ResponseTable.touch(keys, connection)
    }
  }

  func takeTouched() -> [String] {
    touched.withLock { keys in
      let taken = keys
      keys = []
      return taken
    }
  }

  // MARK: Erasing

  /// Removes content from a file, and from the log beside it.
  ///
  /// - Returns: How much `body` removed.
  func erase(
    _ operation: String, in database: Database, isSkippable: Bool = false,
    _ body: @escaping @Sendable (SQLiteConnection) throws(PersistenceError) -> Int
  ) async throws(PersistenceError) -> Int {
    let (count, isErased) = try await database.erase(operation, isSkippable: isSkippable, body)
    if !isErased {
      let path = database.file.path
      warning.withLock {
        $0 =
          "what was removed is still in \(path)-wal, since another program reads the database, or "
          + "a list whose output is not taken"
      }
    }
    return count
  }

  /// Returns the warning that another program kept removed content from being erased.
  public func takeWarning() async -> String? { warning.withLock { $0.take() } }

  // MARK: Both files

  /// Whether a call has opened the main file.
  public var isOpen: Bool { main.isOpen }

  /// The paths of the main file and of the cache file. Opens neither.
  public var paths: [String] { [main.file.path, cache.file.path] }

  /// Returns the path of the main file if it does not exist. Does not open it if it does. Throws
  /// `.moved` if a call found it before.
  public func missingDatabase() async throws(PersistenceError) -> String? {
    await flush()
    let operation = "missingDatabase"
    guard try main.file.isMissing(operation: operation) else { return nil }
    return try await main.read(operation, .brief, whenMissing: main.file.path) { _ in nil }
  }

  /// Counts all documents, or those of a collection up to 10 000, and 20 000 in all.
  public func contents(
    limit: Int, countsAll: Bool
  ) async throws(PersistenceError) -> DatabaseContents {
    try await main.read("contents", whenMissing: DatabaseContents()) {
      (connection) throws(PersistenceError) in
      try connection.read { () throws(PersistenceError) in
        var contents = DatabaseContents()
        var rows = 20_000
        for name in try DocumentTable.collections(connection, limit: limit) {
          let most = countsAll ? Int.max - 1 : min(rows, 10_000)
          let count = try DocumentTable.count(name, limit: most, connection)
          if !countsAll { rows -= count ?? most }
          contents.collections.append(.init(name, count: count))
        }
        contents.preferences = try connection.texts(
          "SELECT name FROM preferences ORDER BY name LIMIT \(limit)")
        return contents
      }
    }
  }

  /// Counts the rows of every table. O(rows). A missing file counts as empty and is not created.
  public func statistics() async throws(PersistenceError) -> PersistenceStatistics {
    await flush()
    func rows(_ tables: [String])
      -> @Sendable (SQLiteConnection) throws(PersistenceError)
      -> [PersistenceStatistics.Row]
    {
      { (connection) throws(PersistenceError) in
        try connection.read { () throws(PersistenceError) in
          var rows: [PersistenceStatistics.Row] = []
          for table in tables {
            let count = try connection.integer("SELECT count(*) FROM \(table)") ?? 0
            rows.append(.init(name: table, rows: Int(count)))
          }
          return rows
        }
      }
    }
    func none(_ tables: [String]) -> [PersistenceStatistics.Row] {
      tables.map { .init(name: $0, rows: 0) }
    }
    let mainTables = ["documents", "preferences", "api_services", "recent_searches"]
    let cacheTables = ["responses", "log_records"]
    var tables = try await main.read(
      "statistics", whenMissing: none(mainTables), rows(mainTables))
    tables += try await cache.read(
      "statistics", whenMissing: none(cacheTables), rows(cacheTables))
    let bytes = paths.flatMap { [$0, $0 + "-wal"] }.reduce(0) {
      $0 + (FileInfo($1).map { Int($0.size) } ?? 0)
    }
    return PersistenceStatistics(
      paths: paths, bytes: bytes, schemaVersion: main.file.schema.version, tables: tables)
  }

  /// Runs SQLite's full check on both files, and verifies the checksum of every document,
  /// preference and service, and that indexes have the values of the documents. Reads both files
  /// completely.
  public func check() async throws(PersistenceError) -> [String] {
    let operation = "check"
    let found = try await main.read(
      operation, whenMissing: DatabaseFindings(), Self.findings)
    if !found.all.isEmpty {
      try await main.onThread { (file) throws(PersistenceError) in
        file.note(found, operation)
        try file.checkLog(operation)
      }
    }
    var findings = found.all
    findings += try await cache.read("check", whenMissing: []) {
      (connection) throws(PersistenceError) -> [String] in
      try connection.interruptible { () throws(PersistenceError) -> [String] in
        try Self.integrity(connection)
      }
    }
    return findings
  }

  private static func findings(
    _ connection: SQLiteConnection
  ) throws(PersistenceError) -> DatabaseFindings {
    try connection.interruptible { () throws(PersistenceError) in
      let pages = try integrity(connection)
      return DatabaseFindings(
        pages: pages, entries: pages.isEmpty ? try damagedEntries(connection) : [])
    }
  }

  /// Returns the names of the triggers of the main file, which this program does not make.
  public func foreignTriggers() async throws(PersistenceError) -> [String] {
    try await main.read("triggers", whenMissing: []) { (connection) throws(PersistenceError) in
      try connection.texts("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    }
  }

  private static func damagedEntries(
    _ connection: SQLiteConnection
  ) throws(PersistenceError) -> [String] {
    try connection.interruptible { () throws(PersistenceError) -> [String] in
      var findings = try DocumentTable.damaged(connection).map { "document \($0) is damaged" }
      findings += try connection.read { () throws(PersistenceError) in
        try DocumentIndexTable.findings(connection)
      }
      findings += try PreferenceTable.damaged(connection).map { "preference \($0) is damaged" }
      findings += try ServiceTable.damaged(connection).map { "service \($0) is damaged" }
      return findings
    }
  }

  private static func integrity(_ connection: SQLiteConnection) throws(PersistenceError)
    -> [String]
  {
    let findings = try connection.texts("PRAGMA integrity_check(20)")
    return findings == ["ok"] ? [] : findings.map { "\(connection.path): \($0)" }
  }

  /// Copies the main file consistently, also during writes of others. The copy appears complete or
  /// not at all, with mode 0600. Checks the file first as `check()` does.
  ///
  /// - Throws: `.exists` if the name is taken, `.cannotCreate` if the file cannot be created,
  ///   `.full`, and `.cancelled`, after which there is no file. `.busy`, also without a file, if
  ///   another process changes a file that can only be read without locks. `.corrupted` if the file
  ///   is damaged: the copy then exists, and has the same damage, if all of the file could be read.
  public func backup(to path: String) async throws(PersistenceError) {
    await flush()
    let operation = "backup"
    let findings = try await main.exclusive(operation, changesFile: false) {
      [file = main.file] (connection) throws(PersistenceError) -> DatabaseFindings in
      // The error of a name that is taken needs no check of the file.
      if FileSystem().isTaken(path) {
        try DatabaseFile.copy(connection, to: path, reportedAs: path)
        return DatabaseFindings()
      }
      let findings = try connection.readUnchanged { () throws(PersistenceError) in
        try Self.findings(connection)
      }
      if !findings.all.isEmpty { file.note(findings, operation) }
      try DatabaseFile.copy(connection, to: path, reportedAs: path)
      return findings
    }
    // Thrown here, the error keeps its message, which says that there is a copy.
    guard findings.all.isEmpty else {
      throw PersistenceError(
        .corrupted, path: main.file.path, operation: operation,
        message: "\(path) was written, and is a copy of a damaged database: "
          + findings.all.prefix(20).joined(separator: "; "),
        damaged: findings.pages.isEmpty ? .document : nil)
    }
  }

  /// Reads the main file without checking it first, as far as the pages that lead to an entry are
  /// whole. The new file appears complete or not at all, with mode 0600. Entries that do not match
  /// their checksums are copied.
  ///
  /// - Throws: `.exists`, `.cannotCreate`, `.full` and `.cancelled` as `backup(to:)`;
  ///   `.notADatabase` if nothing can be read.
  public func recover(to path: String) async throws(PersistenceError) -> DatabaseRecovery {
    await flush()
    return try await main.onThread { (file) throws(PersistenceError) in
      try file.recover(
        tables: [
          "documents", "preferences", "api_services", "recent_searches", "keychain_marks",
        ], to: path, operation: "recover", check: Self.damagedEntries)
    }
  }
}
