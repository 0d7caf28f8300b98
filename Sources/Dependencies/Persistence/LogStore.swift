/// Log records that outlive the process.
public protocol LogStore: Sendable {
  /// Appends records in this order. Removes the oldest beyond the limit.
  func appendLogRecords(_ records: [LogRecord]) async throws(PersistenceError)
  /// Returns the newest `limit` records that match, the oldest of them first.
  func logRecords(limit: Int, atLeast level: LogLevel?) async throws(PersistenceError)
    -> [LogRecord]
  /// Removes all records.
  func clearLogRecords() async throws(PersistenceError)
}
