import Dispatch
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardTestSupport
import Synchronization
import Testing

struct AnalyticsTests {
  /// A provider that does as it is told.
  final class Probe: AnalyticsProvider {
    struct Refusal: Error {}
    let name: String
    let gate: ThreadGate?
    let refusals: Mutex<Int>
    let attempts = Mutex<[[AnalyticsDelivery]]>([])
    let kept = Mutex<[AnalyticsDelivery]>([])
    /// Signalled once an event.
    let delivered = DispatchSemaphore(value: 0)

    init(_ name: String = "probe", gate: ThreadGate? = nil, refusals: Int = 0) {
      self.name = name
      self.gate = gate
      self.refusals = Mutex(refusals)
    }

    func deliver(_ events: [AnalyticsDelivery]) throws {
      gate?.pass()
      attempts.withLock { $0.append(events) }
      let refuses = refusals.withLock { count in
        defer { count = max(0, count - 1) }
        return count > 0
      }
      if refuses { throw Refusal() }
      kept.withLock { $0 += events }
      for _ in events { delivered.signal() }
    }

    var names: [String] { kept.withLock { $0.map(\.event.name) } }
  }

  private func live(_ providers: [any AnalyticsProvider], capacity: Int = 1000) -> LiveAnalytics {
    LiveAnalytics(
      providers: providers, capacity: capacity, date: .fixed(), uuid: .incrementing)
  }

  @Test("consent is off by default") func consentIsOffByDefault() {
    let probe = Probe()
    let analytics = live([probe])
    #expect(!analytics.hasConsent)
    analytics.track(AnalyticsEvent("a"))
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(probe.attempts.withLock { $0.isEmpty })
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("b"))
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(probe.names == ["b"])
  }

  @Test(
    "consent can be given and taken",
    arguments: [
      MockAnalytics() as any Analytics, LiveAnalytics(), MockAnalytics(consent: true),
    ])
  func consentCanBeGivenAndTaken(analytics: any Analytics) {
    analytics.setConsent(true)
    #expect(analytics.hasConsent)
    analytics.setConsent(false)
    #expect(!analytics.hasConsent)
  }

  @Test("mock keeps what has consent") func mockKeepsWhatHasConsent() {
    let analytics = MockAnalytics()
    analytics.track(AnalyticsEvent("a"))
    #expect(analytics.events.isEmpty)
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("b", properties: [LogField("k", "v")]))
    #expect(analytics.events == [AnalyticsEvent("b", properties: [LogField("k", "v")])])
    analytics.setConsent(false)
    #expect(analytics.events.isEmpty)
    #expect(MockAnalytics.preview.events.count == 2)
  }

  @Test("opting out empties the queues") func optingOutEmptiesTheQueues() {
    let gate = ThreadGate()
    let probe = Probe(gate: gate)
    let analytics = live([probe])
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("under way"))
    gate.waitUntilSomeoneWaits()
    for index in 0..<10 { analytics.track(AnalyticsEvent("\(index)")) }
    #expect(analytics.statistics()[0].waiting == 10)
    analytics.setConsent(false)
    #expect(analytics.statistics()[0].waiting == 0)
    gate.open()
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(probe.names == ["under way"])
  }

  @Test("refused events do not survive opting out") func refusedEventsDoNotSurviveOptingOut() {
    let gate = ThreadGate()
    let probe = Probe(gate: gate, refusals: 1)
    let analytics = live([probe])
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("refused"))
    gate.waitUntilSomeoneWaits()
    analytics.setConsent(false)
    analytics.setConsent(true)
    gate.open()
    analytics.track(AnalyticsEvent("new"))
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(probe.names == ["new"])
  }

  @Test("full queue drops the oldest") func fullQueueDropsTheOldest() {
    let gate = ThreadGate()
    let probe = Probe(gate: gate)
    let analytics = live([probe], capacity: 3)
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("first"))
    gate.waitUntilSomeoneWaits()
    for index in 0..<10 { analytics.track(AnalyticsEvent("\(index)")) }
    #expect(analytics.statistics()[0].dropped == 7)
    gate.open()
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(probe.names == ["first", "7", "8", "9"])
    #expect(
      analytics.statistics()
        == [AnalyticsStatistics(provider: "probe", delivered: 4, dropped: 7, waiting: 0)])
  }

  @Test("a hanging provider delays no caller") func hangingProviderDelaysNobody() {
    let gate = ThreadGate()
    let stuck = Probe("stuck", gate: gate)
    let good = Probe("good")
    let analytics = live([stuck, good])
    analytics.setConsent(true)
    for index in 0..<100 { analytics.track(AnalyticsEvent("\(index)")) }
    gate.waitUntilSomeoneWaits()
    #expect(!analytics.flush(within: .milliseconds(1)))
    // The good one is through while the other still hangs.
    for _ in 0..<100 { good.delivered.wait() }
    #expect(stuck.names.isEmpty)
    gate.open()
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(good.names.count == 100)
    #expect(stuck.names == good.names)
  }

  @Test("refused events are offered again with the same ids")
  func refusedEventsAreOfferedAgainWithTheSameIds() {
    let probe = Probe(refusals: 2)
    let analytics = live([probe, Probe("other")])
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("a"))
    for _ in 0..<3 { #expect(analytics.flush(within: .seconds(3600))) }
    #expect(probe.names == ["a"])
    let ids = probe.attempts.withLock { $0.flatMap { $0.map(\.id) } }
    #expect(ids.count == 3)
    #expect(Set(ids).count == 1)
    #expect(analytics.statistics()[1].delivered == 1)
  }

  @Test("always failing provider is given up") func alwaysFailingProviderIsGivenUp() {
    let bad = Probe("bad", refusals: .max)
    let good = Probe("good")
    let analytics = live([bad, good])
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("a"))
    for _ in 0..<6 { #expect(analytics.flush(within: .seconds(3600))) }
    #expect(bad.attempts.withLock { $0.count } == 3)
    #expect(analytics.statistics()[0].dropped == 1)
    #expect(analytics.statistics()[0].waiting == 0)
    #expect(good.names == ["a"])
  }

  @Test("events that a provider refuses for good are not offered again")
  func refusedForGood() {
    struct Strict: AnalyticsProvider {
      let name = "strict"
      let offered = Counter()
      func deliver(_ events: [AnalyticsDelivery]) throws {
        offered.value.withLock { $0 += events.count }
        throw AnalyticsRefusal(message: "no")
      }
    }
    final class Counter: Sendable { let value = Mutex(0) }
    let strict = Strict()
    let analytics = live([strict])
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("a"))
    for _ in 0..<3 { #expect(analytics.flush(within: .seconds(3600))) }
    #expect(strict.offered.value.withLock { $0 } == 1)
    #expect(analytics.statistics()[0].dropped == 1)
  }

  @Test("a provider that asks for patience is offered nothing before, except at a flush")
  func patience() {
    final class Slow: AnalyticsProvider {
      let name = "slow"
      let attempts = 5
      let delay: Duration
      let offered = Mutex(0)
      let refusals: Mutex<Int>
      let waits = Mutex<[Int]>([])
      let done = DispatchSemaphore(value: 0)
      let failed = DispatchSemaphore(value: 0)

      struct Refusal: Error {}

      init(delay: Duration, refusals: Int) {
        self.delay = delay
        self.refusals = Mutex(refusals)
      }

      func deliver(_ events: [AnalyticsDelivery]) throws {
        offered.withLock { $0 += 1 }
        let refuses = refusals.withLock { count in
          defer { count -= 1 }
          return count > 0
        }
        if refuses {
          failed.signal()
          throw Refusal()
        }
        done.signal()
      }

      func delay(afterFailures count: Int) -> Duration? {
        waits.withLock { $0.append(count) }
        return delay
      }
    }
    // An hour: neither time nor another event brings the next attempt, a flush does.
    let patient = Slow(delay: .seconds(3600), refusals: 1)
    let analytics = live([patient])
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("a"))
    patient.failed.wait()
    for index in 0..<10 { analytics.track(AnalyticsEvent("\(index)")) }
    #expect(patient.offered.withLock { $0 } == 1)
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(patient.offered.withLock { $0 } == 2)
    #expect(analytics.statistics()[0].delivered == 11)
    // A millisecond: it comes by itself.
    let quick = Slow(delay: .milliseconds(1), refusals: 3)
    let other = live([quick])
    other.setConsent(true)
    other.track(AnalyticsEvent("a"))
    quick.done.wait()
    #expect(quick.waits.withLock { $0 } == [1, 2, 3])
  }

  @Test("the log provider writes a record an event")
  func logProvider() {
    let logger = MockLogger()
    let analytics = live([LogAnalyticsProvider(logger: logger)])
    analytics.track(AnalyticsEvent("without.consent"))
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("api.get", properties: [LogField("service", "a")]))
    #expect(analytics.flush(within: .seconds(3600)))
    let records = logger.records
    #expect(records.map(\.message) == ["api.get"])
    #expect(records.map(\.category) == ["analytics"])
    #expect(
      records.first?.fields == [
        LogField("service", "a"), LogField("event", "00000000-0000-0000-0000-000000000001"),
      ])
  }

  @Test("no secret is counted") func noSecretIsCounted() {
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: "n")
    let probe = Probe()
    let analytics = LiveAnalytics(providers: [probe], redactor: redactor)
    analytics.setConsent(true)
    analytics.track(
      AnalyticsEvent(
        "s3cr3t-value", properties: [LogField("token", "x"), LogField("a", "s3cr3t-value")]))
    #expect(analytics.flush(within: .seconds(3600)))
    let event = probe.kept.withLock { $0[0].event }
    #expect(
      event
        == AnalyticsEvent(
          "«secret:n»", properties: [LogField("token", "«redacted»"), LogField("a", "«secret:n»")]))
  }

  @Test("the end reports which provider has not delivered how many events")
  func lossesAtTheEnd() async throws {
    let folder = try TemporaryFolder()
    let losses = Mutex<[String]>([])
    let analytics = LiveAnalytics(
      providers: [Probe(), FileAnalyticsProvider(path: folder.path)]
    ) { provider, count in
      losses.withLock { $0.append("\(provider) \(count)") }
    }
    analytics.setConsent(true)
    #expect(await analytics.shutDown(within: .seconds(3600)))
    #expect(losses.withLock { $0 } == [])
    for name in ["a", "b"] { analytics.track(AnalyticsEvent(name)) }
    _ = await analytics.shutDown(within: .seconds(3600))
    #expect(losses.withLock { $0 } == ["file 2"])
  }

  @Test("file provider writes a line an event") func fileProviderWritesALineAnEvent() throws {
    let folder = try TemporaryFolder()
    let analytics = live([FileAnalyticsProvider(path: folder.path("events.jsonl"))])
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("api.get", properties: [LogField("service", "a\nb")]))
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(
      String(decoding: try folder.read("events.jsonl"), as: UTF8.self)
        == #"{"id":"00000000-0000-0000-0000-000000000001","time":"2026-01-01T00:00:00.000000Z","#
        + #""event":"api.get","properties":{"service":"a\nb"}}"# + "\n")
  }
}
