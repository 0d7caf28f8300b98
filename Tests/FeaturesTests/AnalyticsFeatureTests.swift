import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
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
    store.send(run(1, .on))
    store.receive(.stored(job: 1, consent: true))
    store.receive(.applied(job: 1, consent: true)) { $0.consent = true }
    store.receive(.succeeded(job: 1, result: .consent(isGiven: true)))
    #expect(analytics.hasConsent)
    world.persistence.failNext("setPreference", with: .full)
    store.send(run(2, .off))
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
    #expect(
      analytics.events.map(\.name) == [
        "db.get", "db.failed", "log.note", "keychain.set", "keychain.failed",
        "characters.search", "characters.failed", "media.list", "media.failed", "downloads.list",
        "downloads.failed",
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

  @Test("a later session knows the consent, and what came before it was read is counted")
  func later() async throws {
    try await world.persistence.setPreference("analytics.consent", to: "true")
    let tracked = StepAnalytics(dependencies)
    await tracked.track { [AnalyticsEvent("db.get")] }?.value
    #expect(analytics.hasConsent && analytics.events.map(\.name) == ["db.get"])
    tracked.track { [AnalyticsEvent("db.put")] }
    #expect(analytics.events.map(\.name) == ["db.get", "db.put"])
  }

  @Test("what came before consent was given is not counted")
  func earlier() async {
    let tracked = StepAnalytics(dependencies)
    let load = tracked.track { [AnalyticsEvent("db.get")] }
    analytics.setConsent(true)
    tracked.track { [AnalyticsEvent("db.put")] }
    await load?.value
    #expect(analytics.events.map(\.name) == ["db.put"])
  }

  @Test("nothing before 'on' is counted, even if the stored consent is found before it is applied")
  func foundEarly() async throws {
    let tracked = StepAnalytics(dependencies)
    // As the command does while it stores the consent.
    analytics.setConsent(false)
    try await world.persistence.setPreference("analytics.consent", to: "true")
    await tracked.track { [AnalyticsEvent("db.get")] }?.value
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
}
