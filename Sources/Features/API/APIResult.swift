import SwiftBoardDependencies

/// How a command of `api` that is no request ended well.
public enum APIResult: Codable, Sendable, Equatable {
  /// The service that was asked for.
  case service(service: APIService)
  /// All services, by name, and the names of damaged ones; `nil` if there are none.
  case services(services: [APIService], damaged: [String]? = nil)
  /// The service that was added.
  case added(service: APIService)
  /// The name of the service that was removed.
  case removed(name: String)
  /// The kept requests, by name.
  case saved(requests: [SavedRequestSummary])
  /// The kept request that was asked for. It is shown as a line with `isLine`, and as a table of
  /// its words in earlier recordings, where that is `nil`.
  case savedRequest(name: String, request: APIRequestSpec, isLine: Bool? = nil)
  /// The name of the kept request that was removed.
  case removedSaved(name: String)
  /// The service, or the proxy before it, answered after so many milliseconds.
  case tested(
    name: String, status: Int, milliseconds: Int64, judgesAll: Bool? = nil, proxy: String? = nil)
  /// The program of the service's preset answered and took its key, after so many milliseconds.
  case testedProgram(name: String, program: String, version: String, milliseconds: Int64)
  /// What was asked for last, newest first.
  case recent(searches: [RecentSearch])
  /// What the cache keeps, by key.
  case cache(responses: [CachedResponseSummary])
  /// How much the cache keeps; bytes of bodies.
  case cacheStatistics(entries: Int, bytes: Int)
  /// How many requests there were, and how the last answers came.
  case statistics(statistics: APIStatistics)
  /// How many answers were removed from the cache, and why they are still in a file.
  case cleared(count: Int, warning: String? = nil)
  /// The jobs that were cancelled.
  case cancelled(jobs: [Int])
}
