extension MockPersistenceService {
  // MARK: Cached responses

  /// Returns a cached response and records its use immediately. O(1).
  public func cachedResponse(_ key: String) async throws(PersistenceError) -> CachedResponse? {
    try perform("cachedResponse", [key]) { content in
      guard content.responses[ByteText(key)] != nil else { return nil }
      content.uses += 1
      content.responses[ByteText(key)]?.used = content.uses
      return content.responses[ByteText(key)]?.response
    }
  }

  /// Stores a response. O(1) below the limits, and O(n) for each response that is evicted.
  public func storeResponse(_ response: CachedResponse) async throws(PersistenceError) {
    try perform("storeResponse", [response.key, "\(response.body.count) bytes"]) {
      $0.store(response, limits)
    }
  }

  /// Returns the cached responses in the order of their keys. O(n log n).
  public func cachedResponses() async throws(PersistenceError) -> [CachedResponseSummary] {
    try perform("cachedResponses") { content in
      content.responses.sorted { $0.key < $1.key }.map { _, entry in
        CachedResponseSummary(
          key: entry.response.key, service: entry.response.service,
          status: entry.response.status, bytes: entry.response.body.count,
          stored: entry.response.stored, expires: entry.response.expires)
      }
    }
  }

  /// Removes the responses of a service, or all. O(n).
  public func clearResponses(service: String?) async throws(PersistenceError) -> Int {
    try perform("clearResponses", [service ?? "nil"]) { content in
      let before = content.responses.count
      content.responses = content.responses.filter { _, entry in
        service.map { ByteText($0) != ByteText(entry.response.service) } ?? false
      }
      return before - content.responses.count
    }
  }

  /// Removes the responses for which the closure returns true. O(n).
  public func removeResponses(
    where isRemoved: @escaping @Sendable (CachedResponse) -> Bool
  ) async throws(PersistenceError) -> Int {
    try perform("removeResponses") { content in
      let before = content.responses.count
      content.responses = content.responses.filter { !isRemoved($0.value.response) }
      return before - content.responses.count
    }
  }

  // MARK: Log records

  /// Appends records and removes the oldest beyond the limit. O(n), because the list is copied.
  public func appendLogRecords(_ records: [LogRecord]) async throws(PersistenceError) {
    try perform("appendLogRecords", ["\(records.count) records"]) { content in
      content.logRecords = (content.logRecords + records).suffix(max(0, limits.logRecords))
    }
  }

  /// Returns the newest records, the oldest of them first. O(n).
  public func logRecords(limit: Int, atLeast level: LogLevel?) async throws(PersistenceError)
    -> [LogRecord]
  {
    try perform("logRecords", ["\(limit)", level.map { "\($0)" } ?? "nil"]) { content in
      Array(content.logRecords.filter { $0.level >= level ?? .trace }.suffix(max(0, limit)))
    }
  }

  /// Removes all records. O(records).
  public func clearLogRecords() async throws(PersistenceError) {
    try perform("clearLogRecords") { $0.logRecords = [] }
  }
}

extension MockPersistenceService.Content {
  mutating func store(_ response: CachedResponse, _ limits: PersistenceLimits) {
    guard response.weight <= limits.cacheBytes, limits.cacheEntries > 0 else {
      responses[ByteText(response.key)] = nil
      return
    }
    uses += 1
    responses[ByteText(response.key)] = (response, uses)
    var bytes = responses.values.reduce(0) { $0 + $1.response.weight }
    while responses.count > limits.cacheEntries || bytes > limits.cacheBytes {
      guard let oldest = responses.min(by: { $0.value.used < $1.value.used }) else { return }
      bytes -= oldest.value.response.weight
      responses[oldest.key] = nil
    }
  }
}
