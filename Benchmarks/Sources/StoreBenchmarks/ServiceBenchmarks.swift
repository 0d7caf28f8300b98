import CSystemSQLite
import SwiftBoardDependencies

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// S1 to S5 and L1: what persistence costs beside SQLite alone, with the same settings, and logging
/// beside nothing. With real files, on a disk.
func serviceBenchmarks() async -> [Measurement] {
  let folder = "/var/tmp/swiftboard-service-benchmarks.\(getpid())"
  guard mkdir(folder, 0o700) == 0 else {
    print("no folder for files in /var/tmp: services are not measured")
    return loggingRows()
  }
  defer { try? FileManager.default.removeItem(atPath: folder) }
  do {
    return try await persistenceRows(in: folder) + loggingRows()
  } catch {
    print("persistence is not measured: \(error)")
    return loggingRows()
  }
}

// MARK: SQLite alone

private final class RawDatabase {
  private var handle: OpaquePointer?
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ path: String, isFull: Bool) {
    sqlite3_open(path, &handle)
    execute("PRAGMA journal_mode = WAL")
    execute("PRAGMA synchronous = \(isFull ? 2 : 1)")
    execute(
      """
      CREATE TABLE IF NOT EXISTS documents (
        collection TEXT NOT NULL, id TEXT NOT NULL, updated INTEGER NOT NULL,
        checksum INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (collection, id)) STRICT
      """)
  }

  func execute(_ sql: String) { sqlite3_exec(handle, sql, nil, nil, nil) }

  func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    return statement
  }

  func insert(_ statement: OpaquePointer?, _ document: Document) {
    sqlite3_bind_text(statement, 1, document.collection, -1, Self.transient)
    sqlite3_bind_text(statement, 2, document.id, -1, Self.transient)
    sqlite3_bind_int64(statement, 3, document.updated)
    sqlite3_bind_int64(statement, 4, 7)
    sqlite3_bind_text(statement, 5, document.body, -1, Self.transient)
    sqlite3_step(statement)
    sqlite3_reset(statement)
  }

  /// The bytes of the bodies that a query finds, copied as a program needs them.
  func read(_ statement: OpaquePointer?) -> Int {
    var count = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      for column in [Int32(0), 1] {
        count += String(cString: sqlite3_column_text(statement, column)).utf8.count
      }
    }
    sqlite3_reset(statement)
    return count
  }

  func close() { sqlite3_close_v2(handle) }
}

private let insertion = """
  INSERT INTO documents (collection, id, updated, checksum, body) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (collection, id) DO UPDATE
  SET updated = excluded.updated, checksum = excluded.checksum, body = excluded.body
  """

private func document(_ index: Int) -> Document {
  Document(
    collection: "c", id: "d\(index)",
    body:
      #"{"n":\#(index),"name":"name \#(index)","pad":"\#(String(repeating: "x", count: 200))"}"#,
    updated: 1)
}

// MARK: S1 to S5

private func persistenceRows(in folder: String) async throws -> [Measurement] {
  let service = LivePersistenceService(
    mainPath: "\(folder)/main.sqlite", cachePath: "\(folder)/cache.sqlite")
  let raw = RawDatabase("\(folder)/raw.sqlite", isFull: true)
  let normal = RawDatabase("\(folder)/normal.sqlite", isFull: false)
  let (put, putNormal) = (raw.prepare(insertion), normal.prepare(insertion))
  let count = 10_000
  let documents = (0..<count).map(document)

  let batch = await pair(rounds: 5, operations: count) {
    try? await service.putDocuments(documents)
  } limit: {
    raw.execute("BEGIN IMMEDIATE")
    for document in documents { raw.insert(put, document) }
    raw.execute("COMMIT")
  }
  let full = await pair(rounds: 9, operations: 20) {
    for index in 0..<20 { try? await service.putDocument(documents[index]) }
  } limit: {
    for index in 0..<20 { raw.insert(put, documents[index]) }
  }
  let answer = CachedResponse(
    key: "GET http://h/x", service: "s", status: 200, headers: [],
    body: Data(documents[0].body.utf8), stored: 1, expires: nil)
  let cached = await pair(rounds: 9, operations: 200) {
    for _ in 0..<200 { try? await service.storeResponse(answer) }
  } limit: {
    for index in 0..<200 { normal.insert(putNormal, documents[index % 2]) }
  }
  let point = raw.prepare("SELECT id, body FROM documents WHERE collection = 'c' AND id = 'd77'")
  var bytes = 0
  let read = await pair(rounds: 9, operations: 1000) {
    for _ in 0..<1000 {
      bytes += (try? await service.document(collection: "c", id: "d77"))??.body.utf8.count ?? 0
    }
  } limit: {
    for _ in 0..<1000 { bytes += raw.read(point) }
  }
  let all = raw.prepare("SELECT id, body FROM documents WHERE collection = 'c' ORDER BY id")
  let scan = await pair(rounds: 9, operations: count) {
    let query = DocumentQuery(collection: "c")
    var page = try? await service.documents(query, from: nil)
    while let next = page?.next { page = try? await service.documents(query, from: next) }
  } limit: {
    bytes += raw.read(all)
  }
  guard opaque(bytes) > 0 else { return [] }
  let open = await pair(rounds: 15, operations: 1) {
    _ = try? await service.document(collection: "c", id: "d77")
    try? await service.close()
  } limit: {
    let other = RawDatabase("\(folder)/raw.sqlite", isFull: true)
    let statement = other.prepare(
      "SELECT id, body FROM documents WHERE collection = 'c' AND id = 'd77'")
    _ = other.read(statement)
    sqlite3_finalize(statement)
    other.close()
  }
  var best = Double.infinity
  for round in 0..<7 {
    let start = ContinuousClock.now
    let new = LivePersistenceService(
      mainPath: "\(folder)/main\(round).sqlite", cachePath: "\(folder)/cache\(round).sqlite")
    try await new.setPreference("a", to: "1")
    try await new.storeResponse(answer)
    best = min(best, (ContinuousClock.now - start) / .milliseconds(1))
    try await new.close()
  }
  for statement in [put, putNormal, point, all] { sqlite3_finalize(statement) }
  raw.close()
  normal.close()
  func row(
    _ id: String, _ name: String, _ times: (ours: Double, limit: Double, peer: Double),
    _ goal: Double?
  ) -> Measurement {
    Measurement(
      id: id, name: name, ours: times.ours / 1000, limit: times.limit / 1000, limitName: "SQLite",
      goal: goal, unit: "us")
  }
  return [
    row("S1", "a document of 10 000 in one transaction", batch, 1 / 0.85),
    row("S2", "a document, synchronous = full", full, 1 / 0.95),
    row("S2", "a cached answer, synchronous = normal", cached, 1 / 0.85),
    // From a task, on a thread of its own.
    row("S3", "a document by its key", read, nil),
    row("S4", "a document of a page by page scan", scan, 1 / 0.8),
    row("S5", "open, look, close", open, 1.5),
    Measurement(
      id: "S5", name: "make both files and write to each", ours: best, limit: 10,
      limitName: "10 ms", goal: 1, unit: "ms"),
  ]
}

// MARK: L1

private func loggingRows() -> [Measurement] {
  let logger: any Logger = LiveLogger(sinks: [])
  logger.setLevel(.info, category: nil)
  let count = 100_000
  let disabled = nanoseconds(operations: count) {
    for index in 0..<count { opaque(logger).log("step \(index)", level: .debug) }
  }
  let enabled = nanoseconds(operations: count) {
    for _ in 0..<count { opaque(logger).log("a message", level: .info) }
  }
  return [
    Measurement(
      id: "L1", name: "a log call that is disabled", ours: disabled, limit: 5, limitName: "5 ns",
      goal: 1),
    Measurement(
      id: "L1", name: "a log call into memory", ours: enabled, limit: 150, limitName: "150 ns",
      goal: 1),
  ]
}
