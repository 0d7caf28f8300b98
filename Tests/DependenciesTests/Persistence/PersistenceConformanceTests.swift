import SwiftBoardDependencies
import SwiftBoardJSON
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What every implementation of the persistence protocols must do, run on each of them.
@Suite("persistence conformance")
struct PersistenceConformanceTests {
  enum Kind: CaseIterable { case live, inMemory }

  /// A service, and the folder that it needs as long as it is used.
  struct Subject {
    let service: any PersistenceService
    let folder: DatabaseFolder?

    init(_ kind: Kind, limits: PersistenceLimits = PersistenceLimits()) throws {
      folder = kind == .live ? try DatabaseFolder() : nil
      service = folder?.service(limits: limits) ?? MockPersistenceService(limits: limits)
    }
  }

  // MARK: Documents

  @Test("bodies come back byte for byte", arguments: Kind.allCases) func bodiesComeBackByteForByte(
    _ kind: Kind
  ) async throws {
    let subject = try Subject(kind)
    let bodies = [
      "{ \"b\" : 1.0,\n\t\"a\":1e2 }", "null", " 12345678901234567890 ", "\"\"",
      "\"e\u{301} and \u{e9} \u{1F600} \\u0000\"",
      "[" + String(repeating: "1,", count: 9000) + "1]",
    ]
    for (index, body) in bodies.enumerated() {
      try await subject.service.putDocument(Document("\(index)", body))
      let read = try await subject.service.document(collection: "c", id: "\(index)")
      #expect(read.map { Array($0.body.utf8) } == Array(body.utf8))
      #expect(read?.updated == 1)
    }
  }

  @Test("absent is nil and no error", arguments: Kind.allCases) func absentIsNilAndNoError(
    _ kind: Kind
  ) async throws {
    let service = try Subject(kind).service
    #expect(try await service.document(collection: "c", id: "x") == nil)
    #expect(try await service.documents(DocumentQuery(collection: "c")) == [])
    #expect(try await service.preference("p") == nil)
    #expect(try await service.preferences() == [])
    #expect(try await service.service("s") == nil)
    #expect(try await service.services() == [])
    #expect(try await service.cachedResponse("k") == nil)
    #expect(try await service.cachedResponses() == [])
    #expect(try await service.searches(scope: "s", containing: nil) == [])
    #expect(try await service.logRecords(limit: 5, atLeast: nil) == [])
    #expect(try await service.check() == [])
    #expect(try await service.statistics().tables.allSatisfy { $0.rows == 0 })
  }

  @Test("removing says whether there was one", arguments: Kind.allCases)
  func removingSaysWhetherThereWasOne(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    let service = subject.service
    try await service.putDocument(Document("1", "1"))
    #expect(try await service.removeDocument(collection: "c", id: "1"))
    #expect(try await !service.removeDocument(collection: "c", id: "1"))
    try await service.setPreference("p", to: "1")
    #expect(try await service.unsetPreference("p"))
    #expect(try await !service.unsetPreference("p"))
    try await service.saveService(APIService(name: "s", baseURL: "http://a"), replacing: false)
    #expect(try await service.removeService("s"))
    #expect(try await !service.removeService("s"))
  }

  @Test("put replaces", arguments: Kind.allCases) func putReplaces(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    try await subject.service.putDocument(Document("1", "1"))
    try await subject.service.putDocument(
      Document(collection: "c", id: "1", body: "2", updated: 9))
    try await subject.service.putDocument(Document("1", "3", in: "other"))
    #expect(
      try await subject.service.documents(DocumentQuery(collection: "c")) == [
        Document(collection: "c", id: "1", body: "2", updated: 9)
      ])
  }

  @Test("invalid JSON is refused with its place", arguments: Kind.allCases)
  func invalidJSONIsRefusedWithItsPlace(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    let service = subject.service
    let error = await failure { () throws(PersistenceError) in
      try await service.putDocument(Document("1", "{\n  \"a\": hidden }"))
    }
    #expect(error?.kind == .invalid)
    #expect(error?.message.contains("line 2, column 8") == true)
    #expect(error?.message.contains("hidden") == false)
    #expect(try await service.document(collection: "c", id: "1") == nil)
    let preference = await failure { () throws(PersistenceError) in
      try await service.setPreference("p", to: "")
    }
    #expect(preference?.kind == .invalid)
  }

  @Test("ids are compared by their bytes", arguments: Kind.allCases)
  func idsAreComparedByTheirBytes(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    let ids = ["e\u{301}", "\u{e9}", "E", "", "a\u{0}b", "a\u{0}c", "\u{1F600}", "\u{FFFD}"]
    for id in ids { try await subject.service.putDocument(Document(id, "1")) }
    let found = try await subject.service.documents(DocumentQuery(collection: "c")).map(\.id)
    let expected = ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(found.map { Array($0.utf8) } == expected)
  }

  @Test("conditions compare by meaning", arguments: Kind.allCases) func conditionsCompareByMeaning(
    _ kind: Kind
  ) async throws {
    let subject = try Subject(kind)
    let bodies = [
      #"{"n":1,"s":"a","o":{"x":1,"y":[2]}}"#, #"{"n":1.0,"s":"A","o":{"y":[2.0],"x":1}}"#,
      #"{"n":10e-1,"s":"a\u0061"}"#, #"{"n":"1","b":true}"#, #"{"n":null}"#, #"{}"#,
      #"{"n":9007199254740993}"#,
    ]
    for (index, body) in bodies.enumerated() {
      try await subject.service.putDocument(Document("\(index)", body))
    }
    func find(_ conditions: [(String, String)]) async throws -> [String] {
      try await subject.service.documents(
        DocumentQuery(
          collection: "c",
          conditions: try conditions.map {
            .init(path: $0.0, equals: try JSON(parsing: $0.1))
          })
      ).map(\.id)
    }
    #expect(try await find([("n", "1")]) == ["0", "1", "2"])
    #expect(try await find([("n", "1.00")]) == ["0", "1", "2"])
    #expect(try await find([("n", #""1""#)]) == ["3"])
    #expect(try await find([("n", "null")]) == ["4"])
    #expect(try await find([("n", "9007199254740992")]) == [])
    #expect(try await find([("s", #""a""#)]) == ["0"])
    #expect(try await find([("s", #""aa""#)]) == ["2"])
    #expect(try await find([("o", #"{"y":[2],"x":1.0}"#)]) == ["0", "1"])
    #expect(try await find([("o.y[0]", "2"), ("s", #""A""#)]) == ["1"])
    #expect(try await find([("b", "true")]) == ["3"])
    #expect(try await find([("b", "1")]) == [])
  }

  @Test("sorting puts numbers before text", arguments: Kind.allCases)
  func sortingPutsNumbersBeforeText(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    let bodies = [
      "a": "\"10\"", "b": "10", "c": "9.5", "d": "\"a\"", "e": "1e1", "f": "\"B\"", "h": "-3",
    ]
    for (id, value) in bodies {
      try await subject.service.putDocument(Document(id, "{\"k\":\(value)}"))
    }
    try await subject.service.putDocument(Document("g", "{}"))
    func sorted(_ sort: String, _ limit: Int? = nil) async throws -> String {
      try await subject.service.documents(
        DocumentQuery(collection: "c", sort: sort, limit: limit)
      ).map(\.id).joined()
    }
    #expect(try await sorted("k") == "hcbeafdg")
    #expect(try await sorted("-k") == "dfabechg")
    #expect(try await sorted("k", 3) == "hcb")
    #expect(try await sorted("k", 0) == "")
    let plain = try await subject.service.documents(DocumentQuery(collection: "c", limit: 2))
    #expect(plain.map(\.id) == ["a", "b"])
  }

  @Test("malformed queries are refused", arguments: Kind.allCases) func malformedQueriesAreRefused(
    _ kind: Kind
  ) async throws {
    let subject = try Subject(kind)
    let service = subject.service
    let queries = [
      DocumentQuery(collection: "c", sort: "a["), DocumentQuery(collection: "c", limit: -1),
      DocumentQuery(collection: "c", conditions: [.init(path: "a..b", equals: "1")]),
    ]
    for query in queries {
      let error = await failure { () throws(PersistenceError) in
        try await service.documents(query)
      }
      #expect(error?.kind == .invalid, "\(query)")
    }
  }

  // MARK: Preferences and services

  @Test("preferences are sorted and exact", arguments: Kind.allCases)
  func preferencesAreSortedAndExact(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    try await subject.service.setPreference("b", to: " 1.0 ")
    try await subject.service.setPreference("a", to: "\"x\"")
    try await subject.service.setPreference("b", to: " 2 ")
    #expect(try await subject.service.preference("b") == " 2 ")
    #expect(
      try await subject.service.preferences() == [
        Preference(name: "a", json: "\"x\""), Preference(name: "b", json: " 2 "),
      ])
  }

  @Test("services keep their authentication", arguments: Kind.allCases)
  func servicesKeepTheirAuthentication(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    let service = subject.service
    let all: [APIService.Authentication?] = [
      nil, .header(name: "X-Api-Key", secret: "k"), .query(name: "apikey", secret: "k"),
      .bearer(secret: "k"), .basic(user: "u", secret: "k"),
    ]
    for (index, authentication) in all.enumerated() {
      try await service.saveService(
        APIService(name: "\(index)", baseURL: "http://h", authentication: authentication),
        replacing: false)
    }
    #expect(try await service.services().map(\.authentication) == all)
    #expect(try await service.service("4")?.authentication == .basic(user: "u", secret: "k"))
  }

  @Test("a service is replaced only on demand", arguments: Kind.allCases)
  func aServiceIsReplacedOnlyOnDemand(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    let service = subject.service
    try await service.saveService(APIService(name: "s", baseURL: "http://a"), replacing: false)
    let error = await failure { () throws(PersistenceError) in
      try await service.saveService(APIService(name: "s", baseURL: "http://b"), replacing: false)
    }
    #expect(error?.kind == .exists)
    #expect(error?.message.contains("service s") == true)
    #expect(try await service.service("s")?.baseURL == "http://a")
    try await service.saveService(APIService(name: "s", baseURL: "http://b"), replacing: true)
    #expect(try await service.service("s")?.baseURL == "http://b")
  }

  // MARK: Limits

  @Test("negative limits keep and give nothing", arguments: Kind.allCases)
  func negativeLimitsKeepAndGiveNothing(_ kind: Kind) async throws {
    let subject = try Subject(
      kind,
      limits: PersistenceLimits(cacheBytes: -1, cacheEntries: -1, logRecords: -1, searches: -1)
    )
    let service = subject.service
    try await service.addSearch("one", scope: "s", at: 1)
    #expect(try await service.searches(scope: "s", containing: nil) == [])
    try await service.appendLogRecords([
      LogRecord(time: 1, level: .error, category: "c", message: "m")
    ])
    #expect(try await service.logRecords(limit: 5, atLeast: nil) == [])
    #expect(try await service.logRecords(limit: -1, atLeast: nil) == [])
    #expect(try await service.statistics().tables.allSatisfy { $0.rows == 0 })
  }

  // MARK: Recent searches

  @Test("newest searches come first and once", arguments: Kind.allCases)
  func newestSearchesComeFirstAndOnce(_ kind: Kind) async throws {
    let subject = try Subject(kind, limits: PersistenceLimits(searches: 3))
    let service = subject.service
    for (time, text) in ["one", "two", "one", "Three", "four"].enumerated() {
      try await service.addSearch(text, scope: "s", at: Int64(time))
    }
    try await service.addSearch("one", scope: "other", at: 9)
    let all = try await service.searches(scope: "s", containing: nil)
    #expect(all.map(\.text) == ["four", "Three", "one"])
    #expect(all.map(\.at) == [4, 3, 2])
    #expect(try await service.searches(scope: "s", containing: "thr").map(\.text) == ["Three"])
    #expect(try await service.searches(scope: "s", containing: "").count == 3)
    // A clock that was set back does not put the newest search last.
    try await service.addSearch("five", scope: "s", at: -5)
    #expect(
      try await service.searches(scope: "s", containing: nil).map(\.text) == [
        "five", "four", "Three",
      ])
  }

  @Test("searches are removed by text or scope", arguments: Kind.allCases)
  func searchesAreRemovedByTextOrScope(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    let service = subject.service
    for text in ["a", "b", "c"] { try await service.addSearch(text, scope: "s", at: 1) }
    try await service.addSearch("a", scope: "t", at: 1)
    #expect(try await service.removeSearches("x", scope: "s") == 0)
    #expect(try await service.removeSearches("a", scope: "s") == 1)
    #expect(try await service.removeSearches(nil, scope: "s") == 2)
    #expect(try await service.searches(scope: "t", containing: nil).count == 1)
  }

  // MARK: Cached answers

  static func response(_ key: String, bytes: Int = 10, service: String = "s") -> CachedResponse {
    CachedResponse(
      key: key, service: service, status: 200,
      headers: [
        HTTPHeader("ETag", "\"\(key)\""), HTTPHeader("X-Two", "a"), HTTPHeader("X-Two", "b"),
      ],
      body: Data(repeating: 0xff, count: bytes), stored: 5, expires: nil)
  }

  @Test("answers come back whole", arguments: Kind.allCases) func answersComeBackWhole(_ kind: Kind)
    async throws
  {
    let subject = try Subject(kind)
    var response = Self.response("k")
    try await subject.service.storeResponse(response)
    #expect(try await subject.service.cachedResponse("k") == response)
    response.body = Data()
    response.expires = 0
    response.headers = []
    try await subject.service.storeResponse(response)
    #expect(try await subject.service.cachedResponse("k") == response)
    #expect(
      try await subject.service.cachedResponses() == [
        CachedResponseSummary(
          key: "k", service: "s", status: 200, bytes: 0, stored: 5, expires: 0)
      ])
  }

  @Test("refreshing keeps the body", arguments: Kind.allCases) func refreshingKeepsTheBody(
    _ kind: Kind
  ) async throws {
    let subject = try Subject(kind)
    try await subject.service.storeResponse(Self.response("k"))
    let headers = [HTTPHeader("ETag", "new")]
    try await subject.service.refreshResponse("k", headers: headers, stored: 7, expires: 9)
    try await subject.service.refreshResponse("none", headers: headers, stored: 7, expires: 9)
    let read = try await subject.service.cachedResponse("k")
    #expect(read?.headers == headers)
    #expect(read?.stored == 7)
    #expect(read?.expires == 9)
    #expect(read?.body == Self.response("k").body)
    #expect(try await subject.service.cachedResponses().count == 1)
  }

  @Test("the least recently used leaves first", arguments: Kind.allCases)
  func theLeastRecentlyUsedLeavesFirst(_ kind: Kind) async throws {
    let subject = try Subject(kind, limits: PersistenceLimits(cacheEntries: 3))
    let service = subject.service
    for key in ["a", "b", "c"] { try await service.storeResponse(Self.response(key)) }
    _ = try await service.cachedResponse("a")
    try await service.storeResponse(Self.response("d"))
    try await service.refreshResponse("c", headers: [], stored: 1, expires: nil)
    try await service.storeResponse(Self.response("e"))
    #expect(try await service.cachedResponses().map(\.key) == ["c", "d", "e"])
  }

  @Test("bytes are bounded", arguments: Kind.allCases) func bytesAreBounded(_ kind: Kind)
    async throws
  {
    let subject = try Subject(kind, limits: PersistenceLimits(cacheBytes: 10_000))
    let service = subject.service
    for index in 0..<100 {
      try await service.storeResponse(Self.response("\(index)", bytes: 900))
    }
    #expect(try await service.cachedResponses().map(\.key).sorted() == (90...99).map { "\($0)" })
    // One that alone is too large is not kept, and what it would have replaced is gone.
    try await service.storeResponse(Self.response("95", bytes: 20_000))
    #expect(try await service.cachedResponse("95") == nil)
    #expect(try await service.cachedResponses().count == 9)
    // One that grows pushes out as many as it must.
    try await service.storeResponse(Self.response("99", bytes: 8_000))
    #expect(try await service.cachedResponses().map(\.key) == ["97", "98", "99"])
  }

  @Test("answers are cleared by service", arguments: Kind.allCases) func answersAreClearedByService(
    _ kind: Kind
  ) async throws {
    let subject = try Subject(kind)
    let service = subject.service
    for key in ["a", "b"] { try await service.storeResponse(Self.response(key)) }
    try await service.storeResponse(Self.response("c", service: "t"))
    #expect(try await service.clearResponses(service: "s") == 2)
    #expect(try await service.cachedResponses().map(\.key) == ["c"])
    #expect(try await service.clearResponses(service: nil) == 1)
  }

  @Test("answers are removed by condition", arguments: Kind.allCases)
  func answersAreRemovedByCondition(_ kind: Kind) async throws {
    let subject = try Subject(kind)
    let service = subject.service
    #expect(try await service.removeResponses { _ in true } == 0)
    for key in ["a", "b", "c"] { try await service.storeResponse(Self.response(key)) }
    #expect(try await service.removeResponses { $0.key == "b" } == 1)
    #expect(try await service.cachedResponses().map(\.key) == ["a", "c"])
    #expect(try await service.cachedResponse("b") == nil)
    #expect(try await service.cachedResponse("c") == Self.response("c"))
    #expect(try await service.removeResponses { _ in false } == 0)
  }

  @Test("of an answer that was removed no byte stays in a file")
  func removedAnswers() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    func holdsSecret() throws -> Bool {
      try folder.names.contains { name in
        let bytes = try DatabaseFolder.bytes("\(folder.path)/\(name)")
        return String(decoding: bytes, as: UTF8.self).contains("t0ken-value")
      }
    }
    for (key, body) in [("a", "t0ken-value "), ("b", "plain ")] {
      try await service.storeResponse(
        CachedResponse(
          key: key, service: "s", status: 200, headers: [],
          body: Data(String(repeating: body, count: 2000).utf8), stored: 1, expires: nil))
    }
    #expect(try holdsSecret())
    #expect(
      try await service.removeResponses {
        String(decoding: $0.body, as: UTF8.self).contains("t0ken")
      } == 1)
    #expect(try !holdsSecret())
    #expect(try await service.cachedResponses().map(\.key) == ["b"])
    try await service.close()
    #expect(try !holdsSecret())
  }

  // MARK: Log records

  @Test("the newest records oldest first", arguments: Kind.allCases)
  func theNewestRecordsOldestFirst(_ kind: Kind) async throws {
    let subject = try Subject(kind, limits: PersistenceLimits(logRecords: 6))
    let service = subject.service
    let records: [LogRecord] = (0..<8).map { (index: Int) -> LogRecord in
      let isEven = index % 2 == 0
      let fields: [LogField] = isEven ? [] : [LogField("k", "\"v")]
      return LogRecord(
        time: Int64(100 - index), level: isEven ? .info : .error, category: "c",
        message: "m\(index) \"\\\u{1b}\n", fields: fields)
    }
    try await service.appendLogRecords(Array(records[..<5]))
    try await service.appendLogRecords([])
    try await service.appendLogRecords(Array(records[5...]))
    #expect(try await service.logRecords(limit: 100, atLeast: nil) == Array(records[2...]))
    #expect(try await service.logRecords(limit: 2, atLeast: nil) == Array(records[6...]))
    #expect(try await service.logRecords(limit: 2, atLeast: .warning) == [records[5], records[7]])
    #expect(try await service.logRecords(limit: 0, atLeast: nil) == [])
    try await service.clearLogRecords()
    #expect(try await service.logRecords(limit: 100, atLeast: nil) == [])
  }

  // MARK: The whole

  @Test("statistics count rows", arguments: Kind.allCases) func statisticsCountRows(_ kind: Kind)
    async throws
  {
    let subject = try Subject(kind)
    let service = subject.service
    try await service.putDocument(Document("1", "1"))
    try await service.setPreference("p", to: "1")
    try await service.addSearch("a", scope: "s", at: 1)
    try await service.storeResponse(Self.response("a"))
    let statistics = try await service.statistics()
    let rows = statistics.tables.map { "\($0.name) \($0.rows)" }
    #expect(
      rows == [
        "documents 1", "preferences 1", "api_services 0", "recent_searches 1", "responses 1",
        "log_records 0",
      ])
    #expect(statistics.schemaVersion == 3)
    #expect((statistics.bytes > 0) == (kind == .live))
  }

  @Test("many tasks at once", arguments: Kind.allCases) func manyTasksAtOnce(_ kind: Kind)
    async throws
  {
    let subject = try Subject(kind)
    let service = subject.service
    try await withThrowingTaskGroup { group in
      for index in 0..<100 {
        group.addTask {
          try await service.putDocument(Document("\(index)", "\(index)"))
          // What a task wrote it can read at once.
          let read = try await service.document(collection: "c", id: "\(index)")
          #expect(read?.body == "\(index)")
          try await service.storeResponse(Self.response("\(index)"))
          #expect(try await service.cachedResponse("\(index)") != nil)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await service.documents(DocumentQuery(collection: "c")).count == 100)
    #expect(try await service.cachedResponses().count == 100)
    #expect(try await service.check() == [])
  }
}
