import SwiftBoardJSON
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardDependencies

/// Queries that SQL answers, against the filter that reads every document.
@Suite("Document queries")
struct DocumentQueryTests {
  private static let keys = [
    "a", "a?b", "b.c", "b/c", "q\"k", "back\\slash", "é", "e\u{301}", "", "line\nfeed", "$", "it's",
    "[0]",
  ]
  private static let scalars = [
    "null", "true", "false", "0", "-0", "1", "1.0", "10e-1", "1.5", "9007199254740992",
    "9007199254740993", "9007199254740993.0", "-9223372036854775808", "12345678901234567890",
    "1e400", "1e308", "-1e-400",
    "\"\"", "\"1\"", "\"a\"", "\"A\"", "\"\\u0061\"", "\"\\u0000\"", "\"x\\u0000y\"", "\"\\/\"",
    "\"é\"", "\"e\u{301}\"", "\"\\ud83d\\ude00\"", "\"it's\"", "\"[1]\"", "\"{\"", "[]", "[1]",
    "[1.0]", "{}",
    "{\"x\":1}",
  ]

  private static func value(_ random: inout SeededRandom, depth: Int) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
    case 4:
      let count = Int.random(in: 0..<3, using: &random)
      let elements = (0..<count).map { _ in value(&random, depth: depth - 1) }
      return "[" + elements.joined(separator: " , ") + "]"
    case 5: return object(&random, depth: depth - 1)
    default: return scalars.randomElement(using: &random) ?? "null"
    }
  }

  private static func object(_ random: inout SeededRandom, depth: Int) -> String {
    let count = Int.random(in: 0..<4, using: &random)
    let chosen = Set((0..<count).compactMap { _ in keys.randomElement(using: &random) }).sorted()
    let members = chosen.map { key in
      var written = JSON.string(key).text
      // A key that is written with an escape is the same key.
      if key == "a", Int.random(in: 0..<4, using: &random) == 0 { written = "\"\\u0061\"" }
      if key == "b/c", Bool.random(using: &random) { written = "\"b\\/c\"" }
      return "\(written): \(value(&random, depth: depth))"
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func path(_ random: inout SeededRandom) -> String {
    let steps = (0..<Int.random(in: 1...2, using: &random)).map { _ -> JSONPath.Step in
      Int.random(in: 0..<4, using: &random) == 0
        ? .index(Int.random(in: 0..<2, using: &random))
        : .key(keys.randomElement(using: &random) ?? "a")
    }
    return JSONPath(steps).description
  }

  @Test(
    "SQL finds what the filter finds, with and without indexes",
    arguments: 0..<24 as Range<UInt64>)
  func sameAsFilter(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let folder = try DatabaseFolder()
    let live = folder.service()
    let mock = MockPersistenceService()
    let documents = (0..<60).map { index in
      let body =
        Int.random(in: 0..<8, using: &random) == 0
        ? Self.value(&random, depth: 2) : Self.object(&random, depth: 2)
      return Document("\(index)", body, in: Bool.random(using: &random) ? "c" : "it's")
    }
    for service in [live, mock] as [any PersistenceService] {
      _ = try await service.putEntries(StoredEntries(documents: documents), onExisting: .refuse)
    }
    for _ in 0..<40 {
      var query = DocumentQuery(collection: Bool.random(using: &random) ? "c" : "it's")
      for _ in 0..<Int.random(in: 0..<3, using: &random) {
        query.conditions.append(
          .init(
            path: Self.path(&random),
            equals: try JSON(
              parsing: Int.random(in: 0..<5, using: &random) == 0
                ? Self.value(&random, depth: 1)
                : Self.scalars.randomElement(using: &random) ?? "1")))
      }
      if Bool.random(using: &random) {
        query.sort = (Bool.random(using: &random) ? "-" : "") + Self.path(&random)
      }
      if Bool.random(using: &random) { query.limit = Int.random(in: 0..<6, using: &random) }
      let expected = try await mock.documents(query)
      let found = try await live.documents(query)
      #expect(found.map(\.body) == expected.map(\.body), "\(query)")
      guard let condition = query.conditions.first else { continue }
      let index = DocumentIndex(collection: query.collection, path: condition.path)
      guard (try? await live.makeDocumentIndex(index)) != nil else { continue }
      let indexed = try await live.documents(query)
      #expect(indexed.map(\.body) == expected.map(\.body), "with an index: \(query)")
    }
  }

  @Test("documents come in pages, each once, in the order of the query")
  func pages() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    let filler = String(repeating: "x", count: 9000)
    for index in 0..<300 {
      let id = String(repeating: "0", count: 3 - "\(index)".count) + "\(index)"
      try await service.putDocument(
        Document(id, #"{"n":\#(index % 7),"odd":\#(index % 2),"f":"\#(filler)"}"#))
    }
    for (sort, limit, conditions) in [
      (nil, nil, []), ("n", nil, []), ("-n", 290, []), (nil, 290, []),
      (nil, 120, [DocumentQuery.Condition(path: "odd", equals: 1)]),
    ] as [(String?, Int?, [DocumentQuery.Condition])] {
      let query = DocumentQuery(
        collection: "c", conditions: conditions, sort: sort, limit: limit)
      var ids: [String] = []
      var sizes: [Int] = []
      var cursor: DocumentCursor?
      repeat {
        let page = try await service.documents(query, from: cursor)
        ids += page.documents.map(\.id)
        sizes.append(page.documents.count)
        cursor = page.next
      } while cursor != nil
      #expect(sizes.allSatisfy { $0 <= 118 }, "a mebibyte of bodies: \(sizes)")
      #expect(ids == (try await service.documents(query).map(\.id)))
      #expect(Set(ids).count == ids.count)
      #expect(ids.count == limit ?? 300)
    }
  }

  @Test("the empty path sorts by whole documents", arguments: ["", "-"])
  func sortByWhole(sort: String) async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    let documents = [Document("a", "3"), Document("b", "1"), Document("c", "2")]
    for document in documents { try await service.putDocument(document) }
    let query = DocumentQuery(collection: "c", sort: sort)
    let ids = sort.isEmpty ? ["b", "c", "a"] : ["a", "c", "b"]
    #expect(try await service.documents(query).map(\.id) == ids)
    #expect(try query.found(in: documents).map(\.id) == ids)
  }

  @Test("any limit is a limit", arguments: [0, 1, Int.max, Int.max / 2])
  func anyLimit(limit: Int) async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for index in 0..<3 { try await service.putDocument(Document("\(index)", #"{"n":\#(-index)}"#)) }
    let query = DocumentQuery(collection: "c", sort: "n", limit: limit)
    #expect(try await service.documents(query).map(\.id) == Array(["2", "1", "0"].prefix(limit)))
  }

  @Test("a document that is removed between two pages is left out, and one that stays comes once")
  func changesBetweenPages() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for index in 100..<700 {
      try await service.putDocument(Document("\(index)", #"{"n":\#(-index)}"#))
    }
    for sort in [nil, "n"] {
      let query = DocumentQuery(collection: "c", sort: sort)
      let first = try await service.documents(query, from: nil)
      let gone = sort == nil ? "650" : "150"
      #expect(!first.documents.contains { $0.id == gone })
      #expect(try await service.removeDocument(collection: "c", id: gone))
      let rest = try await Self.ids(after: first, query, service)
      #expect(first.documents.count + rest.count == 599)
      #expect(!rest.contains(gone))
      try await service.putDocument(Document(gone, #"{"n":\#(-(Int(gone) ?? 0))}"#))
    }
  }

  /// Returns the ids of the documents of all pages behind one.
  private static func ids(
    after first: DocumentPage, _ query: DocumentQuery, _ service: any DocumentStore
  ) async throws -> [String] {
    var ids: [String] = []
    var cursor = first.next
    while let next = cursor {
      let page = try await service.documents(query, from: next)
      ids += page.documents.map(\.id)
      cursor = page.next
    }
    return ids
  }

  @Test("a document that no longer matches when its page is read is left out of a sorted list")
  func mismatchOnLaterPage() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for index in 100..<700 {
      try await service.putDocument(Document("\(index)", #"{"n":\#(index),"open":true}"#))
    }
    let query = DocumentQuery(
      collection: "c", conditions: [.init(path: "open", equals: .bool(true))], sort: "n")
    let first = try await service.documents(query, from: nil)
    try await service.putDocument(Document("650", #"{"n":650,"open":false}"#))
    let rest = try await Self.ids(after: first, query, service)
    #expect(first.documents.count + rest.count == 599)
    #expect(!rest.contains("650"))
  }

  @Test("an index is used, listed, kept and removed")
  func indexes() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    for index in 0..<20 { try await service.putDocument(Document("\(index)", #"{"n":\#(index)}"#)) }
    let index = DocumentIndex(collection: "c", path: "n")
    #expect(try await service.makeDocumentIndex(index))
    #expect(try await !service.makeDocumentIndex(index))
    #expect(try await service.documentIndexes() == [index])
    try await service.close()
    let again = folder.service()
    #expect(try await again.documentIndexes() == [index])
    let query = DocumentQuery(
      collection: "c", conditions: [.init(path: "n", equals: .number("7.0"))])
    #expect(try await again.documents(query).map(\.id) == ["7"])
    try await again.putDocument(Document("7", #"{"n":70}"#))
    try await again.putDocument(Document("8", #"{"n":7}"#))
    #expect(try await again.documents(query).map(\.id) == ["8"])
    #expect(try await again.removeDocument(collection: "c", id: "8"))
    #expect(try await again.documents(query) == [])
    try await again.putDocument(Document("7", #"{"n":0.7e1}"#))
    #expect(try await again.check() == [])
    #expect(try await again.removeDocumentIndex(index))
    #expect(try await !again.removeDocumentIndex(index))
    #expect(try await again.documents(query).map(\.id) == ["7"])
    let error = await failure { () throws(PersistenceError) in
      try await again.makeDocumentIndex(DocumentIndex(collection: "c", path: "a["))
    }
    #expect(error?.kind == .invalid)
  }

  @Test("a query that reads many documents ends when its task is cancelled")
  func cancelled() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("first", "{}"))
    // None of these is looked at more closely, so that only SQLite can notice the end.
    try folder.stranger().execute(
      """
      INSERT INTO documents (collection, id, updated, checksum, body)
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
      SELECT 'c', n, 1, 0, '{}' FROM number
      """)
    for sort in [nil, "b"] {
      let query = DocumentQuery(
        collection: "c", conditions: [.init(path: "a", equals: 1)], sort: sort)
      let error = await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await failure { () throws(PersistenceError) in try await service.documents(query) }
      }.value
      #expect(error?.kind == .cancelled)
      #expect(try await service.documents(query) == [])
    }
  }

  @Test("an index beyond 32 bits is of no element, in order and in conditions")
  func longIndex() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("a", #"{"t":[3]}"#))
    try await service.putDocument(Document("b", #"{"t":[2]}"#))
    for index in ["2147483648", "4294967296", "4294967297"] {
      let sorted = DocumentQuery(collection: "c", sort: "t[\(index)]")
      #expect(try await service.documents(sorted).map(\.id) == ["a", "b"])
      let found = DocumentQuery(
        collection: "c", conditions: [.init(path: "t[\(index)]", equals: 3)])
      #expect(try await service.documents(found) == [])
    }
  }

  @Test(
    "the pages of a query are of the state at its beginning, and the next query sees the changes",
    arguments: [(nil, false), ("n", false), (nil, true), ("n", true)])
  func oneState(sort: String?, hasCondition: Bool) async throws {
    let folder = try DatabaseFolder()
    let (service, other) = (folder.service(), folder.service())
    let all = (0..<1000).map { Document("\($0 + 1000)", #"{"n":\#(($0 * 7) % 1000),"k":1}"#) }
    _ = try await service.putEntries(StoredEntries(documents: all), onExisting: .refuse)
    let query = DocumentQuery(
      collection: "c", conditions: hasCondition ? [.init(path: "k", equals: 1)] : [], sort: sort)
    let expected = try await service.documents(query).map(\.id)
    var found: [String] = []
    var pages = 0
    for try await page in service.pages(of: query) {
      found += page.documents.map(\.id)
      pages += 1
      guard pages == 1 else { continue }
      // Another process moves some, takes some away, and adds one.
      for index in stride(from: 0, to: 1000, by: 50) {
        try await other.putDocument(Document("\(index + 1000)", #"{"n":\#(-index),"k":2}"#))
        _ = try await other.removeDocument(collection: "c", id: "\(index + 1001)")
      }
      try await other.putDocument(Document("5000", #"{"n":-1,"k":1}"#))
    }
    #expect(found == expected && pages > 3)
    let now = try await service.documents(query).map(\.id)
    #expect(now.count == (hasCondition ? 961 : 981) && now.contains("5000"))
    try await other.close()
    try await service.close()
  }

  @Test("contents have the number of a large collection if all documents are counted")
  func countsAll() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.putDocument(Document("1", "1"))
    try folder.stranger().execute(
      """
      INSERT INTO documents (collection, id, updated, checksum, body)
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
      SELECT 'd', n, 1, 0, '{}' FROM number
      """)
    #expect(
      try await service.contents(limit: 9).collections == [.init("c", count: 1), .init("d")])
    #expect(
      try await service.contents(limit: 9, countsAll: true).collections
        == [.init("c", count: 1), .init("d", count: 20000)])
  }
}
