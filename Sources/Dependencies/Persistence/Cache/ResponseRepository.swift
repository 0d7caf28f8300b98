/// Responses of HTTP services, from the cache or from the service, by a policy.
///
/// The repository stores responses with status 200 to GET and HEAD, without cookies, and never the
/// headers of a request. It does not store the response of a redirect's target. The cache limits
/// their bytes and evicts the least recently used responses first. A cached response is confirmed
/// with its `ETag` and `Last-Modified`. A 304 refreshes its headers and its time, and the body
/// stays. A newer response with status 200 that is not stored, and a 410, remove the responses of
/// their URL. So does a successful request of another method, such as PUT or DELETE, also for the
/// URLs that redirects sent it to. A failure of the cache counts as a miss: the response still
/// arrives, and `cacheError` contains the failure.
///
/// ```swift
/// let answers = ResponseRepository(dependencies, service: "films", lifetime: .fixed(.seconds(60)))
/// let poster = try await answers.response(to: APIRequest(url: "http://films.example/7.jpg"))
/// ```
/// Equal requests at the same time share one exchange, also those of copies of a repository.
/// `Repository` decodes responses.
public struct ResponseRepository: Sendable {
  private let client: any APIClient
  private let cache: any ResponseCache
  private let mayKeep: @Sendable (APIResponse) async -> Bool
  private let unreplacedFailures: Set<APIError.Kind>
  private var date = DateGenerator.live
  private var service = ""
  private var account: String?
  private var lifetime = CacheLifetime.unlimited
  /// Whether a cached response replaces one with status 500, 502, 503 or 504.
  private var replacesServerErrors = false
  /// Whether responses of the service are stored, or remove those that are. If it is false, only
  /// `keep` and `forget` change the cache.
  var storesResponses = true
  var exchanges: ResponseExchanges

  /// The properties that equal exchanges have in common, in addition to the request.
  struct ExchangeKey: Hashable, Sendable {
    var method: String
    var url: String
    var policy: CachePolicy
    var ignoresKept: Bool
    var storesResponses: Bool
    /// The key of the cached response, which includes the account.
    var kept: String
    var service: String
    var unreplacedFailures: Set<APIError.Kind>
    /// The name of the check that decides whether the response is stored.
    var checkName: String
  }

  /// Creates a repository of the responses of one service. Copies share their exchanges.
  ///
  /// - Parameters:
  ///   - client: The client that sends requests.
  ///   - cache: The cache of the responses.
  ///   - date: The clock that determines the age of cached responses.
  ///   - service: The name of the service, for `ResponseCache.clearResponses(service:)`.
  ///   - account: A name for the credentials of the requests, such as the name of their secret;
  ///     never the secret itself. A cached response is only used for the same account. If it is
  ///     `nil`, responses to requests with credentials are not cached.
  ///   - lifetime: The time for which a cached response is used without asking, under `localFirst`.
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

  /// Creates a repository with the client, the cache and the clock of an environment, like
  /// `init(client:cache:date:service:account:lifetime:)`. Equal requests of the environment share
  /// an exchange. A response is not cached if the logger's redactor finds a secret in it. A request
  /// may name its secrets; they are looked up if it is sent, and not for a cached response.
  public init(
    _ dependencies: Dependencies, service: String, account: String? = nil,
    lifetime: CacheLifetime = .unlimited
  ) {
    self.init(
      client: ResolvingAPIClient(dependencies), cache: dependencies.persistence,
      exchanges: dependencies.exchanges, mayKeep: { await !dependencies.repeatsSecret($0) })
    date = dependencies.date
    self.service = service
    self.account = account
    self.lifetime = lifetime
    replacesServerErrors = true
  }

  /// Creates a repository for `fetch` and `fetchShared`.
  ///
  /// - Parameters:
  ///   - client: The client that sends requests.
  ///   - cache: The cache of the responses.
  ///   - exchanges: The exchanges of other repositories with the same client and cache, or `nil` to
  ///     share none.
  ///   - unreplacedFailures: The failures to reach the service that no cached response replaces.
  ///   - mayKeep: Returns whether a response may be cached. Use it to reject responses that repeat
  ///     a secret.
  package init(
    client: any APIClient, cache: any ResponseCache, exchanges: ResponseExchanges? = nil,
    unreplacedFailures: Set<APIError.Kind> = [],
    mayKeep: @escaping @Sendable (APIResponse) async -> Bool = { _ in true }
  ) {
    self.client = client
    self.cache = cache
    self.unreplacedFailures = unreplacedFailures
    self.mayKeep = mayKeep
    self.exchanges = exchanges ?? ResponseExchanges()
  }

  /// Returns the response to a request.
  ///
  /// Callers with equal requests wait for one exchange with the service, in the task of the first
  /// caller. If that caller is cancelled, another one asks again. Under `noCache`, and for requests
  /// with a body, each caller has its own exchange.
  ///
  /// Cached responses are found by method, URL, account and all headers without secrets. Secrets
  /// are headers and query items that usually contain one, the headers in `secretHeaders`, and
  /// everything that contains one of `secretValues`.
  ///
  /// A response with any status is a result. If there is a cached response, it replaces one with
  /// status 500, 502, 503 or 504, or a failure to reach the service, unless it has expired and the
  /// service wants it confirmed (`must-revalidate`, `no-cache`). Its verdict is then `stale`, and
  /// `networkError` contains the reason.
  ///
  /// - Parameters:
  ///   - request: The complete request, with its secrets.
  ///   - policy: The permitted sources.
  /// - Throws: `APIError` if neither the service nor, as the policy permits, the cache has a
  ///   response, and `cancelled` if the task is cancelled.
  public func response(
    to request: APIRequest, policy: CachePolicy = .localFirst
  ) async throws(APIError) -> Fetched<APIResponse> {
    try await response(to: request, policy: policy, ignoresKept: false)
  }

  /// Returns the response like `response(to:policy:)`, and checks it before it is stored.
  ///
  /// - Parameters:
  ///   - checkName: A name for what `isValue` checks. Only requests with equal names share an
  ///     exchange.
  ///   - isValue: See `fetch`.
  func response(
    to request: APIRequest, policy: CachePolicy, ignoresKept: Bool, checkName: String = "",
    isValue: @escaping @Sendable (APIResponse) -> Bool = { _ in true }
  ) async throws(APIError) -> Fetched<APIResponse> {
    let key = key(of: request)
    let policy = key == nil || !CacheRules.isCacheable(request) ? .noCache : policy
    return try await fetchShared(
      request: request, key: key ?? "", service: service, policy: policy, now: date.now,
      ignoresKept: ignoresKept, checkName: checkName, isValue: isValue
    ).get()
  }

  /// Returns the response like `fetch`. Callers with equal requests and equal keys share one
  /// exchange.
  package func fetchShared(
    request: APIRequest, key: String, service: String, policy: CachePolicy, now: Int64,
    ignoresKept: Bool = false, checkName: String = "",
    isValue: @escaping @Sendable (APIResponse) -> Bool = { _ in true }
  ) async -> Result<Fetched<APIResponse>, APIError> {
    let exchange: @Sendable () async -> Result<Fetched<APIResponse>, APIError> = {
      await fetch(
        request: request, key: key, service: service, policy: policy, now: now,
        ignoresKept: ignoresKept, isValue: isValue)
    }
    guard policy != .noCache, CacheRules.isCacheable(request) else { return await exchange() }
    let common = ExchangeKey(
      method: request.method, url: request.url, policy: policy, ignoresKept: ignoresKept,
      storesResponses: storesResponses, kept: key, service: service,
      unreplacedFailures: unreplacedFailures, checkName: checkName)
    return await exchanges.output(of: common, request, exchange)
      ?? .failure(APIError(.cancelled, "\(request) was cancelled"))
  }

  /// Returns the key of a request without any secret, or `nil` if its response must not be cached.
  ///
  /// The key of a method whose responses are never cached only names the target.
  private func key(of request: APIRequest) -> String? {
    let mayBeKept = CacheRules.isCacheable(request)
    guard let address = try? URLBuilder(request.url) else { return nil }
    if mayBeKept, request.body != nil || request.upload != nil { return nil }
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
    if request.digest != nil || request.references?.digest != nil {
      credentials.insert("digest")
    }
    if request.connection.certificateFile != nil { credentials.insert("certificate") }
    if mayBeKept, !credentials.isEmpty, account == nil { return nil }
    if mayBeKept, holdsSecret(PercentEncoding.decoded(open.url[...])) { return nil }
    var lines = headers.filter { header in
      !["accept", "accept-language"].contains(header.name.lowercased())
    }.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    // Its body is not decoded.
    if request.removedHeaders.contains(where: { $0.lowercased() == "accept-encoding" }) {
      lines.append("accept-encoding;")
    }
    if let account, !credentials.isEmpty {
      lines.append("account: \(account), \(credentials.sorted().joined(separator: ", "))")
    }
    return Self.key(
      method: request.method, url: open.cacheKey, headers: headers, secrets: lines)
  }

  /// Returns the response to one request.
  ///
  /// - Parameters:
  ///   - request: The complete request, with its secrets. Its headers are not stored.
  ///   - key: The key of the cached response: method, URL and varying headers, without any secret.
  ///     See `key`.
  ///   - service: The name of the service, for clearing its responses.
  ///   - policy: The permitted sources.
  ///   - now: The time in microseconds since 1970.
  ///   - ignoresKept: Whether to replace the cached response without reading it.
  ///   - isValue: Returns whether a response with status 200 is what was asked for. One that is
  ///     not, such as a login page, leaves the cache as it is.
  /// - Returns: The response, or the failure if neither the service nor, as the policy permits, the
  ///   cache has one.
  package func fetch(
    request: APIRequest, key: String, service: String, policy: CachePolicy, now: Int64,
    ignoresKept: Bool = false, isValue: (APIResponse) -> Bool = { _ in true }
  ) async -> Result<Fetched<APIResponse>, APIError> {
    var cacheError: PersistenceError?
    guard policy != .noCache, CacheRules.isCacheable(request) else {
      let result = await plain(request)
      if case .success(let answer) = result {
        await removeChanged(by: answer, request, key, &cacheError)
      }
      return result.map { Fetched($0, verdict: .none, cacheError: cacheError) }
    }
    var entry: CachedResponse?
    if !ignoresKept {
      entry = await noting(&cacheError, try await cache.cachedResponse(key)).flatMap { $0 }
    }
    if let entry, policy == .localFirst {
      let isFresh = CacheRules.isFresh(entry, lifetime, now: now)
      if isFresh || lifetime == .unlimited {
        return .success(kept(entry, request, isFresh ? .hit : .stale))
      }
    }
    let asking = entry.map { CacheRules.validating(request, $0) } ?? request
    let isConditional = asking.headers.count > request.headers.count
    var result = await plain(asking)
    if case .success(let answer) = result, answer.status == 304, isConditional, let entry {
      if answer.redirects == 0, CacheRules.confirms(answer, entry) {
        return .success(await confirmed(entry, by: answer, request, now: now, cacheError))
      }
      // It is another resource, or the service has another version. A merge would give its tag to
      // this one.
      result = await plain(request)
    }
    switch result {
    case .failure(var error):
      guard let entry, CacheRules.mayStandIn(for: error), !unreplacedFailures.contains(error.kind)
      else { return .failure(error) }
      guard CacheRules.mayReplaceFailure(entry, lifetime, now: now) else {
        error.hasUnconfirmed = true
        return .failure(error)
      }
      return .success(kept(entry, request, .stale, networkError: error))
    case .success(let answer):
      if replacesServerErrors, let entry, [500, 502, 503, 504].contains(answer.status),
        CacheRules.mayReplaceFailure(entry, lifetime, now: now)
      {
        let error = APIError.noValue(request, in: answer)
        return .success(kept(entry, request, .stale, networkError: error))
      }
      guard storesResponses, answer.status != 200 || isValue(answer) else {
        return .success(Fetched(answer, cacheError: cacheError))
      }
      if CacheRules.mayStore(answer, to: request), await mayKeep(answer) {
        let new = CachedResponse(
          key: key, service: service, status: answer.status,
          headers: CacheRules.kept(answer), body: answer.body, stored: now,
          expires: CacheRules.expiry(of: answer.headers, now: now))
        await store(new, &cacheError)
      } else if entry != nil || ignoresKept, CacheRules.outdatesCached(answer) {
        await removeResponses(ofTargetOf: key, &cacheError)
      }
      return .success(Fetched(answer, verdict: .miss, cacheError: cacheError))
    }
  }

  /// Stores a response to a request whatever its headers say, unless it repeats a secret. Call it
  /// for data that the user may keep although its service forbids it. The response is used until it
  /// is replaced or removed, and the service is never asked to confirm it.
  ///
  /// - Returns: The error of the cache, or `nil` if there is none.
  func keep(_ response: APIResponse, to request: APIRequest) async -> PersistenceError? {
    guard let key = key(of: request) else { return nil }
    guard await mayKeep(response) else { return await forget(request) }
    var error: PersistenceError?
    let headers = response.headers.filter { $0.isNamed("content-type") }
    await store(
      CachedResponse(
        key: key, service: service, status: response.status, headers: headers, body: response.body,
        stored: date.now, expires: nil), &error)
    return error
  }

  /// Removes the stored responses of the target of a request.
  ///
  /// - Returns: The error of the cache, or `nil` if there is none.
  func forget(_ request: APIRequest) async -> PersistenceError? {
    guard let key = key(of: request) else { return nil }
    var error: PersistenceError?
    await removeResponses(ofTargetOf: key, &error)
    return error
  }

  /// Removes the stored responses of all targets that a request may have changed: its own, and
  /// those that redirects sent it to.
  private func removeChanged(
    by answer: APIResponse, _ request: APIRequest, _ key: String, _ error: inout PersistenceError?
  ) async {
    let redirected = answer.changedURLs.compactMap { try? URLBuilder($0).cacheKey }
    guard CacheRules.changesTarget(answer, to: request) || !redirected.isEmpty else { return }
    let keys = [key] + redirected.map { Self.key(method: request.method, url: $0) }
    for key in keys { await removeResponses(ofTargetOf: key, &error) }
  }

  /// Removes what is outdated, also if the task was cancelled meanwhile.
  private func removeResponses(ofTargetOf key: String, _ error: inout PersistenceError?) async {
    await BusyWait.$ignoresCancellation.withValue(true) { () async -> Void in
      _ = await noting(&error, try await cache.removeResponses(target: Self.target(ofKey: key)))
    }
  }

  /// Returns the response of a cached one that a 304 has confirmed, and stores it.
  private func confirmed(
    _ entry: CachedResponse, by answer: APIResponse, _ request: APIRequest, now: Int64,
    _ cacheError: PersistenceError?
  ) async -> Fetched<APIResponse> {
    var (entry, cacheError) = (entry, cacheError)
    entry.headers = CacheRules.merged(entry.headers, with: answer)
    entry.stored = now
    entry.expires = CacheRules.expiry(of: entry.headers, now: now)
    var fetched = kept(entry, request, .revalidated)
    fetched.value.timing = answer.timing
    fetched.value.httpVersion = answer.httpVersion
    // Store the whole response, because the cached one may have been replaced since it was read.
    if await mayKeep(fetched.value) { await store(entry, &cacheError) }
    fetched.cacheError = cacheError
    return fetched
  }

  /// Returns the key of a request: method, URL without the named query items, the accepted types
  /// and languages, and the names of its credentials.
  ///
  /// - Parameters:
  ///   - method: The method, such as `GET`.
  ///   - url: The URL. The key contains neither the query items named in `secretQuery`, which may
  ///     be secrets, nor the fragment.
  ///   - headers: The headers. `Accept` and `Accept-Language` become part of the key, because
  ///     responses vary by them.
  ///   - secretQuery: The names of the query items to omit.
  ///   - secrets: The credentials with the names of their secrets, such as `authorization: Bearer
  ///     {{secret:alice}}`. A cached response is only used with the same credentials. A new value
  ///     of a secret does not change the key.
  package static func key(
    method: String, url: String, headers: [HTTPHeader] = [], secretQuery: Set<String> = [],
    secrets: [String] = []
  ) -> String {
    let address = url.utf8.prefix { $0 != UInt8(ascii: "#") }
    let parts = address.split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    var key = "\(method) \(parts.first.map(Substring.init) ?? "")"
    if parts.count > 1 {
      let items = parts[1].split(separator: UInt8(ascii: "&")).map(Substring.init).filter {
        secretQuery.isEmpty || !secretQuery.contains(String($0.prefix { $0 != "=" }))
      }
      if !items.isEmpty { key += "?" + items.joined(separator: "&") }
    }
    for name in ["Accept", "Accept-Language"] {
      if let value = headers.value(of: name) { key += "\n\(name.lowercased()): \(value)" }
    }
    return secrets.reduce(key) { "\($0)\n\($1)" }
  }

  /// Returns the URL of a key: its first line without the method.
  static func target(ofKey key: String) -> String {
    let line = key.utf8.prefix { $0 != UInt8(ascii: "\n") }
    let end = line.firstIndex(of: UInt8(ascii: " ")).map(line.index(after:))
    return end.flatMap { String(line[$0...]) } ?? ""
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
  ) -> Fetched<APIResponse> {
    Fetched(
      APIResponse(
        status: entry.status, headers: entry.headers, body: entry.body, url: request.url),
      verdict: verdict, stored: entry.stored, networkError: networkError)
  }

  private func store(_ response: CachedResponse, _ noted: inout PersistenceError?) async {
    _ = await noting(&noted, try await cache.storeResponse(response))
  }

  /// Returns the result of `body`. If the cache fails, returns `nil` and stores the error in
  /// `noted`.
  private func noting<Value: Sendable>(
    _ noted: inout PersistenceError?,
    _ body: @autoclosure () async throws(PersistenceError) -> Value
  ) async -> Value? {
    do throws(PersistenceError) { return try await body() } catch {
      noted = error
      return nil
    }
  }
}

extension Dependencies {
  /// Returns whether a response contains a secret, including one that another process has just
  /// stored.
  func repeatsSecret(_ response: APIResponse) async -> Bool {
    await keychainService.refresh()
    let redactor = logger.redactor
    return !redactor.mask([UInt8](response.body)).names.isEmpty
      || response.headers.contains { !redactor.mask("\($0.name): \($0.value)").names.isEmpty }
  }
}
