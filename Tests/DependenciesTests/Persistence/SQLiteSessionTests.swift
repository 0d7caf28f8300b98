import Testing

@testable import SwiftBoardDependencies

@Suite("SQLite sessions") struct SQLiteSessionTests {
  private func session(
    _ folder: DatabaseFolder, schema: DatabaseSchema = .main, pauses: Shared<Int> = Shared(0)
  ) -> SQLiteSession {
    let options = DatabaseFile.Options(
      busyWait: BusyWait { pauses.value.withLock { $0 += 1 } })
    return SQLiteSession(
      DatabaseFile(path: folder.main, schema: schema, options: options), role: .writer)
  }

  private func value(_ outcome: SQLiteSession.Outcome<Int>?) -> Int? {
    if case .done(let value)? = outcome { value } else { nil }
  }

  @Test("a brief call does not open the file")
  func aBriefCallDoesNotOpenTheFile() throws {
    let folder = try DatabaseFolder()
    var session = session(folder)
    #expect(value(try session.runIfReady("test") { _ in 1 }) == nil)
    #expect(try folder.names.isEmpty)
    #expect(value(try session.run("test", making: true) { _ in 2 }) == 2)
    #expect(value(try session.runIfReady("test") { _ in 3 }) == 3)
    try session.close()
    #expect(value(try session.runIfReady("test") { _ in 4 }) == nil)
  }

  @Test("a brief call does not wait for a lock, and changes nothing where there is one")
  func aBriefCallDoesNotWaitForALock() throws {
    let folder = try DatabaseFolder()
    let pauses = Shared(0)
    var session = session(folder, pauses: pauses)
    let put = { (connection: SQLiteConnection) throws(PersistenceError) in
      try connection.write { () throws(PersistenceError) in
        try DocumentTable.put(Document("a", "1"), connection) ? 1 : 0
      }
    }
    _ = try session.run("test", making: true) { _ in 0 }
    let stranger = try folder.stranger()
    try stranger.execute("BEGIN IMMEDIATE")
    #expect(value(try session.runIfReady("test", put)) == nil)
    #expect(pauses.value.withLock { $0 } == 0)
    try stranger.execute("COMMIT")
    try stranger.close()
    #expect(value(try session.runIfReady("test", put)) == 1)
    try session.close()
  }

  @Test("a brief call leaves damage to the thread")
  func aBriefCallLeavesDamageToTheThread() throws {
    for schema in [DatabaseSchema.main, .cache] {
      let folder = try DatabaseFolder()
      var session = session(folder, schema: schema)
      _ = try session.run("test", making: true) { _ in 0 }
      let error = PersistenceError(.corrupted, path: "", operation: "test", what: "damaged")
      let outcome = try session.runIfReady("test") { _ throws(PersistenceError) -> Int in
        throw error
      }
      #expect(value(outcome) == nil)
      // The state of the connection is unknown, so the next call opens it again.
      #expect(value(try session.runIfReady("test") { _ in 1 }) == nil)
      #expect(value(try session.run("test", making: true) { _ in 2 }) == 2)
      try session.close()
    }
  }
}
