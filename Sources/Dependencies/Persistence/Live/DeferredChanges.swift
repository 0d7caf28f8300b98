/// The recent searches and cached answers of a service that are written together.
struct DeferredChanges: Sendable {
  let searches: DeferredWrites<SearchBatch>
  let responses: DeferredWrites<ResponseBatch>

  init(main: Database, cache: Database, limits: PersistenceLimits) {
    searches = DeferredWrites { batch in
      try? await main.write("addSearch", durability: .normal) {
        (connection) throws(PersistenceError) in
        for search in batch.latest(limits.searches) {
          try SearchTable.add(
            search.text, scope: search.scope, at: search.time, limit: limits.searches, connection)
        }
      }
    }
    responses = DeferredWrites { batch in
      try? await cache.write("storeResponse") { (connection) throws(PersistenceError) in
        try ResponseTable.touch(batch.touched, connection)
        for key in batch.keys {
          switch batch[key] {
          case .put(let response): try ResponseTable.put(response, limits, connection)
          case .refresh(let refresh): try ResponseTable.refresh(key, refresh, limits, connection)
          case nil: break
          }
        }
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

  /// The last of each text, in order, no more than `limit` of a scope: others would be dropped
  /// when they are written.
  func latest(_ limit: Int) -> [Search] {
    var counts: [String: Int] = [:]
    var seen: Set<[UInt8]> = []
    var latest: [Search] = []
    for search in searches.reversed() where counts[search.scope, default: 0] < max(limit, 1) {
      // By their bytes, as in the file; no scope has a NUL.
      let key = Array(search.scope.utf8) + [0] + Array(search.text.utf8)
      guard seen.insert(key).inserted else { continue }
      counts[search.scope, default: 0] += 1
      latest.append(search)
    }
    return latest.reversed()
  }
}

/// Cached answers, by key.
struct ResponseBatch: DeferredBatch {
  enum Change: Sendable {
    case put(CachedResponse)
    case refresh(ResponseRefresh)
  }

  /// By the keys' bytes, as in the file.
  private var changes: [[UInt8]: Change] = [:]
  /// The keys of the answers, the one changed last at the end.
  private(set) var keys: [String] = []
  /// The bytes of the answers to be put.
  private(set) var bytes = 0
  /// Keys of answers that were read before.
  var touched: [String] = []

  var isEmpty: Bool { changes.isEmpty }

  subscript(key: String) -> Change? { changes[Array(key.utf8)] }

  mutating func set(_ key: String, _ change: Change) {
    if let old = changes.updateValue(change, forKey: Array(key.utf8)) {
      keys.removeAll { $0.utf8.elementsEqual(key.utf8) }
      if case .put(let response) = old { bytes -= response.weight }
    }
    keys.append(key)
    if case .put(let response) = change { bytes += response.weight }
  }
}

/// What a service said anew of an answer that it gave before.
struct ResponseRefresh: Sendable {
  var headers: [HTTPHeader]
  var stored: Int64
  var expires: Int64?

  func applied(to response: CachedResponse) -> CachedResponse {
    var response = response
    response.headers = headers
    response.stored = stored
    response.expires = expires
    return response
  }
}
