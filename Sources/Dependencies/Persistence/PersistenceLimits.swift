/// How much the stores keep before the oldest has to go.
public struct PersistenceLimits: Sendable, Equatable {
  /// Bytes of cached answers: bodies, headers and keys. An answer larger than that is not kept.
  public var cacheBytes: Int
  /// Cached answers.
  public var cacheEntries: Int
  /// Log records.
  public var logRecords: Int
  /// Recent searches of one scope.
  public var searches: Int

  /// Limits; 0 and what is below keeps nothing.
  public init(
    cacheBytes: Int = 64 << 20, cacheEntries: Int = 10_000, logRecords: Int = 100_000,
    searches: Int = 100
  ) {
    self.cacheBytes = cacheBytes
    self.cacheEntries = cacheEntries
    self.logRecords = logRecords
    self.searches = searches
  }
}

extension CachedResponse {
  /// What the entry counts against the limit.
  var weight: Int {
    key.utf8.count + service.utf8.count + body.count
      + headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
  }
}
