import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// Repositories over libcurl, SQLite and a real server, on a clock that the test sets.
@Suite("repository") struct RepositoryTests {
  /// A wall clock that passes when it is told to.
  private final class Time: Sendable {
    private let now = Mutex(DateGenerator.mockStart)
    var date: DateGenerator { DateGenerator { self.now.withLock { $0 } } }
    func pass(_ seconds: Int64) { now.withLock { $0 += seconds * 1_000_000 } }
  }

  /// What the server says at the moment.
  private final class Service: Sendable {
    struct Answer: Sendable {
      var status = 200
      var headers: [(String, String)] = []
      var body: [UInt8] = Array(#"{"title":"one"}"#.utf8)
    }
    let answer = Mutex(Answer())
    let gate = Mutex<ThreadGate?>(nil)

    /// 304 to a request that names the `ETag` or the date of the answer.
    func reply(_ request: TestHTTPServer.Request) -> TestHTTPServer.Reply? {
      gate.withLock { $0 }?.pass()
      if request.path == "/hang" { return .hang }
      let now = answer.withLock { $0 }
      let holds = now.headers.contains { name, value in
        switch name {
        case "ETag": request.header("If-None-Match") == value
        case "Last-Modified": request.header("If-Modified-Since") == value
        default: false
        }
      }
      if holds { return .response(.init(304, headers: now.headers + [("X-Confirmed", "1")])) }
      return .response(.init(now.status, headers: now.headers, body: now.body))
    }
  }

  private struct Film: Codable, Sendable, Equatable { var title: String }

  private struct World {
    let time = Time()
    let service = Service()
    let server: TestHTTPServer
    let folder: DatabaseFolder
    let cache: LivePersistenceService

    init(_ limits: PersistenceLimits = PersistenceLimits()) throws {
      let service = service
      server = try TestHTTPServer { service.reply($0) }
      folder = try DatabaseFolder()
      cache = folder.service(limits: limits)
    }

    var url: String { server.origin + "/film" }
    var asked: Int { server.requests.count }

    func answers(
      _ lifetime: CacheLifetime = .unlimited, account: String? = nil
    ) -> ResponseRepository {
      ResponseRepository(
        client: LiveAPIClient(), cache: cache, date: time.date, service: "films", account: account,
        lifetime: lifetime)
    }

    func answer(_ body: String, status: Int = 200, _ headers: [(String, String)] = []) {
      service.answer.withLock {
        $0 = Service.Answer(status: status, headers: headers, body: Array(body.utf8))
      }
    }

    /// Verdicts of one policy and lifetime, a step a time.
    func fetch(
      _ answers: ResponseRepository, _ policy: CachePolicy = .localFirst
    ) async throws -> String {
      let fetched = try await answers.response(
        to: APIRequest(url: url, timeout: .seconds(3600)), policy: policy)
      return fetched.verdict.rawValue + " " + String(decoding: fetched.value.body, as: UTF8.self)
    }
  }

  @Test("a kept answer is used for as long as the lifetime says")
  func lifetimes() async throws {
    let world = try World()
    world.answer("one", [("Cache-Control", "max-age=10")])
    let (said, own, always) = (
      world.answers(.asAnswered), world.answers(.fixed(.seconds(60))), world.answers()
    )
    #expect(try await world.fetch(said) == "MISS one")
    world.answer("two", [("Cache-Control", "max-age=10")])
    world.time.pass(9)
    #expect(try await world.fetch(said) == "HIT one")
    world.time.pass(1)
    #expect(try await world.fetch(own) == "HIT one")
    #expect(try await world.fetch(always) == "STALE one")
    #expect(world.asked == 1)
    #expect(try await world.fetch(said) == "MISS two")
    world.answer("three")
    world.time.pass(60)
    #expect(try await world.fetch(own) == "MISS three")
    // This one says nothing of how long it holds.
    #expect(try await world.fetch(said) == "MISS three")
    #expect(world.asked == 4)
    // Its clock was set back: what was stored in the future is not fresh.
    world.time.pass(-1)
    #expect(try await world.fetch(own) == "MISS three")
  }

  @Test(
    "a 304 refreshes times and headers, and the body stays",
    arguments: [("ETag", "\"1\""), ("Last-Modified", "Sat, 04 Nov 2017 18:48:46 GMT")])
  func confirms(_ validator: (String, String)) async throws {
    let world = try World()
    let answers = world.answers(.asAnswered)
    world.answer("one", [validator, ("Cache-Control", "max-age=10"), ("X-Count", "1")])
    #expect(try await world.fetch(answers) == "MISS one")
    world.answer("never sent", [validator, ("Cache-Control", "max-age=20"), ("X-Count", "2")])
    world.time.pass(10)
    let confirmed = try await answers.response(
      to: APIRequest(url: world.url, timeout: .seconds(3600)))
    #expect(confirmed.verdict == .revalidated)
    #expect(confirmed.value.body == Data("one".utf8))
    #expect(confirmed.value.headers.value(of: "X-Count") == "2")
    #expect(confirmed.stored == world.time.date.now)
    world.time.pass(19)
    #expect(try await world.fetch(answers) == "HIT one")
    #expect(world.asked == 2)
    #expect(try await world.fetch(answers, .remoteFirst) == "REVALIDATED one")
    #expect(try await world.fetch(answers, .noCache) == "NONE never sent")
    #expect(world.server.requests.last?.header("If-None-Match") == nil)
  }

  @Test("what is kept of an address goes when another method changes it, unless it is refused")
  func changes() async throws {
    let world = try World()
    let answers = world.answers()
    world.answer("one", [("Cache-Control", "max-age=600")])
    #expect(try await world.fetch(answers) == "MISS one")
    var other = APIRequest(url: world.url + "?page=2", timeout: .seconds(3600))
    #expect(try await answers.response(to: other).verdict == .miss)
    func change(_ method: String, headers: [HTTPHeader] = []) async throws {
      let request = APIRequest(
        method: method, url: world.url, headers: headers, body: Data("two".utf8),
        timeout: .seconds(3600))
      #expect(try await answers.response(to: request).verdict == .none)
    }
    world.answer("no", status: 403)
    try await change("PUT")
    #expect(try await world.fetch(answers) == "HIT one")
    world.answer("two", [("Cache-Control", "max-age=600")])
    // Whoever changes it, and with whatever headers.
    try await change(
      "PATCH", headers: [HTTPHeader("Authorization", "Bearer x"), HTTPHeader("X", "1")])
    #expect(try await world.fetch(answers) == "MISS two")
    other.headers = []
    #expect(try await answers.response(to: other).verdict == .hit)
    for method in ["POST", "DELETE", "PURGE"] {
      #expect(try await world.fetch(answers) == "HIT two")
      try await change(method)
      #expect(try await world.fetch(answers) == "MISS two")
    }
    try await change("OPTIONS")
    #expect(try await world.fetch(answers) == "HIT two")
  }

  @Test("a kept answer stands in for a service that fails, and says so")
  func standsIn() async throws {
    let world = try World()
    let answers = world.answers(.asAnswered)
    world.answer("one")
    #expect(try await world.fetch(answers) == "MISS one")
    for status in [500, 502, 503, 504] {
      world.answer("broken", status: status)
      let found = try await answers.response(
        to: APIRequest(url: world.url, timeout: .seconds(3600)), policy: .remoteFirst)
      #expect(found.verdict == .stale)
      #expect(found.value.body == Data("one".utf8))
      #expect(found.networkError?.message.contains("status \(status)") == true)
    }
    // Those are answers.
    for status in [404, 501] {
      world.answer("no", status: status)
      #expect(try await world.fetch(answers) == "MISS no")
    }
    world.server.stop()
    let found = try await answers.response(to: APIRequest(url: world.url, timeout: .seconds(3600)))
    #expect(found.verdict == .stale)
    #expect(found.networkError?.kind == .refused)
    let error = await apiFailure {
      try await answers.response(
        to: APIRequest(url: world.url, timeout: .seconds(3600)), policy: .noCache)
    }
    #expect(error?.kind == .refused)
  }

  @Test("binary bodies are kept exactly, in a file that another instance reads")
  func binaryBodies() async throws {
    let world = try World()
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ ($0 >> 8)) }
    world.service.answer.withLock { $0.body = bytes }
    let answers = world.answers()
    _ = try await answers.response(to: APIRequest(url: world.url, timeout: .seconds(3600)))
    try await world.cache.close()
    world.server.stop()
    let later = ResponseRepository(
      client: LiveAPIClient(), cache: world.folder.service(), date: world.time.date,
      service: "films")
    let found = try await later.response(to: APIRequest(url: world.url, timeout: .seconds(3600)))
    #expect(found.verdict == .stale)
    #expect(Array(found.value.body) == bytes)
  }

  @Test("bytes are bounded, and the least recently used leave first")
  func bounded() async throws {
    let world = try World(PersistenceLimits(cacheBytes: 3200))
    world.answer(String(repeating: "x", count: 900))
    let answers = world.answers()
    func fetch(_ name: String) async throws -> CacheVerdict {
      try await answers.response(
        to: APIRequest(url: world.server.origin + name, timeout: .seconds(3600))
      ).verdict
    }
    for name in ["/a", "/b", "/c"] { #expect(try await fetch(name) == .miss) }
    #expect(try await world.cache.cachedResponses().count <= 3)
    #expect(try await fetch("/b") == .stale)
    #expect(try await fetch("/d") == .miss)
    #expect(try await fetch("/b") == .stale)
    #expect(try await fetch("/a") == .miss)
  }

  // MARK: Exchanges

  @Test(
    "equal requests that are under way are one exchange",
    arguments: [CachePolicy.localFirst, .remoteFirst])
  func oneExchange(_ policy: CachePolicy) async throws {
    let world = try World()
    let gate = ThreadGate()
    world.service.gate.withLock { $0 = gate }
    var repository = world.answers()
    let (joins, continuation) = AsyncStream.makeStream(of: Int.self)
    repository.exchanges = ResponseExchanges { continuation.yield($0) }
    let (answers, request) = (repository, APIRequest(url: world.url, timeout: .seconds(3600)))
    let verdicts = try await withThrowingTaskGroup { group in
      for _ in 0..<10 {
        group.addTask { try await answers.response(to: request, policy: policy).verdict }
      }
      for await count in joins where count == 10 { break }
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(verdicts == Array(repeating: .miss, count: 10))
    #expect(world.asked == 1)
    // What has ended is not shared.
    _ = try await answers.response(to: request, policy: .remoteFirst)
    #expect(world.asked == 2)
  }

  @Test("an answer that is no value says its status")
  func status() async throws {
    let client = MockAPIClient()
    client.answer("GET", "http://own.test/", with: .status(418))
    let answers = ResponseRepository(
      client: client, cache: MockPersistenceService(), date: .fixed(), service: "own")
    let values = Repository(answers) { $0.status }
    let error = await apiFailure {
      try await values.value(of: APIEndpoint(url: "http://own.test/"))
    }
    #expect(error?.kind == .undecodable)
    #expect(error?.status == 418)
  }

  @Test("requests that differ, also in a secret only, and those without a cache have their own")
  func ownExchanges() async throws {
    let world = try World()
    let gate = ThreadGate()
    world.service.gate.withLock { $0 = gate }
    let answers = world.answers(account: "a")
    let requests = [
      (APIRequest(url: world.url, timeout: .seconds(3600)), CachePolicy.localFirst),
      (
        APIRequest(
          url: world.url, headers: [HTTPHeader("X-Api-Key", "1")], timeout: .seconds(3600)),
        .localFirst
      ),
      (
        APIRequest(
          url: world.url, headers: [HTTPHeader("X-Api-Key", "2")], timeout: .seconds(3600)),
        .localFirst
      ),
      (APIRequest(url: world.url, timeout: .seconds(3600)), .noCache),
      (APIRequest(url: world.url, timeout: .seconds(3600)), .noCache),
      (
        APIRequest(method: "POST", url: world.url, body: Data("x".utf8), timeout: .seconds(3600)),
        .localFirst
      ),
      (
        APIRequest(method: "POST", url: world.url, body: Data("x".utf8), timeout: .seconds(3600)),
        .localFirst
      ),
    ]
    try await withThrowingTaskGroup { group in
      for (request, policy) in requests {
        group.addTask { _ = try await answers.response(to: request, policy: policy) }
      }
      // All of them are at the server before one is answered.
      for _ in requests {
        await withCheckedContinuation { continuation in
          DetachedThread.start {
            gate.waitUntilSomeoneWaits()
            continuation.resume()
          }
        }
      }
      gate.open()
      try await group.waitForAll()
    }
    #expect(world.asked == requests.count)
  }

  @Test("a value shares no exchange with a caller that checks something else")
  func ownChecks() async throws {
    let client = MockAPIClient()
    client.answer { _ in .hang }
    let answers = ResponseRepository(
      client: client, cache: MockPersistenceService(), date: .fixed(), service: "films")
    let films = Repository<Film>(answers)
    let titles = Repository(answers, valueName: "a title") { response in
      Film(title: String(decoding: response.body, as: UTF8.self))
    }
    let endpoint = APIEndpoint(url: "http://films.test/7")
    let request = try endpoint.request()
    let tasks = [
      Task { await apiFailure { try await answers.response(to: request) } },
      Task { await apiFailure { try await films.value(of: endpoint) } },
      Task { await apiFailure { try await titles.value(of: endpoint) } },
    ]
    await client.waitForHanging(3)
    for task in tasks {
      task.cancel()
      #expect(await task.value?.kind == .cancelled)
    }
  }

  @Test("if the caller that asks is cancelled, another one asks again")
  func cancels() async throws {
    let world = try World()
    var repository = world.answers()
    let (joins, continuation) = AsyncStream.makeStream(of: Int.self)
    repository.exchanges = ResponseExchanges { continuation.yield($0) }
    let answers = repository
    let request = APIRequest(url: world.server.origin + "/hang", timeout: nil)
    var joined = joins.makeAsyncIterator()
    func start() -> Task<APIError?, Never> {
      Task { await apiFailure { try await answers.response(to: request) } }
    }
    let first = start()
    _ = await world.server.waitForRequest(path: "/hang")
    let second = start()
    #expect(await joined.next() == 2)
    first.cancel()
    #expect(await first.value?.kind == .cancelled)
    _ = await world.server.waitForRequest(path: "/hang", count: 2)
    let third = start()
    #expect(await joined.next() == 2)
    // A caller that waits is no part of the exchange.
    third.cancel()
    #expect(await third.value?.kind == .cancelled)
    second.cancel()
    #expect(await second.value?.kind == .cancelled)
    #expect(await world.server.waitForClose(path: "/hang", count: 2))
    let fourth = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await apiFailure { try await answers.response(to: request) }
    }
    #expect(await fourth.value?.kind == .cancelled)
    #expect(world.asked == 2)
  }

  /// A cache whose answer is not in its file yet.
  private struct LateCache: ResponseCache {
    let late: CachedResponse
    let file: MockPersistenceService

    func cachedResponse(_ key: String) async throws(PersistenceError) -> CachedResponse? { late }
    func storeResponse(_ response: CachedResponse) async throws(PersistenceError) {
      try await file.storeResponse(response)
    }
    func cachedResponses() async throws(PersistenceError) -> [CachedResponseSummary] { [] }
    func clearResponses(service: String?) async throws(PersistenceError) -> Int { 0 }
    func removeResponses(
      where isRemoved: @escaping @Sendable (CachedResponse) -> Bool
    ) async throws(PersistenceError) -> Int { 0 }
  }

  @Test("a confirmed answer is kept whole, whatever the file has under its key")
  func confirmed() async throws {
    let client = MockAPIClient()
    client.answer("GET", "http://own.test/", with: .status(304))
    let file = MockPersistenceService()
    let old = CachedResponse(
      key: "k", service: "own", status: 200, headers: [HTTPHeader("ETag", "1")],
      body: Data("old".utf8), stored: 1, expires: nil)
    try await file.storeResponse(old)
    var late = old
    late.headers = [HTTPHeader("ETag", "2")]
    late.body = Data("late".utf8)
    let answers = ResponseRepository(
      client: client, cache: LateCache(late: late, file: file), date: .fixed(), service: "own")
    let fetched = await answers.fetch(
      request: APIRequest(url: "http://own.test/"), key: "k", service: "own", policy: .remoteFirst,
      now: 5)
    #expect(try fetched.get().verdict == .revalidated)
    let kept = try await file.cachedResponse("k")
    #expect(kept?.body == late.body)
    #expect(kept?.headers == late.headers)
    #expect(kept?.stored == 5)
  }

  // MARK: Credentials

  @Test("answers to credentials are kept for their account only, and no secret is")
  func accounts() async throws {
    let world = try World()
    func fetch(_ account: String?, _ request: APIRequest) async throws -> CacheVerdict {
      try await world.answers(account: account).response(to: request).verdict
    }
    let header = APIRequest(
      url: world.url, headers: [HTTPHeader("X-Own", "hidden-value")], timeout: .seconds(3600),
      secretHeaders: ["x-own"])
    let query = APIRequest(url: world.url + "?apikey=hidden-value&page=1", timeout: .seconds(3600))
    let value = APIRequest(
      url: world.url + "?k=hidden%2Dvalue", timeout: .seconds(3600), secretValues: ["hidden-value"])
    for request in [header, query, value] {
      #expect(try await fetch(nil, request) == .none)
      #expect(try await fetch("alice", request) == .miss)
      #expect(try await fetch("alice", request) == .stale)
      #expect(try await fetch("bob", request) == .miss)
    }
    let path = APIRequest(
      url: world.url + "/hidden-value", timeout: .seconds(3600), secretValues: ["hidden-value"])
    #expect(try await fetch("alice", path) == .none)
    let kept = try await world.cache.cachedResponses()
    #expect(kept.count == 6)
    for key in kept.map(\.key) { #expect(!key.contains("hidden")) }
  }

  @Test("headers without secrets tell requests apart") func headers() async throws {
    let world = try World()
    let answers = world.answers()
    for page in ["1", "2"] {
      let request = APIRequest(
        url: world.url, headers: [HTTPHeader("X-Page", page)], timeout: .seconds(3600))
      #expect(try await answers.response(to: request).verdict == .miss)
      #expect(try await answers.response(to: request).verdict == .stale)
    }
    // Without Accept-Encoding, the body is not decoded.
    var request = APIRequest(url: world.url, timeout: .seconds(3600))
    #expect(try await answers.response(to: request).verdict == .miss)
    request.removedHeaders = ["Accept-encoding"]
    #expect(try await answers.response(to: request).verdict == .miss)
  }

  // MARK: Values

  @Test("values are decoded, and their source is said") func values() async throws {
    let world = try World()
    let films = Repository<Film>(world.answers(.asAnswered))
    let endpoint = APIEndpoint(url: world.url, timeout: .seconds(3600))
    let first = try await films.value(of: endpoint)
    #expect(first.value == Film(title: "one"))
    #expect(first.verdict == .miss)
    world.answer("{}", status: 503)
    let second = try await films.value(of: endpoint)
    #expect(second.value == Film(title: "one"))
    #expect(second.verdict == .stale)
    #expect(second.stored == world.time.date.now)
    #expect(second.networkError?.kind == .undecodable)
    // Another type has the same answers.
    let titles = Repository(world.answers()) { response in
      try JSONDecoder().decode([String: String].self, from: response.body)["title"] ?? ""
    }
    #expect(try await titles.value(of: endpoint).value == "one")
    #expect(world.asked == 2)
  }

  @Test("a kept answer that is not a value is asked for anew; a new one is an error")
  func undecodable() async throws {
    let world = try World()
    let endpoint = APIEndpoint(url: world.url, timeout: .seconds(3600))
    let answers = world.answers()
    world.answer(#"{"name":"one"}"#)
    _ = try await answers.response(to: APIRequest(url: world.url, timeout: .seconds(3600)))
    let films = Repository<Film>(answers)
    let error = await apiFailure { try await films.value(of: endpoint) }
    #expect(error?.kind == .undecodable)
    #expect(error?.message.contains("at title nothing was found") == true)
    world.answer(#"{"title":"two"}"#)
    #expect(try await films.value(of: endpoint).value == Film(title: "two"))
    #expect(try await films.value(of: endpoint).verdict == .stale)
    world.answer("gone", status: 404)
    let missing = await apiFailure {
      try await films.value(of: endpoint, policy: .remoteFirst)
    }
    #expect(missing?.kind == .undecodable)
    #expect(missing?.message.contains("status 404") == true)
    let invalid = await apiFailure { try await films.value(of: APIEndpoint(url: "nowhere")) }
    #expect(invalid?.kind == .invalidURL)
  }

  @Test(
    "a response that is not a value leaves the kept one, whatever it says of storing",
    arguments: ["<html>log in</html>", #"{"title":"#], [[], [("Cache-Control", "no-store")]])
  func notAValue(body: String, headers: [(String, String)]) async throws {
    let world = try World()
    let films = Repository<Film>(world.answers(.asAnswered))
    let endpoint = APIEndpoint(url: world.url, timeout: .seconds(3600))
    _ = try await films.value(of: endpoint)
    world.answer(body, headers)
    let error = await apiFailure { try await films.value(of: endpoint, policy: .remoteFirst) }
    #expect(error?.kind == .undecodable)
    world.answer("", status: 503)
    let kept = try await films.value(of: endpoint, policy: .remoteFirst)
    #expect(kept.value == Film(title: "one") && kept.verdict == .stale)
  }
}

/// The error that `body` throws; `nil` where it throws none.
private func apiFailure<Value>(_ body: () async throws -> Value) async -> APIError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? APIError
  }
}
