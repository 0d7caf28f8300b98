import SwiftBoardDependencies

/// The rules of `PersistenceService` and its parts, as checks of an implementation.
///
/// ```swift
/// let checks = PersistenceConformance { limits in
///   ConformanceSubject(MockPersistenceService(limits: limits))
/// }.checks
/// ```
/// An implementation of one part alone has the checks of that part:
/// ```swift
/// let checks = PersistenceConformance.preferences { _ in ConformanceSubject(OwnPreferences()) }
/// ```
public struct PersistenceConformance: Sendable {
  /// Creates a new, empty store for a check, which keeps the limits that concern it.
  public typealias Make<Store: Sendable> =
    @Sendable (_ limits: PersistenceLimits) async throws -> ConformanceSubject<Store>

  private let make: Make<any PersistenceService>

  /// Creates a suite. `make` returns a new, empty service for each call.
  public init(_ make: @escaping Make<any PersistenceService>) { self.make = make }

  /// The checks of all rules: those of the parts, and those of the whole store.
  public var checks: [ConformanceCheck] {
    let make = make
    let parts = [
      Self.documents { limits in ConformanceSubject(part: try await make(limits)) { $0 } },
      Self.preferences { limits in ConformanceSubject(part: try await make(limits)) { $0 } },
      Self.services { limits in ConformanceSubject(part: try await make(limits)) { $0 } },
      Self.cache { limits in ConformanceSubject(part: try await make(limits)) { $0 } },
      Self.searches { limits in ConformanceSubject(part: try await make(limits)) { $0 } },
      Self.log { limits in ConformanceSubject(part: try await make(limits)) { $0 } },
    ]
    return parts.flatMap(\.self) + whole
  }

  private var whole: [ConformanceCheck] {
    let part = ConformancePart("PersistenceService", make)
    return [
      part.check("an empty store is healthy and has no rows") {
        try await Self.emptyStoreIsHealthy($0)
      },
      part.check(
        "negative limits keep nothing",
        PersistenceLimits(cacheBytes: -1, cacheEntries: -1, logRecords: -1, searches: -1)
      ) { service in
        try await service.addSearch("one", scope: "s", at: 1)
        try await service.storeResponse(Self.response("k"))
        try await service.appendLogRecords([
          LogRecord(time: 1, level: .error, category: "c", message: "m")
        ])
        try await Self.emptyStoreIsHealthy(service)
      },
      part.check("entries are put all or none, by the rule for names that are taken") { service in
        func entries(_ value: String, _ names: [String]) -> StoredEntries {
          StoredEntries(
            documents: names.map { Document($0, value) },
            preferences: names.map { Preference(name: $0, json: value) },
            services: names.map { APIService(name: $0, baseURL: "http://h/\(value)") })
        }
        func put(_ value: String, _ names: [String], _ existing: ImportDuplicates) async throws
          -> [Int]
        {
          let counts = try await service.putEntries(entries(value, names), onExisting: existing)
          return [counts.added, counts.replaced, counts.kept]
        }
        func values(_ name: String) async throws -> [String?] {
          [
            try await service.document(collection: "c", id: name)?.body,
            try await service.preference(name), try await service.service(name)?.baseURL,
          ]
        }
        try await equal(put("0", [], .refuse), [0, 0, 0])
        try await equal(put("1", ["a", "b"], .refuse), [6, 0, 0])
        for part in [
          StoredEntries(documents: [Document("x", "1"), Document("b", "1")]),
          StoredEntries(preferences: [
            Preference(name: "x", json: "1"), Preference(name: "b", json: "1"),
          ]),
          StoredEntries(services: [APIService(name: "b", baseURL: "http://h")]),
        ] {
          try await equal(service.containsAny(of: part), true)
        }
        try await equal(service.containsAny(of: entries("1", ["x", "y"])), false)
        try await equal(service.containsAny(of: StoredEntries()), false)
        try await equal(put("2", ["b", "c"], .keep), [3, 0, 3])
        try await equal(values("b"), ["1", "1", "http://h/1"])
        try await equal(put("3", ["b", "d"], .replace), [3, 3, 0])
        try await equal(values("b"), ["3", "3", "http://h/3"])
        try await equal(put("4", ["e", "e"], .keep), [3, 0, 3])
        for (part, name) in [
          (StoredEntries(documents: [Document("x", "1"), Document("a", "9")]), "document c/a"),
          (
            StoredEntries(
              documents: [Document("x", "1")], preferences: [Preference(name: "a", json: "9")]),
            "preference 'a'"
          ),
          (
            StoredEntries(
              documents: [Document("x", "1")],
              services: [APIService(name: "a", baseURL: "http://h/9")]),
            "service 'a'"
          ),
        ] {
          let error = await failure(PersistenceError.self) {
            try await service.putEntries(part, onExisting: .refuse)
          }
          try equal(error?.kind, .exists)
          try contains(error?.message, name)
        }
        for part in [
          StoredEntries(documents: [Document("x", "1"), Document("y", "{")]),
          StoredEntries(
            documents: [Document("x", "1")], preferences: [Preference(name: "y", json: "{")]),
        ] {
          let error = await failure(PersistenceError.self) {
            try await service.putEntries(part, onExisting: .replace)
          }
          try equal(error?.kind, .invalid)
        }
        try await equal(service.document(collection: "c", id: "x"), nil)
        try await equal(values("a"), ["1", "1", "http://h/1"])
      },
      part.check("many tasks at once") { service in
        try await withThrowingTaskGroup { group in
          for index in 0..<100 {
            group.addTask {
              try await service.putDocument(Document("\(index)", "\(index)"))
              // A task can immediately read what it has written.
              let read = try await service.document(collection: "c", id: "\(index)")
              try equal(read?.body, "\(index)")
              try await service.storeResponse(Self.response("\(index)"))
              try await holds(
                service.cachedResponse("\(index)") != nil,
                #"service.cachedResponse("\(index)") != nil"#
              )
            }
          }
          try await group.waitForAll()
        }
        try await equal(service.documents(DocumentQuery(collection: "c")).count, 100)
        try await equal(service.cachedResponses().count, 100)
        try await equal(service.check(), [])
      },
      part.check("statistics count rows") { service in
        try await service.putDocument(Document("1", "1"))
        try await service.setPreference("p", to: "1")
        try await service.addSearch("a", scope: "s", at: 1)
        try await service.storeResponse(Self.response("a"))
        let rows = try await service.statistics().tables.map(\.rows)
        try equal(rows.reduce(0, +), 4)
        try equal(rows.filter { $0 > 0 }, [1, 1, 1, 1])
      },
      part.check("contents are names and numbers") { service in
        try await equal(service.contents(limit: 9), DatabaseContents())
        for (collection, id) in [("b", "1"), ("a", "1"), ("a", "2"), ("a", "1"), ("c", "1")] {
          try await service.putDocument(Document(id, "1", in: collection))
        }
        for name in ["q", "p"] { try await service.setPreference(name, to: "1") }
        try await holds(
          service.removeDocument(collection: "c", id: "1"), "the document c/1 was there")
        try await equal(
          service.contents(limit: 9),
          DatabaseContents(
            collections: [.init("a", count: 2), .init("b", count: 1)], preferences: ["p", "q"]))
        try await equal(
          service.contents(limit: 9, countsAll: true).collections,
          [.init("a", count: 2), .init("b", count: 1)])
        try await equal(
          service.contents(limit: 1),
          DatabaseContents(collections: [.init("a", count: 2)], preferences: ["p"]))
      },
    ]
  }

  private static func emptyStoreIsHealthy(_ service: any PersistenceService) async throws {
    try await equal(service.check(), [])
    try await equal(service.statistics().tables.map(\.rows).filter { $0 != 0 }, [])
  }
}

/// Makes the checks of one protocol.
struct ConformancePart<Store: Sendable>: Sendable {
  private let name: String
  private let make: PersistenceConformance.Make<Store>

  init(_ name: String, _ make: @escaping PersistenceConformance.Make<Store>) {
    self.name = name
    self.make = make
  }

  func check(
    _ rule: String, _ limits: PersistenceLimits = PersistenceLimits(),
    _ body: @escaping @Sendable (_ store: Store) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck(name, rule) { [make] in
      let subject = try await make(limits)
      try await body(subject.service)
      withExtendedLifetime(subject) {}
    }
  }
}

extension ConformanceSubject {
  /// Creates the subject of a part, which keeps the subject of the whole.
  fileprivate init<Whole>(
    part whole: ConformanceSubject<Whole>, _ part: (_ whole: Whole) -> Service
  ) {
    self.init(part(whole.service), keeping: whole)
  }
}
