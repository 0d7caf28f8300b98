import BenchmarkSupport
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

/// S1 to S5 and L1: what persistence costs beside SQLite alone, with the same settings, tables and
/// rows, and logging beside nothing. With real files, on a disk.
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

/// A connection as the services open theirs, without anything around it.
private final class RawDatabase {
  private var handle: OpaquePointer?
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ path: String, isFull: Bool) {
    sqlite3_open_v2(
      path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = \(isFull ? 2 : 1);
      PRAGMA cell_size_check = 1; PRAGMA temp_store = 2; PRAGMA foreign_keys = 1;
      PRAGMA cache_size = -8192; PRAGMA secure_delete = 1; PRAGMA journal_size_limit = 4194304
      """)
  }

  func execute(_ sql: String) { sqlite3_exec(handle, sql, nil, nil, nil) }

  func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    return statement
  }

  private func bind(_ statement: OpaquePointer?, _ index: Int32, _ text: String) {
    sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), Self.transient)
  }

  private func run(_ statement: OpaquePointer?) {
    sqlite3_step(statement)
    sqlite3_reset(statement)
  }

  func insert(_ statement: OpaquePointer?, _ document: Document) {
    bind(statement, 1, document.collection)
    bind(statement, 2, document.id)
    sqlite3_bind_int64(statement, 3, document.updated)
    sqlite3_bind_int64(statement, 4, document.updated &* 7)
    bind(statement, 5, document.body)
    run(statement)
  }

  /// - Parameter use: The order of use.
  func insert(_ statement: OpaquePointer?, _ response: CachedResponse, use: Int64) {
    bind(statement, 1, response.key)
    bind(statement, 2, response.service)
    sqlite3_bind_int64(statement, 3, Int64(response.status))
    bind(statement, 4, "[]")
    _ = response.body.withUnsafeBytes {
      sqlite3_bind_blob(statement, 5, $0.baseAddress, Int32($0.count), Self.transient)
    }
    sqlite3_bind_int64(statement, 6, response.stored)
    sqlite3_bind_int64(statement, 7, Int64(response.body.count))
    sqlite3_bind_int64(statement, 8, response.stored &* 7)
    sqlite3_bind_int64(statement, 9, use)
    run(statement)
  }

  /// The documents that a query finds by its first parameters.
  func read(_ statement: OpaquePointer?, _ keys: String...) -> [Document] {
    for (index, key) in keys.enumerated() { bind(statement, Int32(index + 1), key) }
    var documents: [Document] = []
    func text(_ column: Int32) -> String {
      String(
        decoding: UnsafeRawBufferPointer(
          start: sqlite3_column_text(statement, column),
          count: Int(sqlite3_column_bytes(statement, column))), as: UTF8.self)
    }
    while sqlite3_step(statement) == SQLITE_ROW {
      documents.append(
        Document(
          collection: keys[0], id: text(0), body: text(2),
          updated: sqlite3_column_int64(statement, 1)))
    }
    sqlite3_reset(statement)
    return documents
  }

  func close() { sqlite3_close_v2(handle) }
}

private let documentTable = """
  CREATE TABLE documents (
    collection TEXT NOT NULL, id TEXT NOT NULL, updated INTEGER NOT NULL,
    checksum INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (collection, id)) STRICT
  """

private let documentInsertion = """
  INSERT INTO documents (collection, id, updated, checksum, body) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (collection, id) DO UPDATE
  SET updated = excluded.updated, checksum = excluded.checksum, body = excluded.body
  """

private let documentByKey =
  "SELECT id, updated, body FROM documents WHERE collection = ? AND id = ?"

/// The table of cached responses with its indexes and totals.
private let responseTable = """
  CREATE TABLE responses (
    key TEXT NOT NULL PRIMARY KEY, service TEXT NOT NULL, status INTEGER NOT NULL,
    headers TEXT NOT NULL, body BLOB NOT NULL, stored INTEGER NOT NULL, expires INTEGER,
    bytes INTEGER NOT NULL, used INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
  CREATE INDEX responses_used ON responses (used, bytes);
  CREATE INDEX responses_service ON responses (service);
  CREATE TABLE response_totals (entries INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO response_totals VALUES (0, 0);
  CREATE TRIGGER responses_inserted AFTER INSERT ON responses BEGIN
    UPDATE response_totals SET entries = entries + 1, bytes = bytes + new.bytes; END;
  CREATE TRIGGER responses_deleted AFTER DELETE ON responses BEGIN
    UPDATE response_totals SET entries = entries - 1, bytes = bytes - old.bytes; END;
  CREATE TRIGGER responses_updated AFTER UPDATE OF bytes ON responses BEGIN
    UPDATE response_totals SET bytes = bytes + new.bytes - old.bytes; END
  """

private let responseInsertion = """
  INSERT INTO responses (key, service, status, headers, body, stored, bytes, checksum, used)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET service = excluded.service, status = excluded.status,
  headers = excluded.headers, body = excluded.body, stored = excluded.stored,
  expires = excluded.expires, bytes = excluded.bytes, checksum = excluded.checksum,
  used = excluded.used
  """

/// A document. SQLite writes nothing if a row does not change, so each write has another time.
private func document(_ index: Int, in collection: String = "c", updated: Int64 = 1) -> Document {
  Document(
    collection: collection, id: "d\(index)",
    body:
      #"{"n":\#(index),"name":"name \#(index)","pad":"\#(String(repeating: "x", count: 200))"}"#,
    updated: updated)
}

// MARK: S1 to S5

private func persistenceRows(in folder: String) async throws -> [Measurement] {
  let service = LivePersistenceService(
    mainPath: "\(folder)/main.sqlite", cachePath: "\(folder)/cache.sqlite")
  let raw = RawDatabase("\(folder)/raw.sqlite", isFull: true)
  let normal = RawDatabase("\(folder)/normal.sqlite", isFull: false)
  raw.execute(documentTable)
  normal.execute(responseTable)
  let (put, putNormal) = (raw.prepare(documentInsertion), normal.prepare(responseInsertion))
  let count = 10_000
  _ = try await service.putEntries(
    StoredEntries(documents: (0..<count).map { document($0) }), onExisting: .refuse)
  raw.execute("BEGIN IMMEDIATE")
  for index in 0..<count { raw.insert(put, document(index)) }
  raw.execute("COMMIT")

  // Both store the same new documents, which are made before.
  let rounds = 7
  let batches = (0..<rounds).map { round in
    StoredEntries(documents: (0..<count).map { document($0, in: "batch \(round)") })
  }
  var (ourRound, rawRound) = (0, 0)
  let batch = await pair(rounds: rounds, operations: count) {
    _ = try? await service.putEntries(batches[ourRound], onExisting: .refuse)
    ourRound += 1
  } limit: {
    raw.execute("BEGIN IMMEDIATE")
    for document in batches[rawRound].documents { raw.insert(put, document) }
    raw.execute("COMMIT")
    rawRound += 1
  }
  var time: Int64 = 1
  let full = await pair(rounds: 15, operations: 100) {
    time += 1
    for index in 0..<100 { _ = try? await service.putDocument(document(index, updated: time)) }
  } limit: {
    time += 1
    for index in 0..<100 { raw.insert(put, document(index, updated: time)) }
  }
  let answer = CachedResponse(
    key: "GET http://h/x", service: "s", status: 200, headers: [],
    body: Data(document(0).body.utf8), stored: 1, expires: nil)
  let cached = await pair(rounds: 15, operations: 200) {
    for _ in 0..<200 {
      time += 1
      var answer = answer
      answer.stored = time
      try? await service.storeResponse(answer)
    }
  } limit: {
    for _ in 0..<200 {
      time += 1
      var answer = answer
      answer.stored = time
      normal.insert(putNormal, answer, use: time)
    }
  }
  let point = raw.prepare(documentByKey)
  var found = 0
  let read = await pair(rounds: 15, operations: 1000) {
    for index in 0..<1000 {
      if (try? await service.document(collection: "c", id: "d\(index)")) != nil { found += 1 }
    }
  } limit: {
    for index in 0..<1000 { found += raw.read(point, "c", "d\(index)").count }
  }
  let all = raw.prepare("SELECT id, updated, body FROM documents WHERE collection = ? ORDER BY id")
  let scan = await pair(rounds: 15, operations: count) {
    let query = DocumentQuery(collection: "c")
    var page = try? await service.documents(query, from: nil)
    while let next = page?.next { page = try? await service.documents(query, from: next) }
  } limit: {
    found += raw.read(all, "c").count
  }
  guard opaque(found) > 0 else { return [] }
  for statement in [put, putNormal, point, all] { sqlite3_finalize(statement) }
  raw.close()
  normal.close()
  try await service.close()
  // No other connection has the file open, so both create the log and remove it.
  let open = await pair(rounds: 31, operations: 1) {
    _ = try? await service.document(collection: "c", id: "d77")
    try? await service.close()
  } limit: {
    let other = RawDatabase("\(folder)/raw.sqlite", isFull: true)
    let statement = other.prepare(documentByKey)
    found += other.read(statement, "c", "d77").count
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
  func row(
    _ id: String, _ name: String, _ times: (ours: Double, limit: Double, peer: Double),
    _ goal: Double
  ) -> Measurement {
    Measurement(
      id: id, name: name, ours: times.ours / 1000, limit: times.limit / 1000, limitName: "SQLite",
      goal: goal, unit: "us")
  }
  return [
    row("S1", "a document of 10 000 in one transaction", batch, 1 / 0.85),
    row("S2", "a document, synchronous = full", full, 1 / 0.95),
    row("S2", "a cached answer, synchronous = normal", cached, 1 / 0.85),
    row("S3", "a document by its key", read, 1.5),
    row("S4", "a document of a page by page scan", scan, 1 / 0.8),
    row("S5", "open, look, close", open, 1.5),
    Measurement(
      id: "S5", name: "make both files and write to each", ours: best, limit: 10,
      limitName: "10 ms", goal: 1, unit: "ms"),
  ]
}

// MARK: L1

private func loggingRows() -> [Measurement] {
  // Made opaque once: each call of `opaque` would count a reference.
  let logger: any Logger = opaque(LiveLogger(sinks: []))
  logger.setLevel(.info, category: nil)
  let count = 100_000
  let disabled = nanoseconds(operations: count) {
    for index in 0..<count { logger.log("step \(index)", level: .debug) }
  }
  let enabled = nanoseconds(operations: count) {
    for _ in 0..<count { logger.log("a message", level: .info) }
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
