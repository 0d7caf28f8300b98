/// Answers of HTTP services, from the cache or from the service, as a policy says.
///
/// Kept are answers of status 200 to GET and HEAD, without cookies; never a request's headers. The
/// cache bounds their bytes, and the least recently used are removed first. What is kept is
/// confirmed with its `ETag` and `Last-Modified`; a 304 refreshes its headers and its time, and the
/// body stays. A cache that fails is a cache that has nothing: the answer still comes, and
/// `cacheError` says what happened.
///
/// ```swift
/// let answers = ResponseRepository(dependencies, service: "films", lifetime: .fixed(.seconds(60)))
/// let poster = try await answers.response(to: APIRequest(url: "http://films.example/7.jpg"))
/// ```
/// Equal requests that are under way at the same time are one exchange, which copies of a
/// repository share. `Repository` decodes answers.
public struct ResponseRepository: Sendable {
  private let client: any APIClient
  private let cache: any ResponseCache
  private let mayKeep: @Sendable (APIResponse) -> Bool
  private var date = DateGenerator.live
  private var service = ""
  private var account: String?
  private var lifetime = CacheLifetime.unlimited
  /// Whether a kept answer stands in for one of the status 500, 502, 503 or 504.
  private var replacesServerErrors = false
  var exchanges: ResponseExchanges

  /// What equal exchanges have in common beside the request.
  struct ExchangeKey: Hashable, Sendable {
    var method: String
    var url: String
    var policy: CachePolicy
    var ignoresKept: Bool
    /// Under which the answer is kept, and whose it is.
    var kept: String
    var service: String
  }

  /// A repository of answers of one service. Copies share their exchanges.
  ///
  /// - Parameters:
  ///   - date: Tells how old kept answers are.
  ///   - service: Whose answers they are, for `ResponseCache.clearResponses(service:)`.
  ///   - account: A name for whose credentials the requests carry, for example the name of their
  ///     secret; never the secret. What one account may see, another may not. `nil`: answers to
  ///     requests with credentials are not kept.
  ///   - lifetime: How long a kept answer is used without asking, under `localFirst`.
  public init(
    client: any APIClient, cache: any ResponseCache, date: DateGenerator, service: String,
    account: String? = nil, lifetime: CacheLifetime = .unlimited
  ) {
    self.init(client: client, cache: cache)
    self.date = date
    self.service = service
    self.account = account
    self.lifetime = lifetime
    replacesServerErrors = true
  }

  /// A repository with the client, the cache and the clock of an environment, as
  /// `init(client:cache:date:service:account:lifetime:)`. Equal requests of the environment share
  /// an exchange. No answer is kept in which the logger's redactor finds a secret.
  public init(
    _ dependencies: Dependencies, service: String, account: String? = nil,
    lifetime: CacheLifetime = .unlimited
  ) {
    let redactor = dependencies.logger.redactor
    self.init(
      client: dependencies.apiClient, cache: dependencies.persistence,
      exchanges: dependencies.exchanges
    ) { response in
      redactor.mask([UInt8](response.body)).names.isEmpty
        && response.headers.allSatisfy { redactor.mask("\($0.name): \($0.value)").names.isEmpty }
    }
    date = dependencies.date
    self.service = service
    self.account = account
    self.lifetime = lifetime
    replacesServerErrors = true
  }

  /// - Parameters:
  ///   - exchanges: Those of other repositories with the same client and cache, with which equal
  ///     requests are shared; `nil`: its own.
  ///   - mayKeep: Asked before an answer is kept. A place to refuse one in which a secret is
  ///     repeated.
  package init(
    client: any APIClient, cache: any ResponseCache, exchanges: ResponseExchanges? = nil,
    mayKeep: @escaping @Sendable (APIResponse) -> Bool = { _ in true }
  ) {
    self.client = client
    self.cache = cache
    self.mayKeep = mayKeep
    self.exchanges = exchanges ?? ResponseExchanges()
  }

  /// An answer and where it came from.
  public struct Fetched: Sendable, Equatable {
    /// The answer, of the service or kept.
    public var response: APIResponse
    /// Its source.
    public var verdict: CacheVerdict
    /// When a kept answer was stored or last confirmed, in microseconds since 1970; `nil` for one
    /// of the service.
    public var stored: Int64?
    /// Why the service gave no answer that counts, if a kept one stands in for it.
    public var networkError: APIError?
    /// Why the cache could not be read or written.
    public var cacheError: PersistenceError?

    /// An answer as `fetch` gives it; for tests.
    public init(
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

  /// Gets the answer to a request.
  ///
  /// Callers with equal requests wait for one exchange with the service, in the task of the first
  /// caller. If that caller is cancelled, another one asks again. Under `noCache`, and for requests
  /// with a body, each caller has an exchange of its own.
  ///
  /// Kept answers are found by method, address, account and all headers without secrets. A secret
  /// is a header or a query item that is usually one, a header of `secretHeaders`, and what holds
  /// one of `secretValues`.
  ///
  /// - Parameter request: Complete, with its secrets.
  /// - Throws: `APIError`, where neither the service nor, as the policy allows, the cache has an
  ///   answer; `cancelled` where the task is. An answer of any status is no error. Where a kept
  ///   answer exists it stands in for a service out of reach, and for the statuses 500, 502, 503
  ///   and 504: its verdict is `stale`, and `networkError` says why.
  public func response(
    to request: APIRequest, policy: CachePolicy = .localFirst
  ) async throws(APIError) -> Fetched {
    try await response(to: request, policy: policy, ignoresKept: false)
  }

  func response(
    to request: APIRequest, policy: CachePolicy, ignoresKept: Bool
  ) async throws(APIError) -> Fetched {
    let key = key(of: request)
    let policy = key == nil ? .noCache : policy
    return try await fetchShared(
      request: request, key: key ?? "", service: service, policy: policy, now: date.now,
      ignoresKept: ignoresKept
    ).get()
  }

  /// As `fetch`; callers with equal requests, and equal keys, wait for one exchange.
  package func fetchShared(
    request: APIRequest, key: String, service: String, policy: CachePolicy, now: Int64,
    ignoresKept: Bool = false
  ) async -> Result<Fetched, APIError> {
    let exchange: @Sendable () async -> Result<Fetched, APIError> = {
      await fetch(
        request: request, key: key, service: service, policy: policy, now: now,
        ignoresKept: ignoresKept)
    }
    guard policy != .noCache, CacheRules.isCacheable(request) else { return await exchange() }
    let common = ExchangeKey(
      method: request.method, url: request.url, policy: policy, ignoresKept: ignoresKept,
      kept: key, service: service)
    return await exchanges.output(of: common, request, exchange)
      ?? .failure(APIError(.cancelled, "\(request) was cancelled"))
  }

  /// The key of a request, without any secret; `nil` for one whose answer is not kept.
  private func key(of request: APIRequest) -> String? {
    guard request.body == nil, request.upload == nil, let address = try? URLBuilder(request.url)
    else { return nil }
    func holdsSecret(_ text: some StringProtocol) -> Bool {
      request.secretValues.contains { !$0.isEmpty && text.contains($0) }
    }
    let named = Set(request.secretHeaders.map { $0.lowercased() })
    var credentials: Set<String> = []
    let open = address.droppingQueryItems { item in
      let decoded = PercentEncoding.decoded(item)
      let name = decoded.prefix { $0 != "=" }
      guard SecretNames.isQueryItem(name) || holdsSecret(decoded) else { return false }
      credentials.insert(holdsSecret(name) ? "" : "?\(name)")
      return true
    }
    let headers = request.headers.filter { header in
      let name = header.name.lowercased()
      guard SecretNames.isHeader(name) || named.contains(name) || holdsSecret(header.value) else {
        return true
      }
      credentials.insert(name)
      return false
    }
    if request.digest != nil { credentials.insert("digest") }
    if request.connection.certificateFile != nil { credentials.insert("certificate") }
    if !credentials.isEmpty, account == nil { return nil }
    if holdsSecret(PercentEncoding.decoded(open.url[...])) { return nil }
    var lines = headers.filter { header in
      !["accept", "accept-language"].contains(header.name.lowercased())
    }.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    if let account, !credentials.isEmpty {
      lines.append("account: \(account), \(credentials.sorted().joined(separator: ", "))")
    }
    return Self.key(
      method: request.method, url: open.cacheKey, headers: headers, secrets: lines)
  }

  /// Gets the answer to one request.
  ///
  /// - Parameters:
  ///   - request: Complete, with its secrets. None of its headers is kept.
  ///   - key: Under which the answer is kept: method, address and varying headers, without any
  ///     secret. See `key`.
  ///   - service: Whose answer it is, for clearing by service.
  ///   - now: Wall-clock microseconds since 1970.
  ///   - ignoresKept: Whether what is kept is replaced without being read.
  /// - Returns: The failure where neither the service nor, as the policy allows, the cache has an
  ///   answer.
  package func fetch(
    request: APIRequest, key: String, service: String, policy: CachePolicy, now: Int64,
    ignoresKept: Bool = false
  ) async -> Result<Fetched, APIError> {
    guard policy != .noCache, CacheRules.isCacheable(request) else {
      return await plain(request).map { Fetched(response: $0, verdict: .none) }
    }
    var cacheError: PersistenceError?
    var entry: CachedResponse?
    if !ignoresKept {
      entry = await noting(&cacheError) { () throws(PersistenceError) in
        try await cache.cachedResponse(key)
      }.flatMap { $0 }
    }
    if let entry, policy == .localFirst {
      let isFresh = CacheRules.isFresh(entry, lifetime, now: now)
      if isFresh || lifetime == .unlimited {
        return .success(kept(entry, request, isFresh ? .hit : .stale))
      }
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
        var fetched = kept(entry, request, .revalidated)
        fetched.response.timing = answer.timing
        fetched.response.httpVersion = answer.httpVersion
        // Stored whole: what is kept under the key now may be another answer than the confirmed one.
        if mayKeep(fetched.response) { await store(entry, &cacheError) }
        fetched.cacheError = cacheError
        return .success(fetched)
      }
      if replacesServerErrors, let entry, [500, 502, 503, 504].contains(answer.status) {
        let error = APIError.noValue(request, status: answer.status)
        return .success(kept(entry, request, .stale, networkError: error))
      }
      if CacheRules.mayStore(answer, to: request), mayKeep(answer) {
        let new = CachedResponse(
          key: key, service: service, status: answer.status,
          headers: CacheRules.kept(answer.headers), body: answer.body, stored: now,
          expires: CacheRules.expiry(of: answer.headers, now: now))
        await store(new, &cacheError)
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
    networkError: APIError? = nil
  ) -> Fetched {
    Fetched(
      response: APIResponse(
        status: entry.status, headers: entry.headers, body: entry.body, url: request.url),
      verdict: verdict, stored: entry.stored, networkError: networkError)
  }

  private func store(_ response: CachedResponse, _ noted: inout PersistenceError?) async {
    _ = await noting(&noted) { () throws(PersistenceError) in
      try await cache.storeResponse(response)
    }
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
