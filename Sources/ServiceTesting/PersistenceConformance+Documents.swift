import SwiftBoardDependencies
import SwiftBoardJSON

extension PersistenceConformance {
  /// The checks of `DocumentStore`: bodies, ids, queries and collections.
  public static func documents(_ make: @escaping Make<any DocumentStore>) -> [ConformanceCheck] {
    let part = ConformancePart("DocumentStore", make)
    return [
      part.check("an absent document is nil and no error") { service in
        try await equal(service.document(collection: "c", id: "x"), nil)
        try await equal(service.documents(DocumentQuery(collection: "c")), [])
        try await equal(service.collections(), [])
      },
      part.check("removing a document says whether there was one") { service in
        try await service.putDocument(Document("1", "1"))
        try await equal(service.removeDocument(collection: "c", id: "1"), true)
        try await equal(service.removeDocument(collection: "c", id: "1"), false)
        try await equal(service.document(collection: "c", id: "1"), nil)
      },
      part.check("invalid JSON is refused with its place") { service in
        let error = await failure(PersistenceError.self) {
          try await service.putDocument(Document("1", "{\n  \"a\": hidden }"))
        }
        try equal(error?.kind, .invalid)
        try contains(error?.message, "line 2, column 8")
        try lacks(error?.message, "hidden")
        try await equal(service.document(collection: "c", id: "1"), nil)
      },
      part.check("bodies come back byte for byte") { service in
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
      },
      part.check("put replaces") { service in
        try await equal(service.putDocument(Document("1", "1")), true)
        try await equal(
          service.putDocument(Document(collection: "c", id: "1", body: "2", updated: 9)), false)
        try await equal(service.putDocument(Document("1", "3", in: "other")), true)
        try await equal(
          service.documents(DocumentQuery(collection: "c")),
          [
            Document(collection: "c", id: "1", body: "2", updated: 9)
          ])
      },
      part.check("ids are compared by their bytes") { service in
        let ids = ["e\u{301}", "\u{e9}", "E", "", "a\u{0}b", "a\u{0}c", "\u{1F600}", "\u{FFFD}"]
        for id in ids { try await service.putDocument(Document(id, "1")) }
        let found = try await service.documents(DocumentQuery(collection: "c")).map(\.id)
        let expected = ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        try equal(found.map { Array($0.utf8) }, expected)
      },
      part.check("conditions compare by meaning") { service in
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
      },
      part.check("sorting puts numbers before text") { service in
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
      },
      part.check("sorting compares objects regardless of the order of their members") { service in
        let bodies = [
          "1": #"{"k":{"z":1,"a":1}}"#, "2": #"{"k":{"a":1,"z":1}}"#,
          "3": #"{"k":[{"b":2,"a":1}]}"#, "4": #"{"k":[{"a":1,"b":2}]}"#,
        ]
        for (id, body) in bodies { try await service.putDocument(Document(id, body)) }
        for limit in [nil, 4] as [Int?] {
          let up = DocumentQuery(collection: "c", sort: "k", limit: limit)
          try await equal(service.documents(up).map(\.id), ["3", "4", "1", "2"])
          let down = DocumentQuery(collection: "c", sort: "-k", limit: limit)
          try await equal(service.documents(down).map(\.id), ["1", "2", "3", "4"])
        }
      },
      part.check("a limit counts what the conditions find") { service in
        for id in 0..<6 { try await service.putDocument(Document("\(id)", "{\"even\":\(id % 2)}")) }
        let query = DocumentQuery(
          collection: "c", conditions: [.init(path: "even", equals: .number("1"))], limit: 2)
        try await equal(service.documents(query).map(\.id), ["1", "3"])
      },
      part.check("an index changes no answer, and is listed until it is removed") { service in
        for (id, body) in ["1": #"{"a":1}"#, "2": #"{"a":1.0}"#, "3": #"{"a":"1"}"#, "4": "{}"] {
          try await service.putDocument(Document(id, body))
        }
        func found() async throws -> [String] {
          try await service.documents(
            DocumentQuery(collection: "c", conditions: [.init(path: "a", equals: .number("1"))])
          ).map(\.id)
        }
        try await equal(found(), ["1", "2"])
        let indexes = ["b", "a"].map { DocumentIndex(collection: "c", path: $0) }
        for index in indexes {
          try await equal(service.makeDocumentIndex(index), true)
          try await equal(service.makeDocumentIndex(index), false)
        }
        try await equal(service.documentIndexes(), indexes.reversed())
        try await equal(found(), ["1", "2"])
        try await service.putDocument(Document("5", #"{"a":1}"#))
        try await service.putDocument(Document("1", #"{"a":2}"#))
        try await equal(found(), ["2", "5"])
        let error = await failure(PersistenceError.self) {
          try await service.makeDocumentIndex(DocumentIndex(collection: "c", path: "a["))
        }
        try equal(error?.kind, .invalid)
        for index in indexes {
          try await equal(service.removeDocumentIndex(index), true)
          try await equal(service.removeDocumentIndex(index), false)
        }
        try await equal(service.documentIndexes(), [])
        try await equal(found(), ["2", "5"])
        let accents = ["e\u{301}", "\u{e9}"].map { DocumentIndex(collection: $0, path: "a") }
        for index in accents { try await equal(service.makeDocumentIndex(index), true) }
        try await equal(service.removeDocumentIndex(accents[0]), true)
        try await equal(service.documentIndexes(), [accents[1]])
      },
      part.check("malformed queries are refused") { service in
        let queries = [
          DocumentQuery(collection: "c", sort: "a["), DocumentQuery(collection: "c", limit: -1),
          DocumentQuery(collection: "c", conditions: [.init(path: "a..b", equals: "1")]),
        ]
        for query in queries {
          let error = await failure(PersistenceError.self) { try await service.documents(query) }
          try equal(error?.kind, .invalid)
        }
      },
      part.check("collections are named while they have documents") { service in
        try await equal(service.collections(), [])
        for collection in ["b", "a"] {
          try await service.putDocument(Document("1", "1", in: collection))
        }
        try await equal(service.collections(), ["a", "b"])
        _ = try await service.removeDocument(collection: "b", id: "1")
        try await equal(service.collections(), ["a"])
      },
    ]
  }
}

extension Document {
  init(_ id: String, _ body: String, in collection: String = "c") {
    self.init(collection: collection, id: id, body: body, updated: 1)
  }
}
