import SwiftBoardBoard
import SwiftBoardDependencies
import Testing

@testable import SwiftBoardFeatures

/// Commands that change something once end themselves, also if they are cancelled.
@Suite("Commands that change something")
struct ChangingCommandTests {
  @Test(
    "of analytics, they are those of the consent",
    arguments: [
      ("analytics on", true), ("analytics off", true), ("analytics status", false),
      ("analytics show", false),
    ])
  func analytics(line: String, changes: Bool) throws {
    try check(line, BoardFeatures.analytics, AnalyticsState(), \.changes, changes)
  }

  @Test(
    "of api, they are those that change the database or the cache without a request",
    arguments: [
      ("api service add a http://127.0.0.1", true), ("api saved remove s", true),
      ("api cache clear", true), ("api service list", false), ("api saved list", false),
      ("api recent", false), ("api cache stats", false), ("api get http://127.0.0.1", false),
    ])
  func api(line: String, changes: Bool) throws {
    try check(line, BoardFeatures.api, APIState(), \.changes, changes)
  }

  @Test("of api, the removal of a service is one when the service is known")
  func removedService() {
    var state = APIState()
    let service = APIService(name: "films", baseURL: "http://films.test")
    let looked = APIAction.looked(
      job: 1, command: .serviceRemove(name: service.name), services: [service])
    _ = BoardFeatures.api.reducer.reduce(&state, looked, World().dependencies)
    #expect(BoardFeatures.api.endsCancelled(state, 1))
  }

  @Test(
    "of characters, it is the removal of searches",
    arguments: [("characters recent remove a", true), ("characters recent", false)])
  func characters(line: String, changes: Bool) throws {
    try check(line, BoardFeatures.characters, CharactersState(), \.changes, changes)
  }

  @Test(
    "of log, they are those that write",
    arguments: [
      ("log note a", true), ("log level debug", true), ("log export f", true), ("log clear", true),
      ("log stats", false), ("log tail", false), ("log redact test a", false),
    ])
  func log(line: String, changes: Bool) throws {
    try check(line, BoardFeatures.log, LogState(), \.changes, changes)
  }

  private func check<State, Action: FeatureAction>(
    _ line: String, _ feature: Feature<State, Action>, _ initial: State,
    _ changes: WritableKeyPath<State, RunningChanges?>, _ isChange: Bool
  ) throws {
    let action = try #require(try action(line).action(of: feature))
    var state = initial
    let effects = feature.reducer.reduce(&state, action, World().dependencies)
    #expect(!effects.isEmpty)
    #expect(state[keyPath: changes] == (isChange ? [1] : []))
    #expect(feature.endsCancelled(state, 1) == isChange)
    // In an earlier recording it ended at once.
    state = initial
    state[keyPath: changes] = nil
    _ = feature.reducer.reduce(&state, action, World().dependencies)
    #expect(!feature.endsCancelled(state, 1))
  }
}
