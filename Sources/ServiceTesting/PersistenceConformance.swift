import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem

/// The rules of `PersistenceService` and its parts, as checks of an implementation.
///
/// ```swift
/// let checks = PersistenceConformance { limits in
///   ConformanceSubject(MockPersistenceService(limits: limits))
/// }.checks
/// ```
public struct PersistenceConformance: Sendable {
  private let make:
    @Sendable (_ limits: PersistenceLimits) async throws -> ConformanceSubject<
      any PersistenceService
    >

  /// Creates a suite. `make` returns a new, empty service for each call.
  public init(
    _ make:
      @escaping @Sendable (_ limits: PersistenceLimits) async throws -> ConformanceSubject<
        any PersistenceService
      >
  ) { self.make = make }

  /// The checks of all rules: documents, preferences, services, recent searches, cached answers,
  /// log records, and the whole store.
  public var checks: [ConformanceCheck] {
    [
      check("bodies come back byte for byte") { try await bodiesComeBackByteForByte($0) },
      check("absent is nil and no error") { try await absentIsNilAndNoError($0) },
      check("removing says whether there was one") { try await removingSaysWhetherThereWasOne($0) },
      check("put replaces") { try await putReplaces($0) },
      check("invalid JSON is refused with its place") {
        try await invalidJSONIsRefusedWithItsPosition($0)
      },
      check("ids are compared by their bytes") { try await idsAreComparedByTheirBytes($0) },
      check("conditions compare by meaning") { try await conditionsCompareByMeaning($0) },
      check("sorting puts numbers before text") { try await sortingPutsNumbersBeforeText($0) },
      check("malformed queries are refused") { try await malformedQueriesAreRefused($0) },
      check("preferences are sorted and exact") { try await preferencesAreSortedAndExact($0) },
      check("services keep their authentication") { try await servicesKeepTheirAuthentication($0) },
      check("a service is replaced only on demand") {
        try await aServiceIsReplacedOnlyOnDemand($0)
      },
      check(
        "negative limits keep and give nothing",
        PersistenceLimits(cacheBytes: -1, cacheEntries: -1, logRecords: -1, searches: -1)
      ) {
        try await negativeLimitsKeepAndGiveNothing($0)
      },
      check("newest searches come first and once", PersistenceLimits(searches: 3)) {
        try await newestSearchesComeFirstAndOnce($0)
      },
      check("searches are removed by text or scope") {
        try await searchesAreRemovedByTextOrScope($0)
      },
      check("answers come back whole") { try await answersComeBackWhole($0) },
      check("the least recently used leaves first", PersistenceLimits(cacheEntries: 3)) {
        try await theLeastRecentlyUsedIsRemovedFirst($0)
      },
      check("bytes are bounded", PersistenceLimits(cacheBytes: 10_000)) {
        try await bytesAreBounded($0)
      },
      check("answers are cleared by service") { try await answersAreClearedByService($0) },
      check("answers are removed by condition") { try await answersAreRemovedByCondition($0) },
      check("the newest records oldest first", PersistenceLimits(logRecords: 6)) {
        try await theNewestRecordsOldestFirst($0)
      },
      check("many tasks at once") { try await manyTasksAtOnce($0) },
      check("documents are put all or none, and their collections are named") {
        try await putsAllOrNone($0)
      },
      check("statistics count rows") { try await statisticsCountRows($0) },
    ]
  }

  private func bodiesComeBackByteForByte(_ service: any PersistenceService) async throws {
    let bodies = [
      "{ \"b\" : 1.0,\n\t\"a\":1e2 }", "null", " 12345678901234567890 ", "\"\"",
      "\"e\u{301} and \u{e9} \u{1F600} \\u0000\"",
      "[" + String(repeating: "1,", count: 9000) + "1]",
    ]
    for (index, body) in bodies.enumerated() {
      try await service.putDocument(Document("\(index)", body))
      let read = try await service.document(collection: "c", id: "\(index)")
      try equal(read.map { Array($0.body.utf8) }, Array(body.utf8))
      try equal(read?.updated, 1)
    }
  }

  private func absentIsNilAndNoError(_ service: any PersistenceService) async throws {
    try await equal(service.document(collection: "c", id: "x"), nil)
    try await equal(service.documents(DocumentQuery(collection: "c")), [])
    try await equal(service.preference("p"), nil)
    try await equal(service.preferences(), [])
    try await equal(service.service("s"), nil)
    try await equal(service.services(), [])
    try await equal(service.cachedResponse("k"), nil)
    try await equal(service.cachedResponses(), [])
    try await equal(service.searches(scope: "s", containing: nil), [])
    try await equal(service.logRecords(limit: 5, atLeast: nil), [])
    try await equal(service.check(), [])
    try await holds(
      service.statistics().tables.allSatisfy { $0.rows == 0 },
      "service.statistics().tables.allSatisfy { $0.rows == 0 }")
  }

  private func removingSaysWhetherThereWasOne(_ service: any PersistenceService) async throws {
    try await service.putDocument(Document("1", "1"))
    try await holds(
      service.removeDocument(collection: "c", id: "1"),
      #"service.removeDocument(collection: "c", id: "1")"#)
    try await holds(
      !service.removeDocument(collection: "c", id: "1"),
      #"!service.removeDocument(collection: "c", id: "1")"#)
    try await service.setPreference("p", to: "1")
    try await holds(service.unsetPreference("p"), #"service.unsetPreference("p")"#)
    try await holds(!service.unsetPreference("p"), #"!service.unsetPreference("p")"#)
    try await service.saveService(APIService(name: "s", baseURL: "http://a"), replacing: false)
    try await holds(service.removeService("s"), #"service.removeService("s")"#)
    try await holds(!service.removeService("s"), #"!service.removeService("s")"#)
  }

  private func putReplaces(_ service: any PersistenceService) async throws {
    try await service.putDocument(Document("1", "1"))
    try await service.putDocument(
      Document(collection: "c", id: "1", body: "2", updated: 9))
    try await service.putDocument(Document("1", "3", in: "other"))
    try await equal(
      service.documents(DocumentQuery(collection: "c")),
      [
        Document(collection: "c", id: "1", body: "2", updated: 9)
      ])
  }

  private func invalidJSONIsRefusedWithItsPosition(_ service: any PersistenceService) async throws {
    let error = await failure { () throws(PersistenceError) in
      try await service.putDocument(Document("1", "{\n  \"a\": hidden }"))
    }
    try equal(error?.kind, .invalid)
    try equal(error?.message.contains("line 2, column 8"), true)
    try equal(error?.message.contains("hidden"), false)
    try await equal(service.document(collection: "c", id: "1"), nil)
    let preference = await failure { () throws(PersistenceError) in
      try await service.setPreference("p", to: "")
    }
    try equal(preference?.kind, .invalid)
  }

  private func idsAreComparedByTheirBytes(_ service: any PersistenceService) async throws {
    let ids = ["e\u{301}", "\u{e9}", "E", "", "a\u{0}b", "a\u{0}c", "\u{1F600}", "\u{FFFD}"]
    for id in ids { try await service.putDocument(Document(id, "1")) }
    let found = try await service.documents(DocumentQuery(collection: "c")).map(\.id)
    let expected = ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    try equal(found.map { Array($0.utf8) }, expected)
  }

  private func conditionsCompareByMeaning(_ service: any PersistenceService) async throws {
    let bodies = [
      #"{"n":1,"s":"a","o":{"x":1,"y":[2]}}"#, #"{"n":1.0,"s":"A","o":{"y":[2.0],"x":1}}"#,
      #"{"n":10e-1,"s":"a\u0061"}"#, #"{"n":"1","b":true}"#, #"{"n":null}"#, #"{}"#,
      #"{"n":9007199254740993}"#,
    ]
    for (index, body) in bodies.enumerated() {
      try await service.putDocument(Document("\(index)", body))
    }
    func find(_ conditions: [(String, String)]) async throws -> [String] {
      try await service.documents(
        DocumentQuery(
          collection: "c",
          conditions: try conditions.map {
            .init(path: $0.0, equals: try JSON(parsing: $0.1))
          })
      ).map(\.id)
    }
    try await equal(find([("n", "1")]), ["0", "1", "2"])
    try await equal(find([("n", "1.00")]), ["0", "1", "2"])
    try await equal(find([("n", #""1""#)]), ["3"])
    try await equal(find([("n", "null")]), ["4"])
    try await equal(find([("n", "9007199254740992")]), [])
    try await equal(find([("s", #""a""#)]), ["0"])
    try await equal(find([("s", #""aa""#)]), ["2"])
    try await equal(find([("o", #"{"y":[2],"x":1.0}"#)]), ["0", "1"])
    try await equal(find([("o.y[0]", "2"), ("s", #""A""#)]), ["1"])
    try await equal(find([("b", "true")]), ["3"])
    try await equal(find([("b", "1")]), [])
  }

  private func sortingPutsNumbersBeforeText(_ service: any PersistenceService) async throws {
    let bodies = [
      "a": "\"10\"", "b": "10", "c": "9.5", "d": "\"a\"", "e": "1e1", "f": "\"B\"", "h": "-3",
    ]
    for (id, value) in bodies {
      try await service.putDocument(Document(id, "{\"k\":\(value)}"))
    }
    try await service.putDocument(Document("g", "{}"))
    func sorted(_ sort: String, _ limit: Int? = nil) async throws -> String {
      try await service.documents(
        DocumentQuery(collection: "c", sort: sort, limit: limit)
      ).map(\.id).joined()
    }
    try await equal(sorted("k"), "hcbeafdg")
    try await equal(sorted("-k"), "dfabechg")
    try await equal(sorted("k", 3), "hcb")
    try await equal(sorted("k", 0), "")
    let plain = try await service.documents(DocumentQuery(collection: "c", limit: 2))
    try equal(plain.map(\.id), ["a", "b"])
  }

  private func malformedQueriesAreRefused(_ service: any PersistenceService) async throws {
    let queries = [
      DocumentQuery(collection: "c", sort: "a["), DocumentQuery(collection: "c", limit: -1),
      DocumentQuery(collection: "c", conditions: [.init(path: "a..b", equals: "1")]),
    ]
    for query in queries {
      let error = await failure { () throws(PersistenceError) in
        try await service.documents(query)
      }
      try equal(error?.kind, .invalid)
    }
  }

  private func preferencesAreSortedAndExact(_ service: any PersistenceService) async throws {
    try await service.setPreference("b", to: " 1.0 ")
    try await service.setPreference("a", to: "\"x\"")
    try await service.setPreference("b", to: " 2 ")
    try await equal(service.preference("b"), " 2 ")
    try await equal(
      service.preferences(),
      [
        Preference(name: "a", json: "\"x\""), Preference(name: "b", json: " 2 "),
      ])
  }

  private func servicesKeepTheirAuthentication(_ service: any PersistenceService) async throws {
    let all: [APIService.Authentication?] = [
      nil, .header(name: "X-Api-Key", secret: "k"), .query(name: "apikey", secret: "k"),
      .bearer(secret: "k"), .basic(user: "u", secret: "k"),
    ]
    for (index, authentication) in all.enumerated() {
      try await service.saveService(
        APIService(name: "\(index)", baseURL: "http://h", authentication: authentication),
        replacing: false)
    }
    try await equal(service.services().map(\.authentication), all)
    try await equal(service.service("4")?.authentication, .basic(user: "u", secret: "k"))
  }

  private func aServiceIsReplacedOnlyOnDemand(_ service: any PersistenceService) async throws {
    try await service.saveService(APIService(name: "s", baseURL: "http://a"), replacing: false)
    let error = await failure { () throws(PersistenceError) in
      try await service.saveService(APIService(name: "s", baseURL: "http://b"), replacing: false)
    }
    try equal(error?.kind, .exists)
    try equal(error?.message.contains("service s"), true)
    try await equal(service.service("s")?.baseURL, "http://a")
    try await service.saveService(APIService(name: "s", baseURL: "http://b"), replacing: true)
    try await equal(service.service("s")?.baseURL, "http://b")
  }

  private func negativeLimitsKeepAndGiveNothing(_ service: any PersistenceService) async throws {
    try await service.addSearch("one", scope: "s", at: 1)
    try await equal(service.searches(scope: "s", containing: nil), [])
    try await service.appendLogRecords([
      LogRecord(time: 1, level: .error, category: "c", message: "m")
    ])
    try await equal(service.logRecords(limit: 5, atLeast: nil), [])
    try await equal(service.logRecords(limit: -1, atLeast: nil), [])
    try await holds(
      service.statistics().tables.allSatisfy { $0.rows == 0 },
      "service.statistics().tables.allSatisfy { $0.rows == 0 }")
  }

  private func newestSearchesComeFirstAndOnce(_ service: any PersistenceService) async throws {
    for (time, text) in ["one", "two", "one", "Three", "four"].enumerated() {
      try await service.addSearch(text, scope: "s", at: Int64(time))
    }
    try await service.addSearch("one", scope: "other", at: 9)
    let all = try await service.searches(scope: "s", containing: nil)
    try equal(all.map(\.text), ["four", "Three", "one"])
    try equal(all.map(\.at), [4, 3, 2])
    try await equal(service.searches(scope: "s", containing: "thr").map(\.text), ["Three"])
    try await equal(service.searches(scope: "s", containing: "").count, 3)
    // The newest search stays first even if the clock was set back.
    try await service.addSearch("five", scope: "s", at: -5)
    try await equal(
      service.searches(scope: "s", containing: nil).map(\.text),
      [
        "five", "four", "Three",
      ])
  }

  private func searchesAreRemovedByTextOrScope(_ service: any PersistenceService) async throws {
    for text in ["a", "b", "c"] { try await service.addSearch(text, scope: "s", at: 1) }
    try await service.addSearch("a", scope: "t", at: 1)
    try await equal(service.removeSearches("x", scope: "s"), 0)
    try await equal(service.removeSearches("a", scope: "s"), 1)
    try await equal(service.removeSearches(nil, scope: "s"), 2)
    try await equal(service.searches(scope: "t", containing: nil).count, 1)
  }

  private func answersComeBackWhole(_ service: any PersistenceService) async throws {
    var response = Self.response("k")
    try await service.storeResponse(response)
    try await equal(service.cachedResponse("k"), response)
    response.body = Data()
    response.expires = 0
    response.headers = []
    try await service.storeResponse(response)
    try await equal(service.cachedResponse("k"), response)
    try await equal(
      service.cachedResponses(),
      [
        CachedResponseSummary(
          key: "k", service: "s", status: 200, bytes: 0, stored: 5, expires: 0)
      ])
  }

  private func theLeastRecentlyUsedIsRemovedFirst(_ service: any PersistenceService) async throws {
    for key in ["a", "b", "c"] { try await service.storeResponse(Self.response(key)) }
    _ = try await service.cachedResponse("a")
    try await service.storeResponse(Self.response("d"))
    try await service.storeResponse(Self.response("c"))
    try await service.storeResponse(Self.response("e"))
    try await equal(service.cachedResponses().map(\.key), ["c", "d", "e"])
  }

  private func bytesAreBounded(_ service: any PersistenceService) async throws {
    for index in 0..<100 {
      try await service.storeResponse(Self.response("\(index)", bytes: 900))
    }
    try await equal(service.cachedResponses().map(\.key).sorted(), (90...99).map { "\($0)" })
    // An answer that is too large is not kept, and the one that it replaces is removed.
    try await service.storeResponse(Self.response("95", bytes: 20_000))
    try await equal(service.cachedResponse("95"), nil)
    try await equal(service.cachedResponses().count, 9)
    // An answer that grows evicts as many others as necessary.
    try await service.storeResponse(Self.response("99", bytes: 8_000))
    try await equal(service.cachedResponses().map(\.key), ["97", "98", "99"])
  }

  private func answersAreClearedByService(_ service: any PersistenceService) async throws {
    for key in ["a", "b"] { try await service.storeResponse(Self.response(key)) }
    try await service.storeResponse(Self.response("c", service: "t"))
    try await equal(service.clearResponses(service: "s"), 2)
    try await equal(service.cachedResponses().map(\.key), ["c"])
    try await equal(service.clearResponses(service: nil), 1)
  }

  private func answersAreRemovedByCondition(_ service: any PersistenceService) async throws {
    try await equal(service.removeResponses { _ in true }, 0)
    for key in ["a", "b", "c"] { try await service.storeResponse(Self.response(key)) }
    try await equal(service.removeResponses { $0.key == "b" }, 1)
    try await equal(service.cachedResponses().map(\.key), ["a", "c"])
    try await equal(service.cachedResponse("b"), nil)
    try await equal(service.cachedResponse("c"), Self.response("c"))
    try await equal(service.removeResponses { _ in false }, 0)
  }

  private func theNewestRecordsOldestFirst(_ service: any PersistenceService) async throws {
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
    try await equal(service.logRecords(limit: 100, atLeast: nil), Array(records[2...]))
    try await equal(service.logRecords(limit: 2, atLeast: nil), Array(records[6...]))
    try await equal(service.logRecords(limit: 2, atLeast: .warning), [records[5], records[7]])
    try await equal(service.logRecords(limit: 0, atLeast: nil), [])
    try await service.clearLogRecords()
    try await equal(service.logRecords(limit: 100, atLeast: nil), [])
  }

  private func manyTasksAtOnce(_ service: any PersistenceService) async throws {
    try await withThrowingTaskGroup { group in
      for index in 0..<100 {
        group.addTask {
          try await service.putDocument(Document("\(index)", "\(index)"))
          // A task can immediately read what it has written.
          let read = try await service.document(collection: "c", id: "\(index)")
          try equal(read?.body, "\(index)")
          try await service.storeResponse(Self.response("\(index)"))
          try await holds(
            service.cachedResponse("\(index)") != nil, #"service.cachedResponse("\(index)") != nil"#
          )
        }
      }
      try await group.waitForAll()
    }
    try await equal(service.documents(DocumentQuery(collection: "c")).count, 100)
    try await equal(service.cachedResponses().count, 100)
    try await equal(service.check(), [])
  }

  private func putsAllOrNone(_ service: any PersistenceService) async throws {
    try await equal(service.collections(), [])
    try await service.putDocuments([])
    let broken = await failure { () throws(PersistenceError) in
      try await service.putDocuments([Document("1", "1"), Document("2", "{")])
    }
    try equal(broken?.kind, .invalid)
    try await equal(service.collections(), [])
    try await service.putDocuments([
      Document("1", "1", in: "b"), Document("1", "2", in: "a"), Document("1", "3", in: "a"),
    ])
    try await equal(service.collections(), ["a", "b"])
    try await equal(service.document(collection: "a", id: "1")?.body, "3")
    _ = try await service.removeDocument(collection: "b", id: "1")
    try await equal(service.collections(), ["a"])
  }

  private func statisticsCountRows(_ service: any PersistenceService) async throws {
    try await service.putDocument(Document("1", "1"))
    try await service.setPreference("p", to: "1")
    try await service.addSearch("a", scope: "s", at: 1)
    try await service.storeResponse(Self.response("a"))
    let rows = try await service.statistics().tables.map(\.rows)
    try equal(rows.reduce(0, +), 4)
    try equal(rows.filter { $0 > 0 }, [1, 1, 1, 1])
  }

  private func check(
    _ rule: String, _ limits: PersistenceLimits = PersistenceLimits(),
    _ body: @escaping @Sendable (_ service: any PersistenceService) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck("PersistenceService", rule) {
      let subject = try await make(limits)
      try await body(subject.service)
      withExtendedLifetime(subject) {}
    }
  }

  private static func response(_ key: String, bytes: Int = 10, service: String = "s")
    -> CachedResponse
  {
    CachedResponse(
      key: key, service: service, status: 200,
      headers: [
        HTTPHeader("ETag", "\"\(key)\""), HTTPHeader("X-Two", "a"), HTTPHeader("X-Two", "b"),
      ],
      body: Data(repeating: 0xff, count: bytes), stored: 5, expires: nil)
  }
}

/// Returns the error that `body` throws, or `nil` if it throws none.
private func failure<Value>(
  _ body: () async throws(PersistenceError) -> Value
) async -> PersistenceError? {
  do throws(PersistenceError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

extension Document {
  fileprivate init(_ id: String, _ body: String, in collection: String = "c") {
    self.init(collection: collection, id: id, body: body, updated: 1)
  }
}
