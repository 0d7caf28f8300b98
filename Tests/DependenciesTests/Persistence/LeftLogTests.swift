import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// A log that this process did not write, beside a file to which it may not belong.
struct LeftLogTests {
  /// A whole file beside a log that replaces one of its pages.
  private struct Pair {
    let folder: DatabaseFolder
    let file: [UInt8]
    let log: [UInt8]
    let documents: [Document]

    /// - Parameter page: Returns the index of the page in the file.
    init(
      frames: Int = 150, mark: RollbackMark? = nil, page: (_ file: [UInt8]) throws -> Int?
    ) async throws {
      (folder, documents) = try await DatabaseRecoveryTests.folder(documents: 100)
      if let mark {
        let marks = DatabaseKeychainMarks(in: folder.service())
        try marks.raise(mark, forKeychainAt: "/keychain")
        marks.closeStore()
      }
      file = try DatabaseFolder.bytes(folder.main)
      let page = try #require(try page(file))
      log = DatabaseRecoveryTests.log(replacing: page + 1, frames: frames, of: file)
      // From this size on, a connection that changes something does not leave it.
      try #require(frames < 150 || log.count > 512 << 10)
      try DatabaseFolder.write(log, to: folder.main + "-wal")
    }

    static func ofDocument() async throws -> Pair {
      try await Pair { try DatabaseRecoveryTests.pages(of: $0)[50] }
    }

    var isUnchanged: Bool {
      get throws {
        try DatabaseFolder.bytes(folder.main) == file
          && DatabaseFolder.bytes(folder.main + "-wal") == log
      }
    }

    func removeLog() throws {
      for suffix in ["-wal", "-shm"] { try FileSystem().remove(folder.main + suffix) }
    }
  }

  private static let mark = RollbackMark(keyID: [1], generation: 5, mac: [2])

  // MARK: Calls that change nothing

  @Test(
    "a call that changes nothing folds no left log",
    arguments: ["preference", "snapshot", "removal", "failure", "look", "mark", "raise"])
  func unchanged(call: String) async throws {
    let pair = try await Pair(mark: Self.mark) { try DatabaseRecoveryTests.pages(of: $0)[50] }
    let service = pair.folder.service()
    let marks = DatabaseKeychainMarks(in: service)
    switch call {
    case "preference": #expect(try await service.preference("p") == "1")
    case "snapshot": _ = try await service.snapshot()
    case "removal": #expect(try await !service.removeDocument(collection: "c", id: "none"))
    case "failure":
      let error = await failure { () throws(PersistenceError) in
        try await service.main.write("test") { (connection) throws(PersistenceError) -> Void in
          try connection.run("DELETE FROM preferences")
          #expect(connection.changes > 0)
          throw PersistenceError(.invalid, path: "", operation: "test", what: "refused")
        }
      }
      #expect(error?.kind == .invalid)
    case "look": #expect(try marks.look(forKeychainAt: "/keychain") == Self.mark)
    case "mark": #expect(try marks.mark(forKeychainAt: "/keychain") == Self.mark)
    default: try marks.raise(Self.mark, forKeychainAt: "/keychain")
    }
    #expect(!service.main.file.hasDamage)
    marks.closeStore()
    try await service.close()
    #expect(try pair.isUnchanged)
  }

  @Test(
    "a log that is moved away while it is open is not folded",
    arguments: ["preference", "check", "released"])
  func movedLog(call: String) async throws {
    let pair = try await Pair.ofDocument()
    let service = pair.folder.service()
    var released: SQLiteConnection?
    switch call {
    case "preference": #expect(try await service.preference("p") == "1")
    case "check":
      let error = await failure { () throws(PersistenceError) in try await service.check() }
      #expect(error?.kind == .foreignLog)
    default:
      released = try pair.folder.stranger()
      #expect(try released?.integer("SELECT count(*) FROM preferences") != 0)
    }
    let moved = pair.folder.path + "/moved-wal"
    try FileSystem().rename(pair.folder.main + "-wal", to: moved)
    released = nil
    if call == "check" {
      let error = await failure { () throws(PersistenceError) in
        try await service.putDocument(Document("new", "1"))
      }
      #expect(error?.kind == .foreignLog)
    }
    try await service.close()
    #expect(try DatabaseFolder.bytes(pair.folder.main) == pair.file)
    #expect(try DatabaseFolder.bytes(moved) == pair.log)
  }

  @Test("the next change folds a left log of any size")
  func change() async throws {
    for text in ["x", String(repeating: "x", count: 600_000)] {
      let folder = try DatabaseFolder()
      let first = folder.service()
      try await first.addSearch(text, scope: "s", at: 1)
      let log = try DatabaseFolder.bytes(folder.main + "-wal")
      try await first.close()
      // A process that is killed leaves a large one, too.
      try DatabaseFolder.write(log, to: folder.main + "-wal")
      let reading = folder.service()
      #expect(try await reading.searches(scope: "s", containing: nil).map(\.text) == [text])
      try await reading.close()
      #expect(try DatabaseFolder.bytes(folder.main + "-wal") == log)
      let writing = folder.service()
      try await writing.setPreference("p", to: "1")
      try await writing.close()
      #expect(try folder.names == ["main.sqlite"])
      #expect(try await writing.searches(scope: "s", containing: nil).map(\.text) == [text])
      try await writing.close()
    }
  }

  // MARK: After damage was found

  @Test("after a foreign log was found, nothing is written until the file is opened anew")
  func foreignLog() async throws {
    let pair = try await Pair.ofDocument()
    let service = pair.folder.service()
    let marks = DatabaseKeychainMarks(in: service)
    let found = await failure { () throws(PersistenceError) in try await service.check() }
    let errors = [
      found,
      await failure { () throws(PersistenceError) in
        try await service.putDocument(Document("new", "1"))
      },
      await failure { () throws(PersistenceError) in
        try await service.removeSearches(nil, scope: "s")
      },
      await failure { () throws(PersistenceError) in
        try await service.addSearch("one", scope: "s", at: 1)
      },
      await failure { () throws(PersistenceError) in
        try marks.raise(Self.mark, forKeychainAt: "/k")
      },
      await failure { () throws(PersistenceError) in
        try marks.replace(Self.mark, forKeychainAt: "/k")
      },
    ]
    for error in errors {
      #expect(error?.kind == .foreignLog)
      #expect(error?.message == found?.message)
    }
    #expect(errors[1]?.operation == "putDocument")
    // What can be read is read.
    #expect(try await service.preference("p") == "1")
    #expect(try marks.look(forKeychainAt: "/k") == nil)
    #expect(try pair.isUnchanged)
    marks.closeStore()
    try await service.close()
    #expect(try pair.isUnchanged)
    try pair.removeLog()
    #expect(try await service.putDocument(Document("new", "1")))
    #expect(try await service.check() == [])
    try await service.close()
  }

  @Test("a change that waits while damage is found is refused")
  func waitingChange() async throws {
    final class Finder: Sendable { let file = Mutex<DatabaseFile?>(nil) }
    let (folder, _) = try await DatabaseRecoveryTests.folder(documents: 3)
    let content = try DatabaseFolder.bytes(folder.main)
    let finder = Finder()
    // A connection is opened after the call has begun, and before it changes anything.
    let service = folder.service(
      options: .init { (connection) throws(PersistenceError) in
        finder.file.withLock { $0 }?.note(
          PersistenceError(.foreignLog, path: connection.path, operation: "test", what: "found"))
      })
    finder.file.withLock { $0 = service.main.file }
    let error = await failure { () throws(PersistenceError) in
      try await service.setPreference("p", to: "2")
    }
    #expect(error?.kind == .foreignLog)
    #expect(error?.operation == "setPreference")
    try await service.close()
    #expect(try DatabaseFolder.bytes(folder.main) == content)
  }

  @Test("changes are refused with the error of the log until the content of the file changes")
  func refusal() async throws {
    let (folder, _) = try await DatabaseRecoveryTests.folder(documents: 3)
    let content = try DatabaseFolder.bytes(folder.main)
    let file = folder.service().main.file
    for kind in [PersistenceError.Kind.foreignLog, .corrupted] {
      file.note(
        PersistenceError(kind, path: folder.main, operation: "test", code: 11, what: "found"))
    }
    // Other permissions and names repair nothing.
    #expect(chmod(folder.main, 0o640) == 0)
    #expect(link(folder.main, folder.path + "/other.sqlite") == 0)
    let error = #expect(throws: PersistenceError.self) { try file.refuseDamaged("putDocument") }
    #expect(error?.kind == .foreignLog)
    try DatabaseFolder.write(content, to: folder.path + "/copy.sqlite")
    try FileSystem().rename(folder.path + "/copy.sqlite", to: folder.main)
    try file.refuseDamaged("putDocument")
  }

  @Test("a file with a damaged page is not written to until another one is in its place")
  func damagedPage() async throws {
    let (folder, _) = try await DatabaseRecoveryTests.folder(documents: 100)
    let whole = try DatabaseFolder.bytes(folder.main)
    let page = try #require(try DatabaseRecoveryTests.pages(of: whole)[50])
    var damaged = whole
    let start = page * DatabaseRecoveryTests.pageSize
    for index in start..<start + 100 { damaged[index] = 0xFF }
    try DatabaseFolder.write(damaged, to: folder.main)
    let service = folder.service()
    let errors = [
      await failure { () throws(PersistenceError) in
        try await service.documents(DocumentQuery(collection: "c"))
      },
      await failure { () throws(PersistenceError) in
        try await service.setPreference("p", to: "2")
      },
    ]
    #expect(errors.map { $0?.kind } == [.corrupted, .corrupted])
    #expect(try DatabaseFolder.bytes(folder.main) == damaged)
    try DatabaseFolder.write(whole, to: folder.path + "/copy.sqlite")
    try FileSystem().rename(folder.path + "/copy.sqlite", to: folder.main)
    try await service.setPreference("p", to: "2")
    #expect(try await service.check() == [])
    try await service.close()
  }

  @Test("a damaged document is replaced in the process that has found it, and its log is left")
  func damagedDocument() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", #"{"a":"perishable"}"#))
    try await service.close()
    try DatabaseFolder.flip("perishable", in: folder.main)
    #expect(try await service.check() == ["document c/1 is damaged"])
    #expect(service.main.file.hasDamage)
    #expect(try await service.putDocument(Document("1", "1")) == false)
    #expect(try await service.check() == [])
    try await service.close()
    #expect(!service.main.file.hasDamage)
    #expect(try folder.names.contains("main.sqlite-wal"))
  }

  @Test("a damaged page of the keychain's marks is noted, and its log is left")
  func damagedMark() async throws {
    let pair = try await Pair(mark: Self.mark) { file in
      let start = file.positions(of: Array("/keychain".utf8)).first
      return start.map { $0 / DatabaseRecoveryTests.pageSize }
    }
    let service = pair.folder.service()
    let marks = DatabaseKeychainMarks(in: service)
    for read in [marks.look, marks.mark] {
      let error = #expect(throws: PersistenceError.self) { _ = try read("/keychain") }
      #expect(error?.kind == .corrupted)
    }
    #expect(service.main.file.hasDamage)
    let error = await failure { () throws(PersistenceError) in
      try await service.setPreference("p", to: "2")
    }
    #expect(error?.kind == .corrupted)
    marks.closeStore()
    try await service.close()
    #expect(try pair.isUnchanged)
  }

  // MARK: What doctor finds

  @Test("a log that makes a whole file one of another program is foreign")
  func foreignIdentity() async throws {
    let (folder, _) = try await DatabaseRecoveryTests.folder(documents: 3)
    let stranger = try folder.stranger()
    try stranger.execute("PRAGMA application_id = 42")
    try stranger.close(keepingLog: true)
    let service = folder.service()
    let inspection = #expect(throws: PersistenceError.self) { try service.main.file.inspect() }
    #expect(inspection?.kind == .foreignLog)
    let call = await failure { () throws(PersistenceError) in try await service.preference("p") }
    #expect(call?.kind == .foreignLog)
    try await service.close()
  }

  @Test("an inspection finds a later schema in the log, as a call does")
  func laterSchema() async throws {
    let (folder, _) = try await DatabaseRecoveryTests.folder(documents: 3)
    try DatabaseFile(path: folder.main, schema: DatabaseFileTests.schema(5))
      .openWriter(operation: "test").close(keepingLog: true)
    let service = folder.service()
    let inspection = #expect(throws: PersistenceError.self) { try service.main.file.inspect() }
    #expect(inspection?.kind == .newerSchema)
    let call = await failure { () throws(PersistenceError) in try await service.preference("p") }
    #expect(call?.kind == .newerSchema)
    #expect(call?.message == inspection?.message)
    try await service.close()
  }
}
