import CSQLite
import SwiftBoardSystem
import Testing

@testable import SwiftBoardDependencies

/// What the world does to the files, and what must come of it.
@Suite("database faults")
struct DatabaseFaultTests {
  // MARK: Damage

  enum Harm: CaseIterable, Sendable {
    case junk, empty, cut, header

    func apply(to path: String) throws {
      var bytes = try DatabaseFolder.bytes(path)
      switch self {
      case .junk: bytes = Array("this is not a database at all, but a text. ".utf8) + bytes
      case .empty: bytes = []
      case .cut: bytes.removeLast(bytes.count / 2)
      case .header: bytes.replaceSubrange(100..<108, with: [1, 2, 3, 4, 5, 6, 7, 8])
      }
      try DatabaseFolder.write(bytes, to: path)
    }
  }

  @Test("the main file is refused and left", arguments: Harm.allCases)
  func theMainFileIsRefusedAndLeft(_ harm: Harm) async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for index in 0..<50 {
      try await service.putDocument(
        Document("\(index)", "\"\(String(repeating: "x", count: 900))\""))
    }
    try await service.close()
    try harm.apply(to: folder.main)
    let before = try DatabaseFolder.bytes(folder.main)
    let again = folder.service()
    for _ in 0..<2 {
      let read = await failure { () throws(PersistenceError) in
        try await again.documents(DocumentQuery(collection: "c"))
      }
      let write = await failure { () throws(PersistenceError) in
        try await again.putDocument(Document("1", "1"))
      }
      for error in [read, write] {
        #expect(error?.kind == ([.junk, .empty].contains(harm) ? .notADatabase : .corrupted))
        #expect(error?.path.hasSuffix("main.sqlite") == true)
      }
    }
    try await again.close()
    #expect(try DatabaseFolder.bytes(folder.main) == before)
    // What may be lost is not affected.
    #expect(try await again.cachedResponses() == [])
  }

  @Test("the cache is moved aside and made anew", arguments: Harm.allCases)
  func theCacheIsMovedAsideAndMadeAnew(_ harm: Harm) async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for index in 0..<50 {
      try await service.storeResponse(PersistenceConformanceTests.response("\(index)", bytes: 900))
    }
    try await service.close()
    try harm.apply(to: folder.cache)
    let before = try DatabaseFolder.bytes(folder.cache)
    let again = folder.service()
    #expect(try await again.cachedResponse("1") == nil)
    #expect(try await again.cachedResponses() == [])
    try await again.storeResponse(PersistenceConformanceTests.response("new"))
    #expect(try await again.cachedResponse("new") != nil)
    #expect(try DatabaseFolder.bytes(folder.cache + ".damaged") == before)
    #expect(try await again.check() == [])
  }

  @Test(
    "a header with a version that none made is damage", arguments: [-1, -0x8000_0000, 1000])
  func impossibleVersion(_ version: Int) async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.storeResponse(PersistenceConformanceTests.response("1"))
    try await service.close()
    for path in [folder.main, folder.cache] {
      let stranger = try folder.stranger(path)
      try stranger.execute("PRAGMA user_version = \(version)")
      try stranger.close()
    }
    let again = folder.service()
    let errors = [
      await failure { () throws(PersistenceError) in
        try await again.document(collection: "c", id: "1")
      },
      await failure { () throws(PersistenceError) in
        try await again.putDocument(Document("2", "1"))
      },
      await failure { () throws(PersistenceError) in try await again.check() },
    ]
    for error in errors {
      #expect(error?.kind == (version < 0 ? .corrupted : .newerSchema))
      #expect(error?.message.contains("schema \(version)") == true, "\(error?.message ?? "")")
    }
    guard version < 0 else {
      // The cache of a newer version is left to it.
      let error = await failure { () throws(PersistenceError) in
        try await again.storeResponse(PersistenceConformanceTests.response("2"))
      }
      #expect(error?.kind == .newerSchema)
      #expect(try !folder.names.contains("cache.sqlite.damaged"))
      return
    }
    #expect(try await again.cachedResponse("1") == nil)
    try await again.storeResponse(PersistenceConformanceTests.response("2"))
    #expect(try await again.cachedResponse("2") != nil)
    #expect(try folder.names.contains("cache.sqlite.damaged"))
  }

  @Test(
    "totals that are not those of the responses are damage of the cache",
    arguments: [
      "UPDATE response_totals SET bytes = 9223372036854775807",
      "UPDATE response_totals SET entries = 9223372036854770000",
      "UPDATE response_totals SET bytes = -9223372036854775807",
      "UPDATE responses SET bytes = 9223372036854770000",
    ])
  func wrongTotals(_ statement: String) async throws {
    let folder = try DatabaseFolder()
    let limits = PersistenceLimits(cacheEntries: 1)
    let service = folder.service(limits: limits)
    try await service.storeResponse(PersistenceConformanceTests.response("1"))
    try await service.close()
    let stranger = try folder.stranger(folder.cache)
    try stranger.execute("DROP TRIGGER responses_updated")
    try stranger.execute(statement)
    try stranger.close()
    let again = folder.service(limits: limits)
    try await again.storeResponse(PersistenceConformanceTests.response("2"))
    #expect(try await again.cachedResponse("2") != nil)
    #expect(try await again.cachedResponses().count == 1)
  }

  @Test(
    "a schema that does not fit is damage, and its message says what is missing",
    arguments: [
      ("DROP TABLE documents", "no such table: documents"),
      ("PRAGMA user_version = 3", "duplicate column name: preset"),
      ("ALTER TABLE documents RENAME COLUMN checksum TO sum", "no such column: checksum"),
    ])
  func damagedSchema(statement: String, words: String) async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    let stranger = try folder.stranger()
    try stranger.execute(statement)
    try stranger.close()
    let again = folder.service()
    let errors = [
      await failure { () throws(PersistenceError) in
        try await again.document(collection: "c", id: "1")
      },
      await failure { () throws(PersistenceError) in try await again.check() },
    ]
    for error in errors {
      #expect(error?.kind == .corrupted)
      #expect(error?.message == "the database is damaged: \(words) (\(folder.main))")
    }
    try await again.close()
  }

  @Test("a format of the schema that SQLite does not know is damage")
  func unknownFormat() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    var bytes = try DatabaseFolder.bytes(folder.main)
    bytes[47] ^= 0x40
    try DatabaseFolder.write(bytes, to: folder.main)
    let again = folder.service()
    let error = await failure { () throws(PersistenceError) in
      try await again.document(collection: "c", id: "1")
    }
    #expect(error?.kind == .corrupted)
    #expect(
      error?.message == "the database is damaged: unsupported file format (\(folder.main))",
      "\(error?.message ?? "")")
  }

  @Test("a pipe in the place of the database is not an empty file")
  func pipe() async throws {
    let folder = try DatabaseFolder()
    try #require(mkfifo(folder.main, 0o600) == 0)
    let error = await failure { () throws(PersistenceError) in
      try await folder.service().preferences()
    }
    #expect(error?.kind == .notADatabase)
    #expect(error?.message == "this is a pipe or a device, not a file (\(folder.main))")
  }

  @Test("the cache may vanish at any time") func theCacheMayVanishAtAnyTime() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.storeResponse(PersistenceConformanceTests.response("a"))
    for suffix in ["", "-wal", "-shm"] { unlink(folder.cache + suffix) }
    #expect(try await service.cachedResponse("a") == nil)
    try await service.storeResponse(PersistenceConformanceTests.response("b"))
    #expect(try await service.cachedResponses().map(\.key) == ["b"])
  }

  @Test("a flipped byte in a body is found") func aFlippedByteInABodyIsFound() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("good", #"{"a":"wholesome"}"#))
    try await service.putDocument(Document("bad", #"{"a":"perishable"}"#))
    try await service.setPreference("p", to: #""changeable""#)
    try await service.saveService(
      APIService(name: "s", baseURL: "http://turnable"), replacing: false)
    try await service.close()
    for text in ["perishable", "changeable", "turnable"] {
      try DatabaseFolder.flip(text, in: folder.main)
    }

    #expect(try await service.document(collection: "c", id: "good")?.body == #"{"a":"wholesome"}"#)
    let query = DocumentQuery(collection: "c", sort: "a")
    let errors = [
      await failure { () throws(PersistenceError) in
        try await service.document(collection: "c", id: "bad")
      },
      await failure { () throws(PersistenceError) in try await service.documents(query) },
      await failure { () throws(PersistenceError) in try await service.preference("p") },
      await failure { () throws(PersistenceError) in try await service.preferences() },
      await failure { () throws(PersistenceError) in try await service.service("s") },
    ]
    #expect(errors.map { $0?.kind } == Array(repeating: .corrupted, count: 5))
    #expect(errors[0]?.message.contains("c/bad") == true)
    #expect(errors[1]?.message.contains("c/bad") == true)
    // What is not shown is not looked at.
    let other = DocumentQuery(
      collection: "c", conditions: [.init(path: "a", equals: "wholesome")], sort: "a", limit: 1)
    #expect(try await service.documents(other).map(\.id) == ["good"])
    #expect(
      try await service.check() == [
        "document c/bad is damaged", "preference p is damaged", "service s is damaged",
      ])
    // It heals by being put again.
    try await service.putDocument(Document("bad", "1"))
    #expect(try await service.documents(DocumentQuery(collection: "c")).count == 2)
  }

  @Test("an index that lacks the value of a document is found, and is whole when made again")
  func incompleteIndex() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for id in ["1", "2"] { try await service.putDocument(Document(id, #"{"a":1,"b":1}"#)) }
    try await service.putDocument(Document("3", #"{"b":1}"#))
    for path in ["a", "b", "c"] {
      #expect(try await service.makeDocumentIndex(DocumentIndex(collection: "c", path: path)))
    }
    #expect(try await service.check() == [])
    try await service.close()
    let stranger = try folder.stranger()
    try stranger.execute(
      """
      DELETE FROM document_values WHERE id = '2'
      AND indexed = (SELECT number FROM document_indexes WHERE path = 'a')
      """)
    try stranger.close()
    #expect(try await service.check() == ["the index a of c lacks values"])
    let index = DocumentIndex(collection: "c", path: "a")
    #expect(try await service.removeDocumentIndex(index))
    #expect(try await service.makeDocumentIndex(index))
    #expect(try await service.check() == [])
  }

  @Test("an index whose path is not one is found, and hides no damaged document")
  func indexWithoutPath() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", #"{"a":1}"#))
    _ = try await service.makeDocumentIndex(DocumentIndex(collection: "c", path: "a"))
    try await service.close()
    let stranger = try folder.stranger()
    try stranger.execute("UPDATE document_indexes SET path = 'a..b'")
    try stranger.execute("UPDATE documents SET updated = 7")
    try stranger.close()
    #expect(
      try await service.check() == [
        "document c/1 is damaged", "the index a..b of c is damaged: that is not a path",
      ])
  }

  @Test("a flipped byte in an answer is a miss") func aFlippedByteInAnAnswerIsAMiss() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    var response = PersistenceConformanceTests.response("k")
    response.body = Data("perishable".utf8)
    try await service.storeResponse(response)
    try await service.close()
    // The log is left; another program that opens the file folds it in.
    let stranger = try folder.stranger(folder.cache)
    #expect(try stranger.truncateLog())
    try stranger.close()
    try DatabaseFolder.flip("perishable", in: folder.cache)
    #expect(try await service.cachedResponse("k") == nil)
    try await service.storeResponse(response)
    #expect(try await service.cachedResponse("k") == response)
  }

  @Test("only a file that was open when the machine stopped is checked at the next start")
  func onlyAnUncleanEndIsCheckedAtTheNextStart() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.setPreference("p", to: "1")
    try await service.close()
    // A program that ends without closing leaves its log.
    let stranger = try folder.stranger()
    try stranger.execute("DELETE FROM preferences")
    try stranger.close(keepingLog: true)
    // The count of free pages: wrong, and nothing that is read depends on it.
    var bytes = try DatabaseFolder.bytes(folder.main)
    bytes[39] = 7
    try DatabaseFolder.write(bytes, to: folder.main)
    let times = [timeval](repeating: timeval(tv_sec: 1, tv_usec: 0), count: 2)
    #expect(utimes(folder.main + "-wal", times) == 0)
    let clean = folder.path + "/clean.sqlite"
    try DatabaseFolder.write(bytes, to: clean)

    let checked = folder.service()
    let error = await failure { () throws(PersistenceError) in try await checked.preferences() }
    #expect(error?.kind == .corrupted)
    #expect(error?.message.contains("freelist") == true)
    let unchecked = LivePersistenceService(mainPath: clean, cachePath: folder.cache)
    #expect(try await unchecked.preferences().count == 1)
  }

  // MARK: Locks

  /// Tells a test when a connection waits for a lock.
  struct Waiting: Sendable {
    let events: AsyncStream<Void>
    let options: DatabaseFile.Options

    init(milliseconds: Int = 5000) {
      let (events, continuation) = AsyncStream.makeStream(of: Void.self)
      self.events = events
      options = DatabaseFile.Options(
        busyWait: BusyWait(milliseconds: milliseconds) { continuation.yield() })
    }

    func first() async {
      for await _ in events { return }
    }
  }

  @Test("a writer waits for another's lock, and reads go on")
  func aWriterWaitsForAnothersLockAndReadsGoOn() async throws {
    let folder = try DatabaseFolder()
    try await folder.service().setPreference("p", to: "1")
    let waiting = Waiting(milliseconds: 3_600_000)
    let service = folder.service(options: waiting.options)
    let stranger = try folder.stranger()
    try stranger.execute("BEGIN IMMEDIATE")
    async let write: Void = service.setPreference("p", to: "2")
    await waiting.first()
    #expect(try await service.preference("p") == "1")
    try stranger.execute("COMMIT")
    try await write
    #expect(try await service.preference("p") == "2")
    try stranger.close()
  }

  @Test("a lock held too long is busy") func aLockHeldTooLongIsBusy() async throws {
    let folder = try DatabaseFolder()
    try await folder.service().setPreference("p", to: "1")
    let service = folder.service(options: Waiting(milliseconds: 3).options)
    let stranger = try folder.stranger()
    try stranger.execute("BEGIN IMMEDIATE")
    let error = await failure { () throws(PersistenceError) in
      try await service.setPreference("p", to: "2")
    }
    #expect(error?.kind == .busy)
    #expect(error?.code == SQLITE_BUSY)
    try stranger.execute("ROLLBACK")
    try await service.setPreference("p", to: "3")
    #expect(try await service.preference("p") == "3")
    try stranger.close()
  }

  @Test("a wait looks for the lock at short intervals until its end")
  func aWaitLooksAtShortIntervals() {
    let looks = Shared(0)
    let wait = BusyWait(milliseconds: 100) { looks.value.withLock { $0 += 1 } }
    var paused = 0
    while wait.shouldRetry(paused: &paused) {}
    #expect(paused == 100_000)
    #expect(looks.value.withLock { $0 } >= 25)
  }

  @Test("cancelling ends the wait") func cancellingEndsTheWait() async throws {
    let folder = try DatabaseFolder()
    try await folder.service().setPreference("p", to: "1")
    let waiting = Waiting(milliseconds: 3_600_000)
    let service = folder.service(options: waiting.options)
    let stranger = try folder.stranger()
    try stranger.execute("BEGIN IMMEDIATE")
    let task = Task {
      await failure { () throws(PersistenceError) in try await service.setPreference("p", to: "2") }
    }
    await waiting.first()
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    try stranger.execute("ROLLBACK")
    #expect(try await service.preference("p") == "1")
    try stranger.close()
  }

  // MARK: Under the connection

  @Test("a file that is gone acknowledges nothing", arguments: [false, true])
  func aFileThatIsGoneAcknowledgesNothing(_ isRenamed: Bool) async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    #expect(try await service.document(collection: "c", id: "1") != nil)
    if isRenamed {
      rename(folder.main, folder.path + "/elsewhere")
    } else {
      unlink(folder.main)
    }
    let error = await failure { () throws(PersistenceError) in
      try await service.putDocument(Document("2", "2"))
    }
    #expect(error?.kind == .moved)
    // Said once; then what is there now is used.
    try await service.putDocument(Document("3", "3"))
    #expect(try await service.documents(DocumentQuery(collection: "c")).map(\.id) == ["3"])
    #expect(try await service.check() == [])
    // The log of what is gone is not played into the new file, and not thrown away.
    #expect(try folder.names.contains("main.sqlite.orphan-wal"))
  }

  @Test(
    "a reader notices too, whether or not it had the file open",
    arguments: [true, false], [true, false])
  func aReaderNoticesToo(_ isRead: Bool, _ isReadBriefly: Bool) async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", #"{"a":1}"#))
    func read() async throws(PersistenceError) -> Bool {
      if isReadBriefly { return try await service.document(collection: "c", id: "1") != nil }
      let query = DocumentQuery(collection: "c", conditions: [.init(path: "a", equals: 1)])
      return try await !service.documents(query).isEmpty
    }
    // Opens the connection for reading, which a brief read next to an idle writer does not.
    if isRead {
      let query = DocumentQuery(collection: "c", sort: "a")
      #expect(try await service.documents(query).count == 1)
    }
    unlink(folder.main)
    let error = await failure { () throws(PersistenceError) in try await read() }
    #expect(error?.kind == .moved)
    // Said once; then what is there now is used.
    #expect(try await !read())
  }

  @Test("a full disk takes the whole change back") func aFullDiskTakesTheWholeChangeBack()
    async throws
  {
    let folder = try DatabaseFolder()
    let options = DatabaseFile.Options(prepare: { (connection) throws(PersistenceError) in
      let pages = try connection.integer("PRAGMA page_count") ?? 0
      try connection.execute("PRAGMA max_page_count = \(pages + 30)")
    })
    let service = folder.service(options: options)
    try await service.putDocument(Document("1", "1"))
    let large = "\"" + String(repeating: "x", count: 200_000) + "\""
    let error = await failure { () throws(PersistenceError) in
      try await service.putDocument(Document("1", large))
    }
    #expect(error?.kind == .full)
    #expect(try await service.document(collection: "c", id: "1")?.body == "1")
    try await service.putDocument(Document("2", "2"))
    #expect(try await service.check() == [])
  }

  @Test("result codes become kinds") func resultCodesBecomeKinds() {
    func kind(_ code: Int32, _ system: Int32 = 0, cancelled: Bool = false)
      -> PersistenceError.Kind
    {
      SQLiteResult.kind(code, systemError: system, cancelled: cancelled)
    }
    #expect(kind(SQLITE_BUSY) == .busy)
    #expect(kind(SQLITE_BUSY | (2 << 8)) == .busy)  // SQLITE_BUSY_SNAPSHOT
    #expect(kind(SQLITE_BUSY, cancelled: true) == .cancelled)
    #expect(kind(SQLITE_FULL) == .full)
    #expect(kind(SQLITE_IOERR | (3 << 8), ENOSPC) == .full)  // SQLITE_IOERR_WRITE
    #expect(kind(SQLITE_IOERR | (19 << 8), EDQUOT) == .full)  // SQLITE_IOERR_SHMSIZE
    #expect(kind(SQLITE_IOERR | (4 << 8), EIO) == .io)  // SQLITE_IOERR_FSYNC
    #expect(kind(SQLITE_READONLY) == .readOnly)
    #expect(kind(SQLITE_READONLY | (6 << 8)) == .readOnly)  // SQLITE_READONLY_DIRECTORY
    #expect(kind(SQLiteResult.readOnlyMoved) == .moved)
    #expect(kind(SQLITE_CANTOPEN | (6 << 8)) == .cannotOpen)  // SQLITE_CANTOPEN_SYMLINK
    #expect(kind(SQLITE_CORRUPT | (1 << 8)) == .corrupted)
    #expect(kind(SQLITE_NOTADB) == .notADatabase)
    #expect(kind(SQLITE_ERROR) == .corrupted)
    #expect(kind(SQLiteResult.wrongType) == .corrupted)
    #expect(kind(SQLITE_CONSTRAINT) == .misuse)
    #expect(kind(SQLITE_RANGE) == .misuse)
  }

  @Test("writing through a read only connection") func writingThroughAReadOnlyConnection()
    async throws
  {
    let folder = try DatabaseFolder()
    try await folder.service().setPreference("p", to: "1")
    let connection = try SQLiteConnection(
      FileSystem().resolved(folder.main), access: .readOnly, busyWait: BusyWait(), operation: "test"
    )
    let error = #expect(throws: PersistenceError.self) {
      try connection.execute("DELETE FROM preferences")
    }
    #expect(error?.kind == .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM preferences") == 1)
    try connection.close()
  }

  @Test(
    "a read only file can still be read", .enabled(if: geteuid() != 0, "root may write everywhere"))
  func aReadOnlyFileCanStillBeRead() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.setPreference("p", to: "1")
    try await service.close()
    chmod(folder.main, 0o400)
    #expect(try await service.preference("p") == "1")
    let error = await failure { () throws(PersistenceError) in
      try await service.setPreference("p", to: "2")
    }
    #expect(error?.kind == .readOnly)
    #expect(error?.path.hasSuffix("main.sqlite") == true)
    try await service.close()
    chmod(folder.path, 0o500)
    let folderError = await failure { () throws(PersistenceError) in
      try await service.setPreference("p", to: "2")
    }
    #expect(folderError?.kind == .readOnly || folderError?.kind == .cannotOpen)
    let new = LivePersistenceService(
      mainPath: folder.path + "/new.sqlite", cachePath: folder.cache)
    let newError = await failure { () throws(PersistenceError) in
      try await new.setPreference("p", to: "2")
    }
    #expect(newError?.kind == .cannotCreate)
    chmod(folder.path, 0o700)
  }

  // MARK: What must leave, and what may be copied

  @Test("a removed search leaves the disk") func aRemovedSearchLeavesTheDisk() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for text in ["regrettable search", "harmless search"] {
      try await service.addSearch(text, scope: "s", at: 1)
    }
    #expect(try await service.searches(scope: "s", containing: nil).count == 2)
    #expect(try await service.removeSearches("regrettable search", scope: "s") == 1)
    for name in try folder.names where !name.hasSuffix("-shm") {
      let text = String(
        decoding: try DatabaseFolder.bytes(folder.path + "/" + name), as: UTF8.self)
      #expect(!text.contains("regrettable"), "\(name)")
    }
    #expect(
      try await service.searches(scope: "s", containing: nil).map(\.text) == ["harmless search"])
  }

  @Test("a database in a folder that cannot be written to names the folder")
  func folderThatCannotBeWrittenTo() {
    func message(_ kind: PersistenceError.Kind, _ refusal: Int32?) -> String {
      let error = PersistenceError(kind, path: "/main", operation: "read", what: "it happened")
      return DatabaseFile.openingFailure(error, refusalOfFolder: refusal).message
    }
    #expect(
      message(.cannotOpen, EROFS)
        == "the database cannot be opened, since its folder cannot be written to: "
        + "Read-only file system (/main)")
    #expect(message(.cannotOpen, nil) == "it happened (/main)")
    #expect(message(.busy, EROFS) == "it happened (/main)")
  }

  @Test("a backup without space names itself, and other errors stay")
  func aBackupWithoutSpaceNamesItself() {
    func failure(_ kind: PersistenceError.Kind) -> PersistenceError {
      DatabaseFile.copyFailure(
        PersistenceError(kind, path: "/main", operation: "backup", what: "it happened"),
        path: "/copy")
    }
    #expect(failure(.full).message == "there is no space left for the copy (/copy)")
    #expect(failure(.full).path == "/copy")
    #expect(failure(.io).message == "it happened (/main)")
  }

  @Test("what a killed backup has left is removed by the next one of that path")
  func leftovers() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    let path = folder.path + "/copy.sqlite"
    for number in [1, 3] {
      for ending in ["", "-new", "-new-journal", "-new-wal"] {
        let file = open("\(path).swiftboard-\(number).tmp\(ending)", O_CREAT | O_WRONLY, 0o600)
        #expect(write(file, "half a copy", 11) == 11)
        close(file)
      }
    }
    try await service.backup(to: path)
    #expect(try folder.names.filter { $0.contains(".swiftboard-") } == [])
    let copy = LivePersistenceService(mainPath: path, cachePath: folder.cache)
    #expect(try await copy.documents(DocumentQuery(collection: "c")).count == 1)
    try await copy.close()
    try await service.close()
  }

  @Test("a backup is whole and never over a file") func aBackupIsWholeAndNeverOverAFile()
    async throws
  {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "[1]"))
    let path = folder.path + "/copy.sqlite"
    try await service.backup(to: path)
    #expect(DatabaseFolder.mode(path) == 0o600)
    try await service.putDocument(Document("2", "[2]"))
    let before = try DatabaseFolder.bytes(path)
    let again = await failure { () throws(PersistenceError) in try await service.backup(to: path) }
    #expect(again?.kind == .exists)
    let nowhere = await failure { () throws(PersistenceError) in
      try await service.backup(to: folder.path + "/none/copy.sqlite")
    }
    #expect(nowhere?.kind == .cannotCreate)
    #expect(try DatabaseFolder.bytes(path) == before)
    let copy = LivePersistenceService(mainPath: path, cachePath: folder.cache)
    #expect(try await copy.documents(DocumentQuery(collection: "c")).map(\.id) == ["1"])
    try await copy.putDocument(Document("3", "[3]"))
    #expect(try folder.names.filter { $0.contains(".swiftboard-") } == [])
  }

  @Test("the cache stays bounded") func theCacheStaysBounded() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service(limits: PersistenceLimits(cacheEntries: 50, logRecords: 100))
    for index in 0..<2000 {
      try await service.storeResponse(PersistenceConformanceTests.response("\(index)", bytes: 500))
    }
    let record = LogRecord(time: 1, level: .info, category: "c", message: "m")
    for _ in 0..<20 {
      try await service.appendLogRecords(Array(repeating: record, count: 100))
    }
    let rows = try await service.statistics().tables.suffix(2).map(\.rows)
    #expect(rows == [50, 100])
    try await service.close()
    #expect(try DatabaseFolder.bytes(folder.cache).count < 400_000)
  }
}
