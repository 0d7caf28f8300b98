import Dispatch
import SwiftBoardJSON
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// Events over HTTP, to a real server.
@Suite("Analytics over HTTP", .timeLimit(.minutes(20)))
struct HTTPAnalyticsTests {
  /// Answers by a list of status codes, then 204; keeps what it was sent.
  private final class Collector: Sendable {
    let server: TestHTTPServer

    init(_ statuses: [Int] = [], gate: ThreadGate? = nil, headers: [(String, String)] = []) throws {
      let rest = Shared(statuses)
      server = try TestHTTPServer { _ in
        gate?.pass()
        let status = rest.value.withLock { $0.isEmpty ? 204 : $0.removeFirst() }
        return .response(.init(status, headers: status == 429 ? headers : []))
      }
    }

    /// The names and ids of the events of each request.
    func batches() throws -> [[(name: String?, id: String?)]] {
      try server.requests.map { request in
        let json = try JSON(parsing: request.bodyText)
        return (json["events"]?.elements ?? []).map {
          ($0["event"]?.stringValue, $0["id"]?.stringValue)
        }
      }
    }
  }

  private func analytics(
    _ provider: any AnalyticsProvider, _ others: (any AnalyticsProvider)...
  ) -> LiveAnalytics {
    LiveAnalytics(providers: [provider] + others, date: .fixed(), uuid: .incrementing)
  }

  private func provider(
    _ collector: Collector, firstDelay: Duration = .milliseconds(1),
    date: DateGenerator = .live
  ) -> HTTPAnalyticsProvider {
    HTTPAnalyticsProvider(
      url: collector.server.origin + "/events", client: LiveAPIClient(),
      headers: [HTTPHeader("X-Board", "1")], timeout: .seconds(3600), firstDelay: firstDelay,
      date: date)
  }

  @Test("without consent nothing is sent, with it events go in batches")
  func batches() throws {
    let gate = ThreadGate()
    let collector = try Collector(gate: gate)
    let analytics = analytics(provider(collector))
    analytics.track(AnalyticsEvent("without consent"))
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(collector.server.requests.isEmpty)
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("first", properties: [LogField("a", "\u{1B}\"")]))
    gate.waitUntilSomeoneWaits()
    for index in 0..<100 { analytics.track(AnalyticsEvent("\(index)")) }
    gate.open()
    #expect(analytics.flush(within: .seconds(3600)))
    let batches = try collector.batches()
    #expect(batches.map(\.count) == [1, 64, 36])
    #expect(batches.joined().map(\.name) == ["first"] + (0..<100).map { "\($0)" })
    #expect(Set(batches.joined().map(\.id)).count == 101)
    let request = try #require(collector.server.requests.first)
    #expect(request.method == "POST" && request.path == "/events")
    #expect(request.header("Content-Type") == "application/json")
    #expect(request.header("X-Board") == "1")
    #expect(
      request.bodyText
        == #"{"events":[{"id":"00000000-0000-0000-0000-000000000001","#
        + #""time":"2026-01-01T00:00:00.000000Z","event":"first","#
        + #""properties":{"a":"\u001b\""}}]}"#)
    #expect(analytics.statistics()[0].delivered == 101)
  }

  @Test(
    "after a failure the same events come again with the same ids", arguments: [500, 503, 429, 408])
  func again(status: Int) throws {
    let collector = try Collector([status, status])
    let analytics = analytics(provider(collector))
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("a"))
    while analytics.statistics()[0].delivered == 0 { _ = analytics.flush(within: .seconds(3600)) }
    let batches = try collector.batches()
    #expect(batches.count == 3)
    #expect(Set(batches.joined().map(\.id)).count == 1)
    #expect(analytics.statistics()[0].dropped == 0)
  }

  @Test("what the server will never take is given up", arguments: [400, 401, 404, 301])
  func givenUp(status: Int) throws {
    let collector = try Collector([status])
    let analytics = analytics(provider(collector))
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("a"))
    for _ in 0..<3 { #expect(analytics.flush(within: .seconds(3600))) }
    #expect(collector.server.requests.count == 1)
    #expect(analytics.statistics()[0].dropped == 1)
    #expect(analytics.statistics()[0].waiting == 0)
  }

  @Test("the time between attempts doubles up to a bound, and a server can prolong it")
  func backOff() throws {
    let collector = try Collector([429], headers: [("Retry-After", "900")])
    let provider = provider(collector, firstDelay: .seconds(2))
    #expect(provider.delay(afterFailures: 1) == .seconds(2))
    #expect(provider.delay(afterFailures: 2) == .seconds(4))
    #expect(provider.delay(afterFailures: 8) == .seconds(256))
    #expect(provider.delay(afterFailures: 1000) == .seconds(600))
    let event = AnalyticsDelivery(
      id: UUIDGenerator.incrementing.next(), time: 0, event: AnalyticsEvent("a"))
    #expect(throws: HTTPAnalyticsProvider.Failure.self) { try provider.deliver([event]) }
    #expect(provider.delay(afterFailures: 1) == .seconds(900))
    try provider.deliver([event])
    #expect(provider.delay(afterFailures: 1) == .seconds(2))
  }

  @Test(
    "a server can name a time for the next attempt, up to an hour from now",
    arguments: [
      ("Thu, 01 Jan 2026 00:15:00 GMT", 900), ("Thu, 01 Jan 2026 02:00:00 GMT", 3600),
      ("Wed, 31 Dec 2025 23:00:00 GMT", 2), ("7200", 3600), ("soon", 2),
    ])
  func retryAfter(value: String, seconds: Int) throws {
    let collector = try Collector([429], headers: [("Retry-After", value)])
    // The fixed time is 2026-01-01T00:00:00Z.
    let provider = provider(collector, firstDelay: .seconds(2), date: .fixed())
    let event = AnalyticsDelivery(
      id: UUIDGenerator.incrementing.next(), time: 0, event: AnalyticsEvent("a"))
    #expect(throws: HTTPAnalyticsProvider.Failure.self) { try provider.deliver([event]) }
    #expect(provider.delay(afterFailures: 1) == .seconds(seconds))
  }

  @Test("a server that is not there loses nothing until the attempts are over, and delays nobody")
  func unreachable() throws {
    let collector = try Collector()
    let provider = provider(collector, firstDelay: .seconds(3600))
    collector.server.stop()
    let folder = try TemporaryFolder()
    let analytics = analytics(provider, FileAnalyticsProvider(path: folder.path("events.jsonl")))
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("a"))
    #expect(analytics.flush(within: .seconds(3600)))
    #expect(analytics.statistics()[0].dropped == 0)
    #expect(analytics.statistics()[0].delivered == 0)
    #expect(analytics.statistics()[1].delivered == 1)
    // Each flush is one attempt more.
    for _ in 0..<provider.attempts { #expect(analytics.flush(within: .seconds(3600))) }
    #expect(analytics.statistics()[0].waiting == 0)
    #expect(analytics.statistics()[0].dropped == 1)
  }

  @Test(
    "a server that hangs keeps neither shutdown nor the others, and opting out empties its queue")
  func hanging() async throws {
    let gate = ThreadGate()
    let collector = try Collector(gate: gate)
    let good = AnalyticsTests.Probe("good")
    let analytics = analytics(provider(collector), good)
    analytics.setConsent(true)
    analytics.track(AnalyticsEvent("a"))
    await onThread { gate.waitUntilSomeoneWaits() }
    for index in 0..<10 { analytics.track(AnalyticsEvent("\(index)")) }
    #expect(await !analytics.shutDown(within: .milliseconds(1)))
    await onThread { for _ in 0..<11 { good.delivered.wait() } }
    #expect(analytics.statistics()[0].waiting == 10)
    analytics.setConsent(false)
    #expect(analytics.statistics()[0].waiting == 0)
    gate.open()
    #expect(await analytics.shutDown(within: .seconds(3600)))
    #expect(collector.server.requests.count == 1)
  }
}
