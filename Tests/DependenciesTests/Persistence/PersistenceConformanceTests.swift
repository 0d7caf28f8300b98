import SwiftBoardDependencies
import SwiftBoardServiceTesting
import SwiftBoardSystem
import Testing

/// What every implementation of the persistence protocols does, by each of them.
@Suite("persistence conformance")
struct PersistenceConformanceTests {
  static let live = PersistenceConformance { limits in
    let folder = try DatabaseFolder()
    return ConformanceSubject(folder.service(limits: limits), keeping: folder)
  }

  static let together = PersistenceConformance { limits in
    let folder = try DatabaseFolder()
    return ConformanceSubject(
      folder.service(limits: limits, writesTogether: true), keeping: folder)
  }

  static let mock = PersistenceConformance { limits in
    ConformanceSubject(MockPersistenceService(limits: limits))
  }

  @Test("the live one keeps every rule", arguments: live.checks)
  func liveConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("the live one keeps every rule, writing together", arguments: together.checks)
  func liveTogetherConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("the mock keeps every rule", arguments: mock.checks)
  func mockConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  static let liveDamaged = PersistenceConformance.damagedServices { limits in
    let folder = try DatabaseFolder()
    let service = folder.service(limits: limits)
    try await service.saveService(APIService(name: "bad", baseURL: "http://a"), replacing: false)
    try folder.damageService("bad")
    return ConformanceSubject(service, keeping: folder)
  }

  static let mockDamaged = PersistenceConformance.damagedServices { limits in
    let service = MockPersistenceService(limits: limits)
    service.damageService("bad")
    return ConformanceSubject(service)
  }

  @Test("what is damaged follows every rule", arguments: liveDamaged + mockDamaged)
  func damageConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  /// Preferences whose errors repeat what they refuse.
  private struct RepeatingPreferences: PreferenceStore {
    private let base = MockPersistenceService()

    func preference(_ name: String) async throws(PersistenceError) -> String? {
      try await base.preference(name)
    }

    func setPreference(_ name: String, to json: String) async throws(PersistenceError) {
      do throws(PersistenceError) { try await base.setPreference(name, to: json) } catch {
        throw PersistenceError(error.kind, operation: error.operation, message: "what? \(json)")
      }
    }

    func unsetPreference(_ name: String) async throws(PersistenceError) -> Bool {
      try await base.unsetPreference(name)
    }

    func preferences() async throws(PersistenceError) -> [Preference] {
      try await base.preferences()
    }
  }

  @Test("a broken rule about a message shows the message and the text that matters")
  func brokenMessage() async {
    var failures: [ConformanceFailure] = []
    for check in PersistenceConformance.preferences({ _ in
      ConformanceSubject(RepeatingPreferences())
    }) {
      do { try await check.run() } catch let failure as ConformanceFailure {
        failures.append(failure)
      } catch { Issue.record(error) }
    }
    #expect(failures.map(\.expected) == ["a text without “hidden”"])
    #expect(failures.allSatisfy { $0.found.hasPrefix("“what? ") }, "\(failures)")
  }

  @Test("statistics have the tables of both files") func statistics() async throws {
    let folder = try DatabaseFolder()
    let services: [any PersistenceService] = [folder.service(), MockPersistenceService()]
    for service in services {
      try await service.putDocument(Document("1", "1"))
      let statistics = try await service.statistics()
      #expect(
        statistics.tables.map { "\($0.name) \($0.rows)" } == [
          "documents 1", "preferences 0", "api_services 0", "recent_searches 0", "responses 0",
          "log_records 0",
        ])
      #expect(statistics.schemaVersion == 4)
      #expect((statistics.bytes > 0) == (service is LivePersistenceService))
    }
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

  /// An answer for tests of the cache.
  static func response(_ key: String, bytes: Int = 10) -> CachedResponse {
    CachedResponse(
      key: key, service: "s", status: 200, headers: [HTTPHeader("ETag", "\"\(key)\"")],
      body: Data(repeating: 0xff, count: bytes), stored: 5, expires: nil)
  }
}
