import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

/// What is removed is in no file, also beside another program that has the database open.
struct ErasureTests {
  enum Removal: String, CaseIterable {
    case clear, condition, searches, records
  }

  private static let text = "perishable"
  private let folder: DatabaseFolder
  private let service: LivePersistenceService

  init() throws {
    folder = try DatabaseFolder()
    service = folder.service(options: .init(busyWait: BusyWait(milliseconds: 0)))
  }

  private func fill() async throws {
    var response = PersistenceConformanceTests.response("k")
    response.body = Data(Self.text.utf8)
    try await service.storeResponse(response)
    try await service.addSearch(Self.text, scope: "s", at: 0)
    try await service.appendLogRecords([
      LogRecord(time: 0, level: .info, category: "c", message: Self.text, fields: [])
    ])
  }

  private func remove(_ removal: Removal) async throws -> Int {
    switch removal {
    case .clear: return try await service.clearResponses(service: nil)
    case .condition: return try await service.removeResponses { _ in true }
    case .searches: return try await service.removeSearches(nil, scope: "s")
    case .records:
      try await service.clearLogRecords()
      return 1
    }
  }

  private func path(_ removal: Removal) -> String {
    removal == .searches ? folder.main : folder.cache
  }

  /// How often the text is in the database and in its log.
  private func count(_ removal: Removal) throws -> Int {
    try ["", "-wal"].reduce(0) { count, suffix in
      let bytes = try DatabaseFolder.bytes(path(removal) + suffix)
      return count + String(decoding: bytes, as: UTF8.self).ranges(of: Self.text).count
    }
  }

  @Test("what is removed is in no file beside an open program", arguments: Removal.allCases)
  func beside(removal: Removal) async throws {
    try await fill()
    let other = try folder.stranger(path(removal))
    #expect(try other.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0)
    #expect(try count(removal) > 1)
    #expect(try await remove(removal) == 1)
    // The cache had it in an answer and in a record.
    #expect(try count(removal) == (removal == .searches ? 0 : 1))
    #expect(try DatabaseFolder.bytes(path(removal) + "-wal").isEmpty)
    #expect(await service.takeWarning() == nil)
    try other.close()
  }

  @Test("a program that reads keeps it in the log, which is said once", arguments: Removal.allCases)
  func whileRead(removal: Removal) async throws {
    try await fill()
    let other = try folder.stranger(path(removal))
    try other.execute("BEGIN")
    #expect(try other.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0)
    #expect(try await remove(removal) == 1)
    let warning = try #require(await service.takeWarning())
    #expect(warning.contains("\(path(removal))-wal"), "\(warning)")
    #expect(await service.takeWarning() == nil)
    try other.execute("COMMIT")
    // The same command erases it later. What looks for secrets does so if it finds one.
    if removal == .condition { try await fill() }
    _ = try await remove(removal)
    #expect(try DatabaseFolder.bytes(path(removal) + "-wal").isEmpty)
    #expect(await service.takeWarning() == nil)
    try other.close()
  }

  @Test("what removes no recent search waits for no reader, and leaves the log as it is")
  func noSuchSearch() async throws {
    try await fill()
    let other = try folder.stranger(folder.main)
    try other.execute("BEGIN")
    #expect(try other.integer("SELECT count(*) FROM recent_searches") == 1)
    let log = try DatabaseFolder.bytes(folder.main + "-wal")
    #expect(try await service.removeSearches("none", scope: "s") == 0)
    #expect(await service.takeWarning() == nil)
    #expect(try DatabaseFolder.bytes(folder.main + "-wal") == log && !log.isEmpty)
    try other.close()
    #expect(try await service.removeSearches("none", scope: "s") == 0)
    #expect(try DatabaseFolder.bytes(folder.main + "-wal") == log)
  }

  @Test("a search for secrets that finds none erases a replaced response from the log")
  func replacedResponse() async throws {
    var response = PersistenceConformanceTests.response("k")
    for text in [Self.text, "harmless"] {
      response.body = Data(text.utf8)
      let service = folder.service()
      try await service.storeResponse(response)
      try await service.close()
    }
    #expect(try count(.condition) > 0)
    let searching = folder.service()
    #expect(try await searching.removeResponses { $0.body == Data(Self.text.utf8) } == 0)
    try await searching.close()
    try expectErased()
  }

  @Test("a later process erases what a program that reads has kept, though it removes nothing")
  func laterProcess() async throws {
    try await service.addSearch(Self.text, scope: "s", at: 0)
    let other = try folder.stranger(folder.main)
    try other.execute("BEGIN")
    #expect(try other.integer("SELECT count(*) FROM recent_searches") == 1)
    #expect(try await remove(.searches) == 1)
    #expect(await service.takeWarning() != nil)
    try await service.close()
    try other.execute("COMMIT")
    try other.close(keepingLog: true)
    #expect(try count(.searches) > 0)
    let later = folder.service()
    #expect(try await later.removeSearches(nil, scope: "s") == 0)
    try await later.close()
    try expectErased()
  }

  private func expectErased() throws {
    for name in try folder.names {
      let bytes = try DatabaseFolder.bytes(folder.path + "/" + name)
      #expect(bytes.positions(of: Array(Self.text.utf8)).isEmpty, "\(name)")
    }
  }

  @Test("a search for secrets that removes nothing waits for no reader")
  func nothingFound() async throws {
    try await fill()
    let other = try folder.stranger(folder.cache)
    try other.execute("BEGIN")
    #expect(try other.integer("SELECT count(*) FROM responses") == 1)
    #expect(try await service.removeResponses { _ in false } == 0)
    #expect(await service.takeWarning() == nil)
    try other.close()
  }
}
