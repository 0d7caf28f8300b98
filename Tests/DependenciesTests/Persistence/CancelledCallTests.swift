import SwiftBoardSystem
import Testing

@testable import SwiftBoardDependencies

/// Calls of the database in a task that is cancelled.
@Suite("a cancelled call of the database")
struct CancelledCallTests {
  private let folder: DatabaseFolder
  private let service: LivePersistenceService

  init() async throws {
    folder = try DatabaseFolder()
    service = folder.service()
    _ = try await service.putEntries(
      StoredEntries(documents: (0..<500).map { Document("\($0)", #"{"n":\#($0)}"#) }),
      onExisting: .refuse)
  }

  /// Calls `body` in a task that is cancelled already.
  private func cancelled<Value: Sendable>(
    _ body: @escaping @Sendable (LivePersistenceService) async throws(PersistenceError) -> Value
  ) async -> PersistenceError.Kind? {
    await Task { [service] in
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { () throws(PersistenceError) in try await body(service) }
    }.value?.kind
  }

  @Test("a change that throws `cancelled` is not made")
  func changes() async throws {
    let before = try await service.contents(limit: 9, countsAll: true)
    #expect(
      await cancelled { (service) throws(PersistenceError) in
        try await service.putDocument(Document("new", "1"))
      } == .cancelled)
    #expect(
      await cancelled { (service) throws(PersistenceError) in
        try await service.removeDocument(collection: "c", id: "1")
      } == .cancelled)
    #expect(
      await cancelled { (service) throws(PersistenceError) in
        try await service.setPreference("p", to: "1")
      } == .cancelled)
    #expect(
      await cancelled { (service) throws(PersistenceError) in
        try await service.makeDocumentIndex(DocumentIndex(collection: "c", path: "n"))
      } == .cancelled)
    #expect(try await service.contents(limit: 9, countsAll: true) == before)
    #expect(try await service.documentIndexes() == [])
    // The connection takes the next change.
    #expect(try await service.putDocument(Document("new", "1")))
    #expect(try await service.makeDocumentIndex(DocumentIndex(collection: "c", path: "n")))
  }

  @Test("a change that completes another one is made")
  func completing() async throws {
    let error = await Task { [service] in
      withUnsafeCurrentTask { $0?.cancel() }
      return await BusyWait.$ignoresCancellation.withValue(true) {
        await failure { () throws(PersistenceError) in
          try await service.setPreference("p", to: "1")
        }
      }
    }.value
    #expect(error == nil)
    #expect(try await service.preference("p") == "1")
  }

  @Test("a call that is cancelled does not open a closed file again")
  func late() async throws {
    try await service.close()
    #expect(
      await cancelled { (service) throws(PersistenceError) in
        _ = try await service.contents(limit: 9, countsAll: true)
      } == .cancelled)
    #expect(
      await cancelled { (service) throws(PersistenceError) in
        _ = try await service.putDocument(Document("new", "1"))
      } == .cancelled)
    #expect(try folder.names == ["main.sqlite"])
    #expect(try await service.putDocument(Document("new", "1")))
  }

  @Test("a backup that is cancelled leaves no file")
  func backup() async throws {
    let copy = folder.path + "/copy.sqlite"
    let names = try folder.names
    #expect(
      await cancelled { (service) throws(PersistenceError) in try await service.backup(to: copy) }
        == .cancelled)
    #expect(try folder.names == names)
    try await service.backup(to: copy)
    #expect(try folder.names == (names + ["copy.sqlite"]).sorted())
  }

  @Test("a check ends")
  func check() async throws {
    #expect(
      await cancelled { (service) throws(PersistenceError) in try await service.check() }
        == .cancelled)
    #expect(try await service.check() == [])
  }

  @Test("a statement is interrupted while it runs, and its transaction is undone")
  func running() async throws {
    let kind = try await Task { [folder] () throws -> PersistenceError.Kind? in
      withUnsafeCurrentTask { $0?.cancel() }
      let connection = try folder.stranger()
      do throws(PersistenceError) {
        try connection.write { () throws(PersistenceError) in
          try connection.execute("CREATE TABLE numbers (n INTEGER)")
          try connection.execute(
            """
            INSERT INTO numbers WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)
            SELECT n FROM c LIMIT 100000000
            """)
        }
        return nil
      } catch { return error.kind }
    }.value
    #expect(kind == .cancelled)
    let connection = try folder.stranger()
    #expect(
      try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'numbers'") == 0)
    try connection.close()
  }
}
