import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

/// What can still be read of damaged files.
@Suite(.timeLimit(.minutes(20)))
struct DatabaseRecoveryTests {
  static let pageSize = 4096

  /// A closed database with so many documents of about 300 bytes, which are spread over its pages.
  static func folder(documents: Int) async throws -> (DatabaseFolder, [Document]) {
    let folder = try DatabaseFolder()
    let service = folder.service()
    let padding = String(repeating: "x", count: 280)
    let all = (1...documents).map {
      Document("\($0)", #"{"n":\#($0 % 7),"w":"w\#($0)w","pad":"\#(padding)"}"#)
    }
    _ = try await service.putEntries(StoredEntries(documents: all), onExisting: .refuse)
    try await service.setPreference("p", to: "1")
    try await service.saveService(APIService(name: "s", baseURL: "http://s"), replacing: false)
    _ = try await service.makeDocumentIndex(DocumentIndex(collection: "c", path: "n"))
    try await service.close()
    return (folder, all)
  }

  /// The pages of the documents, or of the preferences, by the number in their text `w1w`.
  static func pages(of bytes: [UInt8]) throws -> [Int: Int] {
    var pages: [Int: Int] = [:]
    let mark = Array(#""w":"w"#.utf8)
    for start in bytes.positions(of: mark) {
      let digits = bytes[(start + mark.count)...].prefix { $0 != UInt8(ascii: "w") }
      let number = try #require(Int(String(decoding: digits, as: UTF8.self)))
      pages[number] = start / pageSize
    }
    return pages
  }

  private static func damage(page: Int, of bytes: inout [UInt8]) {
    for index in page * pageSize..<page * pageSize + 100 { bytes[index] = 0xFF }
  }

  /// Overwrites the start of the pages with these entries. Returns the numbers of the entries on
  /// the other pages.
  private static func damage(_ numbers: [Int], in folder: DatabaseFolder) throws -> [Int] {
    var bytes = try DatabaseFolder.bytes(folder.main)
    let pages = try pages(of: bytes)
    let hit = Set(numbers.compactMap { pages[$0] })
    #expect(!hit.isEmpty)
    for page in hit { damage(page: page, of: &bytes) }
    try DatabaseFolder.write(bytes, to: folder.main)
    return pages.filter { !hit.contains($0.value) }.map(\.key).sorted()
  }

  private func recovered(
    _ folder: DatabaseFolder
  ) async throws -> (LivePersistenceService, DatabaseRecovery) {
    let service = folder.service()
    let before = try DatabaseFolder.bytes(folder.main)
    let path = folder.path + "/rescued.sqlite"
    let recovery = try await service.recover(to: path)
    #expect(try DatabaseFolder.bytes(folder.main) == before)
    try await service.close()
    let new = LivePersistenceService(
      main: DatabaseFile(path: path, schema: .main),
      cache: DatabaseFile(path: folder.cache, schema: .cache))
    return (new, recovery)
  }

  @Test(
    "of a file with damaged pages, what is on the others is in the new one",
    arguments: [
      [200], [1], [600], [100, 101, 350, 600], [1, 300],
      Array(stride(from: 1, through: 600, by: 25)),
      Array(100...300), Array(300...600), Array(1...600), Array(1...300) + [400, 500, 600],
    ])
  func pages(ids: [Int]) async throws {
    let (folder, all) = try await Self.folder(documents: 600)
    let whole = try Self.damage(ids, in: folder).map(String.init).sorted()
    let damaged = folder.service()
    let error = await #expect(throws: PersistenceError.self) {
      try await damaged.documents(DocumentQuery(collection: "c"))
    }
    #expect(error?.kind == .corrupted)
    try await damaged.close()

    let (service, recovery) = try await recovered(folder)
    let found = try await service.documents(DocumentQuery(collection: "c"))
    #expect(found.map(\.id) == whole)
    #expect(recovery.incomplete == ["documents"] && recovery.findings == [])
    let originals = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    #expect(found.allSatisfy { originals[$0.id] == $0 })
    #expect(
      recovery.tables.prefix(3) == [
        .init(name: "documents", rows: found.count), .init(name: "preferences", rows: 1),
        .init(name: "api_services", rows: 1),
      ])
    #expect(try await service.preference("p") == "1")
    #expect(try await service.service("s")?.baseURL == "http://s")
    #expect(
      try await service.documentIndexes() == [DocumentIndex(collection: "c", path: "n")])
    let query = DocumentQuery(collection: "c", conditions: [.init(path: "n", equals: 3)])
    #expect(
      try await service.documents(query).map(\.id)
        == found.filter { Int($0.id).map { $0 % 7 == 3 } == true }.map(\.id))
    #expect(try await service.check() == [])
    try await service.close()
  }

  @Test("numbers of rows at the end of their range are as good as others")
  func largeNumbers() async throws {
    let (folder, _) = try await Self.folder(documents: 300)
    let stranger = try folder.stranger()
    // Nothing of the old rows is left in the file.
    for statement in [
      "PRAGMA secure_delete = ON",
      "CREATE TEMP TABLE old AS SELECT rowid AS number, * FROM documents",
      "DELETE FROM documents",
      """
      INSERT INTO documents (rowid, collection, id, updated, checksum, body)
      SELECT 9223372036854775507 + number, collection, id, updated, checksum, body FROM old
      """,
    ] {
      try stranger.execute(statement)
    }
    #expect(try stranger.integer("SELECT max(rowid) FROM documents") == .max)
    _ = try stranger.truncateLog()
    try stranger.close()
    let whole = try Self.damage([100, 150, 300], in: folder).map(String.init).sorted()
    let (service, _) = try await recovered(folder)
    #expect(try await service.documents(DocumentQuery(collection: "c")).map(\.id) == whole)
    try await service.close()
  }

  @Test("rows between two damaged pages of a table without numbers are in the new one")
  func preferences() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    let all = (1000..<3000).map { Preference(name: "p\($0)", json: #"{"w":"w\#($0)w"}"#) }
    _ = try await service.putEntries(StoredEntries(preferences: all), onExisting: .refuse)
    try await service.close()
    let stranger = try folder.stranger()
    try stranger.execute("VACUUM")
    _ = try stranger.truncateLog()
    try stranger.close()
    // A row that stands alone between two damaged pages, in the page above them, is not found.
    let whole = try Self.damage([1300, 1700, 2500], in: folder)
    let (new, recovery) = try await recovered(folder)
    #expect(try await new.preferences().map(\.name) == whole.map { "p\($0)" })
    #expect(whole.count > 1000 && recovery.incomplete == ["preferences"])
    try await new.close()
  }

  @Test("of a file that was cut off, what is there is in the new one", arguments: [1, 10, 40])
  func truncated(pages: Int) async throws {
    let (folder, _) = try await Self.folder(documents: 600)
    let bytes = try DatabaseFolder.bytes(folder.main)
    let rest = bytes.count / Self.pageSize - pages
    let whole = try Self.pages(of: bytes).filter { $0.value < rest }.map { String($0.key) }.sorted()
    try DatabaseFolder.write(Array(bytes.prefix(rest * Self.pageSize)), to: folder.main)
    let (service, _) = try await recovered(folder)
    #expect(try await service.documents(DocumentQuery(collection: "c")).map(\.id) == whole)
    try await service.close()
  }

  @Test("a table whose first page is damaged is named, and others are in the new file")
  func root() async throws {
    let (folder, _) = try await Self.folder(documents: 600)
    let stranger = try folder.stranger()
    let root = try stranger.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'documents'")
    try stranger.close()
    var bytes = try DatabaseFolder.bytes(folder.main)
    Self.damage(page: Int(try #require(root)) - 1, of: &bytes)
    try DatabaseFolder.write(bytes, to: folder.main)
    let (service, recovery) = try await recovered(folder)
    #expect(recovery.incomplete == ["documents"] && recovery.tables[0].rows == 0)
    #expect(try await service.preference("p") == "1")
    try await service.close()
  }

  @Test("of a whole file, the new one has everything")
  func whole() async throws {
    let (folder, all) = try await Self.folder(documents: 40)
    let (service, _) = try await recovered(folder)
    let found = try await service.documents(DocumentQuery(collection: "c"))
    #expect(found == all.sorted { $0.id < $1.id })
    try await service.close()
  }

  /// A database with one document, whose table of documents takes any row, after statements of
  /// another program.
  private static func lenientFolder(_ statements: String...) async throws -> DatabaseFolder {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try await service.close()
    let stranger = try folder.stranger()
    for statement in [
      "ALTER TABLE documents RENAME TO strict_documents",
      "CREATE TABLE documents (collection, id, updated, checksum, body)",
      "INSERT INTO documents SELECT * FROM strict_documents", "DROP TABLE strict_documents",
    ] + statements {
      try stranger.execute(statement)
    }
    try stranger.close()
    return folder
  }

  @Test("a database whose only row is refused by the new one is recovered, and incomplete")
  func refusedRowAlone() async throws {
    let folder = try await Self.lenientFolder("UPDATE documents SET body = x'FF'")
    let (new, recovery) = try await recovered(folder)
    #expect(recovery.incomplete == ["documents"])
    #expect(recovery.tables.allSatisfy { $0.rows == 0 })
    #expect(try await new.documents(DocumentQuery(collection: "c")) == [])
    try await new.close()
  }

  @Test("a table that has a row twice is complete")
  func repeatedRow() async throws {
    let folder = try await Self.lenientFolder("INSERT INTO documents SELECT * FROM documents")
    let (new, recovery) = try await recovered(folder)
    #expect(recovery.incomplete == [])
    #expect(recovery.tables.first { $0.name == "documents" }?.rows == 1)
    #expect(try await new.document(collection: "c", id: "1")?.body == "1")
    try await new.close()
  }

  @Test("a table with a row that the new one refuses is incomplete")
  func refusedRow() async throws {
    let folder = try await Self.lenientFolder(
      "INSERT INTO documents VALUES ('c', '2', 1, 0, x'FF')")
    let (new, recovery) = try await recovered(folder)
    #expect(recovery.incomplete == ["documents"])
    #expect(recovery.tables.first { $0.name == "documents" }?.rows == 1)
    #expect(try await new.document(collection: "c", id: "1")?.body == "1")
    try await new.close()
  }

  @Test("a document that does not match its checksum is copied, and found in the copy")
  func unmatched() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", #"{"a":"perishable"}"#))
    try await service.close()
    try DatabaseFolder.flip("perishable", in: folder.main)
    let (copy, recovery) = try await recovered(folder)
    #expect(recovery.findings == ["document c/1 is damaged"] && recovery.incomplete == [])
    #expect(try await copy.check() == recovery.findings)
    try await copy.close()
  }

  @Test(
    "a file that is not a database, is empty or is not there recovers nothing",
    arguments: [(8192, PersistenceError.Kind.notADatabase), (0, .notADatabase), (-1, .cannotOpen)])
  func none(size: Int, kind: PersistenceError.Kind) async throws {
    let folder = try DatabaseFolder()
    if size >= 0 { try DatabaseFolder.write(Array(repeating: 7, count: size), to: folder.main) }
    let service = folder.service()
    let error = await #expect(throws: PersistenceError.self) {
      try await service.recover(to: folder.path + "/new.sqlite")
    }
    #expect(error?.kind == kind)
    #expect(try folder.names == (size < 0 ? [] : ["main.sqlite"]))
  }

  @Test("a backup beside the log of the file that it replaces is called whole, and is not changed")
  func foreignLog() async throws {
    let (source, all) = try await Self.folder(documents: 100)
    let copy = source.path + "/copy.sqlite"
    let first = source.service()
    try await first.backup(to: copy)
    try await first.close()
    // With fewer pages, which are the size of the database in its log.
    let (folder, _) = try await Self.folder(documents: 3)
    let service = folder.service()
    try await service.addSearch("one", scope: "s", at: 1)
    try await service.close()
    try DatabaseFolder.write(DatabaseFolder.bytes(copy), to: folder.main)
    // Nobody has opened the file yet, so its log has no index.
    try FileSystem().remove(folder.main + "-shm")
    let (names, log) = (try folder.names, try DatabaseFolder.bytes(folder.main + "-wal"))
    try #require(!log.isEmpty)
    let inspection = #expect(throws: PersistenceError.self) {
      try DatabaseFile(path: folder.main, schema: .main).inspect()
    }
    #expect(try folder.names == names)
    let errors = [
      inspection,
      await failure { () throws(PersistenceError) in
        try await service.documents(DocumentQuery(collection: "c"))
      },
      await failure { () throws(PersistenceError) in try await service.putDocument(all[0]) },
      await failure { () throws(PersistenceError) in try await service.check() },
    ]
    for error in errors {
      #expect(error?.kind == .foreignLog)
      #expect(
        error?.message == "the database is whole, but the log beside it is of another database or "
          + "damaged: main.sqlite-wal (\(folder.main))")
    }
    try await service.close()
    #expect(try DatabaseFolder.bytes(folder.main) == DatabaseFolder.bytes(copy))
    #expect(try DatabaseFolder.bytes(folder.main + "-wal") == log)
    for suffix in ["-wal", "-shm"] { try FileSystem().remove(folder.main + suffix) }
    #expect(try await service.documents(DocumentQuery(collection: "c")).count == 100)
    try await service.close()
  }

  /// Returns a log that replaces a page of a database, in each of its frames, by one of no use.
  static func log(replacing page: Int, frames: Int, of file: [UInt8]) -> [UInt8] {
    func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
    var sums: (UInt32, UInt32) = (0, 0)
    func sum(_ bytes: [UInt8]) -> [UInt8] {
      for start in stride(from: 0, to: bytes.count, by: 8) {
        let words = [start, start + 4].map { start in
          (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
        }
        sums.0 &+= words[0] &+ sums.1
        sums.1 &+= words[1] &+ sums.0
      }
      return word(Int(sums.0)) + word(Int(sums.1))
    }
    let salts = word(1) + word(2)
    var log = word(0x377f_0682) + word(3_007_000) + word(pageSize) + word(0) + salts
    log += sum(log)
    let content = [UInt8](repeating: 7, count: pageSize)
    for _ in 0..<frames {
      let start = word(page) + word(file.count / pageSize)
      log += start + salts + sum(start + content) + content
    }
    return log
  }

  @Test(
    "a log that damages one page of a whole file is named, and no call or end folds it",
    arguments: [1, 150], ["list", "check", "backup"])
  func logOfOnePage(frames: Int, call: String) async throws {
    let (folder, all) = try await Self.folder(documents: 100)
    let file = try DatabaseFolder.bytes(folder.main)
    let page = try #require(try Self.pages(of: file)[50])
    let log = Self.log(replacing: page + 1, frames: frames, of: file)
    try DatabaseFolder.write(log, to: folder.main + "-wal")
    let service = folder.service()
    let error = await failure { () throws(PersistenceError) in
      switch call {
      case "list": _ = try await service.documents(DocumentQuery(collection: "c"))
      case "check": _ = try await service.check()
      default: try await service.backup(to: folder.path + "/copy.sqlite")
      }
    }
    #expect(error?.kind == .foreignLog, "\(String(describing: error))")
    #expect(try !folder.names.contains("copy.sqlite"))
    #expect(try await service.preference("p") == "1")
    try await service.close()
    #expect(try DatabaseFolder.bytes(folder.main) == file)
    #expect(try DatabaseFolder.bytes(folder.main + "-wal") == log)
    for suffix in ["-wal", "-shm"] { try FileSystem().remove(folder.main + suffix) }
    #expect(try await service.documents(DocumentQuery(collection: "c")).count == all.count)
    try await service.close()
  }

  @Test("the new file replaces none")
  func taken() async throws {
    let (folder, _) = try await Self.folder(documents: 3)
    let service = folder.service()
    let error = await #expect(throws: PersistenceError.self) {
      try await service.recover(to: folder.main)
    }
    #expect(error?.kind == .exists)
    try await service.close()
  }

  @Test("a backup of a damaged database is made, and is an error that names the damage")
  func backup() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for id in ["1", "2"] {
      try await service.putDocument(Document(id, #"{"a":"perishable\#(id)"}"#))
    }
    try await service.close()
    try DatabaseFolder.flip("perishable1", in: folder.main)
    let path = folder.path + "/copy.sqlite"
    let error = await #expect(throws: PersistenceError.self) { try await service.backup(to: path) }
    #expect(error?.kind == .corrupted)
    #expect(error?.message.contains("document c/1 is damaged") == true)
    #expect(error?.message.contains(path) == true)
    #expect(try folder.names.contains("copy.sqlite"))
    try await service.close()
  }

  @Test(
    "a list has the documents beside damaged ones, and ends with their names",
    arguments: [
      nil, "n",
    ])
  func list(sort: String?) async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for id in 1...600 {
      try await service.putDocument(Document("\(id)", #"{"n":\#(id),"w":"w\#(id)w"}"#))
    }
    try await service.close()
    for id in [7, 300] { try DatabaseFolder.flip("w\(id)w", in: folder.main) }
    let query = DocumentQuery(collection: "c", sort: sort)
    let first = try await service.documents(query, from: nil)
    #expect(!first.documents.isEmpty && first.next != nil)
    var shown: [String] = []
    var wasLast = false
    let error = await #expect(throws: PersistenceError.self) {
      for try await page in service.pages(of: query) {
        shown += page.documents.map(\.id)
        wasLast = page.isLast
      }
    }
    let whole: [String] = (1...600).filter { $0 != 7 && $0 != 300 }.map { "\($0)" }
    #expect(Set(shown) == Set(whole))
    #expect(shown.count == 598 && !wasLast)
    #expect(error?.damaged == .document)
    #expect(error?.message.contains(sort == nil ? "c/300" : "c/7") == true)
    try await service.close()
  }
}
