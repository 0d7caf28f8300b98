import SwiftBoardSystem
import Synchronization

/// Persistence in two SQLite files: one whose commits are on the disk when a call returns, and one
/// that may be lost.
///
/// Nothing is opened, created or read before the first call that needs it; a call that only reads
/// does not make a missing file. Calls may come from any task. Each file has threads of its own:
/// waiting for the disk or for another process's lock (up to five seconds, cut short when the task
/// is cancelled) holds up no other task, and reads of the main file do not wait behind its writes.
/// A call costs about ten microseconds, a change of the main file an fsync.
///
/// The main file is never repaired or replaced: a damaged one is refused with what to do. A damaged
/// cache is moved to `….damaged` and made anew. New files have mode 0600, new folders 0700.
///
/// Call `close()` at the end of the program. Without it nothing is lost, but the next start has to
/// check the files.
public final class LivePersistenceService: PersistenceService {
  let main: Database
  let cache: Database
  let limits: PersistenceLimits
  /// Keys of cached answers that were read since the last write, in order: their use is noted with
  /// the next one, so that a read takes no write lock.
  let touched = Mutex<[String]>([])
  /// Recent searches and cached answers that are written together; `nil`: each by its call.
  let deferred: DeferredChanges?

  /// - Parameters:
  ///   - mainPath: Documents, preferences, services, recent searches, the keychain's marks.
  ///   - cachePath: Cached answers and log records.
  public convenience init(mainPath: String, cachePath: String) {
    self.init(mainPath: mainPath, cachePath: cachePath, limits: PersistenceLimits())
  }

  /// The same with limits of its own.
  ///
  /// - Parameter writesTogether: Whether recent searches and cached answers are written behind the
  ///   calls that bring them, those of a tenth of a second together. Then such a call waits for
  ///   nothing and does not throw; what was not written yet is lost if the process is killed. Every
  ///   other call of this service finds them.
  public convenience init(
    mainPath: String, cachePath: String, limits: PersistenceLimits, writesTogether: Bool = false
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

  /// Waits until what is written together was written.
  private func flush() async {
    await deferred?.searches.flush()
    await deferred?.responses.flush()
  }

  /// Closes both files and folds their logs into them. A later call opens them again.
  public func close() async throws(PersistenceError) {
    await flush()
    try? await noteTouches()
    try await cache.close()
    try await main.close()
  }

  /// Closes both files. A call that is still running is waited for, whatever the duration.
  ///
  /// - Returns: False if a file could not be closed.
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

  // MARK: Both files

  /// Whether a call has opened the main file.
  public var isOpen: Bool { main.isOpen }

  /// Counts the documents of a collection up to 10 000, and 20 000 in all.
  public func contents(limit: Int) async throws(PersistenceError) -> DatabaseContents {
    try await main.read("contents", whenMissing: DatabaseContents()) {
      (connection) throws(PersistenceError) in
      try connection.read { () throws(PersistenceError) in
        var contents = DatabaseContents()
        var rows = 20_000
        for name in try DocumentTable.collections(connection, limit: limit) {
          let most = min(rows, 10_000)
          let count = try DocumentTable.count(name, limit: most, connection)
          rows -= count ?? most
          contents.collections.append(.init(name, count: count))
        }
        contents.preferences = try connection.texts(
          "SELECT name FROM preferences ORDER BY name LIMIT \(limit)")
        return contents
      }
    }
  }

  /// Counts the rows of every table: O(rows). A file that does not exist counts as empty and is not
  /// made.
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
    let paths = [main.file.path, cache.file.path]
    let bytes = paths.flatMap { [$0, $0 + "-wal"] }.reduce(0) {
      $0 + (FileInfo($1).map { Int($0.size) } ?? 0)
    }
    return PersistenceStatistics(
      paths: paths, bytes: bytes, schemaVersion: main.file.schema.version, tables: tables)
  }

  /// SQLite's full check of both files, and the checksum of every document, preference and service.
  /// Reads both files from end to end.
  public func check() async throws(PersistenceError) -> [String] {
    var findings = try await main.read("check", whenMissing: []) {
      (connection) throws(PersistenceError) -> [String] in
      var findings = try Self.integrity(connection)
      guard findings.isEmpty else { return findings }
      findings += try DocumentTable.damaged(connection).map { "document \($0) is damaged" }
      findings += try PreferenceTable.damaged(connection).map { "preference \($0) is damaged" }
      findings += try ServiceTable.damaged(connection).map { "service \($0) is damaged" }
      return findings
    }
    findings += try await cache.read("check", whenMissing: []) {
      (connection) throws(PersistenceError) -> [String] in try Self.integrity(connection)
    }
    return findings
  }

  private static func integrity(_ connection: SQLiteConnection) throws(PersistenceError)
    -> [String]
  {
    let findings = try connection.texts("PRAGMA integrity_check(20)")
    return findings == ["ok"] ? [] : findings.map { "\(connection.path): \($0)" }
  }

  /// A copy of the main file, made in one piece while others may write. The copy appears whole or
  /// not at all, mode 0600.
  ///
  /// - Throws: `.exists` where the name is taken, `.cannotCreate` where no file can be made,
  ///   `.full`.
  public func backup(to path: String) async throws(PersistenceError) {
    await flush()
    _ = try await main.exclusive("backup") { (connection) throws(PersistenceError) in
      try DatabaseFile.copy(connection, to: path, reportedAs: path)
    }
  }
}
