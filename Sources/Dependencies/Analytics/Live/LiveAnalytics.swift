import SwiftBoardSystem
import Synchronization

/// Hands events to providers side by side. Each has a queue and a thread of its own: one that is
/// slow, hangs or fails delays neither the caller nor the others.
///
/// A queue holds `capacity` events; the oldest are dropped first and are counted. Events that a
/// provider fails to take stay in its queue until they are offered again, as the provider says.
/// Without consent `track` does nothing.
public final class LiveAnalytics: Analytics {
  private let outlets: [AnalyticsOutlet]
  private let redactor: Redactor
  private let date: DateGenerator
  private let uuid: UUIDGenerator
  private let consent = Atomic(false)

  /// - Parameters:
  ///   - capacity: Events that wait for each provider.
  ///   - date, uuid: Give each event its time and id. They are separate from the generators of the
  ///     dependencies, so that counting is not recorded as a draw.
  ///   - redactor: The logger's, so that no secret is counted either.
  public init(
    providers: [any AnalyticsProvider] = [], capacity: Int = 1000, date: DateGenerator = .live,
    uuid: UUIDGenerator = .live, redactor: Redactor = Redactor()
  ) {
    self.outlets = providers.map { AnalyticsOutlet($0, capacity: capacity) }
    self.date = date
    self.uuid = uuid
    self.redactor = redactor
  }

  /// Redacts the event and puts it into every queue; without consent or providers, or from inside a
  /// log sink, does nothing.
  ///
  /// - Complexity: The redaction, and one lock for each provider. Never waits for one.
  public func track(_ event: AnalyticsEvent) {
    guard hasConsent, !outlets.isEmpty, !LogRecursion.isInside else { return }
    let event = AnalyticsEvent(
      redactor.redact(event.name), properties: event.properties.map(redactor.redact))
    let delivery = AnalyticsDelivery(id: uuid.next(), time: date.now, event: event)
    for outlet in outlets { outlet.add(delivery) }
    // Consent taken back meanwhile: the queues were emptied before the event came.
    if !hasConsent { removeAll() }
  }

  /// One atomic load.
  public var hasConsent: Bool { consent.load(ordering: .sequentiallyConsistent) }

  /// Takes effect at once. Taking consent back empties all queues; what a provider has in its hands
  /// already may still arrive.
  public func setConsent(_ granted: Bool) {
    consent.store(granted, ordering: .sequentiallyConsistent)
    if !granted { removeAll() }
  }

  /// By provider, in the order given.
  public func statistics() -> [AnalyticsStatistics] { outlets.map { $0.statistics() } }

  /// Returns when every provider was offered what was tracked so far; false when the time was over
  /// first. It blocks the thread.
  @discardableResult
  public func flush(within duration: Duration) -> Bool {
    let deadline = ContinuousClock().now.advanced(by: duration)
    return outlets.reduce(true) { $1.flush(deadline: deadline) && $0 }
  }

  /// Flushes, on a thread of its own.
  public func shutDown(within duration: Duration) async -> Bool {
    await DetachedThread.run { self.flush(within: duration) }
  }

  private func removeAll() {
    for outlet in outlets { outlet.removeAll() }
  }
}

/// One provider's queue.
private final class AnalyticsOutlet: Sendable {
  private struct Item {
    var delivery: AnalyticsDelivery
    var attempts = 0
  }

  private struct Counts {
    var delivered = 0
    var refused = 0
    /// Attempts that failed one after the other.
    var failures = 0
  }

  private let provider: any AnalyticsProvider
  private let worker: BackgroundWorker<Item>
  private let counts = Shared(Counts())

  init(_ provider: any AnalyticsProvider, capacity: Int) {
    self.provider = provider
    let counts = counts
    var limits = BackgroundWorker<Item>.Limits()
    limits.elements = max(1, capacity)
    limits.bytes = .max
    limits.batch = 64
    limits.overflow = .dropOldest
    worker = BackgroundWorker(retrying: limits) { items in
      let offered = items.count
      do {
        try provider.deliver(items.map(\.delivery))
        items = []
        counts.value.withLock {
          $0.delivered += offered
          $0.failures = 0
        }
        return nil
      } catch {
        for index in items.indices { items[index].attempts += 1 }
        // The oldest deliveries have the most attempts, so the ones to remove are at the front.
        let most = error is AnalyticsRefusal ? 0 : provider.attempts
        items.removeAll { $0.attempts >= most }
        let refused = offered - items.count
        let failures = counts.value.withLock { counts in
          counts.refused += refused
          counts.failures = error is AnalyticsRefusal ? 0 : counts.failures + 1
          return counts.failures
        }
        return failures == 0 ? nil : provider.delay(afterFailures: failures)
      }
    }
  }

  func add(_ delivery: AnalyticsDelivery) { worker.add(Item(delivery: delivery)) }
  func removeAll() { worker.removeAll() }
  func flush(deadline: ContinuousClock.Instant) -> Bool { worker.flush(deadline: deadline) }

  func statistics() -> AnalyticsStatistics {
    let counts = counts.value.withLock { $0 }
    return AnalyticsStatistics(
      provider: provider.name, delivered: counts.delivered,
      dropped: counts.refused + worker.dropped, waiting: worker.count)
  }
}
