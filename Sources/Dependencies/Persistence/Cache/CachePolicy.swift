/// The permitted sources of an answer.
public enum CachePolicy: String, Sendable, Codable, CaseIterable {
  /// What is kept answers at once, fresh or not; only what is not kept is asked for.
  case localFirst
  /// The service is asked whether the kept answer is still valid; the kept answer is used if the
  /// service cannot be reached.
  case remoteFirst
  /// The service is asked. Nothing is read from the cache or kept in it.
  case noCache
}

/// The source of an answer. The raw value is what the board shows.
public enum CacheVerdict: String, Sendable, Codable, CaseIterable {
  /// From the cache, and fresh.
  case hit = "HIT"
  /// From the service.
  case miss = "MISS"
  /// From the cache: the service said that it still holds (304).
  case revalidated = "REVALIDATED"
  /// From the cache, past its time or with the service out of reach.
  case stale = "STALE"
  /// The cache had no part in it.
  case none = "NONE"
}

/// How long a repository uses a kept answer without asking, under `CachePolicy.localFirst`.
public enum CacheLifetime: Sendable, Equatable {
  /// Always. An answer past the time that its service gave has the verdict `stale`.
  case unlimited
  /// As long as its service said, in `Cache-Control` or `Expires`; not at all where it said
  /// nothing.
  case asAnswered
  /// For this long since it was stored or confirmed, whatever its service said.
  case fixed(Duration)
}
