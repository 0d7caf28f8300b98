import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// Answers in line, and the requests that got them.
private final class ScriptedClient: APIClient {
  private let state: Mutex<(answers: [Result<APIResponse, APIError>], requests: [APIRequest])>

  init(_ answers: [Result<APIResponse, APIError>]) { state = Mutex((answers, [])) }

  var requests: [APIRequest] { state.withLock { $0.requests } }

  func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    let answer = state.withLock { state -> Result<APIResponse, APIError>? in
      state.requests.append(request)
      return state.answers.isEmpty ? nil : state.answers.removeFirst()
    }
    guard let answer else { throw APIError(.unanswered, "no answer left") }
    return try answer.get()
  }
}

@Suite("response repository")
struct ResponseRepositoryTests {
  static let url = "http://h/a"
  static let start: Int64 = 1_700_000_000_000_000
  static let second: Int64 = 1_000_000

  private static func answer(
    _ body: String = "body", _ status: Int = 200, _ headers: [HTTPHeader] = []
  ) -> Result<APIResponse, APIError> {
    .success(APIResponse(status: status, headers: headers, body: Data(body.utf8), url: url))
  }

  /// One repository with its cache and the answers that the service will give.
  private struct Subject {
    let client: ScriptedClient
    let cache = MockPersistenceService()
    let repository: ResponseRepository

    init(
      _ answers: [Result<APIResponse, APIError>],
      mayKeep: @escaping @Sendable (APIResponse) -> Bool = { _ in true }
    ) {
      client = ScriptedClient(answers)
      repository = ResponseRepository(client: client, cache: cache, mayKeep: mayKeep)
    }

    func fetch(
      _ policy: CachePolicy, after seconds: Int64 = 0, method: String = "GET",
      headers: [HTTPHeader] = [HTTPHeader("X-Api-Key", "hidden")]
    ) async throws -> Fetched<APIResponse> {
      try await repository.fetch(
        request: APIRequest(method: method, url: ResponseRepositoryTests.url, headers: headers),
        key: "k", service: "s", policy: policy,
        now: ResponseRepositoryTests.start + seconds * ResponseRepositoryTests.second
      ).get()
    }

    var kept: CachedResponse? { get async throws { try await cache.cachedResponse("k") } }
  }

  private static let holding = [
    HTTPHeader("Cache-Control", "max-age=5"), HTTPHeader("ETag", "\"1\""),
    HTTPHeader("Last-Modified", "Sat, 04 Nov 2017 18:48:46 GMT"), HTTPHeader("X-Kept", "yes"),
  ]

  private static func text(_ fetched: Fetched<APIResponse>) -> String {
    String(decoding: fetched.value.body, as: UTF8.self)
  }

  // MARK: Policies

  @Test("local first asks once") func localFirstAsksOnce() async throws {
    let subject = Subject([Self.answer("one", 200, Self.holding)])
    let verdicts = [
      try await subject.fetch(.localFirst), try await subject.fetch(.localFirst, after: 4),
      try await subject.fetch(.localFirst, after: 5),
      // The clock was set back by a year.
      try await subject.fetch(.localFirst, after: -31_536_000),
    ]
    #expect(verdicts.map(\.verdict) == [.miss, .hit, .stale, .stale])
    #expect(verdicts.allSatisfy { Self.text($0) == "one" })
    #expect(verdicts.map(\.stored) == [nil, Self.start, Self.start, Self.start])
    #expect(subject.client.requests.count == 1)
  }

  @Test("remote first asks whether it still holds") func remoteFirstAsksWhetherItStillHolds()
    async throws
  {
    let confirmation = [
      HTTPHeader("ETag", "\"1\""), HTTPHeader("Cache-Control", "max-age=60"),
      HTTPHeader("Content-Length", "0"), HTTPHeader("Set-Cookie", "a=b"),
    ]
    let subject = Subject([
      Self.answer("one", 200, Self.holding), Self.answer("", 304, confirmation),
      Self.answer("two", 200, [HTTPHeader("ETag", "\"2\"")]),
    ])
    #expect(try await subject.fetch(.remoteFirst).verdict == .miss)
    let second = try await subject.fetch(.remoteFirst, after: 10)
    #expect(second.verdict == .revalidated)
    #expect(second.value.status == 200)
    #expect(Self.text(second) == "one")
    let sent = try #require(subject.client.requests.dropFirst().first).headers
    #expect(sent.value(of: "If-None-Match") == "\"1\"")
    #expect(sent.value(of: "If-Modified-Since") == "Sat, 04 Nov 2017 18:48:46 GMT")
    #expect(sent.value(of: "X-Api-Key") == "hidden")
    let kept = try await subject.kept
    #expect(kept?.stored == Self.start + 10 * Self.second)
    #expect(kept?.expires == Self.start + 70 * Self.second)
    #expect(kept?.headers.value(of: "X-Kept") == "yes")
    #expect(kept?.headers.value(of: "Content-Length") == nil)
    #expect(kept?.headers.value(of: "Set-Cookie") == nil)
    let third = try await subject.fetch(.remoteFirst, after: 20)
    #expect(third.verdict == .miss)
    #expect(Self.text(third) == "two")
    #expect(try await subject.kept.map { String(decoding: $0.body, as: UTF8.self) } == "two")
  }

  @Test("a confirmed answer has its headers in their order")
  func aConfirmedAnswerHasItsHeadersInTheirOrder() async throws {
    let confirmation = [
      HTTPHeader("Link", "c"), HTTPHeader("X-New", "1"), HTTPHeader("etag", "\"1\""),
      HTTPHeader("Link", "d"),
    ]
    let stored = [
      HTTPHeader("X-First", "1"), HTTPHeader("Link", "a"), HTTPHeader("ETag", "\"1\""),
      HTTPHeader("Link", "b"), HTTPHeader("X-Last", "1"),
    ]
    let subject = Subject([
      Self.answer("one", 200, stored), Self.answer("", 304, confirmation),
      Self.answer("", 304, [stored[2]]),
    ])
    _ = try await subject.fetch(.remoteFirst)
    let merged = [
      stored[0], confirmation[0], confirmation[3], confirmation[2], stored[4], confirmation[1],
    ]
    #expect(try await subject.fetch(.remoteFirst).value.headers == merged)
    let again = try await subject.fetch(.remoteFirst).value.headers
    #expect(again.map { $0.name.lowercased() } == merged.map { $0.name.lowercased() })
  }

  @Test("what is kept stands in for a service out of reach", arguments: APIError.Kind.allCases)
  func whatIsKeptStandsInForAServiceOutOfReach(_ kind: APIError.Kind) async throws {
    let error = APIError(kind, "no")
    let subject = Subject([Self.answer("one", 200, Self.holding), .failure(error), .failure(error)])
    _ = try await subject.fetch(.remoteFirst)
    if ![.dns, .refused, .unreachable, .offline, .timeout].contains(kind) {
      await #expect(throws: error) { try await subject.fetch(.remoteFirst) }
    } else {
      let fetched = try await subject.fetch(.remoteFirst)
      #expect(fetched.verdict == .stale)
      #expect(fetched.networkError == error)
      #expect(Self.text(fetched) == "one")
    }
    // Without anything kept the error is the answer.
    _ = try await subject.cache.clearResponses(service: nil)
    await #expect(throws: error) { try await subject.fetch(.remoteFirst) }
  }

  @Test("what is kept does not stand in for a login that a proxy refuses")
  func refusedLogin() async throws {
    let error = APIError(.unreachable, "no", status: 407)
    let subject = Subject([Self.answer("one", 200, Self.holding), .failure(error)])
    _ = try await subject.fetch(.remoteFirst)
    await #expect(throws: error) { try await subject.fetch(.remoteFirst) }
  }

  @Test("a 304 for another version is no confirmation: the answer is asked for as a whole")
  func confirmationOfAnotherVersion() async throws {
    let subject = Subject([
      Self.answer("one", 200, Self.holding), Self.answer("", 304, [HTTPHeader("ETag", "W/\"1\"")]),
      Self.answer("", 304, [HTTPHeader("ETag", "\"2\"")]),
      Self.answer("two", 200, [HTTPHeader("ETag", "\"2\"")]),
    ])
    _ = try await subject.fetch(.remoteFirst)
    // The same version by weak comparison.
    #expect(try await subject.fetch(.remoteFirst).verdict == .revalidated)
    let fetched = try await subject.fetch(.remoteFirst)
    #expect(fetched.verdict == .miss)
    #expect(Self.text(fetched) == "two")
    let conditions = subject.client.requests.map { $0.headers.value(of: "If-None-Match") != nil }
    #expect(conditions == [false, true, true, false])
    let kept = try #require(try await subject.kept)
    #expect(String(decoding: kept.body, as: UTF8.self) == "two")
    #expect(kept.headers.value(of: "ETag") == "\"2\"")
  }

  @Test("a 304 behind a redirect is about another resource: the answer is asked for as a whole")
  func confirmationBehindRedirect() async throws {
    let redirected = Self.answer("", 304, [HTTPHeader("ETag", "\"1\"")]).map { answer in
      var answer = answer
      answer.redirects = 1
      return answer
    }
    let subject = Subject([
      Self.answer("one", 200, Self.holding), redirected, Self.answer("two", 200, Self.holding),
    ])
    _ = try await subject.fetch(.remoteFirst)
    let fetched = try await subject.fetch(.remoteFirst)
    #expect(fetched.verdict == .miss && Self.text(fetched) == "two")
  }

  @Test("the answer of a redirect's target is not kept, and removes what was kept before")
  func answerBehindRedirect() async throws {
    let redirected = Self.answer("two", 200, Self.holding).map { answer in
      var answer = answer
      answer.redirects = 1
      return answer
    }
    let subject = Subject([
      redirected, Self.answer("one", 200, Self.holding), redirected,
    ])
    #expect(Self.text(try await subject.fetch(.localFirst)) == "two")
    #expect(try await subject.kept == nil)
    #expect(Self.text(try await subject.fetch(.localFirst)) == "one")
    #expect(try await subject.kept != nil)
    #expect(Self.text(try await subject.fetch(.remoteFirst)) == "two")
    #expect(try await subject.kept == nil)
  }

  @Test("behind a 304 for another version, a failure is replaced as any other")
  func failureBehindAnotherVersion() async throws {
    let another = Self.answer("", 304, [HTTPHeader("ETag", "\"2\"")])
    let error = APIError(.refused, "no")
    let subject = Subject([
      Self.answer("one", 200, Self.holding), another, .failure(error),
    ])
    _ = try await subject.fetch(.remoteFirst)
    let fetched = try await subject.fetch(.remoteFirst)
    #expect(fetched.verdict == .stale && Self.text(fetched) == "one")
    #expect(fetched.networkError == error)
  }

  @Test(
    "what has to be confirmed stands in for no service out of reach, unless it is fresh",
    arguments: [
      ("max-age=5, must-revalidate", true), ("max-age=5, Must-Revalidate", true),
      ("no-cache", false), ("max-age=5, no-cache", false),
    ])
  func whatHasToBeConfirmed(directives: String, isFreshAtFirst: Bool) async throws {
    var error = APIError(.refused, "no")
    let subject = Subject([
      Self.answer("one", 200, [HTTPHeader("Cache-Control", directives)]), .failure(error),
      .failure(error),
    ])
    _ = try await subject.fetch(.remoteFirst)
    error.hasUnconfirmed = true
    if isFreshAtFirst {
      #expect(try await subject.fetch(.remoteFirst, after: 4).verdict == .stale)
    } else {
      await #expect(throws: error) { try await subject.fetch(.remoteFirst, after: 4) }
    }
    await #expect(throws: error) { try await subject.fetch(.remoteFirst, after: 5) }
    // It stays, for `localFirst` and for the time when the service can be reached again.
    #expect(try await subject.fetch(.localFirst, after: 5).verdict == .stale)
  }

  @Test(
    "a newer answer that is not kept removes the older one, which would stand in for it later",
    arguments: [200, 410])
  func newerAnswer(status: Int) async throws {
    let headers = status == 200 ? [HTTPHeader("Cache-Control", "no-store")] : []
    let subject = Subject([
      Self.answer("one"), Self.answer("two", status, headers), .failure(APIError(.timeout, "slow")),
    ])
    #expect(try await subject.fetch(.remoteFirst).verdict == .miss)
    #expect(Self.text(try await subject.fetch(.remoteFirst)) == "two")
    #expect(try await subject.kept == nil)
    await #expect(throws: APIError.self) { try await subject.fetch(.remoteFirst) }
  }

  @Test("no cache leaves the cache alone") func noCacheLeavesTheCacheAlone() async throws {
    let subject = Subject([Self.answer("one", 200, Self.holding), Self.answer("two")])
    #expect(try await subject.fetch(.noCache).verdict == .none)
    #expect(try await subject.fetch(.noCache).verdict == .none)
    #expect(subject.cache.calls == [])
    #expect(subject.client.requests.allSatisfy { $0.headers.count == 1 })
  }

  // MARK: What is kept

  @Test(
    "only what may be kept is kept",
    arguments: [
      ("GET", 200, "max-age=1", nil, true), ("HEAD", 200, "", nil, true),
      ("POST", 200, "max-age=1", nil, false), ("GET", 404, "max-age=1", nil, false),
      ("GET", 206, "", nil, false), ("GET", 301, "", nil, false),
      ("GET", 200, "private, No-Store", nil, false), ("GET", 200, "no-cache", nil, true),
      ("GET", 200, "max-age=1", "*", false), ("GET", 200, "max-age=1", "Accept, *", false),
      ("GET", 200, "max-age=1", "Accept", true),
    ] as [(String, Int, String, String?, Bool)])
  func onlyWhatMayBe(
    _ method: String, _ status: Int, _ control: String, _ vary: String?, _ isKept: Bool
  )
    async throws
  {
    var headers = [HTTPHeader("cache-control", control)]
    if let vary { headers.append(HTTPHeader("VARY", vary)) }
    let subject = Subject([Self.answer("one", status, headers)])
    let fetched = try await subject.fetch(.remoteFirst, method: method)
    #expect(fetched.verdict == (method == "POST" ? .none : .miss))
    #expect(try await (subject.kept != nil) == isKept)
  }

  @Test("secrets and cookies are not kept") func secretsAndCookiesAreNotKept() async throws {
    let headers = [
      HTTPHeader("set-cookie", "session=hidden"), HTTPHeader("Connection", "X-Hop"),
      HTTPHeader("X-Hop", "1"), HTTPHeader("Content-Encoding", "gzip"),
      HTTPHeader("Content-Length", "9"), HTTPHeader("X-Kept", "1"),
    ]
    let subject = Subject([
      Self.answer("one", 200, headers).map {
        var response = $0
        response.isDecoded = true
        return response
      }
    ])
    // The caller sees the answer as it came.
    #expect(try await subject.fetch(.localFirst).value.headers == headers)
    #expect(try await subject.kept?.headers == [HTTPHeader("X-Kept", "1")])
    let refusing = Subject([Self.answer("echo of hidden")]) { response in
      !String(decoding: response.body, as: UTF8.self).contains("hidden")
    }
    #expect(try await refusing.fetch(.localFirst).verdict == .miss)
    #expect(try await refusing.kept == nil)
  }

  @Test("a body that was not decoded is kept with the name of its encoding")
  func keptEncoding() async throws {
    let headers = [HTTPHeader("Content-Encoding", "br"), HTTPHeader("Content-Length", "3")]
    let subject = Subject([Self.answer("one", 200, headers)])
    for _ in 0..<2 {
      #expect(try await subject.fetch(.localFirst).value.headers == headers)
    }
    #expect(subject.client.requests.count == 1)
  }

  @Test(
    "a change removes what is kept of each address that it was sent to",
    arguments: [204, 500])
  func changedAddresses(status: Int) async throws {
    let changed = Self.answer("", status).map {
      var response = $0
      response.redirects = 1
      response.changedURLs = ["http://H:80/from", "http://h/./to"]
      return response
    }
    let subject = Subject([changed])
    for path in ["from", "to", "other"] {
      try await subject.cache.storeResponse(
        CachedResponse(
          key: ResponseRepository.key(method: "GET", url: "http://h/\(path)"), service: "s",
          status: 200, headers: [], body: Data(), stored: Self.start, expires: nil))
    }
    _ = try await subject.fetch(.noCache, method: "PUT")
    #expect(try await subject.cache.cachedResponses().map(\.key) == ["GET http://h/other"])
  }

  @Test("the caller's own conditions are left to the caller") func ownConditionsAreTheCallers()
    async throws
  {
    let subject = Subject([Self.answer("one", 200, Self.holding), Self.answer("", 304)])
    _ = try await subject.fetch(.localFirst)
    let fetched = try await subject.fetch(
      .remoteFirst, headers: [HTTPHeader("if-none-match", "\"1\"")])
    #expect(fetched.verdict == .none)
    #expect(fetched.value.status == 304)
  }

  @Test("a cache that fails is empty") func aCacheThatFailsIsEmpty() async throws {
    let subject = Subject([Self.answer("one"), Self.answer("two")])
    subject.cache.failNext("cachedResponse", with: .busy)
    subject.cache.failNext("storeResponse", with: .full)
    let fetched = try await subject.fetch(.localFirst)
    #expect(fetched.verdict == .miss)
    #expect(fetched.cacheError?.kind == .full)
    #expect(try await subject.fetch(.localFirst).cacheError == nil)
    #expect(try await subject.kept != nil)
  }

  // MARK: Times

  @Test(
    "an answer expires when its headers say so",
    arguments: [
      (["Cache-Control": "max-age=10"], 10), (["Cache-Control": "public, MAX-AGE=\"10\""], 10),
      (["Cache-Control": "max-age=10", "Age": "4"], 6),
      (["Cache-Control": "max-age=10", "Age": "40"], 0), (["Cache-Control": "max-age=x"], 0),
      (["Cache-Control": "max-age=10, no-cache"], 0),
      (["Cache-Control": "max-age=99999999999999999999"], 1 << 31),
      (["Cache-Control": "max-age=10", "Expires": "0"], 10), (["Expires": "0"], 0),
      (["Expires": "Tue, 14 Nov 2023 22:13:50 GMT"], 30),
      (
        [
          "Expires": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:48:37 GMT",
        ], 60
      ),
      (["Expires": "Sun, 06 Nov 1994 08:49:37 GMT"], 0), (["ETag": "1"], nil), ([:], nil),
    ] as [([String: String], Int64?)])
  func expiry(_ fields: [String: String], _ seconds: Int64?) {
    let headers = fields.map { HTTPHeader($0.key, $0.value) }
    let expiry = CacheRules.expiry(of: headers, now: Self.start)
    #expect(expiry == seconds.map { Self.start + $0 * Self.second })
  }

  @Test("dates of headers are read") func dates() {
    #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.seconds("Thu, 29 Feb 2024 23:59:60 GMT") == 1_709_251_200)
    for text in [
      "", "0", "Sun, 06 Nov 1994 08:49:37", "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    ] {
      #expect(HTTPDate.seconds(text) == nil, "\(text)")
    }
  }

  @Test("keys tell requests apart") func keys() {
    #expect(
      ResponseRepository.key(
        method: "GET", url: "http://h/a?b=1&apikey=hidden&c#part",
        headers: [HTTPHeader("accept", "text/csv"), HTTPHeader("X-Api-Key", "hidden")],
        secretQuery: ["apikey"]) == "GET http://h/a?b=1&c\naccept: text/csv")
    #expect(
      ResponseRepository.key(method: "HEAD", url: "http://h/?apikey=x", secretQuery: ["apikey"])
        == "HEAD http://h/")
  }
}

@Suite("in-memory persistence")
struct InMemoryPersistenceTests {
  @Test("calls are written down and fail on demand") func callsAreWrittenDownAndFailOnDemand()
    async throws
  {
    let service = MockPersistenceService.mock
    service.failNext("putDocument", with: .full)
    service.failNext("putDocument", with: .busy)
    var kinds: [PersistenceError.Kind?] = []
    for _ in 0..<3 {
      kinds.append(
        await failure { () throws(PersistenceError) in
          try await service.putDocument(Document("1", "1"))
        }?.kind)
    }
    #expect(kinds == [.full, .busy, nil])
    #expect(try await service.preferences() == [])
    #expect(
      service.calls.map(\.name) == ["putDocument", "putDocument", "putDocument", "preferences"])
  }

  @Test("each mention is a world of its own") func eachMentionIsAWorldOfItsOwn() async throws {
    let preview = MockPersistenceService.preview
    let names = Set(try await preview.services().map(\.name))
    #expect(names.isSuperset(of: ["films", "sab", "sample"]))
    #expect(
      try await preview.service("films")?.authentication
        == .header(name: "X-Api-Key", secret: "radarr"))
    #expect(try await preview.service("sample")?.baseURL == "http://127.0.0.1:18110/api")
    #expect(try await preview.documents(DocumentQuery(collection: "characters")).count == 3)
    _ = try await preview.removeService("sample")
    #expect(try await MockPersistenceService.preview.service("sample") != nil)
    #expect(try await MockPersistenceService.mock.services() == [])
  }

  @Test("there is nothing to back up") func thereIsNothingToBackUp() async throws {
    let error = await failure { () throws(PersistenceError) in
      try await MockPersistenceService.mock.backup(to: "/nowhere")
    }
    #expect(error?.kind == .cannotCreate)
  }

  @Test("checksums find every flipped bit and boundary")
  func checksumsFindEveryFlippedBitAndBoundary() {
    func sum(_ parts: [[UInt8]]) -> Int64 {
      var checksum = ContentChecksum()
      for part in parts { part.withUnsafeBytes { checksum.add($0) } }
      return checksum.value
    }
    let bytes = (0..<37).map { UInt8($0) }
    let whole = sum([bytes])
    for bit in 0..<(bytes.count * 8) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(sum([flipped]) != whole)
    }
    #expect(sum([[1], [2, 3]]) != sum([[1, 2], [3]]))
    #expect(sum([[0]]) != sum([[0, 0]]))
    #expect(sum([[]]) != sum([]))
  }
}
