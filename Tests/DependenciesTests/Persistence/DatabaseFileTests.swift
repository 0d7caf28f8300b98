import SwiftBoardSystem
import Testing

@testable import SwiftBoardDependencies

/// How the files come to be, are recognized, and are migrated.
@Suite("database files")
struct DatabaseFileTests {
  @Test("nothing is touched before the first write") func nothingIsTouchedBeforeTheFirstWrite()
    async throws
  {
    let folder = try DatabaseFolder()
    let deep = folder.path + "/a/b/main.sqlite"
    let service = LivePersistenceService(mainPath: deep, cachePath: folder.cache)
    _ = try await service.preferences()
    _ = try await service.cachedResponse("k")
    _ = try await service.statistics()
    #expect(try folder.names == [])
    try await service.setPreference("p", to: "1")
    #expect(DatabaseFolder.mode(deep) == 0o600)
    #expect(DatabaseFolder.mode(deep + "-wal") == 0o600)
    #expect(DatabaseFolder.mode(folder.path + "/a/b") == 0o700)
    #expect(DatabaseFolder.mode(folder.path + "/a") == 0o700)
    #expect(try folder.names == ["a"])
  }

  @Test("closing leaves one file and reopening changes none")
  func closingLeavesOneFileAndReopeningChangesNone() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    #expect(try folder.names == ["main.sqlite"])
    let before = try DatabaseFolder.bytes(folder.main)
    let again = folder.service()
    #expect(try await again.document(collection: "c", id: "1")?.body == "1")
    try await again.close()
    #expect(try DatabaseFolder.bytes(folder.main) == before)
    #expect(try folder.names == ["main.sqlite"])
    // A closed service opens again.
    #expect(try await service.document(collection: "c", id: "1")?.body == "1")
  }

  @Test("pragmas hold") func pragmasHold() async throws {
    let folder = try DatabaseFolder()
    for (schema, synchronous) in [(DatabaseSchema.main, 2), (.cache, 1)] {
      let file = DatabaseFile(path: folder.path + "/\(synchronous)", schema: schema)
      let connection = try file.openWriter(operation: "test")
      #expect(try connection.text("PRAGMA journal_mode") == "wal")
      #expect(try connection.integer("PRAGMA synchronous") == Int64(synchronous))
      #expect(try connection.integer("PRAGMA secure_delete") == (schema.erasesDeleted ? 1 : 0))
      #expect(try connection.integer("PRAGMA application_id") == schema.applicationID)
      #expect(try connection.integer("PRAGMA trusted_schema") == 0)
      // Double quotes make no text.
      #expect(throws: PersistenceError.self) { try connection.text("SELECT \"text\"") }
      try connection.close()
    }
  }

  @Test("a backup, whose journal mode nobody may change, is read as it is")
  func readOnlyBackup() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    let copy = folder.path + "/copy.sqlite"
    try await service.backup(to: copy)
    let before = try DatabaseFolder.bytes(copy)
    let reader = LivePersistenceService(
      main: DatabaseFile(path: copy, schema: .main, options: .init(onlyReads: true)),
      cache: DatabaseFile(path: folder.cache, schema: .cache), limits: PersistenceLimits(),
      writesTogether: false)
    #expect(try await reader.document(collection: "c", id: "1")?.body == "1")
    try await reader.close()
    #expect(try DatabaseFolder.bytes(copy) == before)
  }

  @Test("a symbolic link is followed") func aSymbolicLinkIsFollowed() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.setPreference("p", to: "1")
    try await service.close()
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.main)
    let linked = LivePersistenceService(mainPath: link, cachePath: folder.cache)
    try await linked.setPreference("p", to: "2")
    #expect(try await service.preference("p") == "2")
  }

  @Test("a folder that cannot be made") func aFolderThatCannotBeMade() async throws {
    let folder = try DatabaseFolder()
    try DatabaseFolder.write([1], to: folder.path + "/file")
    let service = LivePersistenceService(
      mainPath: folder.path + "/file/main.sqlite", cachePath: folder.cache)
    let error = await failure { () throws(PersistenceError) in
      try await service.setPreference("p", to: "1")
    }
    #expect(error?.kind == .cannotCreate)
    #expect(error?.path == folder.path + "/file/main.sqlite")
  }

  /// Names of a database that lead nowhere, in a folder with the links `dangling` and `loop`.
  static let unreachable = ["dangling", "loop", "dangling/main.sqlite", "loop/main.sqlite"]

  @Test("a database that cannot be reached is not an empty one", arguments: unreachable)
  func unreachableDatabase(name: String) async throws {
    let folder = try DatabaseFolder()
    for (link, target) in [("dangling", "nowhere/main.sqlite"), ("loop", "loop")] {
      try #require(symlink(target, "\(folder.path)/\(link)") == 0)
    }
    let names = try folder.names
    let path = "\(folder.path)/\(name)"
    let service = LivePersistenceService(mainPath: path, cachePath: folder.cache)
    let marks = DatabaseKeychainMarks(in: service)
    let errors = [
      await failure { () throws(PersistenceError) in try await service.missingDatabase() },
      await failure { () throws(PersistenceError) in try await service.collections() },
      await failure { () throws(PersistenceError) in
        try await service.documents(DocumentQuery(collection: "c"))
      },
      await failure { () throws(PersistenceError) in try await service.snapshot() },
      await failure { () throws(PersistenceError) in try await service.service("s") },
      await failure { () throws(PersistenceError) in try await service.preferences() },
      await failure { () throws(PersistenceError) in try await service.statistics() },
      await failure { () throws(PersistenceError) in try await service.check() },
      await failure { () throws(PersistenceError) in
        try await service.backup(to: folder.path + "/copy.sqlite")
      },
      await failure { () throws(PersistenceError) in
        try await service.recover(to: folder.path + "/copy.sqlite")
      },
      await failure { () throws(PersistenceError) in
        try await service.setPreference("p", to: "1")
      },
      await failure { () throws(PersistenceError) in try marks.look(forKeychainAt: "/k") },
      await failure { () throws(PersistenceError) in try marks.mark(forKeychainAt: "/k") },
    ]
    let link = "\(folder.path)/\(name.prefix { $0 != "/" })"
    for (index, error) in errors.enumerated() {
      #expect(error?.kind == .cannotOpen, "\(index)")
      #expect(error?.path == path, "\(index)")
      #expect(
        error?.message.hasPrefix("the database cannot be reached: '\(link)' ") == true,
        "\(index): \(error?.message ?? "")")
    }
    #expect(try folder.names == names)
  }

  @Test("a cache that cannot be reached is not an empty one", arguments: unreachable)
  func unreachableCache(name: String) async throws {
    let folder = try DatabaseFolder()
    for (link, target) in [("dangling", "nowhere/cache.sqlite"), ("loop", "loop")] {
      try #require(symlink(target, "\(folder.path)/\(link)") == 0)
    }
    let service = LivePersistenceService(
      mainPath: folder.main, cachePath: "\(folder.path)/\(name)")
    for error in [
      await failure { () throws(PersistenceError) in try await service.cachedResponse("k") },
      await failure { () throws(PersistenceError) in
        try await service.logRecords(limit: 1, atLeast: nil)
      },
      await failure { () throws(PersistenceError) in try await service.clearLogRecords() },
      await failure { () throws(PersistenceError) in try await service.check() },
      await failure { () throws(PersistenceError) in try await service.statistics() },
    ] {
      #expect(error?.kind == .cannotOpen, "\(String(describing: error))")
      #expect(
        error?.message.hasPrefix("the cache cannot be reached: ") == true,
        "\(error?.message ?? "")")
    }
  }

  @Test("a database is missing until the first change, and moved if it goes")
  func missing() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    #expect(try await service.missingDatabase() == folder.main)
    #expect(try await service.preferences() == [])
    #expect(try folder.names == [])
    try await service.setPreference("p", to: "1")
    #expect(try await service.missingDatabase() == nil)
    unlink(folder.main)
    let error = await failure { () throws(PersistenceError) in try await service.missingDatabase() }
    #expect(error?.kind == .moved)
    #expect(try await service.missingDatabase() == folder.main)
  }

  // MARK: Foreign and newer

  static func schema(_ versions: Int, statement: String? = nil) -> DatabaseSchema {
    var schema = DatabaseSchema.main
    for version in stride(from: schema.version + 1, through: versions, by: 1) {
      schema.migrations.append(
        .init(
          version: version,
          statements: [
            "CREATE TABLE extra\(version) (a TEXT) STRICT",
            statement ?? "UPDATE preferences SET json = '\(version)', checksum = 0",
          ]))
    }
    return schema
  }

  @Test("a newer schema is refused byte for byte", arguments: [false, true])
  func aNewerSchemaIsRefusedByteForByte(_ leavesLog: Bool) async throws {
    let folder = try DatabaseFolder()
    let newer = DatabaseFile(path: folder.main, schema: Self.schema(5))
    let connection = try newer.openWriter(operation: "test")
    try connection.execute("INSERT INTO preferences VALUES ('p', 0, '1')")
    try connection.close(keepingLog: leavesLog)
    let names = try folder.names.filter { !$0.hasSuffix("-shm") }
    #expect(names.contains("main.sqlite-wal") == leavesLog)
    let before = try names.map { try DatabaseFolder.bytes(folder.path + "/" + $0) }

    let service = folder.service()
    for _ in 0..<2 {
      let write = await failure { () throws(PersistenceError) in
        try await service.setPreference("p", to: "2")
      }
      #expect(write?.kind == .newerSchema)
      #expect(write?.message.contains("schema 5") == true)
      let read = await failure { () throws(PersistenceError) in try await service.preference("p") }
      #expect(read?.kind == .newerSchema)
    }
    try await service.close()
    #expect(try folder.names.filter { !$0.hasSuffix("-shm") } == names)
    #expect(try names.map { try DatabaseFolder.bytes(folder.path + "/" + $0) } == before)
  }

  @Test("a foreign database is refused byte for byte") func aForeignDatabaseIsRefusedByteForByte()
    async throws
  {
    let folder = try DatabaseFolder()
    var foreign = DatabaseSchema.main
    foreign.applicationID = 42
    try DatabaseFile(path: folder.main, schema: foreign).openWriter(operation: "test").close()
    let before = try DatabaseFolder.bytes(folder.main)
    let service = folder.service()
    let error = await failure { () throws(PersistenceError) in
      try await service.setPreference("p", to: "2")
    }
    #expect(error?.kind == .foreignDatabase)
    #expect(error?.message.contains("42") == true)
    #expect(try DatabaseFolder.bytes(folder.main) == before)
    // The cache file is not the main file either.
    try await service.storeResponse(PersistenceConformanceTests.response("a"))
    let swapped = LivePersistenceService(mainPath: folder.cache, cachePath: folder.main)
    let kinds = [
      await failure { () throws(PersistenceError) in try await swapped.preferences() }?.kind,
      await failure { () throws(PersistenceError) in try await swapped.cachedResponses() }?.kind,
    ]
    #expect(kinds == [.foreignDatabase, .foreignDatabase])
  }

  // MARK: Migrations

  @Test("an older file is copied and migrated") func anOlderFileIsCopiedAndMigrated() async throws {
    let folder = try DatabaseFolder()
    let old = folder.service()
    try await old.setPreference("p", to: "1")
    try await old.putDocument(Document("1", "[1]"))
    try await old.close()

    // A reader meets it first.
    let new = folder.service(mainSchema: Self.schema(5))
    #expect(try await new.document(collection: "c", id: "1")?.body == "[1]")
    #expect(try folder.names.contains("main.sqlite.before-5"))
    #expect(DatabaseFolder.mode(folder.main + ".before-5") == 0o600)
    try await new.close()
    let check = try folder.stranger()
    #expect(try check.integer("PRAGMA user_version") == 5)
    #expect(try check.text("SELECT json FROM preferences") == "5")
    try check.close()
    let backup = LivePersistenceService(
      mainPath: folder.main + ".before-5", cachePath: folder.cache)
    #expect(try await backup.preference("p") == "1")
    try await backup.close()

    // The copy goes with the next clean opening.
    let next = folder.service(mainSchema: Self.schema(5))
    try await next.putDocument(Document("2", "[2]"))
    try await next.close()
    #expect(try folder.names == ["main.sqlite"])
  }

  @Test("a read of an older file that cannot be migrated says that it has to be, and why")
  func readBeforeMigration() async throws {
    let folder = try DatabaseFolder()
    let old = folder.service()
    try await old.setPreference("p", to: "1")
    try await old.close()
    let new = folder.service(
      mainSchema: Self.schema(5),
      options: .init(prepare: { (connection) throws(PersistenceError) in
        throw PersistenceError(.full, operation: connection.operation, message: "no space")
      }))
    let error = await failure { () throws(PersistenceError) in try await new.preference("p") }
    #expect(error?.kind == .full)
    #expect(
      error?.message
        == "the database has to be brought to the form of this version before it can be read: "
        + "no space")
    try await new.close()
  }

  @Test("a read of a file of this version whose journal mode cannot be changed names no migration")
  func readBeforeAnotherMode() async throws {
    let folder = try DatabaseFolder()
    let old = folder.service()
    try await old.setPreference("p", to: "1")
    try await old.backup(to: folder.path + "/copy.sqlite")
    try await old.close()
    let copy = LivePersistenceService(
      main: DatabaseFile(
        path: folder.path + "/copy.sqlite", schema: .main,
        options: .init(prepare: { (connection) throws(PersistenceError) in
          throw PersistenceError(.full, operation: connection.operation, message: "no space")
        })),
      cache: DatabaseFile(path: folder.cache, schema: .cache))
    let error = await failure { () throws(PersistenceError) in try await copy.preference("p") }
    #expect(error?.message == "no space")
    try await copy.close()
  }

  @Test("a mark of the first schema stays, and has no date")
  func marksOfTheFirstSchema() throws {
    let folder = try DatabaseFolder()
    var first = DatabaseSchema.main
    first.migrations.removeLast(first.version - 1)
    try #require(first.version == 1)
    let connection = try DatabaseFile(path: folder.main, schema: first).openWriter(
      operation: "test")
    try connection.execute("INSERT INTO keychain_marks VALUES ('/k', x'01', 5, x'02', NULL)")
    try connection.close()
    let marks = DatabaseKeychainMarks(DatabaseFile(path: folder.main, schema: .main))
    var mark = RollbackMark(keyID: [1], generation: 5, mac: [2])
    #expect(try marks.mark(forKeychainAt: "/k") == mark)
    mark.generation = 6
    mark.written = 1_700_000_000_000_000
    try marks.raise(mark, forKeychainAt: "/k")
    #expect(try marks.mark(forKeychainAt: "/k") == mark)
    marks.closeStore()
  }

  @Test("a service of the third schema stays, and has no preset")
  func servicesOfTheThirdSchema() async throws {
    let folder = try DatabaseFolder()
    let service = APIService(
      name: "s", baseURL: "http://h", authentication: .query(name: "apikey", secret: "k"))
    let now = folder.service()
    try await now.saveService(service, replacing: false)
    try await now.close()
    // What a service has without a preset is what it had before there were presets.
    let connection = try folder.stranger()
    try connection.execute("ALTER TABLE api_services DROP COLUMN preset")
    try connection.execute("PRAGMA user_version = 3")
    try connection.close()
    let later = folder.service()
    #expect(try await later.services() == [service])
    var replaced = service
    replaced.preset = "sabnzbd"
    try await later.saveService(replaced, replacing: true)
    #expect(try await later.services() == [replaced])
    try await later.close()
  }

  @Test("a migration that fails leaves the version before")
  func aMigrationThatFailsLeavesTheVersionBefore() async throws {
    let folder = try DatabaseFolder()
    let old = folder.service()
    try await old.setPreference("p", to: "1")
    try await old.close()
    let bad = folder.service(mainSchema: Self.schema(5, statement: "INSERT INTO none VALUES (1)"))
    for _ in 0..<2 {
      let error = await failure { () throws(PersistenceError) in try await bad.preferences() }
      #expect(error?.kind == .corrupted)
    }
    try await bad.close()
    let check = try folder.stranger()
    #expect(try check.integer("PRAGMA user_version") == 4)
    #expect(try check.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'extra5'") == 0)
    try check.close()
    let good = folder.service(mainSchema: Self.schema(5, statement: "SELECT 1"))
    #expect(try await good.preference("p") == "1")
  }

  @Test("a gap is an error") func aGapIsAnError() throws {
    let folder = try DatabaseFolder()
    var schema = Self.schema(5)
    schema.migrations.remove(at: 1)
    let file = DatabaseFile(path: folder.main, schema: schema)
    let error = #expect(throws: PersistenceError.self) {
      _ = try file.openWriter(operation: "test")
    }
    #expect(error?.kind == .misuse)
    #expect(try folder.names == [])
  }

  @Test("two services make one file") func twoServicesMakeOneFile() async throws {
    let folder = try DatabaseFolder()
    try await withThrowingTaskGroup { group in
      for index in 0..<8 {
        let service = folder.service()
        group.addTask {
          try await service.putDocument(Document("\(index)", "1"))
          try await service.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(try await folder.service().documents(DocumentQuery(collection: "c")).count == 8)
    #expect(try folder.names.filter { $0.contains(".swiftboard-") } == [])
  }

  // MARK: Connections

  @Test("statements are kept up to a limit and none leaks")
  func statementsAreKeptUpToALimitAndNoneLeaks() throws {
    let folder = try DatabaseFolder()
    let file = DatabaseFile(path: folder.main, schema: .main)
    let connection = try file.openWriter(operation: "test")
    do {
      let first = try connection.statement("SELECT 0")
      #expect(try connection.statement("SELECT 0") === first)
      for index in 1...SQLiteConnection.cacheLimit {
        #expect(try connection.statement("SELECT \(index)").first { $0.integer(0) } == Int64(index))
      }
      #expect(try connection.statement("SELECT 0") !== first)
    }
    // One that runs is not handed out a second time.
    let outer = try connection.statement("VALUES (1), (2)")
    var pairs: [Int64] = []
    try outer.forEachRow { (row) throws(PersistenceError) in
      try connection.statement("VALUES (1), (2)").forEachRow { (inner) throws(PersistenceError) in
        pairs.append(row.integer(0) * 10 + inner.integer(0))
      }
    }
    #expect(pairs == [11, 12, 21, 22])
    try connection.close()
  }

  @Test("errors never show values") func errorsNeverShowValues() async throws {
    let folder = try DatabaseFolder()
    let file = DatabaseFile(path: folder.main, schema: .main)
    let connection = try file.openWriter(operation: "test")
    for _ in 0..<2 {
      let statement = try connection.statement("INSERT INTO preferences VALUES (?, 0, ?)")
      statement.bind(1, "topsecretname")
      statement.bind(2, "topsecretvalue")
      do throws(PersistenceError) { try statement.run() } catch {
        #expect(!error.message.contains("topsecret"))
        #expect(error.message.contains("INSERT INTO preferences"))
        #expect(error.path == FileSystem().resolved(folder.main))
        #expect(error.operation == "test")
        // SQLITE_CONSTRAINT_PRIMARYKEY
        #expect(error.code == 1555)
      }
    }
    try connection.close()
  }

  @Test("a keychain mark is never lowered") func aKeychainMarkIsNeverLowered() throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    let marks = DatabaseKeychainMarks(in: service)
    func mark(_ key: UInt8, _ generation: UInt64, next: UInt8? = nil) -> RollbackMark {
      RollbackMark(
        keyID: [key], generation: generation, mac: [key, 7],
        successor: next.map { [$0] })
    }
    #expect(try marks.mark(forKeychainAt: "/k") == nil)
    #expect(try marks.look(forKeychainAt: "/k") == nil)
    #expect(try folder.names == [])
    try marks.raise(mark(1, 5), forKeychainAt: "/k")
    try marks.raise(mark(1, 4), forKeychainAt: "/k")
    try marks.raise(mark(2, 9), forKeychainAt: "/k")
    #expect(try marks.mark(forKeychainAt: "/k") == mark(1, 5))
    #expect(try marks.look(forKeychainAt: "/k") == mark(1, 5))
    try marks.raise(mark(1, .max, next: 2), forKeychainAt: "/k")
    #expect(try marks.mark(forKeychainAt: "/k") == mark(1, .max, next: 2))
    try marks.raise(mark(2, 1), forKeychainAt: "/k")
    #expect(try marks.mark(forKeychainAt: "/k") == mark(2, 1))
    try marks.replace(mark(3, 0), forKeychainAt: "/k")
    #expect(try DatabaseKeychainMarks(in: service).mark(forKeychainAt: "/k") == mark(3, 0))
    #expect(try marks.mark(forKeychainAt: "/other") == nil)
    marks.closeStore()
  }

  @Test("a keychain mark is read where no file can be created beside the database")
  func aKeychainMarkInAClosedFolder() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    let marks = DatabaseKeychainMarks(in: service)
    let mark = RollbackMark(keyID: [1], generation: 5, mac: [2])
    try marks.raise(mark, forKeychainAt: "/k")
    marks.closeStore()
    try await service.close()
    // A user who may write everywhere meets a folder in place of the log's index.
    #expect(mkdir(folder.main + "-shm", 0o700) == 0)
    let later = DatabaseKeychainMarks(DatabaseFile(path: folder.main, schema: .main))
    #expect(try later.look(forKeychainAt: "/k") == mark)
    #expect(try later.mark(forKeychainAt: "/k") == mark)
    #expect(try later.mark(forKeychainAt: "/other") == nil)
    #expect(throws: PersistenceError.self) { try later.raise(mark, forKeychainAt: "/k") }
    // What only the log has is not known.
    let log = open(folder.main + "-wal", O_CREAT | O_WRONLY, 0o600)
    #expect(write(log, "x", 1) == 1)
    close(log)
    let file = DatabaseFile(path: folder.main, schema: .main)
    #expect(throws: PersistenceError.self) { _ = try file.openAsItIs(operation: "test") }
  }

  @Test("a database that may only be read is copied")
  func backupInAClosedFolder() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    // As where no file can be created beside it.
    let closed = folder.service(
      options: .init(prepare: { (connection) throws(PersistenceError) in
        throw PersistenceError(.readOnly, operation: connection.operation, message: "closed")
      }))
    let change = await failure { () throws(PersistenceError) in
      try await closed.putDocument(Document("2", "2"))
    }
    #expect(change?.message == "closed")
    let path = folder.path + "/copy.sqlite"
    try await closed.backup(to: path)
    try await closed.close()
    let copy = LivePersistenceService(mainPath: path, cachePath: folder.cache)
    #expect(try await copy.document(collection: "c", id: "1")?.body == "1")
    #expect(try await copy.check() == [])
    try await copy.close()
  }

  @Test("a copy without locks that another process changes meanwhile is not made")
  func changeDuringCopy() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    let connection = try DatabaseFile(path: folder.main, schema: .main)
      .openAsItIs(operation: "test")
    let path = folder.path + "/copy.sqlite"
    let error = #expect(throws: PersistenceError.self) {
      try DatabaseFile.copy(connection, to: path, reportedAs: path) {
        (temporary) throws(PersistenceError) in
        try connection.run("VACUUM INTO ?", temporary)
        let owner = try DatabaseFile(path: folder.main, schema: .main)
          .openWriter(operation: "owner")
        // Another size is noticed by every clock.
        try owner.execute("INSERT INTO preferences VALUES ('p', 0, hex(zeroblob(50000)))")
        try owner.close()
      }
    }
    #expect(error?.kind == .busy)
    #expect(error?.message.contains("another process changed the database") == true)
    #expect(try folder.names == ["main.sqlite"])
    // What seems damaged while it changes is not called so.
    let damaged = #expect(throws: PersistenceError.self) {
      try connection.readUnchanged { () throws(PersistenceError) in
        throw PersistenceError(.corrupted, operation: "test", message: "damaged")
      }
    }
    #expect(damaged?.kind == .busy)
    try connection.close()
  }

  @Test("a file that may only be read is not read as it is if it has a journal")
  func journal() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    let file = DatabaseFile(path: folder.main, schema: .main)
    try DatabaseFolder.write([], to: folder.main + "-journal")
    try file.openAsItIs(operation: "test").close()
    try DatabaseFolder.write([1], to: folder.main + "-journal")
    let error = #expect(throws: PersistenceError.self) { try file.openAsItIs(operation: "test") }
    #expect(error?.kind == .readOnly)
    // The journal of a program that keeps it, after a commit.
    try DatabaseFolder.write(
      Array(repeating: 0, count: 28) + [1, 2, 3], to: folder.main + "-journal")
    try file.openAsItIs(operation: "test").close()
  }

  @Test("a change that leaves the file's content as it was is none for a read without locks")
  func unrelatedChange() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    let connection = try DatabaseFile(path: folder.main, schema: .main)
      .openAsItIs(operation: "test")
    try connection.readUnchanged { () throws(PersistenceError) in
      #expect(link(folder.main, folder.path + "/second name") == 0)
      #expect(chmod(folder.main, 0o400) == 0)
      #expect(throws: Never.self) { try DatabaseFolder.write([1], to: folder.main + "-wal") }
    }
    try connection.close()
  }

  @Test("a trigger of another program does not run and is no damage, and its name is known")
  func foreignTrigger() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    let stranger = try folder.stranger()
    try stranger.execute(
      "CREATE TRIGGER thief AFTER INSERT ON documents BEGIN DELETE FROM documents; END")
    try stranger.close()
    let later = folder.service()
    try await later.putDocument(Document("2", "2"))
    #expect(
      try await later.documents(DocumentQuery(collection: "c")).map(\.id).sorted() == ["1", "2"])
    #expect(try await later.check() == [])
    #expect(try await later.foreignTriggers() == ["thief"])
    try await later.close()
  }

  @Test("a schema names its tables and triggers")
  func schemaNames() {
    #expect(DatabaseSchema.cache.names(of: .trigger, through: 1).count == 3)
    #expect(DatabaseSchema.main.names(of: .trigger, through: DatabaseSchema.main.version) == [])
    #expect(!DatabaseSchema.main.names(of: .table, through: 2).contains("document_values"))
    #expect(DatabaseSchema.main.names(of: .table, through: 3).contains("document_values"))
  }

  @Test("a file that may only be read is read as it is, unless its log has changes")
  func onlyReadable() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    let file = DatabaseFile(path: folder.main, schema: .main)
    func open(
      after kind: PersistenceError.Kind, _ file: DatabaseFile
    ) async -> (count: Int64?, error: PersistenceError?) {
      var count: Int64?
      let error = await failure { () throws(PersistenceError) in
        let usual = PersistenceError(kind, operation: "test", message: "usual")
        let connection = try file.openAsItIs(operation: "test", after: usual)
        count = try connection.integer("SELECT count(*) FROM documents")
        try connection.close()
      }
      return (count, error)
    }
    for kind in [PersistenceError.Kind.readOnly, .cannotOpen] {
      #expect(await open(after: kind, file).count == 1)
    }
    #expect(await open(after: .busy, file).error?.kind == .busy)
    // An older one would have to be changed before.
    let newer = DatabaseFile(
      path: folder.main, schema: Self.schema(DatabaseSchema.main.version + 1))
    let old = await open(after: .readOnly, newer).error
    #expect(old?.kind == .readOnly)
    #expect(old?.message.hasPrefix("the database has to be brought to the form of") == true)
    #expect(old?.message.hasSuffix(": usual") == true)
    try DatabaseFolder.write([1], to: folder.main + "-wal")
    let error = await open(after: .cannotOpen, file).error
    #expect(error?.kind == .readOnly)
    #expect(error?.message.contains("the log or journal of the database has changes") == true)
  }

  @Test("a damaged service fails by its own name, and no other does")
  func damagedService() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for name in ["bad", "good"] {
      try await service.saveService(APIService(name: name, baseURL: "http://h"), replacing: false)
    }
    try folder.damageService("bad")
    #expect(try await service.services().map(\.name) == ["good"])
    #expect(try await service.damagedServices() == ["bad"])
    #expect(try await service.service("good") != nil)
    let error = await failure { () throws(PersistenceError) in try await service.service("bad") }
    #expect(error?.kind == .corrupted && error?.message.contains("the service bad") == true)
    #expect(try await service.removeService("bad"))
    #expect(try await service.damagedServices() == [])
    try await service.close()
  }
}
