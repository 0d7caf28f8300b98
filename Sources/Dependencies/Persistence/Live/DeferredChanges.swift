/// The recent searches and the cached responses of a service that are written in batches.
struct DeferredChanges: Sendable {
  let searches: DeferredWrites<SearchBatch>
  let responses: DeferredWrites<ResponseBatch>

  init(main: Database, cache: Database, limits: PersistenceLimits) {
    searches = DeferredWrites { (batch) throws(PersistenceError) in
      try await main.write("addSearch", durability: .normal) {
        (connection) throws(PersistenceError) in
        let searches = batch.latest(limits.searches)
        for search in searches {
          try SearchTable.add(search.text, scope: search.scope, at: search.time, connection)
        }
        for scope in Set(searches.map(\.scope)) {
          try SearchTable.trim(scope, limit: limits.searches, connection)
        }
      }
    }
    responses = DeferredWrites { (batch) throws(PersistenceError) in
      try await cache.write("storeResponse") { (connection) throws(PersistenceError) in
        try ResponseTable.touch(batch.touched, connection)
        for response in batch.responses { try ResponseTable.put(response, limits, connection) }
      }
    }
  }
}

/// Searches in the order in which they were added.
struct SearchBatch: DeferredBatch {
  struct Search: Sendable {
    var text: String
    var scope: String
    var time: Int64
  }

  private var searches: [Search] = []

  var isEmpty: Bool { searches.isEmpty }

  mutating func add(_ search: Search) { searches.append(search) }

  /// Returns the last search of each text in order, at most `limit` per scope, because writing
  /// would remove the others.
  func latest(_ limit: Int) -> [Search] {
    var counts: [String: Int] = [:]
    var seen: Set<[UInt8]> = []
    var latest: [Search] = []
    for search in searches.reversed() where counts[search.scope, default: 0] < max(limit, 1) {
      // Compared by their bytes, as in the file. No scope contains a NUL.
      let key = Array(search.scope.utf8) + [0] + Array(search.text.utf8)
      guard seen.insert(key).inserted else { continue }
      counts[search.scope, default: 0] += 1
      latest.append(search)
    }
    return latest.reversed()
  }
}

/// Cached responses by key.
struct ResponseBatch: DeferredBatch {
  /// The responses by the bytes of their keys, as in the file.
  private var byKey: [[UInt8]: CachedResponse] = [:]
  /// The keys of the responses, the last stored one at the end.
  private var keys: [[UInt8]] = []
  /// The size of the responses in bytes.
  private(set) var bytes = 0
  /// The keys of cached responses that were read.
  var touched: [String] = []

  var isEmpty: Bool { byKey.isEmpty }

  /// The responses, the last stored one at the end.
  var responses: [CachedResponse] { keys.compactMap { byKey[$0] } }

  subscript(key: String) -> CachedResponse? { byKey[Array(key.utf8)] }

  mutating func put(_ response: CachedResponse) {
    let key = Array(response.key.utf8)
    if let old = byKey.updateValue(response, forKey: key) {
      keys.removeAll { $0 == key }
      bytes -= old.weight
    }
    keys.append(key)
    bytes += response.weight
  }
}
