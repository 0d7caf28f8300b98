/// The limits of the stores. The oldest entries beyond them are removed.
public struct PersistenceLimits: Sendable, Equatable {
  /// The size of all cached responses in bytes: bodies, headers and keys. A larger response is not
  /// stored.
  public var cacheBytes: Int
  /// The number of cached responses.
  public var cacheEntries: Int
  /// The number of log records.
  public var logRecords: Int
  /// The number of recent searches per scope.
  public var searches: Int

  /// Creates limits. With a limit of 0 or less, nothing is stored.
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
  /// The size of the entry that counts towards the limit, in bytes.
  var weight: Int {
    key.utf8.count + service.utf8.count + body.count
      + headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
  }
}
