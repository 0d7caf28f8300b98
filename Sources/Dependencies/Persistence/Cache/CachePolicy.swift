/// The permitted sources of a response.
public enum CachePolicy: String, Sendable, Codable, CaseIterable {
  /// Use the cached response, fresh or not. Ask the service only if there is none.
  case localFirst
  /// Ask the service whether the cached response is still valid. Use the cached response if the
  /// service cannot be reached.
  case remoteFirst
  /// Ask the service. Neither read the cache nor store the response.
  case noCache
}

/// The source of a response. The raw value is what the board prints.
public enum CacheVerdict: String, Sendable, Codable, CaseIterable {
  /// From the cache, and fresh.
  case hit = "HIT"
  /// From the service.
  case miss = "MISS"
  /// From the cache. The service confirmed that it is still valid (304).
  case revalidated = "REVALIDATED"
  /// From the cache. It has expired, or the service could not be reached.
  case stale = "STALE"
  /// From the service, without the cache.
  case none = "NONE"
}

/// The time for which a repository uses a cached response without asking, under
/// `CachePolicy.localFirst`.
public enum CacheLifetime: Sendable, Equatable {
  /// Without limit. A response after the time that its service set has the verdict `stale`.
  case unlimited
  /// The time that the service set with `Cache-Control` or `Expires`, or none if it set no time.
  case asAnswered
  /// A fixed time since the response was stored or confirmed, regardless of its service.
  case fixed(Duration)
}
