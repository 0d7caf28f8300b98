import SwiftBoardSystem

extension LivePersistenceService {
  /// Returns a cached response and verifies its checksum. A mismatch is a miss. Its use is recorded
  /// when the next response is stored.
  public func cachedResponse(_ key: String) async throws(PersistenceError) -> CachedResponse? {
    let waiting = deferred?.responses.look { $0[key] ?? $1?[key] } ?? nil
    let response: CachedResponse?
    if let waiting {
      response = waiting
    } else {
      response = try await cache.read("cachedResponse", .brief, whenMissing: nil) {
        (connection) throws(PersistenceError) in try ResponseTable.get(key, connection)
      }
    }
    if response != nil {
      touched.withLock { keys in
        // Limit the list. The discarded keys were used long ago.
        if keys.count >= 1024 { keys.removeFirst(512) }
        keys.append(key)
      }
    }
    return response
  }

  /// Stores a response under its key and evicts others until the limits hold. A response beyond the
  /// limit of bytes is not stored, and the present one under its key is removed.
  public func storeResponse(_ response: CachedResponse) async throws(PersistenceError) {
    let keys = takeTouched()
    let limits = limits
    if let deferred, ResponseTable.keeps(response, limits) {
      let bytes = deferred.responses.add { waiting, _ in
        waiting.touched += keys
        waiting.put(response)
        return waiting.bytes
      }
      if bytes > Self.waitingBytes { await deferred.responses.flush() }
      return try deferred.responses.throwFailure()
    }
    await deferred?.responses.flush()
    try await cache.write("storeResponse", .writing(response.body.count)) {
      (connection) throws(PersistenceError) in
      try ResponseTable.touch(keys, connection)
      try ResponseTable.put(response, limits, connection)
    }
  }

  /// The size of the waiting responses from which a call waits until they are written, in bytes.
  private static let waitingBytes = 8 << 20

  /// Returns the cached responses in the order of the bytes of their keys. Does not read bodies.
  public func cachedResponses() async throws(PersistenceError) -> [CachedResponseSummary] {
    await deferred?.responses.flush()
    return try await cache.read("cachedResponses", whenMissing: []) {
      (connection) throws(PersistenceError) in
      var summaries: [CachedResponseSummary] = []
      try connection.statement(
        """
        SELECT key, service, status, length(body), stored, expires FROM responses ORDER BY key
        """
      ).forEachRow { (row) throws(PersistenceError) in
        summaries.append(
          CachedResponseSummary(
            key: row.text(0), service: row.text(1), status: Int(row.integer(2)),
            bytes: Int(row.integer(3)), stored: row.integer(4),
            expires: row.integerIfPresent(5)))
      }
      return summaries
    }
  }

  /// Removes the responses of a service, or all, and erases them from the disk: the freed space is
  /// overwritten, and the log is emptied. If another program reads for longer than five seconds,
  /// the log is left, and `takeWarning()` says so. The file keeps its size, and the space is
  /// reused.
  public func clearResponses(service: String?) async throws(PersistenceError) -> Int {
    await deferred?.responses.flush()
    let count = try await erase("clearResponses", in: cache) {
      (connection) throws(PersistenceError) in
      try connection.run("DELETE FROM responses WHERE ?1 IS NULL OR service = ?1", service)
      return connection.changes
    }
    // Writing a response that was confirmed in the meantime would restore a removed one. A cache
    // may lose entries.
    deferred?.responses.dropWaiting()
    return count
  }

  /// Removes the responses of one target. O(log n), and nothing is written if there is none.
  public func removeResponses(target: String) async throws(PersistenceError) -> Int {
    await deferred?.responses.flush()
    let isThere = try await cache.read("removeResponses", .brief, whenMissing: false) {
      (connection) throws(PersistenceError) in
      try ResponseTable.count(target: target, connection) > 0
    }
    guard isThere else { return 0 }
    let count = try await cache.write("removeResponses", .brief) {
      (connection) throws(PersistenceError) in
      try ResponseTable.remove(target: target, connection)
    }
    deferred?.responses.dropWaiting()
    return count
  }

  /// Removes the responses for which the closure returns true. One body is in memory at a time.
  /// They are erased as by `clearResponses(service:)`.
  public func removeResponses(
    where isRemoved: @escaping @Sendable (CachedResponse) -> Bool
  ) async throws(PersistenceError) -> Int {
    guard try await !cachedResponses().isEmpty else { return 0 }
    // The log is folded in at the end even if none is found: it may still contain a replaced one.
    let count = try await erase("removeResponses", in: cache, isSkippable: true) {
      (connection) throws(PersistenceError) in
      var keys: [String] = []
      try connection.statement("SELECT key FROM responses").forEachRow { keys.append($0.text(0)) }
      var count = 0
      for key in keys {
        if let response = try ResponseTable.get(key, connection), !isRemoved(response) { continue }
        try connection.run("DELETE FROM responses WHERE key = ?", key)
        count += 1
      }
      return count
    }
    deferred?.responses.dropWaiting()
    return count
  }
}

/// The table `responses`. The order of use is a count and not a time, so that no clock keeps an
/// entry forever.
enum ResponseTable {
  /// Returns a response, or `nil` if it is missing or does not match its checksum.
  static func get(_ key: String, _ connection: SQLiteConnection) throws(PersistenceError)
    -> CachedResponse?
  {
    let statement = try connection.statement(
      """
      SELECT service, status, headers, body, stored, expires, checksum FROM responses
      WHERE key = ?
      """, key)
    let found = try statement.first { row -> CachedResponse? in
      let headers = row.text(2)
      guard let pairs = StoredJSON.pairs(of: headers) else { return nil }
      let response = CachedResponse(
        key: key, service: row.text(0), status: Int(row.integer(1)),
        headers: pairs.map { HTTPHeader($0.0, $0.1) }, body: row.data(3), stored: row.integer(4),
        expires: row.integerIfPresent(5))
      return checksum(response, headers: headers) == row.integer(6) ? response : nil
    }
    return found ?? nil
  }

  /// Returns whether a response of this size is within the limits.
  static func keeps(_ response: CachedResponse, _ limits: PersistenceLimits) -> Bool {
    response.weight <= limits.cacheBytes && limits.cacheEntries > 0
  }

  static func put(
    _ response: CachedResponse, _ limits: PersistenceLimits, _ connection: SQLiteConnection
  ) throws(PersistenceError) {
    guard keeps(response, limits) else {
      // The response is too large. The previous one must not be used in its place.
      return try connection.run("DELETE FROM responses WHERE key = ?", response.key)
    }
    let headers = StoredJSON.text(ofPairs: response.headers.lazy.map { ($0.name, $0.value) })
    try connection.run(
      """
      INSERT INTO responses
        (key, service, status, headers, body, stored, expires, bytes, checksum, used)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(used), 0) + 1 FROM responses))
      ON CONFLICT (key) DO UPDATE SET service = excluded.service, status = excluded.status,
      headers = excluded.headers, body = excluded.body, stored = excluded.stored,
      expires = excluded.expires, bytes = excluded.bytes, checksum = excluded.checksum,
      used = excluded.used
      """, response.key, response.service, response.status, headers, response.body, response.stored,
      response.expires, response.weight, checksum(response, headers: headers))
    try evict(limits, connection)
  }

  /// The methods of responses that are stored.
  private static let methods = ["GET", "HEAD"]

  /// The keys of a target begin with its first line, and go on in the next one or end there.
  private static let hasTarget = """
    FROM responses WHERE key = ?1 OR (key > ?1 || char(10) AND key < ?1 || char(11))
    """

  static func count(target: String, _ connection: SQLiteConnection) throws(PersistenceError) -> Int
  {
    var count = 0
    for method in methods {
      let statement = try connection.statement(
        "SELECT count(*) \(hasTarget)", "\(method) \(target)")
      count += try statement.first { Int($0.integer(0)) } ?? 0
    }
    return count
  }

  static func remove(target: String, _ connection: SQLiteConnection) throws(PersistenceError)
    -> Int
  {
    var count = 0
    for method in methods {
      try connection.run("DELETE \(hasTarget)", "\(method) \(target)")
      count += connection.changes
    }
    return count
  }

  /// Records the use of entries, in this order.
  static func touch(_ keys: [String], _ connection: SQLiteConnection) throws(PersistenceError) {
    guard !keys.isEmpty else { return }
    let statement = try connection.statement(
      """
      UPDATE responses SET used = (SELECT max(used) + 1 FROM responses) WHERE key = ?
      """)
    for key in keys {
      statement.bind(1, key)
      try statement.run()
    }
  }

  /// Removes the responses that were used least recently, until the limits hold.
  ///
  /// - Throws: `corrupted` if the stored totals are not those of the responses.
  private static func evict(_ limits: PersistenceLimits, _ connection: SQLiteConnection)
    throws(PersistenceError)
  {
    let isWrong = PersistenceError(
      .corrupted, path: connection.path, operation: connection.operation,
      what: "the database is damaged: its totals are not those of its responses")
    let totals = try connection.statement("SELECT entries, bytes FROM response_totals")
      .first { (entries: Int($0.integer(0)), bytes: Int($0.integer(1))) }
    guard var (entries, bytes) = totals else { return }
    guard entries >= 0, bytes >= 0 else { throw isWrong }
    guard entries > limits.cacheEntries || bytes > limits.cacheBytes else { return }
    var oldest: [Int64] = []
    let selection = try connection.statement(
      "SELECT rowid, bytes FROM responses ORDER BY used LIMIT ?")
    // The number of entries that could have to be evicted, which is usually one.
    selection.bind(1, max(64, entries - max(0, limits.cacheEntries)))
    try selection.forEachRow { (row) throws(PersistenceError) in
      guard entries > limits.cacheEntries || bytes > limits.cacheBytes else { return }
      let size = Int(row.integer(1))
      guard (0...max(0, bytes)).contains(size) else { throw isWrong }
      oldest.append(row.integer(0))
      entries -= 1
      bytes -= size
    }
    guard !oldest.isEmpty else { throw isWrong }
    let removal = try connection.statement("DELETE FROM responses WHERE rowid = ?")
    for row in oldest {
      removal.bind(1, row)
      try removal.run()
    }
    if entries > limits.cacheEntries || bytes > limits.cacheBytes {
      try evict(limits, connection)
    }
  }

  private static func checksum(_ response: CachedResponse, headers: String) -> Int64 {
    var checksum = ContentChecksum()
    checksum.add(response.key)
    checksum.add(response.service)
    checksum.add(Int64(response.status))
    checksum.add(headers)
    response.body.withUnsafeBytes { checksum.add($0) }
    checksum.add(response.stored)
    checksum.add(response.expires ?? 0)
    checksum.add(response.expires == nil ? 0 : 1)
    return checksum.value
  }
}
