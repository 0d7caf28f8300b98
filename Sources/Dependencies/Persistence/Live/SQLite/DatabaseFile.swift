import SwiftBoardSystem
import Synchronization

/// The path of a database file, with the operations that create, verify, open and migrate it.
///
/// A new file is built under another name and appears complete, so that an empty or incomplete file
/// is never a new one. An empty file has lost its content and is rejected.
final class DatabaseFile: Sendable {
  struct Options: Sendable {
    /// Whether the file is neither created nor migrated.
    var onlyReads = false
    var busyWait = BusyWait()
    /// For tests: runs on each new connection after it was set up.
    var prepare: (@Sendable (SQLiteConnection) throws(PersistenceError) -> Void)?
  }

  enum Opened {
    case ready(SQLiteConnection)
    case missing
    /// The file needs a migration, or only another journal mode, which a reader cannot do.
    case needsWriter(isOlder: Bool)
  }

  /// The path as the caller gave it.
  let path: String
  let system = FileSystem()
  let schema: DatabaseSchema
  let options: Options
  /// Whether this process has opened the database. Its log then comes from this process and needs
  /// no check.
  let isChecked = Atomic(false)
  /// The damage that was found since the file was opened.
  private let damage = Mutex<Damage?>(nil)

  init(path: String, schema: DatabaseSchema, options: Options = Options()) {
    self.path = path
    self.schema = schema
    self.options = options
  }

  // MARK: Opening

  /// Opens the connection that writes. Creates a missing file and migrates an older one.
  func openWriter(operation: String) throws(PersistenceError) -> SQLiteConnection {
    guard !options.onlyReads else {
      throw PersistenceError(
        .cannotOpen, path: path, operation: operation, what: "the database is only read here")
    }
    if try isMissing(operation: operation) { try create(operation: operation) }
    let opened = try open(operation: operation, mayWrite: true)
    guard case .ready(let connection) = opened else {
      throw PersistenceError(
        .cannotOpen, path: path, operation: operation,
        what: "the database vanished while it was opened")
    }
    return connection
  }

  /// Opens a connection that only reads. Creates nothing.
  ///
  /// Readers share the index of the log in a file. If the disk has no space for it, the connection
  /// locks the database exclusively and has the index in memory. Close it after its use.
  func openReader(operation: String) throws(PersistenceError) -> Opened {
    if try isMissing(operation: operation) { return .missing }
    do throws(PersistenceError) {
      return try open(operation: operation, mayWrite: false)
    } catch {
      guard error.kind == .full, !options.onlyReads else { throw error }
      return try openAlone(operation: operation)
    }
  }

  /// Opens a connection that only reads, and needs no space on the disk. Close it after its use.
  func openAlone(operation: String) throws(PersistenceError) -> Opened {
    try open(operation: operation, mayWrite: false, isAlone: true)
  }

  /// Returns whether there is no file, and nothing in the way to it.
  ///
  /// - Throws: The error of a path that cannot be reached, which must not pass for an empty
  ///   database.
  func isMissing(operation: String) throws(PersistenceError) -> Bool {
    guard FileInfo(path) == nil else { return false }
    guard let obstacle = PathObstacle(to: path) else { return true }
    let kind: PersistenceError.Kind =
      if case .file = obstacle { .cannotCreate } else { .cannotOpen }
    throw PersistenceError(
      kind, path: path, operation: operation,
      what: "the \(schema.name) cannot be reached: \(obstacle)")
  }

  /// Opens a connection that reads the file as it is, where no file can be created beside it. Use
  /// it for one call, because it does not see the changes of others.
  ///
  /// - Throws: `readOnly` if the log or a journal contains changes, which cannot be read there.
  func openAsItIs(operation: String) throws(PersistenceError) -> SQLiteConnection {
    try openVersioned(operation: operation).connection
  }

  private func openVersioned(
    operation: String
  ) throws(PersistenceError) -> (connection: SQLiteConnection, version: Int) {
    let resolved = system.resolved(path)
    let connection = try SQLiteConnection(
      resolved, shownPath: path, access: .asItIs, busyWait: options.busyWait, operation: operation)
    guard !connection.lacksChanges else {
      throw PersistenceError(
        .readOnly, path: path, operation: operation,
        what: "the log or journal of the database has changes, which can only be read where it may "
          + "be written to")
    }
    return (connection, try identify(connection))
  }

  /// Opens a connection for one call that only reads, after the usual way of opening has failed.
  ///
  /// - Parameter error: The error of that attempt.
  /// - Throws: `error`, unless the file may only be read and has everything in it.
  func openAsItIs(
    operation: String, after error: PersistenceError
  ) throws(PersistenceError) -> SQLiteConnection {
    guard error.kind == .readOnly || error.kind == .cannotOpen else { throw error }
    let opened: (connection: SQLiteConnection, version: Int)
    do throws(PersistenceError) { opened = try openVersioned(operation: operation) } catch let other
    {
      throw other.kind == .readOnly ? other : error
    }
    guard opened.version == schema.version else { throw error.asMigrationError }
    return opened.connection
  }

  private func open(
    operation: String, mayWrite: Bool, isAlone: Bool = false
  ) throws(PersistenceError) -> Opened {
    do throws(PersistenceError) {
      return try openNow(operation: operation, mayWrite: mayWrite, isAlone: isAlone)
    } catch {
      let folder = PathComponents(system.resolved(path)).folder
      let refusal = access(folder, W_OK) == 0 ? nil : errno
      throw Self.openingFailure(error, refusalOfFolder: refusal)
    }
  }

  /// Names the folder in an error of SQLite about a missing file if the folder cannot be written
  /// to. Reading needs to create the index of the log there, too.
  ///
  /// - Parameter refusal: The system's error number, or `nil` if the folder can be written to.
  static func openingFailure(
    _ error: PersistenceError, refusalOfFolder refusal: Int32?
  ) -> PersistenceError {
    guard error.kind == .cannotOpen, let refusal else { return error }
    return PersistenceError(
      .cannotOpen, path: error.path, operation: error.operation, code: error.code,
      what: "the database cannot be opened, since its folder cannot be written to: "
        + SystemError.text(of: refusal))
  }

  private func openNow(
    operation: String, mayWrite: Bool, isAlone: Bool
  ) throws(PersistenceError) -> Opened {
    let resolved = system.resolved(path)
    guard let size = FileInfo(resolved)?.size else { return .missing }
    // A log with content was left by the previous run, or the run was not closed, or another
    // process has the database open.
    let log = FileInfo(resolved + "-wal").flatMap { $0.size > 0 ? $0 : nil }
    let closedCleanly = log == nil
    guard size > 0 else { throw emptyFile(operation) }
    let connection = try SQLiteConnection(
      resolved, busyWait: options.busyWait, operation: operation)
    do throws(PersistenceError) {
      if isAlone { try connection.lockAlone() }
      let found = try identify(connection)
      if !mayWrite {
        let mode = try connection.text("PRAGMA journal_mode")
        // Where nobody may change the mode, such as that of a backup, the file is read as it is.
        let isChangeable =
          !options.onlyReads && !connection.isReadOnly
          && access(PathComponents(resolved).folder, W_OK) == 0
        if found < schema.version || mode != "wal" && isChangeable {
          try connection.close(keepingLog: !closedCleanly)
          return .needsWriter(isOlder: found < schema.version)
        }
      } else if !connection.isReadOnly {
        try useLog(connection)
      }
      try setUp(connection, mayWrite: mayWrite)
      if let log, !options.onlyReads, !isChecked.load(ordering: .relaxed), Self.wasBeforeStart(log)
      {
        try quickCheck(
          connection, after: "the machine stopped while the database was open, and a check finds")
      }
      if mayWrite, found < schema.version {
        try migrate(connection, from: found)
        connection.foldsLog = true
      } else if mayWrite, closedCleanly, found > 1, system.isTaken(backupPath(resolved)) {
        try? system.remove(backupPath(resolved))
      }
      try options.prepare?(connection)
      isChecked.store(true, ordering: .relaxed)
      return .ready(connection)
    } catch {
      // The file was rejected. Not even a checkpoint may change it.
      try? connection.close(keepingLog: !closedCleanly)
      throw error
    }
  }

  /// Returns the version of the schema after checking that the file belongs to this program. Only
  /// reads.
  func identify(_ connection: SQLiteConnection) throws(PersistenceError) -> Int {
    let id = try connection.integer("PRAGMA application_id") ?? 0
    guard id == schema.applicationID else {
      throw PersistenceError(
        .foreignDatabase, path: path, operation: connection.operation,
        what: "the database has application id \(id), "
          + "not \(schema.applicationID)")
    }
    let found = Int(try connection.integer("PRAGMA user_version") ?? 0)
    guard found >= 0 else {
      throw PersistenceError(
        .corrupted, path: path, operation: connection.operation,
        what: "the database is damaged: it has schema \(found), which no version made")
    }
    guard found <= schema.version else {
      throw PersistenceError(
        .newerSchema, path: path, operation: connection.operation,
        what: "the database has schema \(found); "
          + "this version knows \(schema.version)")
    }
    return found
  }

  func useLog(_ connection: SQLiteConnection) throws(PersistenceError) {
    let mode = try connection.text("PRAGMA journal_mode = WAL") ?? ""
    guard mode == "wal" else { throw unset("journal_mode", mode, connection) }
  }

  /// Sets the options of a connection and reads them back, because SQLite does not report a
  /// rejected pragma.
  private func setUp(_ connection: SQLiteConnection, mayWrite: Bool) throws(PersistenceError) {
    var pragmas: [(name: String, value: Int64)] = [
      ("synchronous", schema.durability.rawValue), ("cell_size_check", 1), ("temp_store", 2),
      ("foreign_keys", 1),
      // Up to 8 MiB. Checking the cells makes loading a page expensive, so more pages are cached.
      ("cache_size", -8192),
    ]
    if mayWrite {
      pragmas += [
        ("secure_delete", schema.erasesDeleted ? 1 : 0), ("journal_size_limit", 4 << 20),
      ]
    } else {
      pragmas.append(("query_only", 1))
    }
    #if os(macOS)
      let full: Int64 = schema.durability == .full ? 1 : 0
      pragmas += [("fullfsync", full), ("checkpoint_fullfsync", full)]
    #endif
    for (name, value) in pragmas {
      if try connection.integer("PRAGMA \(name)") == value { continue }
      try connection.execute("PRAGMA \(name) = \(value)")
      let now = try connection.integer("PRAGMA \(name)")
      guard now == value else { throw unset(name, "\(now ?? -1)", connection) }
    }
    // Another program may have added triggers, which would change what this one writes.
    if schema.names(of: .trigger, through: schema.version).isEmpty {
      try connection.disableTriggers()
    }
    // There is no row if SQLite was built without memory maps.
    if try connection.integer("PRAGMA mmap_size") ?? 0 != 0 {
      try connection.execute("PRAGMA mmap_size = 0")
      let size = try connection.integer("PRAGMA mmap_size") ?? 0
      guard size == 0 else { throw unset("mmap_size", "\(size)", connection) }
    }
  }

  private func unset(_ name: String, _ now: String, _ connection: SQLiteConnection)
    -> PersistenceError
  {
    PersistenceError(
      .cannotOpen, path: path, operation: connection.operation,
      what: "\(name) could not be set, it is \(now)")
  }

  /// Returns whether a file was last changed before the machine started. A killed process does not
  /// damage the file, but a power failure may have done so.
  private static func wasBeforeStart(_ file: FileInfo) -> Bool {
    var (now, uptime) = (timespec(), timespec())
    clock_gettime(CLOCK_REALTIME, &now)
    #if os(Linux)
      clock_gettime(CLOCK_BOOTTIME, &uptime)
    #else
      clock_gettime(CLOCK_MONOTONIC, &uptime)
    #endif
    let modified = file.modified.components.seconds
    // A time in the future means that the clock was set, and says nothing about the start.
    return modified <= Int64(now.tv_sec) - Int64(uptime.tv_sec) || modified > Int64(now.tv_sec)
  }

  /// Returns whether a closing connection leaves the log to the next one. A checkpoint waits for
  /// the disk several times, which is unnecessary for data that a power failure may lose. It also
  /// destroys a file that was put beside the log of another one, so a connection that changed
  /// nothing leaves a log of any size, also one that was moved away and is still open.
  func leavesLog(_ connection: SQLiteConnection) -> Bool {
    let size = connection.logSize
    guard size != 0 else { return false }
    // A checkpoint would change the file.
    if options.onlyReads || hasDamage { return true }
    guard !connection.foldsLog else { return false }
    return !connection.hasChanged || (size ?? 0) < Self.leftLog
  }

  /// The size in bytes from which a connection that changed the file does not leave the log,
  /// because the next connection reads all of it.
  private static let leftLog: Int64 = 512 << 10

  /// - Parameter words: The beginning of the error's text.
  func quickCheck(
    _ connection: SQLiteConnection, after words: String
  ) throws(PersistenceError) {
    let findings = try connection.texts("PRAGMA quick_check(5)")
    guard findings == ["ok"] else {
      throw PersistenceError(
        .corrupted, path: path, operation: connection.operation,
        what: "\(words): \(findings.joined(separator: "; "))")
    }
  }

  /// Returns the error of a file without a byte, and of a pipe or device.
  func emptyFile(_ operation: String) -> PersistenceError {
    let isRegular = FileInfo(system.resolved(path))?.isRegular == true
    return PersistenceError(
      .notADatabase, path: path, operation: operation,
      what: isRegular
        ? "the database is empty (0 bytes), which it never is by itself"
        : "this is a pipe or a device, not a file")
  }

  // MARK: Creating

  /// Builds the file in the same folder and renames it when it is complete. Another process that
  /// was faster wins.
  private func create(operation: String) throws(PersistenceError) {
    let parts = PathComponents(path)
    do { try system.makeFolders(parts.folder) } catch { throw cannotCreate(error, operation) }
    let directory = system.resolved(parts.folder)
    let final = PathComponents.join(directory, parts.name)
    try withFolderLocked(directory) { () throws(PersistenceError) in
      guard !system.isTaken(final) else { return }
      let temporary = try build(final, operation: operation)
      // SQLite would apply the log of a missing database to the new one.
      for suffix in ["-wal", "-journal"] where (FileInfo(final + suffix)?.size ?? 0) > 0 {
        do throws(SystemError) {
          try system.rename(final + suffix, to: "\(final).orphan\(suffix)")
        } catch {
          temporary.discard()
          throw cannotCreate(error, operation)
        }
      }
      for suffix in ["-wal", "-shm", "-journal"] { try? system.remove(final + suffix) }
      do throws(SystemError) { try temporary.publish(as: final) } catch {
        if error.code != EEXIST { throw cannotCreate(error, operation) }
      }
    }
    if schema.durability == .full { try? system.sync(folder: directory) }
  }

  /// Creates a complete database under a temporary name.
  private func build(
    _ final: String, operation: String
  ) throws(PersistenceError) -> NewDatabaseFile {
    let temporary: NewDatabaseFile
    do { temporary = try NewDatabaseFile(for: final) } catch {
      throw cannotCreate(error, operation)
    }
    let name = temporary.path
    do throws(PersistenceError) {
      let connection = try SQLiteConnection(
        name, shownPath: path, busyWait: options.busyWait, operation: operation)
      try makeSchema(connection)
      try useLog(connection)
      try connection.close()
    } catch {
      temporary.discard()
      throw error
    }
    if schema.durability == .full {
      do throws(SystemError) { try system.sync(path: name) } catch {
        temporary.discard()
        throw cannotCreate(error, operation)
      }
    }
    return temporary
  }

  /// Makes the tables of an empty file that has a temporary name. The file may be lost until it has
  /// its final name, so one synchronization at the end is enough.
  func makeSchema(_ connection: SQLiteConnection) throws(PersistenceError) {
    try connection.execute("PRAGMA journal_mode = MEMORY")
    try connection.execute("PRAGMA synchronous = OFF")
    try connection.execute("PRAGMA application_id = \(schema.applicationID)")
    try migrate(connection, from: 0)
  }

  private func cannotCreate(_ failure: SystemError, _ operation: String) -> PersistenceError {
    PersistenceError(
      failure.isFull ? .full : .cannotCreate, path: path, operation: operation,
      what: "the database could not be made: \(failure)")
  }

  // MARK: Migrating

  /// Returns the path of the copy that is made before a migration. The copy remains until the next
  /// time that the file is opened after a clean close.
  private func backupPath(_ resolved: String) -> String { "\(resolved).before-\(schema.version)" }

  private func migrate(_ connection: SQLiteConnection, from found: Int) throws(PersistenceError) {
    for (index, migration) in schema.migrations.enumerated() where migration.version != index + 1 {
      throw PersistenceError(
        .misuse, path: path, operation: connection.operation,
        what: "Migration \(index + 1) is numbered \(migration.version)")
    }
    if found > 0, schema.whenDamaged == .refuse {
      let backup = backupPath(connection.path)
      try? system.remove(backup)
      try Self.copy(connection, to: backup, reportedAs: backup)
    }
    for migration in schema.migrations.dropFirst(found) {
      try connection.write { () throws(PersistenceError) in
        // Another process may have migrated the file since the version was read.
        let now = Int(try connection.integer("PRAGMA user_version") ?? 0)
        guard now < migration.version else { return }
        for statement in migration.statements { try connection.execute(statement) }
        let broken = try connection.texts("PRAGMA foreign_key_check")
        guard broken.isEmpty else {
          throw PersistenceError(
            .corrupted, path: path, operation: connection.operation,
            what: "Migration \(migration.version) leaves rows of \(broken[0]) without what they "
              + "refer to")
        }
        try connection.execute("PRAGMA user_version = \(migration.version)")
      }
    }
  }

  // MARK: Damage

  /// Damage, and the file at the time at which it was found.
  private struct Damage {
    var error: PersistenceError
    var file: FileInfo?

    /// Whether pages or the log are damaged, not only entries.
    var isOfPages: Bool { error.kind == .foreignLog || SQLiteResult.isDamagedPage(error.code) }

    /// Whether a file is the damaged one, with the same content.
    func isOf(_ other: FileInfo?) -> Bool {
      guard let file, let other else { return false }
      return other.hasSameContent(as: file)
    }
  }

  /// Whether damage was noted since the file was opened.
  var hasDamage: Bool { damage.withLock { $0 != nil } }

  /// Notes damage until the file is closed. The log may be its cause, so no closing connection
  /// folds it from then on. Of damaged pages, the first error is kept, and that of the log.
  func note(_ error: PersistenceError) {
    let found = Damage(error: error, file: FileInfo(system.resolved(path)))
    damage.withLock { noted in
      if let noted, noted.isOfPages, noted.isOf(found.file), error.kind != .foreignLog { return }
      noted = found
    }
  }

  /// Throws the noted error of damaged pages or of a foreign log, unless the content of the file
  /// has changed since. A change would go to a file or a log that is to be moved away, and a later
  /// checkpoint would fold the log. Moving the log away does not end this, since connections have
  /// it open. Damaged entries can be replaced.
  func refuseDamaged(_ operation: String) throws(PersistenceError) {
    guard let noted = damage.withLock({ $0 }), noted.isOfPages,
      noted.isOf(FileInfo(system.resolved(path)))
    else { return }
    var error = noted.error
    error.operation = operation
    throw error
  }

  /// Forgets what is known of the file, since the next call opens it anew.
  func forget() {
    isChecked.store(false, ordering: .relaxed)
    damage.withLock { $0 = nil }
  }

  /// Moves a damaged file and its log aside for examination. Keeps one such copy.
  func moveAside(operation: String) throws(PersistenceError) {
    let resolved = system.resolved(path)
    let aside = resolved + ".damaged"
    try withFolderLocked(PathComponents(resolved).folder) { () throws(PersistenceError) in
      for suffix in ["-wal", "-shm"] { try? system.remove(aside + suffix) }
      do throws(SystemError) { try system.rename(resolved, to: aside) } catch {
        if error.isMissing { return }
        throw cannotCreate(error, operation)
      }
      for suffix in ["-wal", "-shm"] { try? system.rename(resolved + suffix, to: aside + suffix) }
    }
  }

  /// Runs `body` while no other process does so in that folder. Runs it without a lock if the file
  /// system does not support locks.
  private func withFolderLocked<Result>(
    _ folder: String, _ body: () throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Result {
    let lock = try? system.open(folder: folder)
    defer { lock?.close() }
    if let lock { try? system.lock(lock) }
    return try body()
  }
}
