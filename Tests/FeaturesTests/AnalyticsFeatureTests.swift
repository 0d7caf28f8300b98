import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// Consent, and what is counted.
@Suite("analytics")
struct AnalyticsFeatureTests {
  private let analytics = MockAnalytics()
  private let world = World()

  private var dependencies: Dependencies {
    var dependencies = world.dependencies
    dependencies.analytics = analytics
    return dependencies
  }

  private func store() -> TestStore<AnyReducer<AnalyticsState, AnalyticsAction, Dependencies>> {
    TestStore(
      initialState: AnalyticsState(), reducer: BoardFeatures.analytics.reducer,
      clock: world.clock, dependencies: dependencies, report: report)
  }

  private func run(_ job: Int, _ command: AnalyticsCommand) -> AnalyticsAction {
    .run(context: context("analytics", "analytics", job: job), command: command)
  }

  @Test("consent is stored before it is in effect, and withdrawn before that is stored")
  func order() {
    let store = store()
    store.send(run(1, .on)) { $0.changes = [1] }
    store.receive(.stored(job: 1, consent: true))
    store.receive(.applied(job: 1, consent: true)) { $0.consent = true }
    store.receive(.succeeded(job: 1, result: .consent(isGiven: true))) { $0.changes = [] }
    #expect(analytics.hasConsent)
    world.persistence.failNext("setPreference", with: .full)
    store.send(run(2, .off)) { $0.changes = [2] }
    store.receive(.applied(job: 2, consent: false)) { $0.consent = false }
    store.nonExhaustively { store in
      store.receive {
        guard case .failed(job: 2, let failure) = $0 else { return false }
        return failure.code == 74
      }
    }
    store.finish()
    #expect(!analytics.hasConsent, "what could not be stored is withdrawn all the same")
  }

  @Test("consent that cannot be stored is not in effect")
  func notStored() {
    world.persistence.failNext("setPreference", with: .readOnly)
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .on))
      store.receive { if case .failed(job: 1, _) = $0 { true } else { false } }
      #expect(store.state.consent == nil)
    }
    store.finish()
    #expect(!analytics.hasConsent)
  }

  @Test("without consent nothing is counted, and with it each command and kind of failure")
  func counted() async {
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("db put secrets 1 {\"name\":\"Rick\"}") == 0)
    #expect(analytics.events == [])
    #expect(await lines.run("analytics on") == 0)
    #expect(await lines.run("db get secrets 2") == 66)
    #expect(await lines.run("log note typed words") == 0)
    #expect(await lines.run("keychain set name --from-file typed") == 66)
    #expect(await lines.run("characters search name==typed") == 69)
    #expect(await lines.run("media list typed") == 66)
    #expect(await lines.run("downloads list typed") == 66)
    #expect(await lines.run("api get http://typed.test/typed") == 69)
    #expect(
      analytics.events.map(\.name) == [
        "db.get", "db.failed", "log.note", "keychain.set", "keychain.failed",
        "characters.search", "characters.failed", "media.list", "media.failed", "downloads.list",
        "downloads.failed", "api.get", "api.failed",
      ])
    #expect(
      analytics.events[1].properties == [LogField("error", "missing"), LogField("code", "66")])
    let text = analytics.events.map { "\($0)" }.joined()
    for word in ["secrets", "Rick", "typed", World.secret] { #expect(!text.contains(word)) }
    #expect(await lines.run("analytics show --plain") == 0)
    #expect(lines.allPrinted.contains("db.failed\terror=missing code=66\n"), "\(lines.allPrinted)")
    #expect(await lines.run("analytics off") == 0)
    #expect(analytics.events == [])
    #expect(await lines.run("db get secrets 2") == 66)
    #expect(analytics.events == [])
    await lines.board.close()
  }

  @Test("no event of any feature holds what was typed, or what was answered")
  func typedText() async throws {
    let origin = "http://typed.test"
    world.api.answer("GET", "\(origin)/typed?typed==typed", with: .json(#"{"typed":"typed"}"#))
    world.api.answer { request in
      request.url.hasPrefix("https://rickandmortyapi.com")
        ? CharactersReducerTests.json(["typed"], count: 1, pages: 1)
        : request.url.hasPrefix(origin) ? .json(#"{"typed":"typed"}"#) : nil
    }
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("analytics on") == 0)
    try await world.files.write(
      Data(
        """
        {"swiftboard":"db export","version":1}
        {"document":{"collection":"typed","id":"typed","updated":1,"body":"typed"}}
        """.utf8), to: "typed", mode: .replace)
    for line in [
      "api service add typed \(origin)", "api get typed/typed typed==typed",
      "api post \(origin)/typed typed=typed X-Typed:typed", "api get untyped/typed",
      "db put typed typed {\"typed\":\"typed\"}", "db get typed untyped",
      "db import typed --existing replace",
      "db list typed --where 'typed == 1'", "log note typed words", "log export /typed/typed",
      "keychain set typed --from-file untyped", "keychain list", "characters search name==typed",
      "characters show 99", "characters recent remove typed", "media list typed",
      "media add typed typed", "downloads list typed", "downloads add typed http://typed.test",
      "session mark typed", "set typed typed", "echo typed", "alias typed echo typed",
      "typed typed", "assert 'typed == \"typed\"'", "state typed", "open swiftboard://typed/typed",
    ] { _ = await lines.run(line) }
    lines.board.store.send(
      .shell(.failed(job: 0, failure: Failure(code: 70, error: "internal", message: "typed"))))
    lines.board.store.send(.keychain(.autoLocked(milliseconds: 1)))
    lines.board.store.send(
      .log(.failed(job: 0, failure: Failure(code: 74, error: "io", message: "typed"))))
    await lines.board.close()
    let text = analytics.events.map { "\($0)" }.joined()
    #expect(!text.contains("typed") && !text.contains("Typed"), "\(text)")
    // Every event that the sources name was there.
    var names: Set<String> = []
    let folders = ["Sources/Features", "Sources/Board/Session", "Sources/Board/Shell"]
    for file in try folders.flatMap({ try SourceTree.swiftFiles(in: $0) }) {
      let source = try SourceTree.text(file)
      for part in source.split(separator: "AnalyticsEvent(").dropFirst() {
        let part = part.drop { $0 == " " || $0 == "\n" }
        let name = part.dropFirst().prefix { $0 != "\"" }
        if part.first == "\"", !name.contains("\\") { names.insert(String(name)) }
      }
    }
    #expect(names.count >= 10)
    #expect(names.contains("shell.rejected") && names.contains("session.failed"))
    #expect(analytics.events.map(\.name).contains("shell.set"))
    let missing = names.subtracting(analytics.events.map(\.name))
    #expect(missing.isEmpty, "\(missing)")
  }

  @Test("a later session knows the consent, and what came before it was read is counted")
  func later() async throws {
    try await world.persistence.setPreference("analytics.consent", to: "true")
    let tracked = StepAnalytics(dependencies)
    tracked.track { [AnalyticsEvent("db.get")] }
    await tracked.finish()
    #expect(analytics.hasConsent && analytics.events.map(\.name) == ["db.get"])
    tracked.track { [AnalyticsEvent("db.put")] }
    #expect(analytics.events.map(\.name) == ["db.get", "db.put"])
  }

  @Test("what came before consent was given is not counted")
  func earlier() async {
    let tracked = StepAnalytics(dependencies)
    tracked.track { [AnalyticsEvent("db.get")] }
    analytics.setConsent(true)
    tracked.track { [AnalyticsEvent("db.put")] }
    await tracked.finish()
    #expect(analytics.events.map(\.name) == ["db.put"])
  }

  @Test("nothing before 'on' is counted, even if the stored consent is found before it is applied")
  func foundEarly() async throws {
    let tracked = StepAnalytics(dependencies)
    // As the command does while it stores the consent.
    analytics.setConsent(false)
    try await world.persistence.setPreference("analytics.consent", to: "true")
    tracked.track { [AnalyticsEvent("db.get")] }
    await tracked.finish()
    #expect(!analytics.hasConsent)
    analytics.setConsent(true)
    tracked.track { [AnalyticsEvent("db.put")] }
    #expect(analytics.events.map(\.name) == ["db.put"])
  }

  @Test("the status is the stored consent")
  func status() async throws {
    try await world.persistence.setPreference("analytics.consent", to: "true")
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("analytics status") == 0)
    #expect(lines.allPrinted.hasPrefix("consent  yes\n"), "\(lines.allPrinted)")
    #expect(await lines.run("assert analytics.consent == true") == 0)
    await lines.board.close()
  }

  @Test("a withdrawal that the status finds is in effect from then on")
  func withdrawnElsewhere() async throws {
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("analytics on") == 0)
    try await world.persistence.setPreference("analytics.consent", to: "false")
    #expect(await lines.run("analytics status") == 0)
    #expect(lines.allPrinted.contains("consent  no\n"), "\(lines.allPrinted)")
    #expect(!analytics.hasConsent)
    await lines.board.close()
  }
}
