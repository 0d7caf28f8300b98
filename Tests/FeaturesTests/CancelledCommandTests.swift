import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// Commands that change something once, and are cancelled when they have changed it.
@Suite("a cancelled command that changes something")
struct CancelledCommandTests {
  /// Analytics that interrupt the line of the command that sets the consent.
  private struct InterruptingAnalytics: Analytics {
    let base: MockAnalytics
    let interrupt: Interruption

    var hasConsent: Bool { base.hasConsent }
    func track(_ event: AnalyticsEvent) { base.track(event) }
    func setConsent(_ granted: Bool) {
      base.setConsent(granted)
      interrupt()
    }
  }

  /// What a line has printed and changed.
  private struct Run: Equatable {
    var printed: String
    var content: [String]
  }

  private static func world() async throws -> World {
    let world = World()
    let store = world.persistence
    try await store.saveService(APIService(name: "s", baseURL: "http://s"), replacing: false)
    try await store.setPreference("api.saved.r", to: "{}")
    try await store.addSearch("name==rick", scope: "characters", at: 1)
    try await store.storeResponse(
      CachedResponse(
        key: "GET http://s/", service: "s", status: 200, headers: [], body: Data(), stored: 1,
        expires: 2))
    world.logger.log("first", level: .info, category: "c")
    return world
  }

  private static func content(of world: World, _ analytics: MockAnalytics) async throws -> [String]
  {
    let store = world.persistence
    return [
      "\(analytics.hasConsent)", "\(try await store.preferences())",
      "\(try await store.services())", "\(try await store.cachedResponses().count)",
      "\(try await store.searches(scope: "characters", containing: nil))",
      "\(world.logger.records.map(\.message))", "\(world.files.files.keys.sorted())",
      "\(world.logger.level(category: nil))",
    ]
  }

  /// - Parameter call: The call of the persistence behind which the line is interrupted, or the
  ///   first other service that it uses if it is empty. It is not interrupted if it is `nil`.
  private static func run(_ line: String, interruptedAfter call: String?) async throws -> Run {
    let world = try await world()
    let analytics = MockAnalytics(consent: line == "analytics off")
    let interrupt = Interruption()
    var dependencies = world.dependencies
    dependencies.logger = InterruptingLogger(base: world.logger, interrupt: interrupt)
    dependencies.analytics = InterruptingAnalytics(base: analytics, interrupt: interrupt)
    let lines = Lines(world, dependencies: dependencies)
    let session = lines.session
    if let call {
      let act: @Sendable () -> Void = { session.interrupt() }
      if call.isEmpty {
        interrupt.arm(act)
      } else {
        world.persistence.afterNext(call, act)
      }
    }
    #expect(await lines.run(line) == (call == nil ? 0 : 130), "\(lines.allPrinted)")
    let state = lines.board.store.state
    #expect(state.shell.running.isEmpty)
    #expect(state.analytics.changes == [] && state.api.changes == [])
    #expect(state.characters.changes == [] && state.log.changes == [])
    #expect(state.downloads.changes == [] && state.session.changes == [])
    await lines.board.close()
    return Run(printed: lines.allPrinted, content: try await content(of: world, analytics))
  }

  @Test(
    "one that has made its change says so, makes all of it, and its line ends with 130",
    arguments: [
      ("analytics on", ""), ("analytics on", "setPreference"), ("analytics off", ""),
      ("analytics off", "setPreference"), ("api service add t http://t", "saveService"),
      ("api service remove s", "removeService"), ("api saved remove r", "unsetPreference"),
      ("api cache clear", "clearResponses"),
      ("characters recent remove name==rick", "removeSearches"), ("log note x", ""),
      ("log clear", "clearLogRecords"), ("log export e", ""), ("log level error", ""),
    ])
  func made(line: String, call: String) async throws {
    let whole = try await Self.run(line, interruptedAfter: nil)
    #expect(!whole.printed.contains("cancelled"))
    #expect(try await Self.run(line, interruptedAfter: call) == whole)
  }

  @Test(
    "every command that changes something ends itself, and no other does",
    arguments: [
      ("analytics on", true), ("analytics off", true), ("analytics status", false),
      ("analytics show", false), ("api service add t http://t", true), ("api saved remove r", true),
      ("api cache clear", true), ("api service list", false), ("api service remove s", false),
      ("api saved list", false), ("api cache list", false), ("api get http://s", false),
      ("characters recent remove name==rick", true), ("characters recent", false),
      ("log note x", true), ("log level error", true), ("log clear", true), ("log export e", true),
      ("log tail", false), ("log stats", false), ("log redact test x", false),
      ("session record r", true), ("session stop", true), ("session mark m", true),
      ("session status", false),
      ("session stats r", false), ("session screenshot r", false),
    ])
  func commands(line: String, changes: Bool) throws {
    let store = World().looseStore()
    store.send(try action(line))
    #expect(endsCancelled(store.state) == changes)
    store.skipReceivedActions()
    #expect(!endsCancelled(store.state))
    store.finish()
  }

  @Test("a service is removed behind the step that has found it")
  func serviceRemove() throws {
    let command = APICommand.serviceRemove(name: "s")
    let found = APIAction.looked(
      job: 1, command: command, services: [APIService(name: "s", baseURL: "http://s")])
    var state = APIState()
    _ = BoardFeatures.api.reducer.reduce(&state, found, World().dependencies)
    #expect(BoardFeatures.api.endsCancelled(state, 1))
  }

  @Test("in an earlier recording such a command ends when it is cancelled")
  func earlier() throws {
    var state = BoardState()
    state.analytics = try CanonicalDecoder.decode(AnalyticsState.self, from: Array("{}".utf8))
    state.log = try CanonicalDecoder.decode(
      LogState.self, from: Array(#"{"levels":{},"notes":0}"#.utf8))
    state.api = try CanonicalDecoder.decode(
      APIState.self, from: Array(#"{"answered":0,"answers":[],"pending":[],"requests":0}"#.utf8))
    state.characters.changes = nil
    state.session.changes = nil
    for line in [
      "session stop",
      "analytics on", "analytics off", "log note x", "api cache clear", "api saved remove r",
      "api service add t http://t", "characters recent remove name==rick",
    ] {
      let store = World().looseStore(state)
      store.send(try action(line))
      #expect(!endsCancelled(store.state), "\(line)")
      store.skipReceivedActions()
      #expect(store.state.shell.running.isEmpty)
      store.finish()
    }
  }

  private func endsCancelled(_ state: BoardState) -> Bool {
    BoardFeatures.analytics.endsCancelled(state.analytics, 1)
      || BoardFeatures.api.endsCancelled(state.api, 1)
      || BoardFeatures.characters.endsCancelled(state.characters, 1)
      || BoardFeatures.log.endsCancelled(state.log, 1)
      || BoardFeatures.all.endsCancelled(state, 1)
  }
}
