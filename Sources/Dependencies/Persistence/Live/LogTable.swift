import SwiftBoardSystem

extension LivePersistenceService {
  /// Appends all records or none, in one transaction. Removes the oldest records beyond the limit.
  public func appendLogRecords(_ records: [LogRecord]) async throws(PersistenceError) {
    guard !records.isEmpty else { return }
    let limit = limits.logRecords
    try await cache.write("appendLogRecords") { (connection) throws(PersistenceError) in
      try LogTable.append(records, limit: limit, connection)
    }
  }

  /// Returns the newest records, the oldest of them first. O(limit) without a level. With a level,
  /// it reads as many rows as are needed to find them.
  public func logRecords(limit: Int, atLeast level: LogLevel?) async throws(PersistenceError)
    -> [LogRecord]
  {
    try await cache.read("logRecords", whenMissing: []) { (connection) throws(PersistenceError) in
      let statement = try connection.statement(
        """
        SELECT time, level, category, message, fields FROM log_records WHERE level >= ?
        ORDER BY sequence DESC LIMIT ?
        """, level?.rawValue ?? Int(Int32.min), max(0, limit))
      var records: [LogRecord] = []
      try statement.forEachRow { (row) throws(PersistenceError) in
        let pairs = StoredJSON.pairs(of: row.text(4)) ?? []
        records.append(
          LogRecord(
            time: row.integer(0), level: LogLevel(rawValue: Int(row.integer(1))) ?? .info,
            category: row.text(2), message: row.text(3),
            fields: pairs.map { LogField($0.0, $0.1) }))
      }
      return records.reversed()
    }
  }

  /// Removes all records, and erases them as `clearResponses(service:)` does. Does not create a
  /// missing file.
  public func clearLogRecords() async throws(PersistenceError) {
    let operation = "clearLogRecords"
    if try cache.file.isMissing(operation: operation) { return }
    _ = try await erase(operation, in: cache) { (connection) throws(PersistenceError) in
      try connection.statement("DELETE FROM log_records").run()
      return connection.changes
    }
  }
}

/// The table `log_records`.
enum LogTable {
  static func append(_ records: [LogRecord], limit: Int, _ connection: SQLiteConnection)
    throws(PersistenceError)
  {
    let statement = try connection.statement(
      "INSERT INTO log_records (time, level, category, message, fields) VALUES (?, ?, ?, ?, ?)")
    for record in records {
      statement.bindAll(
        record.time, record.level.rawValue, record.category, record.message,
        StoredJSON.text(ofPairs: record.fields.lazy.map { ($0.key, $0.value) }))
      try statement.run()
    }
    try connection.run(
      "DELETE FROM log_records WHERE sequence <= (SELECT max(sequence) FROM log_records) - ?", limit
    )
  }
}
