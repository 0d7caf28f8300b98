/// Answers of HTTP services, from the cache or from the service, as a policy says.
///
/// Kept are answers of status 200 to GET and HEAD, without cookies; never a request's headers. A
/// cache that fails is a cache that has nothing: the answer still comes, and `cacheError` says what
/// happened.
package struct ResponseRepository: Sendable {
  private let client: any APIClient
  private let cache: any ResponseCache
  private let mayKeep: @Sendable (APIResponse) -> Bool

  /// - Parameter mayKeep: Asked before an answer is kept. A place to refuse one in which a secret
  ///   is repeated.
  package init(
    client: any APIClient, cache: any ResponseCache,
    mayKeep: @escaping @Sendable (APIResponse) -> Bool = { _ in true }
  ) {
    self.client = client
    self.cache = cache
    self.mayKeep = mayKeep
  }

  /// An answer and where it came from.
  package struct Fetched: Sendable, Equatable {
    /// The answer, of the service or kept.
    package var response: APIResponse
    /// Its source.
    package var verdict: CacheVerdict
    /// When a kept answer was stored or last confirmed, in microseconds since 1970; `nil` for one
    /// of the service.
    package var stored: Int64?
    /// Why the service could not be asked, if the answer is a kept one.
    package var networkError: APIError?
    /// Why the cache could not be read or written.
    package var cacheError: PersistenceError?

    /// An answer as `fetch` gives it; for tests.
    package init(
      response: APIResponse, verdict: CacheVerdict, stored: Int64? = nil,
      networkError: APIError? = nil, cacheError: PersistenceError? = nil
    ) {
      self.response = response
      self.verdict = verdict
      self.stored = stored
      self.networkError = networkError
      self.cacheError = cacheError
    }
  }

  /// Gets the answer to one request.
  ///
  /// - Parameters:
  ///   - request: Complete, with its secrets. None of its headers is kept.
  ///   - key: Under which the answer is kept: method, address and varying headers, without any
  ///     secret. See `key`.
  ///   - service: Whose answer it is, for clearing by service.
  ///   - now: Wall-clock microseconds since 1970.
  /// - Returns: The failure where neither the service nor, as the policy allows, the cache has an
  ///   answer.
  package func fetch(
    request: APIRequest, key: String, service: String, policy: CachePolicy, now: Int64
  ) async -> Result<Fetched, APIError> {
    guard policy != .noCache, CacheRules.isCacheable(request) else {
      return await plain(request).map { Fetched(response: $0, verdict: .none) }
    }
    var cacheError: PersistenceError?
    let entry = await noting(&cacheError) { () throws(PersistenceError) in
      try await cache.cachedResponse(key)
    }.flatMap { $0 }
    if let entry, policy == .localFirst {
      let verdict: CacheVerdict = CacheRules.isFresh(entry, now: now) ? .hit : .stale
      return .success(kept(entry, request, verdict))
    }
    let asking = entry.map { CacheRules.validating(request, $0) } ?? request
    let isConditional = asking.headers.count > request.headers.count
    switch await plain(asking) {
    case .failure(let error):
      guard let entry, CacheRules.mayStandIn(for: error) else { return .failure(error) }
      return .success(kept(entry, request, .stale, networkError: error))
    case .success(let answer):
      if answer.status == 304, isConditional, var entry {
        entry.headers = CacheRules.merged(entry.headers, with: answer.headers)
        entry.stored = now
        entry.expires = CacheRules.expiry(of: entry.headers, now: now)
        let refreshed = entry
        _ = await noting(&cacheError) { () throws(PersistenceError) in
          try await cache.refreshResponse(
            key, headers: refreshed.headers, stored: now, expires: refreshed.expires)
        }
        var fetched = kept(refreshed, request, .revalidated, cacheError: cacheError)
        fetched.response.timing = answer.timing
        fetched.response.httpVersion = answer.httpVersion
        return .success(fetched)
      }
      if CacheRules.mayStore(answer, to: request), mayKeep(answer) {
        let new = CachedResponse(
          key: key, service: service, status: answer.status,
          headers: CacheRules.kept(answer.headers), body: answer.body, stored: now,
          expires: CacheRules.expiry(of: answer.headers, now: now))
        _ = await noting(&cacheError) { () throws(PersistenceError) in
          try await cache.storeResponse(new)
        }
      }
      return .success(Fetched(response: answer, verdict: .miss, cacheError: cacheError))
    }
  }

  /// A key for a request: method and address, without the named query items, what is asked to come
  /// back, and whose credentials ask for it.
  ///
  /// - Parameters:
  ///   - method: For example `GET`.
  ///   - url: Query items with a name in `secretQuery` may be secrets and are left out, and so is a
  ///     fragment.
  ///   - headers: `Accept` and `Accept-Language` become part of the key, since answers vary by
  ///     them.
  ///   - secrets: The credentials that are sent, by their names: `authorization: Bearer
  ///     {{secret:alice}}`. What one of them may see, another may not. That a secret has another
  ///     value than before makes no other key.
  package static func key(
    method: String, url: String, headers: [HTTPHeader] = [], secretQuery: Set<String> = [],
    secrets: [String] = []
  ) -> String {
    let address = url.prefix { $0 != "#" }
    let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var key = "\(method) \(parts.first ?? "")"
    if parts.count > 1 {
      let items = parts[1].split(separator: "&").filter { item in
        !secretQuery.contains(String(item.prefix { $0 != "=" }))
      }
      if !items.isEmpty { key += "?" + items.joined(separator: "&") }
    }
    for name in ["Accept", "Accept-Language"] {
      if let value = headers.value(of: name) { key += "\n\(name.lowercased()): \(value)" }
    }
    return secrets.reduce(key) { "\($0)\n\($1)" }
  }

  // MARK: Parts

  private func plain(_ request: APIRequest) async -> Result<APIResponse, APIError> {
    do throws(APIError) { return .success(try await client.send(request)) } catch {
      return .failure(error)
    }
  }

  private func kept(
    _ entry: CachedResponse, _ request: APIRequest, _ verdict: CacheVerdict,
    networkError: APIError? = nil, cacheError: PersistenceError? = nil
  ) -> Fetched {
    Fetched(
      response: APIResponse(
        status: entry.status, headers: entry.headers, body: entry.body, url: request.url),
      verdict: verdict, stored: entry.stored, networkError: networkError, cacheError: cacheError)
  }

  /// `nil`, and the error noted, where the cache fails.
  private func noting<Value: Sendable>(
    _ noted: inout PersistenceError?, _ body: () async throws(PersistenceError) -> Value
  ) async -> Value? {
    do throws(PersistenceError) { return try await body() } catch {
      noted = error
      return nil
    }
  }
}
