import SwiftBoardSystem
import Synchronization

/// A database file by its path: finds it, makes it, checks it and brings it up to date.
///
/// A new file is built under another name and appears whole, so that an empty or half-made file is
/// never ours: one that is empty has lost its content, and is refused instead of being taken for
/// new.
final class DatabaseFile: Sendable {
  /// What a caller in the same module may set for a test.
  struct Options: Sendable {
    var busyWait = BusyWait()
    /// Runs on each new connection, after it was set up.
    var prepare: (@Sendable (SQLiteConnection) throws(PersistenceError) -> Void)?
  }

  enum Opened {
    case ready(SQLiteConnection)
    case missing
    /// There is something to do that a reader may not: migrate, or change the journal.
    case needsWriter
  }

  /// As the caller gave it.
  let path: String
  private let system = FileSystem()
  let schema: DatabaseSchema
  let options: Options
  /// Set once this process has the database open: what its log then holds is our own, and needs no
  /// check.
  let isChecked = Atomic(false)

  init(path: String, schema: DatabaseSchema, options: Options = Options()) {
    self.path = path
    self.schema = schema
    self.options = options
  }

  // MARK: Opening

  /// The connection that writes. A missing file is made, an older one migrated.
  func openWriter(operation: String) throws(PersistenceError) -> SQLiteConnection {
    if !system.isTaken(path) { try create(operation: operation) }
    let opened = try open(operation: operation, mayWrite: true)
    guard case .ready(let connection) = opened else {
      throw PersistenceError(
        .cannotOpen, path: path, operation: operation,
        what: "the database vanished while it was opened")
    }
    return connection
  }

  /// A connection that only reads, and makes nothing.
  ///
  /// Readers share the log's index in a file, for which a full disk has no space. Then the
  /// connection is alone with the database, has the index in memory, and is to be closed after its
  /// use.
  func openReader(operation: String) throws(PersistenceError) -> Opened {
    guard system.isTaken(path) else { return .missing }
    do throws(PersistenceError) {
      return try open(operation: operation, mayWrite: false)
    } catch {
      guard error.kind == .full else { throw error }
      return try open(operation: operation, mayWrite: false, isAlone: true)
    }
  }

  private func open(
    operation: String, mayWrite: Bool, isAlone: Bool = false
  ) throws(PersistenceError) -> Opened {
    let resolved = system.resolved(path)
    guard let size = FileInfo(resolved)?.size else {
      if mayWrite {
        throw PersistenceError(
          .cannotOpen, path: path, operation: operation,
          what: "the name leads nowhere")
      }
      return .missing
    }
    // A log with content says that the last run left it, or did not close, or that another process
    // has the database open.
    let log = FileInfo(resolved + "-wal").flatMap { $0.size > 0 ? $0 : nil }
    let closedCleanly = log == nil
    guard size > 0 else {
      throw PersistenceError(
        .corrupted, path: path, operation: operation,
        what: "the database is empty (0 bytes), which it never is by itself")
    }
    let connection = try SQLiteConnection(
      resolved, busyWait: options.busyWait, operation: operation)
    do throws(PersistenceError) {
      if isAlone { try connection.lockAlone() }
      let found = try identify(connection)
      if !mayWrite {
        let mode = try connection.text("PRAGMA journal_mode")
        if found < schema.version || mode != "wal" {
          try connection.close(keepingLog: !closedCleanly)
          return .needsWriter
        }
      } else if !connection.isReadOnly {
        try useLog(connection)
      }
      try setUp(connection, mayWrite: mayWrite)
      if let log, !isChecked.load(ordering: .relaxed), Self.wasBeforeStart(log) {
        try quickCheck(connection)
        connection.foldsLog = true
      }
      if mayWrite, found < schema.version {
        try migrate(connection, from: found)
      } else if mayWrite, closedCleanly, found > 1, system.isTaken(backupPath(resolved)) {
        try? system.remove(backupPath(resolved))
      }
      try options.prepare?(connection)
      isChecked.store(true, ordering: .relaxed)
      return .ready(connection)
    } catch {
      // Refused: not even a checkpoint may touch the file.
      try? connection.close(keepingLog: !closedCleanly)
      throw error
    }
  }

  /// The schema's version, once the file is known to be ours. Reads only.
  private func identify(_ connection: SQLiteConnection) throws(PersistenceError) -> Int {
    let id = try connection.integer("PRAGMA application_id") ?? 0
    guard id == schema.applicationID else {
      throw PersistenceError(
        .foreignDatabase, path: path, operation: connection.operation,
        what: "the database has application id \(id), "
          + "not \(schema.applicationID)")
    }
    let found = Int(try connection.integer("PRAGMA user_version") ?? 0)
    guard found <= schema.version else {
      throw PersistenceError(
        .newerSchema, path: path, operation: connection.operation,
        what: "the database has schema \(found); "
          + "this version knows \(schema.version)")
    }
    return found
  }

  private func useLog(_ connection: SQLiteConnection) throws(PersistenceError) {
    let mode = try connection.text("PRAGMA journal_mode = WAL") ?? ""
    guard mode == "wal" else { throw unset("journal_mode", mode, connection) }
  }

  /// Sets what holds for a connection, and reads it back: a pragma that is refused says nothing.
  private func setUp(_ connection: SQLiteConnection, mayWrite: Bool) throws(PersistenceError) {
    var pragmas: [(name: String, value: Int64)] = [
      ("synchronous", schema.durability.rawValue), ("cell_size_check", 1), ("temp_store", 2),
      ("foreign_keys", 1),
      // Up to 8 MiB. Checking the cells makes it dear to load a page, so more of them are kept.
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
    // No row where SQLite was built without memory maps.
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

  /// Whether a file was changed last before the machine was started. A process that is killed does
  /// no damage; a loss of power may have.
  private static func wasBeforeStart(_ file: FileInfo) -> Bool {
    var (now, uptime) = (timespec(), timespec())
    clock_gettime(CLOCK_REALTIME, &now)
    #if os(Linux)
      clock_gettime(CLOCK_BOOTTIME, &uptime)
    #else
      clock_gettime(CLOCK_MONOTONIC, &uptime)
    #endif
    let modified = file.modified.seconds
    // One from the future says that the clock was set, and nothing about the start.
    return modified <= Int64(now.tv_sec) - Int64(uptime.tv_sec) || modified > Int64(now.tv_sec)
  }

  /// Whether a connection that closes leaves the log to the next one. Folding it in waits for the
  /// disk several times; what may be lost with the power need not have that.
  func leavesLog(_ connection: SQLiteConnection) -> Bool {
    guard !connection.foldsLog, !connection.isAlone,
      let size = FileInfo(connection.path + "-wal")?.size
    else { return false }
    return (1..<Self.leftLog).contains(size)
  }

  /// The size of a log that is not left: the next connection reads all of it.
  private static let leftLog: Int64 = 512 << 10

  private func quickCheck(_ connection: SQLiteConnection) throws(PersistenceError) {
    let findings = try connection.texts("PRAGMA quick_check(5)")
    guard findings == ["ok"] else {
      throw PersistenceError(
        .corrupted, path: path, operation: connection.operation,
        what:
          "the machine stopped while the database was open, and a check finds: "
          + findings.joined(separator: "; "))
    }
  }

  // MARK: Making

  /// Builds the file in the same folder and gives it its name when it is whole. Another process
  /// that was faster wins.
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
      do throws(SystemError) { try temporary.publish(as: final, replaces: false) } catch {
        if error.code != EEXIST { throw cannotCreate(error, operation) }
      }
    }
    if schema.durability == .full { try? system.sync(folder: directory) }
  }

  /// A new file beside `path`, closed: SQLite opens it by its name.
  private static func temporary(for path: String) throws(SystemError) -> TemporaryFile {
    let name = "\(path).new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let temporary = try TemporaryFile(name)
    temporary.file.close()
    return temporary
  }

  /// Creates a whole database under a name of its own.
  private func build(_ final: String, operation: String) throws(PersistenceError) -> TemporaryFile {
    let temporary: TemporaryFile
    do { temporary = try Self.temporary(for: final) } catch { throw cannotCreate(error, operation) }
    let name = temporary.file.name
    do throws(PersistenceError) {
      let connection = try SQLiteConnection(
        name, shownPath: path, busyWait: options.busyWait, operation: operation)
      // The file can be lost until it has its final name, so one synchronization at the end is
      // enough.
      try connection.execute("PRAGMA journal_mode = MEMORY")
      try connection.execute("PRAGMA synchronous = OFF")
      try connection.execute("PRAGMA application_id = \(schema.applicationID)")
      try migrate(connection, from: 0)
      try useLog(connection)
      try connection.close()
    } catch {
      for suffix in ["", "-wal", "-shm", "-journal"] { try? system.remove(name + suffix) }
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

  private func cannotCreate(_ failure: SystemError, _ operation: String) -> PersistenceError {
    let kind: PersistenceError.Kind =
      failure.isFull ? .full : failure.code == EROFS ? .readOnly : .cannotCreate
    return PersistenceError(
      kind, path: path, operation: operation,
      what: "the database could not be made: \(failure)")
  }

  // MARK: Migrating

  /// Where the copy goes that is made before an existing file is migrated. It stays until the next
  /// clean opening.
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
        // Another process may have been here since the version was read.
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

  // MARK: Copies

  /// A consistent copy of the whole database, while others may write. It appears whole or not at
  /// all, and never over another file.
  static func copy(_ connection: SQLiteConnection, to path: String, reportedAs shown: String)
    throws(PersistenceError)
  {
    func failed(_ failure: SystemError) -> PersistenceError {
      PersistenceError(
        failure.code == EEXIST ? .exists : failure.isFull ? .full : .cannotCreate, path: shown,
        operation: connection.operation,
        what: failure.code == EEXIST
          ? "the file is there already"
          : "the copy could not be made: \(failure)")
    }
    let system = FileSystem()
    if system.isTaken(path) { throw failed(SystemError(code: EEXIST, call: "open")) }
    let temporary: TemporaryFile
    do { temporary = try Self.temporary(for: path) } catch { throw failed(error) }
    do {
      let statement = try connection.statement("VACUUM INTO ?")
      statement.bind(1, temporary.file.name)
      try statement.run()
    } catch {
      temporary.discard()
      throw error
    }
    do {
      try system.sync(path: temporary.file.name)
      try temporary.publish(as: path, replaces: false)
    } catch { throw failed(error) }
    try? system.sync(folder: PathComponents(path).folder)
  }

  // MARK: Damage

  /// Moves a damaged file out of the way, with its log, so that it can still be examined. One such
  /// copy is kept.
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

  /// Runs `body` while no other process does the same in that folder. Where the file system has no
  /// such locks it runs without one.
  private func withFolderLocked<Result>(
    _ folder: String, _ body: () throws(PersistenceError) -> Result
  ) throws(PersistenceError) -> Result {
    let lock = try? system.open(folder: folder)
    defer { lock?.close() }
    if let lock { try? system.lock(lock) }
    return try body()
  }
}
